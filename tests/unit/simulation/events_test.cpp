// What happens at step boundaries.

#include "talus/core/error.hpp"

#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::run_until;
using support::SmallScene;
using ::testing::ElementsAre;

constexpr double g = 9.81, h = 1e-2;

/// Balls of radius 0.1 that rest on a floor, 1 m apart: groups "floor", "ball0", "ball1", ...
SmallScene balls_on_floor(int count) {
  SmallScene small(h, 0.5);
  small.add_floor();
  const Index ball = small.sphere(0.1);
  for (int k = 0; k < count; ++k)
    small.add("ball" + std::to_string(k), Motion::Dynamic, ball, {1.0 * k, 0.0, 0.1});
  return small;
}

Event event_at(double t, Event::Kind kind, const std::string& target) {
  Event event;
  event.kind = kind;
  event.place = "small:9:3";
  event.at = t;
  event.target = target;
  return event;
}

Event switched(double t, const std::string& target, bool on) {
  Event event = event_at(t, Event::Kind::Switch, target);
  event.on = on;
  return event;
}

Vec3 position_of(const Simulation& simulation, GlobalId id) {
  const BodySet& bodies = simulation.world().bodies;
  return bodies.position[static_cast<std::size_t>(bodies.find(id))];
}

TEST(Events, RemoveAtATimeListsTheBody) {
  SmallScene small = balls_on_floor(2);
  small.body(1).velocity = {0.0, 0.1, 0.0};
  small.scene.events = {event_at(3 * h, Event::Kind::Remove, "ball0")};
  Simulation simulation = small.start();
  for (int step = 1; step <= 3; ++step) EXPECT_TRUE(simulation.step().removed.empty());

  const StepReport report = simulation.step();

  ASSERT_EQ(report.removed.size(), 1U);
  EXPECT_EQ(report.removed[0].id, 1);
  EXPECT_EQ(report.removed[0].group, "ball0");
  EXPECT_EQ(report.removed[0].step, 4);
  EXPECT_GT(report.removed[0].position.y, 0.0);
  EXPECT_GT(report.removed[0].velocity.y, 0.0);
  EXPECT_EQ(report.bodies, 2);
  EXPECT_EQ(report.contacts, 1);
  EXPECT_EQ(report.warm_started, 1) << "the other contact keeps its impulse";
  EXPECT_EQ(simulation.world().removed, 1);
  EXPECT_THAT(simulation.world().bodies.id, ElementsAre(0, 2));
}

TEST(Events, RemovedBodiesTakeTheirJointsAndMotionsWithThem) {
  SmallScene small = balls_on_floor(2);
  KinematicMotion motion;
  motion.way[0] = Expression("t", {}, {"t"});
  const std::size_t mover = small.add("mover", Motion::Kinematic, small.sphere(0.1), {0, 5, 5});
  small.body(mover).kinematic = motion;
  Joint joint;
  joint.name = "bar";
  joint.body_a = 1;
  joint.body_b = 2;
  joint.frame_b.position = {-1.0, 0.0, 0.0};
  small.scene.world.joints = {joint};
  small.scene.events = {event_at(h, Event::Kind::Remove, "ball1"),
                        event_at(h, Event::Kind::Remove, "mover"), switched(2 * h, "bar", true)};
  Simulation simulation = small.start();

  EXPECT_EQ(simulation.step().joint_rows, 6);
  const StepReport report = simulation.step();

  EXPECT_EQ(report.joint_rows, 0);
  EXPECT_EQ(report.removed.size(), 2U);
  EXPECT_FALSE(simulation.world().joints[0].on);
  EXPECT_TRUE(simulation.world().motions.empty());
  EXPECT_EQ(simulation.step().joint_rows, 0) << "switched on without its body";
}

TEST(Events, AJointThatLosesABodyRemembersNothing) {
  SmallScene small(h);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.add("other", Motion::Dynamic, small.sphere(0.1), {1.0, 0.0, 0.0});
  small.body(0).angular_velocity = {0.0, 0.0, 3.0};
  JointSpec axle;
  axle.joint.name = "axle";
  axle.joint.type = JointType::Revolute;
  axle.a = "other";
  axle.b = "ball";
  axle.axis = {0.0, 0.0, 1.0};
  small.SceneBuilder::add(axle);
  small.scene.events = {event_at(10 * h, Event::Kind::Remove, "other")};
  Simulation simulation = small.start();

  run_until(simulation, 9 * h);
  EXPECT_NE(simulation.world().joints[0].angle, 0.0);
  run_until(simulation, 12 * h);
  const Joint& joint = simulation.world().joints[0];
  EXPECT_FALSE(joint.on);
  EXPECT_EQ(joint.angle, 0.0);
  EXPECT_EQ(length(joint.reaction_force) + length(joint.reaction_torque), 0.0);
}

TEST(Events, FixHoldsAndReleaseLetsGo) {
  SmallScene small(h);
  const Index ball = small.sphere(0.1);
  small.add("ball", Motion::Dynamic, ball, {});
  small.add("held", Motion::Fixed, ball, {5.0, 0.0, 0.0});
  small.body(0).angular_velocity = {1.0, 0.0, 0.0};
  small.scene.events = {event_at(10 * h, Event::Kind::Fix, "ball"),
                        event_at(10 * h, Event::Kind::Release, "held"),
                        event_at(20 * h, Event::Kind::Release, "ball")};
  Simulation simulation = small.start();

  run_until(simulation, 10 * h);
  const double fallen = position_of(simulation, 0).z;
  EXPECT_NEAR(fallen, -g * h * h * 55.0, 1e-12);
  EXPECT_EQ(position_of(simulation, 1).z, 0.0);
  run_until(simulation, 20 * h);
  EXPECT_EQ(position_of(simulation, 0).z, fallen);
  EXPECT_NEAR(position_of(simulation, 1).z, fallen, 1e-15);
  run_until(simulation, 30 * h);
  EXPECT_NEAR(position_of(simulation, 0).z, 2.0 * fallen, 1e-12) << "it begins at rest again";
  EXPECT_EQ(simulation.world().bodies.angular_velocity[0].x, 0.0);
}

TEST(Events, AddedBodiesAppearWhereTheSceneSays) {
  SmallScene small = balls_on_floor(1);
  SceneBody late = small.body(1), mover = late;
  late.pose.position = {0.0, 3.0, 0.1};
  mover.motion = Motion::Kinematic;
  mover.pose.position = {0.0, 6.0, 1.0};
  KinematicMotion motion;
  motion.way[0] = Expression("4*t", {}, {"t"});
  motion.angle = Expression("t", {}, {"t"});
  motion.through = mover.pose.position;
  mover.kinematic = motion;
  Event add = event_at(5 * h, Event::Kind::Add, "");
  add.added = {late, mover};
  small.scene.events = {add};
  Simulation simulation = small.start();
  run_until(simulation, 5 * h);
  EXPECT_EQ(simulation.world().bodies.count(), 2);

  const StepReport report = simulation.step();

  EXPECT_EQ(report.bodies, 4);
  EXPECT_EQ(report.contacts, 2);
  EXPECT_THAT(simulation.world().bodies.id, ElementsAre(0, 1, 2, 3));
  EXPECT_NEAR(position_of(simulation, 2).z, 0.1, 1e-9);
  EXPECT_NEAR(position_of(simulation, 3).x, 4.0 * h, 1e-14) << "it moves from where it appears";
  EXPECT_NEAR(simulation.world().bodies.angular_velocity[3].z, 1.0, 1e-12);
}

TEST(Events, GravityChanges) {
  SmallScene small(h);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  Event flip = event_at(10 * h, Event::Kind::Gravity, "");
  flip.gravity = {Expression(), Expression(), Expression(g)};
  small.scene.events = {flip};
  Simulation simulation = small.start();
  run_until(simulation, 20 * h);
  EXPECT_NEAR(simulation.world().bodies.velocity[0].z, 0.0, 1e-13);
}

TEST(Events, ForcesJointsAndMotorsAreSwitched) {
  SmallScene small(h);
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  GroupForce force;
  force.group = 0;
  force.acceleration[0] = Expression(2.0);
  force.on = false;
  small.scene.world.forces = {force};
  Joint slide;
  slide.name = "slide";
  slide.type = JointType::Prismatic;
  slide.body_b = 0;
  slide.way_motor = {MotorType::Speed, Expression(1.0)};
  small.scene.world.joints = {slide};
  small.scene.events = {switched(2 * h, "slide.motor", false), switched(4 * h, "ball", true),
                        switched(6 * h, "slide", false), switched(8 * h, "ball", false)};
  Simulation simulation = small.start();
  const auto velocity = [&] { return simulation.world().bodies.velocity[0].x; };

  EXPECT_EQ(simulation.step().joint_rows, 6);
  EXPECT_NEAR(velocity(), 1.0, 1e-10);
  run_until(simulation, 2 * h);
  EXPECT_EQ(simulation.step().joint_rows, 5);
  run_until(simulation, 6 * h);
  EXPECT_NEAR(velocity(), 1.0 + 2.0 * 2 * h, 1e-10);
  EXPECT_EQ(simulation.step().joint_rows, 0);
  run_until(simulation, 12 * h);
  EXPECT_NEAR(velocity(), 1.0 + 2.0 * 4 * h, 1e-10);
}

TEST(Events, StreamsAreSwitched) {
  SmallScene small(h);
  small.scene.world.groups = {"rain"};
  small.sphere(0.5);
  Generator rain;
  rain.kind = Generator::Kind::Stream;
  rain.name = "rain";
  rain.place = "small:3:3";
  rain.sizes.low = rain.sizes.high = 0.02;
  rain.region.low = {-1.0, -1.0, 0.0};
  rain.region.high = {1.0, 1.0, 0.1};
  rain.mass_rate = Expression(1.0);
  rain.on = false;
  small.scene.generators = {rain};
  small.scene.events = {switched(2 * h, "rain", true), switched(12 * h, "rain", false)};
  Simulation simulation = small.start();
  std::int64_t inserted = 0;
  while (simulation.world().step < 20) {
    const StepReport report = simulation.step();
    if (report.step <= 2 || report.step > 12) {
      EXPECT_EQ(report.inserted, 0) << report.step;
    }
    inserted += report.inserted;
  }
  EXPECT_GT(inserted, 10);
  EXPECT_EQ(simulation.world().bodies.count(), inserted);
}

TEST(Events, AConditionHoldsOnceWithAllItsVariables) {
  for (const std::string when :
       {"t >= 0.0499", "step >= 5", "kinetic_energy > 0.5*4188.79e-3*(9.81*0.0499)^2",
        "largest_speed > 9.81*0.0499", "step == 5 && bodies == 2 && contacts == 1"}) {
    SmallScene small(h);
    small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
    small.body(0).mass = 4188.79e-3;
    small.add("rest", Motion::Fixed, small.box({0.1, 0.1, 0.1}), {0.0, 0.0, -0.25});
    Event event;
    event.kind = Event::Kind::Fix;
    event.target = "ball";
    event.when = Expression(when, {}, event_variables);
    small.scene.events = {event, event_at(20 * h, Event::Kind::Release, "ball")};
    if (when.find("contacts") != std::string::npos) {
      small.body(0).pose.position.z = -0.0999;
      small.scene.max_overlap = 0.5;
    }
    Simulation simulation = small.start();
    run_until(simulation, 20 * h);
    EXPECT_EQ(simulation.world().bodies.velocity[0].z, 0.0) << when;
    if (when[0] != 's') {
      EXPECT_NEAR(simulation.world().bodies.position[0].z, -g * h * h * 15.0, 1e-12) << when;
    }
    simulation.step();
    EXPECT_EQ(simulation.world().bodies.motion[0], Motion::Dynamic) << "once: " << when;
  }
}

TEST(Events, ATimeThatIsAMultipleOfTheStepIsNotLate) {
  SmallScene small(0.1);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.scene.events = {event_at(0.3, Event::Kind::Remove, "ball")};  // 3 * 0.1 is above 0.3
  Simulation simulation = small.start();
  for (int step = 0; step < 3; ++step) EXPECT_EQ(simulation.step().removed.size(), 0U);
  EXPECT_EQ(simulation.step().removed.size(), 1U);
  EXPECT_EQ(simulation.step().removed.size(), 0U) << "no body is left, and nothing fails";
}

/// Its formula need not be finite any more: nobody looks at it.
TEST(Events, OfABodyThatIsFixedOrReleasedTheMovementIsOver) {
  for (const Event::Kind kind : {Event::Kind::Fix, Event::Kind::Release}) {
    SmallScene small(h);
    KinematicMotion motion;
    motion.velocity[0] = Expression("sqrt(a - t)", {{"a", 10.5 * h}}, {"t"});
    small.add("wall", Motion::Kinematic, small.box({0.1, 0.1, 0.1}), {});
    small.body(0).kinematic = motion;
    small.scene.events = {event_at(5 * h, kind, "wall")};
    Simulation simulation = small.start();
    run_until(simulation, 20 * h);
    EXPECT_EQ(simulation.world().step, 20);
    EXPECT_LT(simulation.world().bodies.position[0].x, 20.0 * h);
  }
}

// ---- what can be told before the run

std::vector<std::string> refusals(const SmallScene& small) {
  try {
    small.start();
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

TEST(Events, ReleaseOfABodyWithoutMassIsRefusedAtTheStart) {
  SmallScene small(h);
  const Index ball = small.sphere(0.1);
  small.scene.world.materials.add({"air", 0.0});
  small.add("held", Motion::Fixed, ball, {});
  small.add("late", Motion::Fixed, ball, {9.0, 0.0, 0.0});
  small.add("weighed", Motion::Fixed, ball, {12.0, 0.0, 0.0});
  for (const std::size_t b : {0, 1, 2}) small.body(b).material = 1;
  small.body(2).mass = 1.0;
  Event add = event_at(h, Event::Kind::Add, "");
  add.added = {small.body(1)};
  small.scene.bodies.erase(small.scene.bodies.begin() + 1);
  small.scene.events = {add, event_at(h, Event::Kind::Release, "held"),
                        event_at(h, Event::Kind::Release, "late"),
                        event_at(h, Event::Kind::Release, "weighed")};
  EXPECT_THAT(refusals(small),
              ElementsAre("small:9:3: target = 'held' cannot be released: its mass is not known: "
                          "give mass (and inertia), or its material a density",
                          "small:9:3: target = 'late' cannot be released: its mass is not known: "
                          "give mass (and inertia), or its material a density"));
}

TEST(Events, AddedBodiesWithoutMassAreRefusedAtTheStart) {
  SmallScene small = balls_on_floor(1);
  small.scene.world.materials.add({"air", 0.0});
  Event add = event_at(h, Event::Kind::Add, "");
  add.added = {small.body(1)};
  add.added[0].material = 1;
  small.scene.events = {add};
  EXPECT_THAT(refusals(small), ElementsAre("small: ball0.mass must be given: its material air has "
                                           "no density"));
}

}  // namespace
}  // namespace talus
