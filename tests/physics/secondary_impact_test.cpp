// Bodies that are hit within a step and meet others in the same step, which their own velocity
// before the step would not have let them reach.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using support::SmallScene;

/// Deepest overlap of the bodies as they are now, m: of spheres and a floor, apart from detection.
double deepest_overlap(const World& world, double radius, double floor) {
  const BodySet& bodies = world.bodies;
  double deepest = 0.0;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.motion[i] != Motion::Dynamic) continue;
    deepest = std::max(deepest, floor + radius - bodies.position[i].x);
    for (std::size_t j = i + 1; j < bodies.id.size(); ++j)
      if (bodies.motion[j] == Motion::Dynamic)
        deepest = std::max(deepest, 2.0 * radius - length(bodies.position[j] - bodies.position[i]));
  }
  return deepest;
}

/// A row of spheres along x with such gaps between them, the first of which is from the wall at 0.
/// The last one moves towards it.
SmallScene row_scene(const std::vector<double>& gaps, double radius, double speed, double h,
                     double e) {
  SmallScene small(h, 0.0, e);
  small.set_gravity({});
  small.add("wall", Motion::Fixed, small.plane({1.0, 0.0, 0.0}), {});
  const Index shape = small.sphere(radius);
  double x = -radius;
  std::size_t last = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    x += 2.0 * radius + gaps[k];
    last = small.add("s" + std::to_string(k), Motion::Dynamic, shape, {x, 0.0, 0.0});
  }
  small.body(last).velocity = {-speed, 0.0, 0.0};
  return small;
}

Simulation row_before_a_wall(const std::vector<double>& gaps, double radius, double speed, double h,
                             double e) {
  return row_scene(gaps, radius, speed, h, e).start();
}

// B is at rest 0.1 mm before the wall; A arrives within the step. With the margin of a body at rest
// B would run 90 mm into the wall.
TEST(SecondaryImpact, ABodyThatIsHitDoesNotPassIntoWhatIsBehindIt) {
  const double radius = 0.05;
  Simulation simulation = row_before_a_wall({1e-4, 0.01}, radius, 10.0, 1e-2, 0.0);
  for (int k = 0; k < 5; ++k) {
    const StepReport report = simulation.step();
    EXPECT_LE(deepest_overlap(simulation.world(), radius, 0.0), 1e-9) << "step " << k + 1;
    EXPECT_EQ(report.outran, 0);
    if (k == 0) {
      EXPECT_GE(report.solves, 2);
      EXPECT_LE(report.solves, 3);
    }
    if (k == 4) {
      EXPECT_EQ(report.solves, 1);
    }
  }
  // two bodies against a wall without restitution: all has come to rest
  for (const Vec3& v : simulation.world().bodies.velocity) EXPECT_LE(length(v), 1e-6);
}

// Each solve looks twice as far along the row: far fewer solves than bodies.
TEST(SecondaryImpact, IsSeenAllAlongARow) {
  const double radius = 0.05;
  for (const std::size_t count : {4U, 12U, 40U}) {
    std::vector<double> gaps;
    for (std::size_t k = 0; k < count; ++k) gaps.push_back(1e-4 * static_cast<double>(1 + k % 3));
    gaps.push_back(0.01);
    Simulation simulation = row_before_a_wall(gaps, radius, 10.0, 1e-2, 0.0);
    const StepReport report = simulation.step();
    EXPECT_GE(report.solves, 2) << count;
    EXPECT_LE(report.solves, 6) << count;
    EXPECT_EQ(report.outran, 0) << count;
    EXPECT_LE(deepest_overlap(simulation.world(), radius, 0.0), 1e-9) << count;
  }
}

// A body that is hit and meets nothing costs nothing more; one that is hit gently is looked at and
// nothing is solved again either.
TEST(SecondaryImpact, IsNotLookedForWhereNothingIsNear) {
  Simulation fast = row_before_a_wall({10.0, 0.01}, 0.05, 0.2, 1e-2, 0.0);
  StepReport report;
  for (int k = 0; k < 6; ++k) {
    report = fast.step();
    EXPECT_EQ(report.solves, 1);
  }
  EXPECT_LT(fast.world().bodies.velocity[1].x, -0.05);
}

// A gentle push, of less than the reserve of candidates: seen among the known pairs.
TEST(SecondaryImpact, IsSeenAmongKnownPairsToo) {
  const double radius = 0.05;
  Simulation simulation = row_before_a_wall({1e-4, 1e-3}, radius, 0.2, 1e-2, 0.0);
  const StepReport report = simulation.step();
  EXPECT_GE(report.solves, 2);
  EXPECT_LE(report.solves, 3);
  EXPECT_LE(deepest_overlap(simulation.world(), radius, 0.0), 1e-9);
}

// Where the solver has not the iterations to follow an impact, bodies are found to be faster with
// each solve: what is left is told.
TEST(SecondaryImpact, TellsOfBodiesThatItHasNotFollowed) {
  SmallScene small = row_scene(std::vector<double>(300, 5e-5), 0.05, 30.0, 1e-2, 0.0);
  small.solver.max_iterations = 12;
  Simulation simulation = small.start();
  const StepReport report = simulation.step();
  EXPECT_GE(report.solves, 12);
  EXPECT_LE(report.solves, 13);
  EXPECT_GT(report.outran, 0);
  const auto told = std::find_if(report.warnings.begin(), report.warnings.end(),
                                 [](const StepWarning& w) { return w.kind == "outran"; });
  ASSERT_NE(told, report.warnings.end());
  EXPECT_NE(told->text.find("body "), std::string::npos) << told->text;
}

}  // namespace
}  // namespace talus
