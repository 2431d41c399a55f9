// Forces and torques that a caller puts on bodies, against what mechanics says of them.

#include "talus/core/error.hpp"

#include "support/fault_of.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

using support::fault_of;
using support::SmallScene;
using ::testing::HasSubstr;

constexpr double g = 9.81;
constexpr double rounding = 1e-12;  // relative, of sums over some hundred steps
constexpr double radius = 0.1;
constexpr double mass = 1000.0 * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
constexpr double moment = 0.4 * mass * radius * radius;

/// One ball of 0.1 m that nothing pulls.
SmallScene free_ball(double step = 1e-3) {
  SmallScene small(step);
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(radius), {});
  return small;
}

Vec3 velocity(const Simulation& simulation, std::size_t body = 0) {
  return simulation.world().bodies.velocity[body];
}

// ---- how long

TEST(OuterForces, WhatIsPushedActsInOneStep) {
  Simulation simulation = free_ball().start();
  simulation.push(0, {3.0, 0.0, 0.0});
  simulation.step();
  EXPECT_NEAR(velocity(simulation).x, 1e-3 * 3.0 / mass, rounding);
  const Vec3 before = velocity(simulation);
  simulation.step();
  EXPECT_EQ(velocity(simulation).x, before.x);
}

TEST(OuterForces, WhatIsPushedTwiceAddsUp) {
  SmallScene small = free_ball();
  small.add("other", Motion::Dynamic, 0, {1.0, 0.0, 0.0});
  Simulation simulation = small.start();
  simulation.push(1, {1.0, 2.0, 0.0}, {0.5, 0.0, 0.0});
  simulation.push(1, {1.0, 0.0, 0.0}, {0.0, 0.25, 0.0});
  simulation.push_owned(std::vector<Vec3>{{0.0, 0.0, 8.0}, {0.0, 0.0, 4.0}});
  simulation.push_owned(std::vector<Vec3>(2), std::vector<Vec3>{{1.0, 0.0, 0.0}, {}});
  simulation.step();
  EXPECT_NEAR(mass / 1e-3 * velocity(simulation, 0).z, 8.0, 1e-11);
  const Vec3 force = (mass / 1e-3) * velocity(simulation, 1);
  const Vec3 torque = (moment / 1e-3) * simulation.world().bodies.angular_velocity[1];
  EXPECT_NEAR(length(force - Vec3{2.0, 2.0, 4.0}), 0.0, 1e-11);
  EXPECT_NEAR(length(torque - Vec3{0.5, 0.25, 0.0}), 0.0, 1e-11);
  EXPECT_NEAR(moment / 1e-3 * simulation.world().bodies.angular_velocity[0].x, 1.0, 1e-11);
}

TEST(OuterForces, WhatIsHeldActsUntilItIsHeldNoMore) {
  constexpr int steps = 200;
  constexpr double h = 1e-3, t = steps * h;
  Simulation simulation = free_ball(h).start();
  simulation.hold(0, {0.0, 5.0, 0.0}, {0.0, 0.0, 0.2});
  for (int i = 0; i < steps; ++i) simulation.step();
  EXPECT_NEAR(velocity(simulation).y, 5.0 * t / mass, rounding);
  EXPECT_NEAR(simulation.world().bodies.angular_velocity[0].z, 0.2 * t / moment, rounding);
  // x = h v summed over the steps
  EXPECT_NEAR(simulation.world().bodies.position[0].y, 0.5 * 5.0 / mass * t * (t + h), rounding);

  simulation.hold(0, {0.0, -5.0, 0.0});  // in place of the other
  for (int i = 0; i < steps; ++i) simulation.step();
  EXPECT_NEAR(velocity(simulation).y, 0.0, rounding);
  EXPECT_NEAR(simulation.world().bodies.angular_velocity[0].z, 0.2 * t / moment, rounding);

  simulation.hold(0, {});
  EXPECT_TRUE(simulation.world().held.empty());
  simulation.hold(0, {});  // nothing is nothing
  simulation.step();
  EXPECT_NEAR(velocity(simulation).y, 0.0, rounding);
}

TEST(OuterForces, GoAlongTheAxesOfTheWorld) {
  SmallScene small(1e-3);
  small.set_gravity({});
  small.add("brick", Motion::Dynamic, small.box({0.1, 0.2, 0.4}), {});
  small.body(0).pose.orientation = rotation_by({0.3, -0.7, 0.4});
  Simulation simulation = small.start();
  for (int i = 0; i < 100; ++i) {
    simulation.push(0, {1.0, 2.0, 3.0}, {0.01, -0.02, 0.03});
    simulation.step();
  }
  // momenta of a free body are those of what acted, however it has turned
  const Momenta momenta = momenta_of(simulation.world());
  const Vec3 path = cross(simulation.world().bodies.position[0], momenta.linear);
  EXPECT_NEAR(length(momenta.linear - 0.1 * Vec3{1.0, 2.0, 3.0}), 0.0, rounding);
  EXPECT_NEAR(length(momenta.angular - path - 0.1 * Vec3{0.01, -0.02, 0.03}), 0.0, rounding);
}

// ---- what they do to what rests and to what is in the way

double speed_of_pushed_block(double force) {
  constexpr double mu = 0.4;
  SmallScene small(1e-3, mu);
  small.add_floor();
  small.add("block", Motion::Dynamic, small.box({0.4, 0.4, 0.1}), {0.0, 0.0, 0.05});  // 16 kg
  Simulation simulation = small.start();
  simulation.hold(1, {force, 0.0, 0.0});
  for (int i = 0; i < 300; ++i) simulation.step();
  return velocity(simulation, 1).x;
}

TEST(OuterForces, ABlockRestsBelowTheLimitOfFrictionAndSlidesAboveIt) {
  constexpr double limit = 0.4 * 16.0 * g, more = 10.0;
  EXPECT_NEAR(speed_of_pushed_block(0.98 * limit), 0.0, 1e-9);
  EXPECT_NEAR(speed_of_pushed_block(limit + more), more / 16.0 * 0.3, 1e-9);
}

TEST(OuterForces, APushThatClosesAGapWithinTheStepIsMetByTheWall) {
  SmallScene small = free_ball(1e-2);
  small.add("wall", Motion::Fixed, small.plane({0.0, 0.0, 1.0}), {0.0, 0.0, -radius - 0.05});
  Simulation simulation = small.start();
  simulation.push(0, {0.0, 0.0, -mass * 0.2 / 1e-4});  // 0.2 m in the step
  const StepReport report = simulation.step();
  EXPECT_EQ(report.contacts, 1);
  EXPECT_NEAR(simulation.world().bodies.position[0].z, -0.05, 1e-12);
}

// ---- what is told of them

TEST(OuterForces, TheLedgerHasTheirWorkAndCloses) {
  constexpr int steps = 100;
  constexpr double t = 0.1, force = 7.0, torque = 0.3;
  Simulation simulation = free_ball().start();
  simulation.hold(0, {force, 0.0, 0.0});
  EnergyLedger ledger;
  for (int i = 0; i < steps; ++i) {
    simulation.push(0, {}, {0.0, torque, 0.0});
    const EnergyLedger step = simulation.step().energy;
    EXPECT_NEAR(step.unaccounted(), 0.0, rounding * (step.forces + step.kinetic_end));
    ledger.add(step);
  }
  const double moving = 0.5 * force * force * t * t / mass,
               turning = 0.5 * torque * torque * t * t / moment;
  EXPECT_NEAR(ledger.forces, moving + turning, rounding * (moving + turning));
  EXPECT_NEAR(ledger.kinetic_end, moving + turning, rounding * (moving + turning));
  EXPECT_NEAR(ledger.time_step, 0.0, rounding * moving);
}

TEST(OuterForces, TheErrorInTimeSeesThem) {
  constexpr double h = 1e-2, a = 3.0;
  for (const bool held : {true, false}) {
    SmallScene small = free_ball(h);
    small.scene.time.error_share = 10.0;
    Simulation simulation = small.start();
    if (held) simulation.hold(0, {mass * a, 0.0, 0.0});
    StepReport report;
    for (int i = 0; i < 50 && !report.compared; ++i) {
      if (!held) simulation.push(0, {mass * a, 0.0, 0.0});
      report = simulation.step();
    }
    ASSERT_TRUE(report.compared);
    // x + h (v + h a) beside x + h/2 (v + h/2 a) + h/2 (v + h a), at equal speeds
    EXPECT_NEAR(report.time_error->position, a * h * h / 4.0, 1e-12);
    EXPECT_NEAR(report.time_error->velocity, 0.0, 1e-12);
  }
}

TEST(OuterForces, AFrozenStepHasThem) {
  Simulation simulation = free_ball().start();
  simulation.push(0, {2.0, 0.0, 0.0});
  simulation.hold(0, {1.0, 0.0, 0.0});
  const FrozenStep frozen = simulation.freeze();
  EXPECT_NEAR(frozen.problem.momentum[0][0], 1e-3 * 3.0, rounding);
}

// ---- bodies that go, or do not move

TEST(OuterForces, GoWithTheirBodyAndRestWithIt) {
  SmallScene small = free_ball();
  small.add("other", Motion::Dynamic, 0, {1.0, 0.0, 0.0});
  Event remove, fix;
  remove.kind = Event::Kind::Remove;
  remove.target = "ball";
  fix.kind = Event::Kind::Fix;
  fix.target = "other";
  remove.at = fix.at = 0.0;
  small.scene.events = {remove, fix};
  Simulation simulation = small.start();
  for (const GlobalId id : {0, 1}) {
    simulation.hold(id, {1.0, 0.0, 0.0});
    simulation.push(id, {1.0, 0.0, 0.0});
  }
  const StepReport report = simulation.step();
  ASSERT_EQ(simulation.world().held.size(), 1U);
  EXPECT_EQ(simulation.world().held[0].body, 1);
  EXPECT_EQ(length(velocity(simulation)), 0.0);
  EXPECT_EQ(report.energy.forces, 0.0);
  simulation.hold(1, {});  // else it would act once the body is released
  EXPECT_TRUE(simulation.world().held.empty());
}

TEST(OuterForces, FaultsAreSaidAndNothingIsDone) {
  SmallScene small = free_ball();
  small.add("floor", Motion::Fixed, small.plane({0.0, 0.0, 1.0}), {0.0, 0.0, -1.0});
  small.add("belt", Motion::Kinematic, small.box({1.0, 1.0, 1.0}), {0.0, 0.0, 2.0});
  small.body(2).kinematic = KinematicMotion{};
  Simulation simulation = small.start();
  EXPECT_EQ(fault_of([&] { simulation.push(7, {}); }),
            "push: body 7 is not there: it has gone, or never was");
  EXPECT_EQ(fault_of([&] {
              simulation.hold(1, {1.0, 0.0, 0.0});
            }),
            "hold: body 1 (floor) is fixed: forces and velocities are for dynamic bodies");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault_of([&] {
              simulation.push(2, {nan, 0.0, 1.0});
            }),
            "push: body 2 (belt) is kinematic: forces and velocities are for dynamic bodies\n"
            "push: body 2: [nan, 0, 1, 0, 0, 0] must be finite");
  EXPECT_THAT(
      fault_of([&] { simulation.push_owned(std::vector<Vec3>(2), std::vector<Vec3>(4)); }),
      AllOf(HasSubstr("push_owned: 2 forces for 3 bodies that this rank owns: one of each, in the "
                      "order of world().bodies"),
            HasSubstr("push_owned: 4 torques for 3 bodies")));
  std::vector<Vec3> forces(3);
  forces[0].y = nan;
  EXPECT_EQ(fault_of([&] { simulation.push_owned(forces); }),
            "push_owned: body 0: [0, nan, 0, 0, 0, 0] must be finite");
  EXPECT_TRUE(simulation.world().pushed.empty());
  EXPECT_TRUE(simulation.world().held.empty());
}

// ---- restart

TEST(OuterForces, WhatIsHeldIsInCheckpoints) {
  const auto steps = [](Simulation& simulation, int count) {
    for (int i = 0; i < count; ++i) {
      simulation.push(0, {0.0, 0.0, 0.1 * i});
      simulation.step();
    }
  };
  Simulation whole = free_ball().start();
  whole.hold(0, {1.0, 0.5, 0.0}, {0.0, 0.1, 0.0});
  steps(whole, 3);
  Simulation resumed = support::restarted(whole);
  ASSERT_EQ(resumed.world().held.size(), 1U);
  steps(whole, 5);
  steps(resumed, 5);
  EXPECT_EQ(trajectory_hash(whole.world().bodies), trajectory_hash(resumed.world().bodies));
  EXPECT_GT(velocity(resumed).x, 0.0);
}

}  // namespace
}  // namespace talus
