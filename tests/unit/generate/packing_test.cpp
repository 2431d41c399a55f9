#include "generate/deposition.hpp"
#include "unit/generate/generate_checks.hpp"

#include <algorithm>

namespace talus {
namespace {

double radius_of(const BodyProblem& problem, Index body) {
  // sphere: mass and inertia give the radius, r^2 = 2.5 I / m
  const auto i = static_cast<std::size_t>(body);
  return std::sqrt(2.5 * problem.inverse_mass[i] / problem.inverse_inertia[i].xx);
}

TEST(GeneratePacking, PointsLieOnBothSurfacesWithinHalfTheGap) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 300});

  for (std::size_t c = 0; c < problem.normal.size(); ++c) {
    const double gap = problem.contact_bias[c].x * problem.time_step;
    EXPECT_LE(gap, 2.0 * 9.81 * problem.time_step * problem.time_step);
    for (const Index body : {problem.contact_body_a[c], problem.contact_body_b[c]}) {
      if (body == no_body) continue;
      const double distance = length(problem.point[c] - centre_of(problem, body));
      // overlaps of 1e-12 radii are allowed, coordinates of 0.1 m round at 1e-17
      EXPECT_NEAR(distance, radius_of(problem, body) + 0.5 * gap, 1e-13);
    }
  }
}

TEST(GeneratePacking, EveryPairThatCanMeetIsAContactAndNothingOverlaps) {
  const BodyProblem problem =
      generate({.kind = "packing", .bodies = 200, .step = 0.004, .spread = 0.3});
  const double reach = 2.0 * 9.81 * 0.004 * 0.004;

  std::set<std::pair<Index, Index>> expected, found;
  for (Index i = 0; i < 200; ++i)
    for (Index j = i + 1; j < 200; ++j) {
      const double gap = length(centre_of(problem, i) - centre_of(problem, j)) -
                         radius_of(problem, i) - radius_of(problem, j);
      EXPECT_GE(gap, -1e-13) << i << " " << j;
      if (gap <= reach) expected.insert({i, j});
    }
  for (std::size_t c = 0; c < problem.normal.size(); ++c)
    if (problem.contact_body_a[c] != no_body)
      found.insert({problem.contact_body_a[c], problem.contact_body_b[c]});
  EXPECT_EQ(found, expected);
}

TEST(GeneratePacking, SpheresRestOnThreeSupportsOrTheFloor) {
  const Index bodies = 2000;
  const BodyProblem problem = generate({.kind = "packing", .bodies = bodies});

  // a support touches from below or from the side: its normal does not point down
  std::vector<int> supports(static_cast<std::size_t>(bodies), 0);
  for (std::size_t c = 0; c < problem.normal.size(); ++c) {
    if (problem.contact_bias[c].x > 1e-9) continue;  // near, not touching
    const Index a = problem.contact_body_a[c], b = problem.contact_body_b[c];
    const bool on_floor = a == no_body && problem.normal[c].z == 1.0;
    supports[static_cast<std::size_t>(b)] +=
        on_floor ? 3 : 1;  // numbered in order of arrival: a came first
  }
  const auto resting =
      std::count_if(supports.begin(), supports.end(), [](int n) { return n >= 3; });
  EXPECT_GT(static_cast<double>(resting),
            0.99 * bodies);  // a few find no exact triple and are lifted clear
}

TEST(GeneratePacking, CoordinationIsThatOfASettledPile) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 3000});

  int ends = 0;
  for (std::size_t c = 0; c < problem.normal.size(); ++c)
    ends += problem.contact_body_a[c] == no_body ? 1 : 2;
  const double coordination = static_cast<double>(ends) / 3000.0;
  EXPECT_GT(coordination, 5.0);
  EXPECT_LT(coordination, 6.2);
}

TEST(GeneratePacking, StaysInItsBoxAndIsAboutAsHighAsWide) {
  const BodyProblem problem = generate({.kind = "packing", .bodies = 3000, .radius = 0.5});

  double width = 0.0, height = 0.0;
  for (Index i = 0; i < 3000; ++i) {
    const Vec3 c = centre_of(problem, i);
    const double r = radius_of(problem, i);
    EXPECT_GE(std::min({c.x, c.y, c.z}) - r, -1e-11);  // 1e-12 radii and rounding
    width = std::max({width, c.x + r, c.y + r});
    height = std::max(height, c.z + r);
  }
  EXPECT_GT(height / width, 0.8);
  EXPECT_LT(height / width, 1.3);
}

TEST(GeneratePacking, RadiiFillTheSpread) {
  const BodyProblem problem =
      generate({.kind = "packing", .bodies = 500, .radius = 0.01, .spread = 0.2});

  double least = 1.0, greatest = 0.0;
  for (Index i = 0; i < 500; ++i) {
    least = std::min(least, radius_of(problem, i));
    greatest = std::max(greatest, radius_of(problem, i));
  }
  EXPECT_GE(least, 0.008 - 1e-12);
  EXPECT_LE(greatest, 0.012 + 1e-12);
  EXPECT_GT(greatest - least, 0.9 * 0.004);
}

TEST(GeneratePacking, EqualSpheresAndOneSphereAreAllowed) {
  expect_sound(generate({.kind = "packing", .bodies = 400, .spread = 0.0}));
  const BodyProblem one = generate({.kind = "packing", .bodies = 1});

  EXPECT_EQ(one.contact_count(), 1);
  EXPECT_NEAR(one.centre[0].z, radius_of(one, 0), 1e-15);
}

TEST(SphereGrid, FindsAllThatAreWithinReach) {
  SphereGrid grid(1.0, 0.3);  // three columns of a third
  const Vec3 places[] = {
      {0.1, 0.1, 0.1}, {0.35, 0.1, 0.1}, {0.9, 0.9, 0.1}, {0.1, 0.1, 0.45}, {0.1, 0.1, 2.0}};
  for (Index i = 0; i < 5; ++i) grid.add(i, places[i]);

  std::vector<Index> found;
  grid.near({0.2, 0.2, 0.2}, found);
  std::sort(found.begin(), found.end());

  EXPECT_EQ(found, (std::vector<Index>{0, 1, 3}));
  grid.near({0.1, 0.1, 50.0}, found);  // far above everything
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace talus
