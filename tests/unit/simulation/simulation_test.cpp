// Runs of small scenes: what is lost, inserted, removed; forces.

#include "talus/core/error.hpp"

#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::run_until;
using support::SmallScene;
using support::unit_spheres;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double g = 9.81;

std::string failure_of(Simulation& simulation, int steps, StepReport* report = nullptr) {
  try {
    for (int i = 0; i < steps; ++i) simulation.step();
  } catch (const RunFailure& failure) {
    if (report != nullptr) *report = failure.report;
    return failure.what();
  }
  return "";
}

// ---- the run

TEST(SimulationRun, ABodyThatLeavesTheDomainEndsItByName) {
  SmallScene small(1e-2);
  small.add_floor();
  small.scene.world.domain.low = {-1.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.add("runner", Motion::Dynamic, small.box({0.1, 0.1, 0.1}), {0.9, 0.0, 0.05});
  small.body(1).velocity = {2.0, 0.0, 0.0};
  Simulation simulation = small.start();
  StepReport report;
  const std::string what = failure_of(simulation, 100, &report);
  EXPECT_THAT(what, AllOf(HasSubstr("step 6, t = 0.06 s: 1 of 2 bodies are lost. left the domain: "
                                    "body 1 (runner), position (1.02, "),
                          HasSubstr("velocity (2, "), HasSubstr("last contacts: body 0 (floor)"),
                          HasSubstr("say domain.outside: remove where bodies may leave")));
  EXPECT_EQ(report.step, 6);
  EXPECT_EQ(report.contacts, 4);
  EXPECT_EQ(report.bodies, 2);
}

TEST(SimulationRun, WhatIsNoNumberEndsItByName) {
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  GroupForce force;
  force.group = 0;
  force.force[0] = Expression("1/(t-0.02)*0 + log(0.025-t)", {}, {"t"});
  small.scene.world.forces = {force};
  small.scene.world.domain.periodic = {true, true, true};
  small.scene.world.domain.low = {-1.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  Simulation simulation = small.start();
  try {
    for (int i = 0; i < 10; ++i) simulation.step();
    FAIL() << "went on";
  } catch (const FormulaError& failure) {
    EXPECT_THAT(failure.what(),
                AllOf(HasSubstr("1/(t-0.02)*0 + log(0.025-t) is"), HasSubstr("at t = 0.02:")));
  }
}

TEST(SimulationRun, BodiesThatMoveMoreThanTheirSizeAreNamed) {
  SmallScene small(1e-2);
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.body(0).velocity = {30.0, 0.0, 0.0};
  Simulation simulation = small.start();
  const StepReport report = simulation.step();
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].kind, "fast");
  EXPECT_THAT(report.warnings[0].text,
              AllOf(HasSubstr("1 bodies moved by more than their size in one step"),
                    HasSubstr("body 0 (ball), position (0.3, 0, 0) m, velocity (30, ")));
}

TEST(SimulationRun, BodiesOutsideAreRemovedCountedAndListed) {
  SmallScene small(1e-2);
  small.scene.world.domain.low.z = -1.0;
  small.scene.world.domain.outside = Outside::Remove;
  const Index ball = small.sphere(0.1);
  small.add("a", Motion::Dynamic, ball, {});
  small.add("b", Motion::Dynamic, ball, {0.0, 0.0, 1.0});
  small.add("wall", Motion::Fixed, ball, {0.0, 0.0, -7.0});  // what never moves may be anywhere
  Simulation simulation = small.start();
  std::vector<RemovedBody> removed;
  while (simulation.world().step < 100)
    for (const RemovedBody& body : simulation.step().removed) removed.push_back(body);
  ASSERT_THAT(removed, SizeIs(2));
  EXPECT_EQ(removed[0].id, 0);
  EXPECT_EQ(removed[0].group, "a");
  // falls below -1: h^2 g n (n + 1) / 2 > 1
  EXPECT_EQ(removed[0].step, 45);
  EXPECT_NEAR(removed[0].position.z, -g * 1e-4 * 45 * 46 / 2, 1e-12);
  EXPECT_NEAR(removed[0].velocity.z, -g * 0.45, 1e-12);
  EXPECT_EQ(removed[1].id, 1);
  EXPECT_EQ(simulation.world().removed, 2);
  EXPECT_EQ(simulation.world().bodies.count(), 1);
}

TEST(SimulationRun, AStreamFillsWhatTheOutletEmpties) {
  SmallScene small(5e-3);
  small.scene.world.domain.low.z = -1.0;
  small.scene.world.domain.outside = Outside::Remove;
  Generator rain =
      unit_spheres("rain", Generator::Kind::Stream, 0.05, {-0.5, -0.5, 0.0}, {0.5, 0.5, 0.06});
  rain.mass_rate = Expression(2.0);
  rain.velocity = {0.0, 0.0, -2.0};
  small.add_generator(rain);
  Simulation simulation = small.start();
  std::int64_t inserted = 0, removed = 0;
  while (simulation.world().step < 400) {
    const StepReport report = simulation.step();
    inserted += report.inserted;
    removed += static_cast<std::int64_t>(report.removed.size());
    EXPECT_EQ(report.bodies, inserted - removed);
  }
  const double mass = 1000.0 * std::numbers::pi / 6.0 * 0.05 * 0.05 * 0.05;
  EXPECT_NEAR(static_cast<double>(inserted) * mass, 2.0 * 400 * 5e-3, mass);
  EXPECT_NEAR(simulation.streams()[0].mass, static_cast<double>(inserted) * mass, 1e-9);
  EXPECT_GT(removed, inserted / 2);
}

TEST(SimulationRun, StopsWhereTheSceneWantsEveryStepConverged) {
  SmallScene small(1e-2, 0.5);
  small.add_floor();
  small.add("box", Motion::Dynamic, small.box({0.1, 0.1, 0.1}), {0.0, 0.0, 0.05});
  small.body(1).velocity = {1.0, 0.0, 0.0};
  small.solver.max_iterations = 2;
  Simulation goes_on = small.start();
  EXPECT_EQ(failure_of(goes_on, 2), "");
  small.scene.stop_unconverged = true;
  Simulation simulation = small.start();
  StepReport report;
  EXPECT_THAT(failure_of(simulation, 2, &report),
              AllOf(HasSubstr("step 1, t = 0.01 s: the solver ended ("),
                    HasSubstr("above the tolerance of 1e-13 m/s: raise solver.max_iterations, or "
                              "say solver.unconverged: continue")));
  EXPECT_GT(report.error, 1e-13);
}

// ---- physics of the parts that stepping joins

TEST(SimulationRun, AServoWallKeepsItsForce) {
  SmallScene small(1e-2);
  small.set_gravity({});
  small.add_floor();
  small.add("box", Motion::Dynamic, small.box({1.0, 1.0, 1.0}), {0.0, 0.0, 0.5});
  const std::size_t wall =
      small.add("wall", Motion::Dynamic, small.plane({0.0, 0.0, -1.0}), {0.0, 0.0, 1.2});
  small.body(wall).mass = 50.0;
  Joint slide;
  slide.name = "slide";
  slide.type = JointType::Prismatic;
  slide.body_b = static_cast<GlobalId>(wall);
  slide.frame_a = {{0.0, 0.0, 1.2}, rotation_between({1.0, 0.0, 0.0}, {0.0, 0.0, -1.0})};
  slide.frame_b = {{}, slide.frame_a.orientation};
  slide.way_motor = {MotorType::Force, Expression(300.0)};
  small.scene.world.joints = {slide};
  small.solver.tolerance = 1e-11;
  Simulation simulation = small.start();
  run_until(simulation, 1.0);
  const World& world = simulation.world();
  double force = 0.0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
    if (world.contacts.name[c].b == static_cast<GlobalId>(wall))
      force += world.contacts.impulse[c].z / 1e-2;
  EXPECT_NEAR(force, 300.0, 1e-4) << "on the wall, from the box";
  EXPECT_NEAR(world.bodies.position[wall].z, 1.0, 1e-3);
}

TEST(SimulationRun, ASpringDamperIsTheLimitOfSmallSteps) {
  // underdamped: x = exp(-d t) (cos(w t) + d/w sin(w t)), d = c / 2 m, w^2 = k/m - d^2
  const double m = 2.0, k = 200.0, c = 4.0, t = 0.5;
  const double d = c / (2.0 * m), w = std::sqrt(k / m - d * d);
  const double exact = std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
  const auto error = [&](double h) {
    SmallScene small(h);
    small.set_gravity({});
    small.add("mass", Motion::Dynamic, small.sphere(0.1), {2.0, 0.0, 0.0});
    small.body(0).mass = m;
    Joint spring;
    spring.name = "spring";
    spring.type = JointType::Spring;
    spring.body_b = 0;
    spring.length = 1.0;
    spring.stiffness = k;
    spring.damping = c;
    small.scene.world.joints = {spring};
    Simulation simulation = small.start();
    run_until(simulation, t);
    return std::abs(simulation.world().bodies.position[0].x - 1.0 - exact);
  };
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_LT(fine, 2e-2);
  EXPECT_NEAR(coarse / fine, 2.0, 0.4) << "first order";
}

TEST(SimulationRun, ForcesOfGroupsActOnTheirBodiesAlone) {
  SmallScene small(1e-2);
  small.set_gravity({});
  const Index ball = small.sphere(0.1);
  small.add("pushed", Motion::Dynamic, ball, {});
  small.add("left", Motion::Dynamic, ball, {1.0, 0.0, 0.0});
  small.body(0).mass = 4.0;
  GroupForce force;
  force.group = 0;
  force.force[1] = Expression("8*t", {}, {"t"});
  force.torque[2] = Expression(0.016);  // 2/5 m r^2 = 0.016
  small.scene.world.forces = {force};
  Simulation simulation = small.start();
  run_until(simulation, 1.0);
  const BodySet& bodies = simulation.world().bodies;
  EXPECT_NEAR(bodies.velocity[0].y, 0.99, 1e-12) << "sum of 2 t h over 100 steps";
  EXPECT_NEAR(bodies.angular_velocity[0].z, 1.0, 1e-12);
  EXPECT_EQ(bodies.velocity[1].y, 0.0);
}

// From rest, 0.01 m above a floor, and h^2 of the acceleration is 0.05 m or more: the contact is
// found in time only where margins know of the forces.
TEST(SimulationRun, WhatAForceDrivesIntoAWallIsStoppedByIt) {
  for (const bool in_free_fall : {false, true}) {
    SmallScene small(1e-2);
    small.set_gravity({});
    small.add_floor();
    const std::size_t ball =
        small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.11});
    small.body(ball).mass = 2.0;
    GroupForce force;
    force.group = 1;
    if (in_free_fall)
      force.acceleration[2] = Expression(-500.0);
    else
      force.force[2] = Expression(-1000.0);
    small.scene.world.forces = {force};
    Simulation simulation = small.start();
    simulation.step();
    EXPECT_NEAR(simulation.world().bodies.position[ball].z, 0.1, 1e-9);
  }
}

TEST(SimulationRun, WhatATorqueTurnsIntoAWallIsStoppedByIt) {
  SmallScene small(1e-2);
  small.set_gravity({});
  small.add_floor();
  const std::size_t rod =
      small.add("rod", Motion::Dynamic, small.box({2.0, 0.1, 0.1}), {0.0, 0.0, 0.06});
  GroupForce force;
  force.group = 1;
  force.torque[1] = Expression(5000.0);  // about 0.07 rad in the step, were there no floor
  small.scene.world.forces = {force};
  Simulation simulation = small.start();
  simulation.step();
  const BodySet& bodies = simulation.world().bodies;
  const Vec3 corner = bodies.position[rod] + rotate(bodies.orientation[rod], {1.0, 0.0, -0.05});
  EXPECT_NEAR(corner.z, 0.0, 1e-3) << "what the arc of a turn differs from its tangent";
}

TEST(SimulationRun, WhatAForceMotorDrivesIntoAWallIsStoppedByIt) {
  SmallScene small(1e-2);
  small.set_gravity({});
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.11});
  small.body(ball).mass = 2.0;
  Joint slide;
  slide.name = "slide";
  slide.type = JointType::Prismatic;
  slide.body_b = static_cast<GlobalId>(ball);
  slide.frame_a = {{0.0, 0.0, 0.11}, rotation_between({1.0, 0.0, 0.0}, {0.0, 0.0, -1.0})};
  slide.frame_b = {{}, slide.frame_a.orientation};
  slide.way_motor = {MotorType::Force, Expression(1000.0)};
  small.scene.world.joints = {slide};
  Simulation simulation = small.start();
  simulation.step();
  EXPECT_NEAR(simulation.world().bodies.position[ball].z, 0.1, 1e-6);
}

}  // namespace
}  // namespace talus
