// What a caller reads, writes and switches between steps.

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
using support::take_steps;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double g = 9.81, h = 1e-3, radius = 0.1;
constexpr double mass = 1000.0 * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
constexpr double moment = 0.4 * mass * radius * radius;
constexpr double rounding = 1e-11;  // of sums over some hundred steps

/// A ball (id 1) that rests on a floor (id 0).
SmallScene resting_ball() {
  SmallScene small(h, 0.5);
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(radius), {0.0, 0.0, radius});
  return small;
}

// ---- states

TEST(StatesOfCallers, WhatIsReadAndWrittenBackChangesNoBit) {
  SmallScene small = resting_ball();
  for (int i = 1; i < 5; ++i) {
    const std::size_t box = small.add("box" + std::to_string(i), Motion::Dynamic,
                                      small.box({0.1, 0.15, 0.2}), {0.03 * i, 0.0, 0.1 + 0.22 * i});
    small.body(box).angular_velocity = {1.0, 2.0, 3.0};
  }
  Simulation plain = small.start(), touched = small.start();
  for (int step = 0; step < 120; ++step) {
    if (step % 3 == 0)
      for (GlobalId id = 1; id < 6; ++id) touched.set_state(id, touched.state_of(id));
    plain.step();
    touched.step();
  }
  EXPECT_EQ(trajectory_hash(plain.world().bodies), trajectory_hash(touched.world().bodies));
}

TEST(StatesOfCallers, FromWhatIsWrittenABodyGoesOn) {
  Simulation simulation = resting_ball().start();
  take_steps(simulation, 50);
  BodyState state;
  state.position = {1.0, 2.0, 3.0};
  state.velocity = {0.5, 0.0, 1.0};
  state.angular_velocity = {0.0, 4.0, 0.0};
  simulation.set_state(1, state);
  EXPECT_THAT(simulation.contacts_of(1), IsEmpty());
  constexpr int count = 100;
  constexpr double t = count * h;
  take_steps(simulation, count);
  const BodyState now = simulation.state_of(1);
  // v = v0 - g t, x = x0 + h sum of v
  EXPECT_NEAR(length(now.velocity - Vec3{0.5, 0.0, 1.0 - g * t}), 0.0, rounding);
  EXPECT_NEAR(
      length(now.position - Vec3{1.0 + 0.5 * t, 2.0, 3.0 + 1.0 * t - 0.5 * g * t * (t + h)}), 0.0,
      rounding);
  EXPECT_NEAR(length(now.angular_velocity - Vec3{0.0, 4.0, 0.0}), 0.0, rounding);
}

TEST(StatesOfCallers, ABodyThatIsSetDownTouchesAtOnce) {
  SmallScene small = resting_ball();
  small.body(1).pose.position.z = 50.0;  // far from all that was searched
  Simulation simulation = small.start();
  simulation.step();
  BodyState state = simulation.state_of(1);
  state.position = {3.0, 0.0, radius};
  state.velocity = {};
  simulation.set_state(1, state);
  EXPECT_EQ(simulation.step().contacts, 1);
  EXPECT_NEAR(simulation.state_of(1).position.z, radius, 1e-9);
}

TEST(StatesOfCallers, AVelocityAloneKeepsWhatContactsCarry) {
  Simulation simulation = resting_ball().start();
  take_steps(simulation, 3);
  BodyState state = simulation.state_of(1);
  state.velocity = {0.1, 0.0, 0.0};
  simulation.set_state(1, state);
  ASSERT_THAT(simulation.contacts_of(1), SizeIs(1));
  EXPECT_EQ(simulation.step().warm_started, 1);
}

TEST(StatesOfCallers, APlaceIsBroughtBackAlongAPeriod) {
  SmallScene small(h);
  small.scene.world.domain.periodic = {true, false, false};
  small.scene.world.domain.low = {0.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.add("ball", Motion::Dynamic, small.sphere(radius), {0.5, 0.0, 0.0});
  Simulation simulation = small.start();
  BodyState state;
  state.position = {-0.75, 0.0, 0.0};
  simulation.set_state(0, state);
  EXPECT_EQ(simulation.state_of(0).position.x, 0.25);
  state.position = {0.5, 0.0, 1.5};
  EXPECT_EQ(fault_of([&] { simulation.set_state(0, state); }),
            "set_state: body 0 at (0.5, 0, 1.5) m is outside the domain: place it inside, or make "
            "the domain larger");
}

/// Where rounding has left a body on the far end of the cell, it stays.
TEST(StatesOfCallers, OnTheEndOfAPeriodWhatIsReadMayBeWritten) {
  SmallScene small(h);
  small.scene.world.domain.periodic = {true, false, false};
  small.scene.world.domain.low = {0.1, -1.0, -1.0};
  small.scene.world.domain.high = {1.3, 1.0, 1.0};
  small.add("ball", Motion::Dynamic, small.sphere(radius), {0.5, 0.0, 0.0});
  Simulation simulation = small.start();
  BodyState state;
  for (const double x : {0.1, 1.3}) {
    state.position.x = x;
    simulation.set_state(0, state);
    EXPECT_EQ(simulation.state_of(0).position.x, x);
  }
  for (int k = -2000; k < 2000; ++k) {
    state.position.x = 0.1 + 1.2 * k;
    simulation.set_state(0, state);
    const double x = simulation.state_of(0).position.x;
    ASSERT_TRUE(0.1 <= x && x <= 1.3) << k;
  }
}

TEST(StatesOfCallers, AServoPlaneIsNotBroughtBack) {
  SmallScene small(h);
  small.scene.world.domain.periodic = {true, false, false};
  small.scene.world.domain.low = {0.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  const std::size_t wall =
      small.add("wall", Motion::Dynamic, small.plane({0.0, 0.0, 1.0}), {-3.0, 0.0, -5.0});
  small.body(wall).mass = 2.0;
  Simulation simulation = small.start();
  const BodyState state = simulation.state_of(0);
  EXPECT_EQ(state.position.x, -3.0);
  EXPECT_EQ(fault_of([&] { simulation.set_state(0, state); }), "");
  EXPECT_EQ(simulation.state_of(0).position.x, -3.0);
  EXPECT_EQ(simulation.state_of(0).position.z, -5.0);
}

TEST(StatesOfCallers, TheLedgerHasWhatTheyBring) {
  Simulation simulation = resting_ball().start();
  take_steps(simulation, 3);
  BodyState state = simulation.state_of(1);
  state.position.z = 1.0;
  state.velocity = {3.0, 0.0, 0.0};
  simulation.set_state(1, state);
  const EnergyLedger ledger = simulation.step().energy;
  const double brought = 0.5 * mass * 9.0;
  EXPECT_NEAR(ledger.bodies, brought, 1e-9 * brought);
  EXPECT_NEAR(ledger.unaccounted(), 0.0, 1e-12 * brought);
}

TEST(StatesOfCallers, AutomaticStepsBeginShortAgain) {
  SmallScene small(1e-2);
  small.scene.time.automatic = true;
  small.scene.time.shortest = 1e-4;
  small.scene.time.end = 10.0;
  small.add("ball", Motion::Dynamic, small.sphere(radius), {});
  Joint rope;
  rope.name = "rope";
  rope.type = JointType::Distance;
  rope.body_b = 0;
  rope.frame_a.position = {0.0, 0.0, 1.0};
  rope.way_limits = {0.0, 1e3};
  small.scene.world.joints = {rope};
  Simulation simulation = small.start();
  take_steps(simulation, 20);
  EXPECT_GT(simulation.settings().ticks, 1);
  const auto expect_short = [&](bool is_short) {
    EXPECT_EQ(simulation.step().ticks == 1, is_short);
    take_steps(simulation, 20);
    ASSERT_GT(simulation.settings().ticks, 1);
  };
  simulation.set_state(0, BodyState{});
  expect_short(true);
  BodySpec spec;
  spec.name = "new";
  spec.material = "stone";
  spec.shape = Sphere{radius};
  spec.pose.position = {5.0, 0.0, 0.0};
  const GlobalId id = simulation.add(spec);
  expect_short(true);
  simulation.remove(id);
  expect_short(true);
  simulation.hold(0, {1.0, 0.0, 0.0});
  expect_short(true);
  simulation.hold(0, {1.0, 0.0, 0.0});  // as it was
  expect_short(false);
  simulation.set_on("rope", false);
  expect_short(true);
  simulation.set_on("rope", false);
  expect_short(false);
}

/// As scenes and add() refuse it: squares of it would be no numbers.
TEST(StatesOfCallers, BeyondAllBoundsNoBodyIsPut) {
  Simulation simulation = resting_ball().start();
  const BodyState before = simulation.state_of(1);
  for (Vec3 BodyState::*what :
       {&BodyState::position, &BodyState::velocity, &BodyState::angular_velocity}) {
    BodyState state = before;
    (state.*what).y = 1e101;
    EXPECT_EQ(fault_of([&] { simulation.set_state(1, state); }),
              "set_state: body 1: its place, its size or its motion is beyond 1e+100 (m, m/s, "
              "rad/s): check its units");
  }
  EXPECT_EQ(length(simulation.state_of(1).position - before.position), 0.0);
  EXPECT_EQ(length(simulation.state_of(1).velocity - before.velocity), 0.0);
}

TEST(StatesOfCallers, FaultsAreSaidAndNothingIsDone) {
  Simulation simulation = resting_ball().start();
  BodyState state = simulation.state_of(1);
  EXPECT_EQ(fault_of([&] { simulation.set_state(0, state); }),
            "set_state: body 0 (floor) is fixed: forces and velocities are for dynamic bodies");
  EXPECT_EQ(fault_of([&] { simulation.state_of(2); }),
            "state_of: body 2 is not there: it has gone, or never was");
  EXPECT_EQ(fault_of([&] { simulation.contacts_of(-1); }),
            "contacts_of: body -1 is not there: it has gone, or never was");
  state.orientation = {2.0, 0.0, 0.0, 0.0};
  EXPECT_EQ(fault_of([&] { simulation.set_state(1, state); }),
            "set_state: body 1: orientation = [2, 0, 0, 0] must have length 1: [w, x, y, z] of a "
            "unit quaternion");
  state.orientation = {1.0, 0.0, 0.0, 0.0};
  state.velocity.y = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fault_of([&] { simulation.set_state(1, state); }),
            "set_state: body 1: [0, 0, 0.1, 1, 0, 0, 0, 0, inf, 0, 0, 0, 0] must be finite");
  EXPECT_EQ(simulation.state_of(1).velocity.y, 0.0);
}

TEST(StatesOfCallers, AnOrientationOfFewDigitsIsMadeUnit) {
  Simulation simulation = resting_ball().start();
  BodyState state = simulation.state_of(1);
  state.orientation = {0.7071, 0.7071, 0.0, 0.0};
  simulation.set_state(1, state);
  EXPECT_NEAR(simulation.state_of(1).orientation.w, std::sqrt(0.5), 1e-15);
}

// ---- contacts

TEST(ContactsOfCallers, ABallAtRestPressesWithItsWeight) {
  Simulation simulation = resting_ball().start();
  EXPECT_THAT(simulation.contacts_of(1), IsEmpty());
  take_steps(simulation, 20);
  const auto on_ball = simulation.contacts_of(1), on_floor = simulation.contacts_of(0);
  ASSERT_THAT(on_ball, SizeIs(1));
  ASSERT_THAT(on_floor, SizeIs(1));
  EXPECT_EQ(on_ball[0].other, 0);
  EXPECT_EQ(on_floor[0].other, 1);
  EXPECT_NEAR(length(on_ball[0].force - Vec3{0.0, 0.0, mass * g}), 0.0, 1e-8);
  EXPECT_NEAR(length(on_floor[0].force + on_ball[0].force), 0.0, rounding);
  EXPECT_NEAR(length(on_ball[0].normal - Vec3{0.0, 0.0, 1.0}), 0.0, rounding);
  EXPECT_NEAR(length(on_ball[0].point), 0.0, 1e-8);
  EXPECT_EQ(on_ball[0].state, ContactState::Stick);
  EXPECT_NEAR(on_ball[0].gap, 0.0, 1e-8);
}

/// Contacts of a ball, whose points are on it, with another ball.
int meetings_of(const Simulation& simulation, GlobalId ball) {
  const Vec3 at = simulation.state_of(ball).position;
  int met = 0;
  for (const BodyContact& contact : simulation.contacts_of(ball)) {
    EXPECT_NEAR(length(contact.point - at), radius, 1.5e-3)
        << ball << " in step " << simulation.world().step;
    met += contact.other == 0 ? 0 : 1;
  }
  return met;
}

/// Two balls that touch roll through the boundary, one after the other, on a plane and on a slab.
TEST(ContactsOfCallers, PointsGoThroughAPeriodicBoundaryWithTheirBodies) {
  for (const bool has_plane : {true, false}) {
    SmallScene small(h);
    small.scene.world.domain.low = {-1.0, -1.0, -1.0};
    small.scene.world.domain.high = {1.0, 1.0, 1.0};
    small.scene.world.domain.periodic = {true, false, false};
    if (has_plane)
      small.add_floor();
    else
      small.add("slab", Motion::Fixed, small.box({2.0, 1.0, 0.2}), {0.0, 0.0, -0.1});
    for (const double x : {0.99, 0.99 - 2.0 * radius}) {
      const std::size_t ball = small.add("ball" + std::to_string(x), Motion::Dynamic,
                                         small.sphere(radius), {x, 0.0, radius});
      small.body(ball).velocity = {1.0, 0.0, 0.0};
    }
    Simulation simulation = small.start();
    int met = 0, crossed = 0;
    for (int step = 0; step < 300; ++step) {
      const double before = simulation.state_of(1).position.x + simulation.state_of(2).position.x;
      simulation.step();
      for (const GlobalId id : {1, 2}) met += meetings_of(simulation, id);
      const double after = simulation.state_of(1).position.x + simulation.state_of(2).position.x;
      crossed += after < before ? 1 : 0;
    }
    EXPECT_GT(met, 100);
    EXPECT_EQ(crossed, 2);
  }
}

TEST(ContactsOfCallers, RollingFrictionIsATorque) {
  constexpr double resistance = 5e-3;
  SmallScene small = resting_ball();
  small.pair().rolling_friction = resistance;
  small.set_pair();
  small.body(1).velocity = {1.0, 0.0, 0.0};
  small.body(1).angular_velocity = {0.0, 1.0 / radius, 0.0};
  Simulation simulation = small.start();
  take_steps(simulation, 20);
  const auto contacts = simulation.contacts_of(1);
  ASSERT_THAT(contacts, SizeIs(1));
  EXPECT_NEAR(contacts[0].torque.y, -resistance * contacts[0].force.z, 1e-8);
}

TEST(ContactsOfCallers, ABlockThatIsPulledSlides) {
  SmallScene small(h, 0.4);
  small.add_floor();
  small.add("block", Motion::Dynamic, small.box({0.4, 0.4, 0.1}), {0.0, 0.0, 0.05});  // 16 kg
  Simulation simulation = small.start();
  simulation.hold(1, {100.0, 0.0, 0.0});
  take_steps(simulation, 20);
  Vec3 force;
  for (const BodyContact& contact : simulation.contacts_of(1)) {
    EXPECT_EQ(contact.state, ContactState::Slide);
    force = force + contact.force;
  }
  EXPECT_NEAR(length(force - Vec3{-0.4 * 16.0 * g, 0.0, 16.0 * g}), 0.0, 1e-7);
}

// ---- joints

/// A rotor (id 0) on an axle along y, with a motor; nothing pulls.
SmallScene rotor(MotorType type, double value) {
  SmallScene small(h);
  small.set_gravity({});
  small.add("rotor", Motion::Dynamic, small.sphere(radius), {});
  Joint axle;
  axle.name = "axle";
  axle.type = JointType::Revolute;
  axle.body_a = world_id;
  axle.body_b = 0;
  axle.frame_a.orientation = axle.frame_b.orientation =
      rotation_between({1.0, 0.0, 0.0}, {0.0, 1.0, 0.0});
  axle.angle_motor.type = type;
  axle.angle_motor.value = Expression(value);
  small.scene.world.joints.push_back(axle);
  return small;
}

TEST(JointsOfCallers, AnAngleIsCountedThroughFullTurns) {
  Simulation simulation = rotor(MotorType::Speed, 20.0).start();
  EXPECT_EQ(simulation.joint_state("axle").angle, 0.0);
  take_steps(simulation, 500);
  const JointState state = simulation.joint_state("axle");
  EXPECT_TRUE(state.on);
  EXPECT_NEAR(state.angle, 20.0 * 0.5, 1e-8);
  EXPECT_NEAR(state.angle_rate, 20.0, 1e-8);
  EXPECT_EQ(state.way, 0.0);
}

TEST(JointsOfCallers, AMotorGetsAnotherValue) {
  Simulation speed = rotor(MotorType::Speed, 1.0).start();
  take_steps(speed, 3);
  speed.set_motor("axle", -2.0);
  speed.step();
  EXPECT_NEAR(speed.state_of(0).angular_velocity.y, -2.0, 1e-9);

  Simulation torque = rotor(MotorType::Force, 0.0).start();
  torque.set_motor("axle", 0.3, Freedom::Angle);
  take_steps(torque, 100);
  EXPECT_NEAR(torque.state_of(0).angular_velocity.y, 0.3 * 0.1 / moment, 1e-9);
  EXPECT_NEAR(torque.joint_state("axle").angle_rate, 0.3 * 0.1 / moment, 1e-9);
}

TEST(JointsOfCallers, WhatIsSwitchedIsOffUntilItIsOn) {
  Simulation simulation = rotor(MotorType::Force, 0.3).start();
  simulation.set_on("axle.motor", false);
  simulation.step();
  EXPECT_EQ(simulation.state_of(0).angular_velocity.y, 0.0);
  simulation.set_on("axle.motor", true);
  simulation.step();
  EXPECT_NEAR(simulation.state_of(0).angular_velocity.y, 0.3 * h / moment, 1e-9);
  simulation.set_on("axle", false);
  simulation.hold(0, {1.0, 0.0, 0.0});
  simulation.step();
  EXPECT_NEAR(simulation.state_of(0).velocity.x, h / mass, rounding);
  EXPECT_FALSE(simulation.joint_state("axle").on);
}

TEST(JointsOfCallers, ASliderAndARopeHaveTheirLength) {
  SmallScene small(h);
  const Index ball = small.sphere(radius);
  small.add("slider", Motion::Dynamic, ball, {});
  small.add("hanging", Motion::Dynamic, ball, {5.0, 0.0, -1.0});
  Joint rail, rope;
  rail.name = "rail";
  rail.type = JointType::Cylindrical;  // its axis is x
  rail.body_b = 0;
  rail.way_motor.type = rail.angle_motor.type = MotorType::Speed;
  rope.name = "rope";
  rope.type = JointType::Distance;
  rope.body_b = 1;
  rope.frame_a.position = {5.0, 0.0, 0.0};
  rope.length = 1.0;
  small.scene.world.joints = {rail, rope};
  Simulation simulation = small.start();
  EXPECT_EQ(fault_of([&] { simulation.set_motor("rail", 0.5); }),
            "set_motor: joint 'rail' has two motors: say which");
  simulation.set_motor("rail", 0.5, Freedom::Way);
  simulation.set_motor("rail", 2.0, Freedom::Angle);
  take_steps(simulation, 200);
  const JointState rail_now = simulation.joint_state("rail"), hung = simulation.joint_state("rope");
  EXPECT_NEAR(rail_now.way, 0.1, 1e-9);
  EXPECT_NEAR(rail_now.way_rate, 0.5, 1e-9);
  EXPECT_NEAR(rail_now.angle, 0.4, 1e-9);
  EXPECT_NEAR(length(rail_now.reaction_force - Vec3{0.0, 0.0, mass * g}), 0.0, 1e-6);
  EXPECT_NEAR(hung.way, 1.0, 1e-9);
  EXPECT_NEAR(hung.way_rate, 0.0, 1e-9);
  EXPECT_NEAR(length(hung.reaction_force - Vec3{0.0, 0.0, mass * g}), 0.0, 1e-6);
}

TEST(JointsOfCallers, FaultsAreSaid) {
  SmallScene small = rotor(MotorType::Speed, 1.0);
  Simulation simulation = small.start();
  EXPECT_EQ(fault_of([&] { simulation.set_motor("axel", 1.0); }),
            "set_motor: 'axel' is no joint or spring: did you mean 'axle'? known are axle");
  EXPECT_EQ(fault_of([&] { simulation.joint_state("x"); }),
            "joint_state: 'x' is no joint or spring: known are axle");
  EXPECT_EQ(fault_of([&] { simulation.set_motor("axle", NAN, Freedom::Way); }),
            "set_motor: joint 'axle' has no motor along its axis\n"
            "set_motor: joint 'axle': value = nan must be finite");
  EXPECT_EQ(fault_of([&] { simulation.set_on("wheel", true); }),
            "set_on: 'wheel' cannot be switched: known are axle, axle.motor");
  small.scene.world.joints[0].angle_motor = {};
  Simulation free = small.start();
  EXPECT_EQ(fault_of([&] { free.set_motor("axle", 1.0); }), "set_motor: joint 'axle' has no motor");
  EXPECT_EQ(fault_of([&] { free.set_motor("axle", 1.0, Freedom::Angle); }),
            "set_motor: joint 'axle' has no motor about its axis");
}

TEST(JointsOfCallers, OfABodyThatHasGoneIsOffAndZero) {
  SmallScene small = rotor(MotorType::Speed, 1.0);
  Event remove;
  remove.kind = Event::Kind::Remove;
  remove.target = "rotor";
  remove.at = h;
  small.scene.events = {remove};
  Simulation simulation = small.start();
  take_steps(simulation, 3);
  const JointState state = simulation.joint_state("axle");
  EXPECT_FALSE(state.on);
  EXPECT_EQ(state.angle, 0.0);
}

// ---- restart

TEST(JointsOfCallers, WhatTheySetIsInCheckpoints) {
  Simulation whole = rotor(MotorType::Speed, 1.0).start();
  take_steps(whole, 3);
  whole.set_motor("axle", 7.0);
  BodyState state = whole.state_of(0);
  state.velocity = {0.0, 0.1, 0.0};
  whole.set_state(0, state);
  Simulation resumed = support::restarted(whole);
  take_steps(whole, 10);
  take_steps(resumed, 10);
  EXPECT_EQ(trajectory_hash(whole.world().bodies), trajectory_hash(resumed.world().bodies));
  EXPECT_NEAR(resumed.joint_state("axle").angle_rate, 7.0, 1e-9);
}

}  // namespace
}  // namespace talus
