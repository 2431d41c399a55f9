// Where energy goes, against what mechanics says of simple motions.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::SmallScene;

constexpr double g = 9.81, pi = std::numbers::pi;
constexpr double rounding = 1e-12;  // relative, of sums over some hundred steps

double ball_mass(double radius) {
  return 1000.0 * 4.0 / 3.0 * pi * radius * radius * radius;
}

/// Each step must close by itself, and so must all.
EnergyLedger ledger_of(Simulation& simulation, int steps) {
  EnergyLedger all;
  for (int i = 0; i < steps; ++i) {
    const EnergyLedger step = simulation.step().energy;
    const double size =
        step.kinetic_start + step.kinetic_end + std::abs(step.gravity) + std::abs(step.impact);
    EXPECT_NEAR(step.unaccounted(), 0.0, rounding * size + 1e-20) << "step " << i + 1;
    if (all.steps > 0) {
      EXPECT_EQ(step.kinetic_start, all.kinetic_end) << "step " << i + 1;
    }
    all.add(step);
  }
  EXPECT_EQ(all.steps, steps);
  return all;
}

// ---- gravity

TEST(EnergyLedger, AFreeFallLosesToTheTimeStepWhatTheSchemeSays) {
  constexpr double h = 1e-3;
  constexpr int steps = 200;
  SmallScene small(h);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 5.0});
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, steps);
  const double m = ball_mass(0.1), t = steps * h, v = g * t;
  // v = g k h after step k, and the way of a step is h v: the fall is g h^2 n (n + 1) / 2
  const double fall = 0.5 * g * t * (t + h);
  EXPECT_NEAR(ledger.gravity, m * g * fall, rounding * m * g * fall);
  EXPECT_NEAR(ledger.kinetic_end, 0.5 * m * v * v, rounding * m * v * v);
  EXPECT_NEAR(ledger.time_step, 0.5 * m * g * g * h * t, rounding * m * v * v);
  EXPECT_EQ(ledger.friction, 0.0);
  EXPECT_EQ(ledger.impact, 0.0);
  EXPECT_EQ(ledger.solver, 0.0);
}

TEST(EnergyLedger, APeriodIsNoFall) {
  constexpr double h = 1e-3;
  constexpr int steps = 1000;
  SmallScene small(h);
  small.scene.world.domain.periodic = {true, false, false};
  small.scene.world.domain.low = {0.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.set_gravity({g, 0.0, 0.0});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.5, 0.0, 0.0});
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, steps);
  const double m = ball_mass(0.1), t = steps * h, way = 0.5 * g * t * (t + h);
  ASSERT_GT(way, 4.0);
  EXPECT_NEAR(ledger.gravity, m * g * way, 10 * rounding * m * g * way);
}

TEST(EnergyLedger, AccelerationsOfGroupsDoWorkAsGravityDoes) {
  SmallScene small(1e-3);
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  GroupForce push;
  push.acceleration[0] = Expression(3.0);
  push.torque[1] = Expression(0.2);
  small.scene.world.forces = {push};
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 100);
  const double m = ball_mass(0.1), t = 0.1, moment = 0.4 * m * 0.1 * 0.1;
  const double turning = 0.5 * 0.2 * 0.2 * t * t / moment, moving = 0.5 * m * 9.0 * t * t;
  EXPECT_NEAR(ledger.forces, turning + moving, rounding * (turning + moving));
  EXPECT_NEAR(ledger.time_step, 0.0, rounding * turning);
}

// ---- contacts

TEST(EnergyLedger, ABlockThatSlidesToRestLosesAllToFriction) {
  constexpr double v = 2.0, mu = 0.4;
  SmallScene small(1e-3, mu);
  small.add_floor();
  small.add("block", Motion::Dynamic, small.box({0.4, 0.4, 0.1}), {0.0, 0.0, 0.05});
  small.body(1).velocity = {v, 0.0, 0.0};
  Simulation simulation = small.start();
  const double kinetic = 0.5 * 16.0 * v * v;
  const EnergyLedger ledger = ledger_of(simulation, 600);  // it needs 510
  EXPECT_NEAR(ledger.kinetic_end, 0.0, 1e-9);
  EXPECT_NEAR(ledger.friction, kinetic, 1e-8 * kinetic);
  EXPECT_NEAR(ledger.gravity, 0.0, 1e-7 * kinetic);
  EXPECT_NEAR(ledger.impact, 0.0, 1e-7 * kinetic);
}

TEST(EnergyLedger, AnImpactTakesWhatRestitutionSays) {
  constexpr double e = 0.6, v = 3.0, h = 1e-3;
  SmallScene small(h, 0.0, e);
  small.set_gravity({});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.15});
  small.body(1).velocity = {0.0, 0.0, -v};
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 50);
  const double kinetic = 0.5 * ball_mass(0.1) * v * v;
  EXPECT_NEAR(ledger.impact, (1.0 - e * e) * kinetic, 1e-10 * kinetic);
  EXPECT_NEAR(ledger.kinetic_end, e * e * kinetic, 1e-10 * kinetic);
}

TEST(EnergyLedger, ABallThatRollsLosesToRollingFriction) {
  constexpr double v = 1.0, r = 0.1, resistance = 5e-3;
  SmallScene small(1e-3, 0.5);
  small.pair().rolling_friction = resistance;
  small.set_pair();
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
  small.body(1).velocity = {v, 0.0, 0.0};
  small.body(1).angular_velocity = {0.0, v / r, 0.0};
  Simulation simulation = small.start();
  const double m = ball_mass(r), kinetic = 0.7 * m * v * v;
  const EnergyLedger halfway = ledger_of(simulation, 500);
  // 7/5 m r times the acceleration is the torque of the resistance, m g times 5 mm
  const double later = v - resistance * g / (1.4 * r) * 0.5;
  EXPECT_NEAR(halfway.rolling, kinetic - 0.7 * m * later * later, 1e-6 * kinetic);
  EXPECT_NEAR(halfway.friction, 0.0, 1e-6 * kinetic);
  EnergyLedger all = halfway;
  all.add(ledger_of(simulation, 3000));
  EXPECT_NEAR(all.rolling, kinetic, 1e-6 * kinetic);
  EXPECT_NEAR(all.kinetic_end, 0.0, 1e-9 * kinetic);
}

TEST(EnergyLedger, AMovingWallGivesWhatItPushes) {
  constexpr double v = 0.5, mu = 0.3;
  SmallScene small(1e-3, mu);
  small.pair().friction = 0.0;  // of the wall
  small.set_pair();
  small.scene.world.materials.add({"floor", 1000.0});
  PairProperties rough;
  rough.friction = mu;
  small.scene.world.materials.set_pair(0, 1, rough);
  small.scene.world.materials.set_pair(1, 1, rough);
  small.body(small.add_floor()).material = 1;
  small.add("block", Motion::Dynamic, small.box({0.2, 0.2, 0.1}), {0.1, 0.0, 0.05});
  const std::size_t wall =
      small.add("wall", Motion::Kinematic, small.box({0.1, 0.2, 0.1}), {-0.05, 0.0, 0.05});
  KinematicMotion motion;
  motion.velocity[0] = Expression(v);
  small.body(wall).kinematic = motion;
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 400);
  const double m = 4.0, kinetic = 0.5 * m * v * v, way = v * 0.4;
  EXPECT_NEAR(ledger.kinetic_end, kinetic, 1e-4 * kinetic);
  // the wall has velocity v from the first step on, in which it gives m v^2; half of it is lost
  const double resisted = mu * m * g * way;
  EXPECT_NEAR(ledger.walls, resisted + 2.0 * kinetic, 1e-3 * resisted);
  EXPECT_NEAR(ledger.friction, resisted, 3e-3 * resisted);
  EXPECT_NEAR(ledger.impact, kinetic, 1e-2 * kinetic);
}

TEST(EnergyLedger, CohesionTakesWhatItsPullDoes) {
  constexpr double pull = 30.0, h = 1e-3, v = 1.0;
  SmallScene small(h);
  small.pair().cohesion = pull;
  small.set_pair();
  small.set_gravity({});
  const Index ball = small.sphere(0.1);
  small.add("left", Motion::Dynamic, ball, {-0.1, 0.0, 0.0});
  small.add("right", Motion::Dynamic, ball, {0.1, 0.0, 0.0});
  small.body(0).velocity = {-v, 0.0, 0.0};
  small.body(1).velocity = {v, 0.0, 0.0};
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 1);  // then they are too far apart
  const double m = ball_mass(0.1), slowed = v - h * pull / m;
  ASSERT_GT(slowed, 0.5);
  EXPECT_NEAR(ledger.cohesion, h * pull * (v + slowed), 1e-12);
  EXPECT_NEAR(ledger.impact, 0.0, 1e-12);
}

// ---- the solver

/// A column of balls that the solver may leave with this error, m/s.
EnergyLedger column(double tolerance) {
  SmallScene small(1e-3, 0.5);
  small.solver.tolerance = tolerance;
  small.add_floor();
  const Index ball = small.sphere(0.05);
  for (int k = 0; k < 12; ++k)
    small.add("ball", Motion::Dynamic, ball, {1e-3 * (k % 3), 0.0, 0.05 + 0.1 * k});
  Simulation simulation = small.start();
  return ledger_of(simulation, 40);
}

TEST(EnergyLedger, WhatTheSolverLeavesFallsWithItsTolerance) {
  const EnergyLedger rough = column(1e-3), fine = column(1e-6), exact = column(1e-12);
  EXPECT_GT(rough.solver_magnitude, 30.0 * fine.solver_magnitude);
  EXPECT_GT(fine.solver_magnitude, 30.0 * exact.solver_magnitude);
  for (const EnergyLedger& ledger : {rough, fine, exact})
    EXPECT_LE(std::abs(ledger.solver), ledger.solver_magnitude * (1.0 + rounding));
}

TEST(EnergyLedger, TheSolverErrorIsHalfOfWhatImpulsesDoOnVelocitiesThatShouldBeZero) {
  SmallScene small(1e-2);
  small.solver.tolerance = 1e-3;
  small.add_floor();
  const Index ball = small.sphere(0.05);
  for (int k = 0; k < 6; ++k) small.add("ball", Motion::Dynamic, ball, {0.0, 0.0, 0.05 + 0.1 * k});
  Simulation simulation = small.start();
  const StepReport report = simulation.step();
  // all touch and stay within what counts as touching: each contact's velocity should be 0
  const World& world = simulation.world();
  double done = 0.0, magnitude = 0.0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c) {
    const auto a = static_cast<std::size_t>(world.contacts.body_a[c]),
               b = static_cast<std::size_t>(world.contacts.body_b[c]);
    const double work =
        world.contacts.impulse[c].z * (world.bodies.velocity[b].z - world.bodies.velocity[a].z);
    done += work;
    magnitude += std::abs(work);
  }
  ASSERT_GT(magnitude, 1e-6);
  EXPECT_NEAR(report.energy.solver, -0.5 * done, 1e-9 * magnitude);
  EXPECT_NEAR(report.energy.solver_magnitude, 0.5 * magnitude, 1e-9 * magnitude);
}

// ---- joints

/// A wheel on an axle that stands still.
SmallScene wheel(const Motor& motor) {
  SmallScene small(1e-3);
  small.set_gravity({});
  small.add("wheel", Motion::Dynamic, small.sphere(0.2), {});
  Joint axle;
  axle.name = "axle";
  axle.type = JointType::Revolute;
  axle.body_a = world_id;
  axle.body_b = 0;
  axle.angle_motor = motor;
  small.scene.world.joints = {axle};
  return small;
}
constexpr double moment_of_wheel = 0.4 * 1000.0 * 4.0 / 3.0 * pi * 0.2 * 0.2 * 0.2 * 0.2 * 0.2;

TEST(EnergyLedger, AMotorGivesTheEnergyOfItsWheel) {
  constexpr double rate = 5.0;
  Motor speed;
  speed.type = MotorType::Speed;
  speed.value = Expression(rate);
  speed.limit = 8.0;
  Simulation with_speed = wheel(speed).start();
  const double kinetic = 0.5 * moment_of_wheel * rate * rate;
  // torque 8 N m spins it up in 0.33 s
  const EnergyLedger driven = ledger_of(with_speed, 500);
  EXPECT_NEAR(driven.kinetic_end, kinetic, 1e-9 * kinetic);
  EXPECT_NEAR(driven.motors, kinetic, 1e-9 * kinetic);
  EXPECT_NEAR(driven.joints, 0.0, 1e-9 * kinetic);

  Motor torque;
  torque.type = MotorType::Force;
  torque.value = Expression(8.0);
  Simulation with_torque = wheel(torque).start();
  const EnergyLedger pushed = ledger_of(with_torque, 200);
  const double angle = 0.5 * 8.0 / moment_of_wheel * 0.2 * 0.2;
  EXPECT_NEAR(pushed.motors, 8.0 * angle, 1e-9 * kinetic);
}

TEST(EnergyLedger, AMotorThatLiftsAPendulumPaysForItsHeight) {
  constexpr double arm = 0.5, rate = 0.5, h = 1e-3;
  SmallScene small(h);
  small.add("bob", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, -arm});
  Joint axle;
  axle.name = "axle";
  axle.type = JointType::Revolute;
  axle.body_a = world_id;
  axle.body_b = 0;
  axle.frame_a.orientation = axle.frame_b.orientation = rotation_by({0.0, 0.0, 0.5 * pi});  // y
  axle.frame_b.position = {0.0, 0.0, arm};
  axle.angle_motor.type = MotorType::Speed;
  axle.angle_motor.value = Expression(rate);
  small.scene.world.joints = {axle};
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 1000);
  const double m = ball_mass(0.1), lift = m * g * arm * (1.0 - std::cos(rate * 1.0));
  EXPECT_NEAR(ledger.gravity, -lift, 5e-3 * lift);
  // half of what the motor gives in its first step is lost: the bob has its speed at once
  const double kinetic = 0.5 * (m * arm * arm + 0.4 * m * 0.01) * rate * rate;
  EXPECT_NEAR(ledger.motors, lift + 1.0 * kinetic, 1e-2 * lift);
}

TEST(EnergyLedger, ASpringStoresWhatTheBodyLoses) {
  constexpr double stiffness = 400.0, v = 1.0;
  SmallScene small(1e-4);
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {1.0, 0.0, 0.0});
  small.body(0).velocity = {v, 0.0, 0.0};
  Joint spring;
  spring.name = "spring";
  spring.type = JointType::Spring;
  spring.body_a = world_id;
  spring.body_b = 0;
  spring.length = 1.0;
  spring.stiffness = stiffness;
  small.scene.world.joints = {spring};
  Simulation simulation = small.start();
  const double m = ball_mass(0.1), quarter = 0.5 * pi * std::sqrt(m / stiffness);
  const EnergyLedger ledger = ledger_of(simulation, static_cast<int>(quarter / 1e-4));
  const double stretch = simulation.world().bodies.position[0].x - 1.0;
  const double stored = 0.5 * stiffness * stretch * stretch;
  EXPECT_NEAR(stored, 0.5 * m * v * v, 2e-3 * stored);
  EXPECT_NEAR(ledger.springs, stored, 2e-3 * stored);
}

// ---- bodies that come and go

TEST(EnergyLedger, BodiesBringTheirEnergyAndTakeItAway) {
  constexpr double h = 1e-2;
  SmallScene small(h);
  small.set_gravity({});
  small.scene.world.domain.low = {-1.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.scene.world.domain.outside = Outside::Remove;
  const Index ball = small.sphere(0.1);
  small.add("leaves", Motion::Dynamic, ball, {0.905, 0.0, 0.0});
  small.body(0).velocity = {3.0, 0.0, 0.0};
  small.add("stops", Motion::Dynamic, ball, {0.0, 0.5, 0.0});
  small.body(1).velocity = {0.0, 0.0, 0.5};
  Event added;
  added.kind = Event::Kind::Add;
  added.at = 2 * h;
  SceneBody guest;
  guest.name = "guest";
  guest.place = "small";
  guest.shape = ball;
  guest.pose.position = {-0.5, 0.0, 0.0};
  guest.velocity = {0.0, 2.0, 0.0};
  guest.group = 0;
  added.added = {guest};
  Event fixed;
  fixed.kind = Event::Kind::Fix;
  fixed.at = 5 * h;
  fixed.target = "stops";
  small.scene.events = {added, fixed};
  Simulation simulation = small.start();
  const double unit = 0.5 * ball_mass(0.1);
  const auto step = [&] { return simulation.step().energy.bodies / unit; };
  EXPECT_EQ(step(), 0.0);
  EXPECT_EQ(step(), 0.0);
  EXPECT_NEAR(step(), 4.0, 1e-9);   // the guest comes
  EXPECT_NEAR(step(), -9.0, 1e-9);  // its centre is outside after step 4
  EXPECT_EQ(step(), 0.0);
  EXPECT_NEAR(step(), -0.25, 1e-9);
}

// ---- all together

TEST(EnergyLedger, TumblingBodiesLeaveToTheTimeStepWhatTheyGain) {
  SmallScene small(1e-3);
  small.set_gravity({});
  small.add("box", Motion::Dynamic, small.box({0.3, 0.2, 0.1}), {});
  small.body(0).angular_velocity = {0.1, 10.0, 0.1};
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 500);
  EXPECT_NE(ledger.time_step, 0.0);
  EXPECT_LT(std::abs(ledger.time_step), 1e-5 * ledger.kinetic_start);
  EXPECT_NEAR(ledger.kinetic_start - ledger.kinetic_end, ledger.time_step,
              rounding * ledger.kinetic_start);
}

}  // namespace
}  // namespace talus
