#include "generate/generate.hpp"

#include "unit/generate/generate_checks.hpp"

#include <algorithm>

namespace talus {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

TEST(Generate, EveryKindIsSoundWithItsDefaults) {
  for (const std::string& kind : generate_kinds()) {
    SCOPED_TRACE(kind);
    const BodyProblem problem = generate({.kind = kind});

    expect_sound(problem);
    expect_weight(problem);
  }
}

TEST(Generate, SameSeedSameBitsAnotherSeedAnotherProblem) {
  for (const std::string& kind : generate_kinds()) {
    if (kind == "wall") continue;  // nothing in it is random
    SCOPED_TRACE(kind);
    const BodyProblem first = generate({.kind = kind, .bodies = 40, .seed = 5});

    EXPECT_TRUE(same_bits(first, generate({.kind = kind, .bodies = 40, .seed = 5})));
    EXPECT_FALSE(same_bits(first, generate({.kind = kind, .bodies = 40, .seed = 6})));
  }
  EXPECT_TRUE(same_bits(generate({.kind = "wall"}), generate({.kind = "wall"})));
}

TEST(Generate, RollingAndSpinningFrictionAreThoseOfAllContacts) {
  const BodyProblem plain = generate({.kind = "packing", .bodies = 20});
  const BodyProblem rolling =
      generate({.kind = "packing", .bodies = 20, .rolling_friction = 0.001});
  const BodyProblem spinning =
      generate({.kind = "packing", .bodies = 20, .spinning_friction = 0.002});

  EXPECT_FALSE(plain.has_rolling());
  EXPECT_TRUE(plain.spinning_friction.empty());
  const auto contacts = plain.normal.size();
  EXPECT_EQ(rolling.rolling_friction, std::vector<double>(contacts, 0.001));
  EXPECT_EQ(rolling.spinning_friction, std::vector<double>(contacts, 0.0));
  EXPECT_EQ(spinning.rolling_friction, std::vector<double>(contacts, 0.0));
  EXPECT_EQ(spinning.spinning_friction, std::vector<double>(contacts, 0.002));
  expect_sound(spinning);
  EXPECT_TRUE(same_bits(plain, rolling));
}

TEST(GenerateStack, HasFourContactsPerFaceOnBothSurfaces) {
  const BodyProblem problem = generate({.kind = "stack", .bodies = 7, .friction = 0.3});

  ASSERT_EQ(problem.body_count(), 7);
  ASSERT_EQ(problem.contact_count(), 28);
  for (std::size_t c = 0; c < 28; ++c) {
    const Index a = problem.contact_body_a[c], b = problem.contact_body_b[c];
    EXPECT_EQ(b, static_cast<Index>(c / 4));
    EXPECT_EQ(a, b == 0 ? no_body : b - 1);
    EXPECT_EQ(problem.friction[c], 0.3);
    // plates are 0.1 m thick and 1 m wide: corners of the faces, to rounding of coordinates below 1
    // m
    const Vec3 arm = problem.point[c] - problem.centre[at(b)];
    EXPECT_NEAR(arm.z, -0.05, 1e-15);
    EXPECT_EQ(std::abs(arm.x), 0.5);
    EXPECT_EQ(std::abs(arm.y), 0.5);
    if (a != no_body) {
      EXPECT_NEAR((problem.point[c] - problem.centre[at(a)]).z, 0.05, 1e-15);
    }
  }
}

TEST(GenerateStack, MassesFollowTheOrder) {
  const auto mass = [](const BodyProblem& p, std::size_t i) { return 1.0 / p.inverse_mass[i]; };
  const double tolerance = 1e-12;  // relative: powers by products of at most 53 roots
  const auto made = [](const char* order) {
    return generate({.kind = "stack", .bodies = 5, .mass_ratio = 81.0, .order = order});
  };

  const BodyProblem alternating = made("alternating"), graded = made("graded"), top = made("top");

  const double light = 100.0;  // kg: 1 x 1 x 0.1 m of the density of water
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(mass(alternating, i) / light, i % 2 == 1 ? 81.0 : 1.0, 81.0 * tolerance);
    EXPECT_NEAR(mass(graded, i) / light, std::pow(3.0, static_cast<double>(i)), 81.0 * tolerance);
    EXPECT_NEAR(mass(top, i) / light, i == 4 ? 81.0 : 1.0, 81.0 * tolerance);
  }
}

TEST(GenerateStack, OnePlateOfAnyOrderStandsOnTheGround) {
  for (const char* order : {"alternating", "graded", "top"}) {
    const BodyProblem problem = generate({.kind = "stack", .bodies = 1, .order = order});
    EXPECT_EQ(problem.contact_count(), 4);
  }
}

TEST(GenerateStack, PlatesDriftSidewaysOnly) {
  const BodyProblem problem = generate({.kind = "stack", .bodies = 9, .speed = 0.25});

  for (std::size_t i = 0; i < 9; ++i) {
    const Vec3 v = speed_before(problem, i);
    EXPECT_NEAR(v.z, 0.0, 1e-15);
    EXPECT_NEAR(std::hypot(v.x, v.y), 0.25, 1e-15);
  }
}

TEST(GenerateWall, CountsFollowTheBond) {
  // n courses of n bricks: 4 per brick on the ground, 2 n - 1 overlaps between courses, n - 1 head
  // joints in each, and the ball: the walls of 10, 20 and 40 courses have 1085, 4565 and 18725.
  for (const auto& [n, contacts] :
       {std::pair{10, 1085}, std::pair{20, 4565}, std::pair{40, 18725}}) {
    const BodyProblem problem = generate({.kind = "wall", .bodies = n * n + 1});
    EXPECT_EQ(problem.body_count(), n * n + 1);
    EXPECT_EQ(problem.contact_count(), contacts);
  }
}

TEST(GenerateWall, TheLastCourseMayBeShort) {
  // courses of 3, 3 and 2: ground 3, overlaps 5 and 4 (brick 7 rests on 2, brick 6 on one and a
  // half: 1 + 2), head 2 + 2 + 1
  const BodyProblem problem = generate({.kind = "wall", .bodies = 9, .width = 3});

  EXPECT_EQ(problem.contact_count(), 4 * (3 + 5 + (1 + 2) + 5) + 1);
  expect_sound(problem);
}

TEST(GenerateWall, PointsLieOnTheFacesOfBothBricks) {
  const BodyProblem problem = generate({.kind = "wall", .bodies = 26});
  const Vec3 half{0.12, 0.0575, 0.0355};

  for (std::size_t c = 0; c + 1 < problem.normal.size(); ++c)
    for (const Index body : {problem.contact_body_a[c], problem.contact_body_b[c]}) {
      if (body == no_body) continue;
      const Vec3 arm = problem.point[c] - problem.centre[at(body)];
      const double tolerance = 1e-14;  // coordinates of about 1 m
      EXPECT_LE(std::abs(arm.x), half.x + tolerance);
      EXPECT_LE(std::abs(arm.y), half.y + tolerance);
      EXPECT_LE(std::abs(arm.z), half.z + tolerance);
      const double reach = std::abs(dot(arm, problem.normal[c]));
      EXPECT_NEAR(reach, problem.normal[c].x != 0.0 ? half.x : half.z, tolerance);
    }
}

TEST(GenerateWall, BallIsSteelAndHitsAFaceHeadOn) {
  const BodyProblem problem =
      generate({.kind = "wall", .bodies = 101, .mass_ratio = 500.0, .speed = 4.0});

  const std::size_t ball = 100, hit = at(problem.contact_body_a.back());
  EXPECT_EQ(problem.contact_body_b.back(), 100);
  EXPECT_NEAR(problem.inverse_mass[hit] / problem.inverse_mass[ball], 500.0, 1e-9);
  const Vec3 v = speed_before(problem, ball);
  EXPECT_NEAR(v.y, 4.0, 1e-14);
  EXPECT_NEAR(std::hypot(v.x, v.z), 0.0, 1e-14);
  // the point is in the middle of the brick's face and on the sphere; its radius follows from the
  // density of steel
  const Vec3 to_brick = problem.centre[hit] - problem.point.back();
  EXPECT_NEAR(to_brick.y, 0.0575, 1e-14);
  EXPECT_NEAR(std::hypot(to_brick.x, to_brick.z), 0.0, 1e-14);
  const double radius = length(problem.centre[ball] - problem.point.back());
  const double density =
      1.0 / problem.inverse_mass[ball] / (4.0 / 3.0 * M_PI * std::pow(radius, 3));
  EXPECT_NEAR(density, 7850.0, 1e-8);
  EXPECT_NEAR(problem.inverse_inertia[ball].xx,
              2.5 * problem.inverse_mass[ball] / (radius * radius), 1e-12);
}

/// Largest mismatch of a row's blocks from "velocity of B less velocity of A along the axis at one
/// point", for a motion of both bodies as one rigid body: a joint does not resist that.
double resistance_to_rigid_motion(const BodyProblem& problem) {
  const Vec3 drift{0.3, -0.7, 0.2}, spin{-0.4, 0.5, 0.9};
  double worst = 0.0;
  for (std::size_t j = 0; j < problem.joint_bias.size(); ++j) {
    if (problem.joint_body_a[j] == no_body) continue;
    double w = 0.0;
    for (const auto& [body, block] :
         {std::pair{problem.joint_body_a[j], problem.joint_block_a[j]},
          std::pair{problem.joint_body_b[j], problem.joint_block_b[j]}}) {
      const Vec3 v = drift + cross(spin, problem.centre[at(body)]);
      w += dot({block[0], block[1], block[2]}, v) + dot({block[3], block[4], block[5]}, spin);
    }
    worst = std::max(worst, std::abs(w));
  }
  return worst;
}

TEST(GenerateChain, AlternatesJointsOfThreeAndFourRows) {
  const BodyProblem problem = generate({.kind = "chain", .bodies = 1000, .mass_ratio = 50.0});

  EXPECT_EQ(problem.joint_row_count(), 3500);
  EXPECT_EQ(problem.contact_count(), 0);
  for (Index j = 0; j < 3500; ++j) {
    EXPECT_EQ(problem.joint_lower[at(j)], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(problem.joint_upper[at(j)], std::numeric_limits<double>::infinity());
    EXPECT_EQ(problem.joint_bias[at(j)], 0.0);
  }
  EXPECT_NEAR(problem.inverse_mass[0] / problem.inverse_mass[999], 50.0, 1e-12);
  EXPECT_LT(resistance_to_rigid_motion(problem), 1e-12);  // coordinates of up to 100 m
  expect_sound(problem);
}

TEST(GenerateChain, FirstLinkHangsOnTheWorld) {
  const BodyProblem problem = generate({.kind = "chain", .bodies = 2});

  ASSERT_EQ(problem.joint_row_count(), 7);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(problem.joint_body_a[j], no_body);
  for (std::size_t j = 3; j < 7; ++j) EXPECT_EQ(problem.joint_body_a[j], 0);
  // link 0.1 m long: the first joint is half a length behind its centre, so turning about y lifts
  // it
  EXPECT_NEAR(problem.joint_block_b[2][4], 0.05, 1e-15);
  const Vec6 twist{0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  EXPECT_EQ(problem.joint_block_b[6], twist);
}

TEST(GenerateNet, HasABallPerEdgeAndFourPins) {
  for (const auto& [bodies, width, edges] :
       {std::tuple{1000, 40, 39 * 25 + 40 * 24}, std::tuple{4, 2, 4}, std::tuple{5, 3, 3 + 2},
        std::tuple{7, 3, 4 + 4}}) {
    const BodyProblem problem = generate({.kind = "net", .bodies = bodies, .width = width});
    EXPECT_EQ(problem.joint_row_count(), 3 * edges + 12) << bodies;
    EXPECT_LT(resistance_to_rigid_motion(problem), 1e-13);
    std::set<Index> pinned;
    for (std::size_t j = 0; j < problem.joint_bias.size(); ++j)
      if (problem.joint_body_a[j] == no_body) pinned.insert(problem.joint_body_b[j]);
    EXPECT_EQ(pinned.size(), bodies == 7 ? 3u : 4u) << bodies;  // the last of 7 is a row of its own
    expect_sound(problem);
  }
}

/// Bodies that hang together through joints of the net, with the first one.
std::size_t bodies_joined_to_first(const BodyProblem& problem) {
  std::set<Index> joined = {0};
  for (std::size_t before = 0; before != joined.size();) {
    before = joined.size();
    for (std::size_t j = 0; j < problem.joint_bias.size(); ++j) {
      const Index a = problem.joint_body_a[j], b = problem.joint_body_b[j];
      if (a == no_body || joined.count(a) + joined.count(b) != 1) continue;
      joined.insert({a, b});
    }
  }
  return joined.size();
}

TEST(GenerateNet, WithoutLoopsItIsATree) {
  for (const std::int64_t bodies : {5, 100, 1000}) {
    const BodyProblem problem = generate({.kind = "net", .bodies = bodies, .loops = 0.0});

    EXPECT_EQ(problem.joint_row_count(), 3 * (bodies - 1) + 12);
    EXPECT_EQ(bodies_joined_to_first(problem), static_cast<std::size_t>(bodies));
    expect_sound(problem);
  }
}

TEST(GenerateNet, AShareOfTheLoopsIsClosed) {
  const BodyProblem problem = generate({.kind = "net", .loops = 0.17});

  // 1000 tiles in rows of 32 have 1936 edges, so 937 that a tree has not: 159 are expected, with a
  // standard deviation of 11.5; six of them
  EXPECT_NEAR(problem.joint_row_count(), 3 * (999 + 159) + 12, 3 * 70);
  EXPECT_EQ(bodies_joined_to_first(problem), 1000u);
}

TEST(GenerateNet, LoadHangsInTheMiddle) {
  const BodyProblem problem = generate({.kind = "net", .bodies = 25, .mass_ratio = 30.0});

  const auto heavy = std::min_element(problem.inverse_mass.begin(), problem.inverse_mass.end());
  EXPECT_EQ(heavy - problem.inverse_mass.begin(), 12);
  EXPECT_NEAR(problem.inverse_mass[0] / *heavy, 30.0, 1e-12);
}

}  // namespace
}  // namespace talus
