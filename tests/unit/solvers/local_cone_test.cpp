// One cone's own problem. The answers are held against the conditions of the law, written down here
// once more, and against searches that know nothing of how they were found.
#include "solvers/local_cone.hpp"

#include "talus/cones/cone_set.hpp"

#include "support/random_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

using namespace support;

/// In the range of a singular block, so that there is an answer; sometimes nearly tangential or
/// small.
Vec3 random_right(Kind kind, const Mat3& a, KeyedRandom& random) {
  if (kind == Kind::Singular || random.chance(0.3)) return times(a, random_vector(random));
  Vec3 b = random_vector(random);
  if (random.chance(0.1)) b.x *= 1e-8;
  if (random.chance(0.1)) b.y *= 1e-8;
  if (random.chance(0.1)) b = power_of_ten(random, -6.0, 6.0) * b;
  return b;
}

double random_friction(KeyedRandom& random) {
  if (random.chance(0.1)) return 0.0;
  if (random.chance(0.1)) return power_of_ten(random, -12.0, 12.0);
  return power_of_ten(random, -2.0, 1.0);
}

struct Tally {
  double worst = 0.0;
  int unsolvable = 0, solved = 0;
  std::array<int, 4> states{};
};

Tally try_many(bool coulomb, Kind kind, int count) {
  Tally tally;
  for (int i = 0; i < count; ++i) {
    KeyedRandom random(7, static_cast<std::uint64_t>(i), coulomb ? 1 : 2);
    const Mat3 a = random_block(kind, random);
    if (largest_of(a) == 0.0) continue;
    const double mu = random_friction(random);
    const Vec3 b = random_right(kind, a, random);
    const LocalCone cone = prepare_cone(a, angle_of(mu));
    const LocalAnswer answer = coulomb ? solve_coulomb(cone, b) : solve_associated(cone, b);
    ++tally.states[static_cast<std::size_t>(answer.state)];
    if (answer.state == LocalState::Unsolvable) continue;
    ++tally.solved;
    tally.worst = std::max(tally.worst, fault(coulomb, mu, a, b, answer.impulse));
  }
  return tally;
}

class LocalCones : public testing::TestWithParam<std::pair<bool, Kind>> {};

TEST_P(LocalCones, MeetTheirLawOnRandomBlocks) {
  const auto [coulomb, kind] = GetParam();

  const Tally tally = try_many(coulomb, kind, 100000);

  // rounding of A x + b, a few times over; nothing is lost with the condition of the block
  EXPECT_LT(tally.worst, 1e-13);
  // blocks that are singular beyond rounding, or nearly so, may be given up and are then said to be
  EXPECT_LT(tally.states[3], kind == Kind::Good || kind == Kind::Diagonal ? 1 : 100);
  for (int state = 0; state < 3; ++state)
    EXPECT_GT(tally.states[static_cast<std::size_t>(state)], 1000) << "state " << state;
}

INSTANTIATE_TEST_SUITE_P(LawsAndBlocks, LocalCones,
                         testing::Values(std::pair{true, Kind::Good}, std::pair{true, Kind::Ill},
                                         std::pair{true, Kind::Singular},
                                         std::pair{true, Kind::Diagonal},
                                         std::pair{false, Kind::Good}, std::pair{false, Kind::Ill},
                                         std::pair{false, Kind::Singular},
                                         std::pair{false, Kind::Diagonal}));

TEST(LocalAssociated, IsTheLeastValueThatASearchFinds) {
  for (int i = 0; i < 50; ++i) {
    KeyedRandom random(11, static_cast<std::uint64_t>(i), 0);
    const Mat3 a = random_block(Kind::Good, random);
    const double mu = random.uniform(0.1, 2.0);
    const Vec3 b = random_vector(random);
    const LocalCone cone = prepare_cone(a, angle_of(mu));

    const LocalAnswer answer = solve_associated(cone, b);

    double least = 0.0;  // at x = 0; then along every generator of nested cones
    for (int ring = 0; ring <= 200; ++ring)
      for (int step = 0; step < 720; ++step) {
        const double phi = step * std::numbers::pi / 360.0, slope = mu * ring / 200.0;
        const Vec3 ray{1.0, slope * std::cos(phi), slope * std::sin(phi)};
        const double along = dot(b, ray);
        if (along < 0.0) least = std::min(least, -0.5 * along * along / dot(ray, times(a, ray)));
      }
    const double value = local_objective(cone, b, answer.impulse);
    EXPECT_LE(value, least + 1e-15);  // nothing the search saw is lower
    EXPECT_NEAR(value, least, 1e-3);  // half a degree from the least: squared, times curvature
    // 1e-15 of the block's size was added to it
    EXPECT_NEAR(value, 0.5 * dot(answer.impulse, times(a, answer.impulse)) + dot(b, answer.impulse),
                1e-13);
  }
}

TEST(LocalCoulomb, SlidesWhereASearchOverDirectionsSaysSo) {
  int slides = 0;
  for (int i = 0; i < 200; ++i) {
    KeyedRandom random(13, static_cast<std::uint64_t>(i), 0);
    const Mat3 a = random_block(Kind::Good, random);
    const double mu = random.uniform(0.1, 1.0);
    Vec3 b = random_vector(random);
    b.x = -std::abs(b.x);

    const LocalAnswer answer = solve_coulomb(prepare_cone(a, angle_of(mu)), b);

    if (answer.state != LocalState::Slide) continue;
    ++slides;
    // With u_N = 0 and x_T = mu x_N e, x_N follows from the direction e; e is right where u_T is
    // against it.
    double best = infinity, last_turn = 0.0;
    constexpr int steps = 3600;
    for (int step = 0; step <= steps; ++step) {
      const double phi = 2.0 * std::numbers::pi * step / steps;
      const Vec3 ray{1.0, mu * std::cos(phi), mu * std::sin(phi)};
      const Vec3 x = -b.x / (a[0] + a[1] * ray.y + a[2] * ray.z) * ray;
      const Vec3 u = times(a, x) + b;
      const double turn = u.y * ray.z - u.z * ray.y;
      const bool against = x.x > 0.0 && u.y * ray.y + u.z * ray.z < 0.0;
      if (step > 0 && against && turn * last_turn <= 0.0)
        best = std::min(best, length_of(x - answer.impulse) / length_of(x));
      last_turn = turn;
    }
    EXPECT_LT(best, 1e-2) << "problem "
                          << i;  // two steps of a tenth of a degree, and u_N = 0 bends x
  }
  EXPECT_GT(slides, 100);
}

TEST(LocalCoulomb, UsesANonsymmetricBlockAsItIs) {
  double worst = 0.0;
  for (int i = 0; i < 10000; ++i) {
    KeyedRandom random(17, static_cast<std::uint64_t>(i), 0);
    Mat3 a = random_block(Kind::Good, random);
    for (double& entry : a) entry += 1e-2 * random.uniform(-1.0, 1.0);
    const double mu = random.uniform(0.0, 1.0);
    const Vec3 b = random_vector(random);

    const LocalAnswer answer = solve_coulomb(prepare_cone(a, angle_of(mu)), b);

    ASSERT_NE(answer.state, LocalState::Unsolvable);
    worst = std::max(worst, fault(true, mu, a, b, answer.impulse));
  }
  EXPECT_LT(worst, 1e-13);
}

TEST(LocalCones, DoNotDependOnUnits) {
  for (const double unit : {1e-150, 1e-75, 1e75, 1e150}) {
    KeyedRandom random(19, 1, 0);
    const Mat3 a = random_block(Kind::Good, random);
    const Vec3 b{-0.4, 0.9, 0.3};
    Mat3 scaled = a;
    for (double& entry : scaled) entry /= unit;
    for (const bool coulomb : {true, false}) {
      const auto solve = coulomb ? solve_coulomb : solve_associated;

      const Vec3 plain = solve(prepare_cone(a, angle_of(0.3)), b).impulse;
      const Vec3 large = solve(prepare_cone(scaled, angle_of(0.3)), unit * b).impulse;

      // rounding of the division, enlarged by the condition of the block (15)
      EXPECT_LT(length_of((1.0 / unit) * ((1.0 / unit) * large) - plain), 1e-13) << unit;
    }
  }
}

TEST(LocalCones, WithoutFrictionHaveANormalImpulseOnly) {
  const Mat3 a{2.0, 0.3, -0.2, 0.3, 1.0, 0.1, -0.2, 0.1, 1.5};
  const LocalCone cone = prepare_cone(a, angle_of(0.0));
  for (const auto solve : {solve_coulomb, solve_associated}) {
    const Vec3 pressed = solve(cone, {-1.0, 5.0, 5.0}).impulse;
    const LocalAnswer open = solve(cone, {1.0, 5.0, 5.0});

    EXPECT_NEAR(pressed.x, 0.5, 1e-15);  // 1 / 2, to the last digits
    EXPECT_EQ(std::hypot(pressed.y, pressed.z), 0.0);
    EXPECT_EQ(open.state, LocalState::Open);
  }
}

TEST(LocalCones, WithHugeFrictionStickOrLieInThePlane) {
  const Mat3 a{2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  for (const double mu : {1e12, 1e200, infinity}) {
    const LocalCone cone = prepare_cone(a, angle_of(mu));

    const LocalAnswer stick = solve_coulomb(cone, {-1.0, 3.0, 4.0});
    const LocalAnswer convex_stick = solve_associated(cone, {-1.0, 3.0, 4.0});
    const LocalAnswer plane = solve_associated(cone, {1.0, 3.0, 4.0});

    EXPECT_EQ(stick.state, LocalState::Stick);
    // 1e-15 of the block's size was added to it
    EXPECT_LT(length_of(stick.impulse - Vec3{0.5, -3.0, -4.0}), 1e-13);
    EXPECT_LT(length_of(convex_stick.impulse - Vec3{0.5, -3.0, -4.0}), 1e-13);
    // K is nearly the half space: the tangents are free, the normal impulse is |x_T| / mu
    EXPECT_LT(length_of(plane.impulse - Vec3{0.0, -3.0, -4.0}), 1e-11);
    EXPECT_TRUE(std::isfinite(sweep_box(cone, {-1.0, 3.0, 4.0}, {}, 1.0).y));
  }
}

TEST(LocalCones, OfNothingMovableAreOpenOrUnsolvable) {
  const LocalCone cone = prepare_cone(Mat3{}, angle_of(0.5));
  for (const auto solve : {solve_coulomb, solve_associated}) {
    EXPECT_EQ(solve(cone, {1.0, 0.0, 0.0}).state, LocalState::Open);
    EXPECT_EQ(solve(cone, {}).state, LocalState::Open);
    EXPECT_EQ(solve(cone, {-1.0, 0.0, 0.0}).state, LocalState::Unsolvable);
  }
  const Vec3 kept = bound_step_coulomb(cone, {-1.0, 1.0, 0.0}, {2.0, 1.0, 0.0}, 1.0);
  EXPECT_EQ(kept.x, 2.0);
  EXPECT_EQ(bound_step_associated(cone, {-1.0, 1.0, 0.0}, {2.0, 1.0, 0.0}, 1.0).y, 1.0);
}

TEST(LocalCones, WithARowThatNothingMoves) {
  Mat3 a{2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0};
  const LocalCone cone = prepare_cone(a, angle_of(0.4));

  const LocalAnswer still = solve_coulomb(cone, {-1.0, -0.2, 0.0});
  const LocalAnswer carried = solve_coulomb(cone, {-1.0, 0.0, 0.3});

  EXPECT_EQ(still.impulse.z, 0.0);
  // the second tangent slides whatever is done: friction works against it with all it has
  EXPECT_EQ(carried.state, LocalState::Slide);
  EXPECT_LT(fault(true, 0.4, a, {-1.0, 0.0, 0.3}, carried.impulse), 1e-14);
  EXPECT_LT(carried.impulse.z, 0.0);
}

TEST(LocalCones, ThatOnlyAnInfiniteImpulseWouldAnswerSaySo) {
  // A = v v^T with v = (1, 1, 0) inside the cone, and b across it: x would grow along (1, -1, 0)
  const Mat3 a{1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const LocalCone cone = prepare_cone(a, angle_of(2.0));

  EXPECT_EQ(solve_coulomb(cone, {-1.0, 0.5, 0.0}).state, LocalState::Unsolvable);
  EXPECT_EQ(solve_associated(cone, {-1.0, 0.5, 0.0}).state, LocalState::Unsolvable);
}

TEST(LocalCones, AreSharedByAllAnswersOfASingularBlock) {
  // rank one; 0 = A x + b has answers in the cone, the one of least norm is not among them
  const Vec3 v{0.3, -0.8, 0.6};
  Mat3 a{};
  const std::array<double, 3> e{v.x, v.y, v.z};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) a[3 * i + j] = e[i] * e[j];
  const Vec3 b = -1.0 * times(a, {1.0, 0.0, 0.0});

  const LocalAnswer answer = solve_associated(prepare_cone(a, angle_of(0.3)), b);

  ASSERT_NE(answer.state, LocalState::Unsolvable);
  EXPECT_LT(fault(false, 0.3, a, b, answer.impulse), 1e-13);
}

TEST(LocalAssociated, PassesFromOneSheetToTheOther) {
  // mu > 1: the unbound minimum goes through -K without being 0; the pole of the secular function
  // lies between
  const Mat3 a{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const LocalCone cone = prepare_cone(a, angle_of(3.0));
  for (const double normal : {-0.1, -1e-9, 0.0, 1e-9, 0.1}) {
    const Vec3 target{normal, 1.0, 0.0};

    const Vec3 found = solve_associated(cone, -target).impulse;

    // rounding, twice: the block has 1e-15 of its size added, and the root is found to the last
    // digits
    EXPECT_LT(length_of(found - nearest(3.0, target)), 1e-14) << normal;
  }
}

TEST(PlanarCones, AreSpatialOnesWithAnIdleTangent) {
  const LocalCone cone = prepare_cone(planar_as_spatial(2.0, 0.5, 0.5, 1.0), angle_of(0.5));
  for (const auto solve : {solve_coulomb, solve_associated}) {
    const Vec3 stick = solve(cone, {-2.0, 0.1, 0.0}).impulse;
    const Vec3 slide = solve(cone, {-2.0, 3.0, 0.0}).impulse;

    EXPECT_EQ(stick.z, 0.0);
    EXPECT_EQ(slide.z, 0.0);
    EXPECT_NEAR(slide.y, -0.5 * slide.x, 1e-15);  // on the boundary, to rounding
  }
  // a tangent without mass still gives a usable block
  EXPECT_NEAR(solve_coulomb(prepare_cone(planar_as_spatial(2.0, 0.0, 0.0, 0.0), angle_of(0.5)),
                            {-2.0, 3.0, 0.0})
                  .impulse.x,
              1.0, 1e-14);
}

TEST(LocalCones, LetNotANumberThroughToTheErrorMeasure) {
  const LocalCone cone = prepare_cone({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, angle_of(0.5));
  const Vec3 b{std::nan(""), -1.0, 0.0};
  for (const auto solve : {solve_coulomb, solve_associated})
    EXPECT_EQ(solve(cone, b).state, LocalState::Unsolvable);
}

}  // namespace
}  // namespace talus
