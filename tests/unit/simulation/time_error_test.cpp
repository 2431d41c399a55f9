// The error of the step length: a step beside two halves of it.

#include "simulation/time_error.hpp"

#include "talus/simulation/simulation.hpp"

#include "support/pile.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace talus {
namespace {

using support::SmallScene;

constexpr double g = 9.81;

/// Steps until one was compared, at most so many.
StepReport next_comparison(Simulation& simulation, int most = 500) {
  for (int i = 0; i < most; ++i) {
    StepReport report = simulation.step();
    if (report.compared) return report;
  }
  return {};
}

SmallScene falling(double h, double share) {
  SmallScene small(h);
  small.set_gravity({0.0, 0.0, -g});
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.0});
  small.scene.time.error_share = share;
  return small;
}

TEST(TimeError, OfAFallIsAQuarterOfGH2) {
  // x + h (v + h a) beside x + h/2 (v + h/2 a) + h/2 (v + h a): h2 a / 4 apart, at equal speeds
  for (const double h : {1e-2, 1e-3}) {
    Simulation simulation = falling(h, 10.0).start();
    const StepReport first = next_comparison(simulation), second = next_comparison(simulation);
    ASSERT_TRUE(first.compared && second.compared);
    EXPECT_NEAR(first.time_error->position, g * h * h / 4.0, 1e-12);
    EXPECT_NEAR(first.time_error->largest_position, g * h * h / 4.0, 1e-12);
    EXPECT_NEAR(first.time_error->velocity, 0.0, 1e-12);
    EXPECT_LT(first.time_error->finer, 0.0);
    // of first order: halves beside quarters have half the error
    EXPECT_NEAR(std::sqrt(second.time_error->coarse), g * h * h / 4.0, 1e-12);
    EXPECT_NEAR(std::sqrt(second.time_error->finer), g * h * h / 8.0, 1e-12);
    EXPECT_NEAR(second.time_error->share, g * h * h / 4.0 / 0.1, 1e-10);  // of the diameter
  }
}

TEST(TimeError, OfABallAtRestIsNothing) {
  SmallScene small(1e-3);
  small.set_gravity({0.0, 0.0, -g});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.05});
  small.scene.time.error_share = 1.0;
  Simulation simulation = small.start();
  const StepReport report = next_comparison(simulation);
  ASSERT_TRUE(report.compared);
  EXPECT_LT(report.time_error->largest_position, 1e-12);
  EXPECT_LT(report.time_error->largest_velocity, 1e-9);
}

TEST(TimeError, OfAnImpactIsWhereInTheStepItFalls) {
  // 2 mm per step, no gravity, 3.5 mm above the floor, e = 0.5. The second step begins at 1.5 mm
  // and hits: it bounces where it is and ends at 1.5 + 1 mm. Its first half comes to 0.5 mm, its
  // second bounces there and ends at 0.5 + 0.5 mm. Speeds are the same.
  SmallScene small(1e-3, 0.0, 0.5);
  small.set_gravity({});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.0535});
  small.body(1).velocity = {0.0, 0.0, -2.0};
  small.scene.time.bounce_speed = 0.01;
  small.scene.time.error_share = 10.0;
  Simulation simulation = small.start();
  simulation.step();
  const StepReport report = simulation.step();
  ASSERT_TRUE(report.compared);
  EXPECT_NEAR(simulation.world().bodies.position[1].z, 0.0525, 1e-9);
  EXPECT_NEAR(report.time_error->position, 1.5e-3, 1e-9);
  EXPECT_NEAR(report.time_error->velocity, 0.0, 1e-6);
}

TEST(TimeError, LeavesTheRunAsItIs) {
  const auto hash_of = [](double share) {
    SmallScene small(1e-3, 0.4, 0.3);
    small.set_gravity({0.0, 0.0, -g});
    small.add_floor();
    small.add_generator(support::unit_spheres("heap", Generator::Kind::Lattice, 0.02,
                                              {-0.05, -0.05, 0.0}, {0.05, 0.05, 0.1}));
    small.scene.time.error_share = share;
    Simulation simulation = small.start();
    std::int64_t compared = 0;
    for (int i = 0; i < 60; ++i) compared += simulation.step().compared ? 1 : 0;
    EXPECT_EQ(compared > 0, share > 0.0);
    return trajectory_hash(simulation.world().bodies);
  };
  EXPECT_EQ(hash_of(0.0), hash_of(3.0));
}

/// A formula need not be finite where the step itself does not look.
TEST(TimeError, AShorterStepWhoseFormulaIsNotFiniteIsNotCompared) {
  constexpr double h = 1e-3;
  for (const double at :
       {1.5 * h, 2.25 * h}) {  // of a half of the second step, a quarter of the third
    SmallScene small = falling(h, 10.0);
    const Expression hole("-sqrt((t - a)^2 - b^2)", {{"a", at}, {"b", 0.1 * h}}, {"t"});
    small.scene.world.gravity[2] = hole;
    Simulation simulation = small.start();
    std::vector<bool> compared;
    for (int step = 0; step < 4; ++step) compared.push_back(simulation.step().compared);
    EXPECT_EQ(compared, (std::vector<bool>{false, at > 2.0 * h, true, true}));
    EXPECT_NE(simulation.world().bodies.velocity[0].z, 0.0);
  }
}

TEST(ComparisonSchedule, KeepsToItsShareAndLooksFinerNowAndThen) {
  ComparisonSchedule schedule;
  schedule.share = 0.05;
  EXPECT_FALSE(schedule.is_due());  // nothing is known of the cost
  int finer = 0;
  for (int step = 0; step < 10000; ++step) {
    if (schedule.is_due()) {
      finer += schedule.looks_finer() ? 1 : 0;
      schedule.spent += (schedule.looks_finer() ? 6.0 : 2.0) * 100.0;
      ++schedule.comparisons;
      EXPECT_LE(schedule.spent, 0.05 * schedule.done);
    }
    schedule.step_done(100.0);
  }
  EXPECT_GT(schedule.spent, 0.049 * schedule.done);
  EXPECT_NEAR(finer, static_cast<double>(schedule.comparisons) / 4.0, 1.0);
  schedule.share = 0.0;
  EXPECT_FALSE(schedule.is_due());
}

TEST(DifferencesOf, TakesTheNearestImageAndThePointThatDiffersMost) {
  SmallScene small(1e-3);
  small.add("plate", Motion::Dynamic, small.box({0.6, 0.1, 0.8}), {0.0, 0.0, 0.01});
  World world = make_world(small.scene);
  world.domain.low = {-1.0, -1.0, -1.0};
  world.domain.high = {1.0, 1.0, 1.0};
  world.domain.periodic = {true, false, false};
  world.bodies.owned = world.bodies.count();
  BodySet other = world.bodies;
  world.bodies.position[0].x = -0.999;
  other.position[0].x = 0.999;
  const double angle = 0.1;
  other.orientation[0] = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  other.angular_velocity[0] = {0.0, 3.0, 0.0};
  const BodyDifferences found = differences_of(world, other, 1, Communicator::self());
  const double reach = world.bodies.reach[0];
  EXPECT_NEAR(found.position.at(0), 0.002 + 2.0 * reach * std::sin(0.5 * angle), 1e-12);
  EXPECT_NEAR(found.velocity.at(0), 3.0 * reach, 1e-12);
  // a body that has come in since is not compared
  EXPECT_EQ(differences_of(world, other, 0, Communicator::self()).position.at(0), 0.0);
}

}  // namespace
}  // namespace talus
