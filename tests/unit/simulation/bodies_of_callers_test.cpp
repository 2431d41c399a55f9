// Bodies that a caller brings and takes between steps.

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "simulation/simulation_parts.hpp"
#include "support/fault_of.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

namespace talus {
namespace {

using support::messages_of;
using support::SmallScene;
using support::take_steps;
using support::unit_spheres;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double g = 9.81, h = 1e-3, radius = 0.1;
constexpr double rounding = 1e-11;

BodySpec ball(const std::string& name, const Vec3& position) {
  BodySpec spec;
  spec.name = name;
  spec.material = "stone";
  spec.shape = Sphere{radius};
  spec.pose.position = position;
  return spec;
}

/// Two balls one above the other on a floor.
SmallScene tower() {
  SmallScene small(h, 0.5);
  small.add_floor();
  small.add(ball("low", {0.0, 0.0, radius}));
  small.add(ball("high", {0.0, 0.0, 3.0 * radius}));
  return small;
}

TEST(BodiesOfCallers, WhatComesFallsAndHasTheNextId) {
  Simulation simulation = tower().start();
  take_steps(simulation, 5);
  BodySpec spec = ball("new", {3.0, 0.0, 2.0});
  spec.group = "guests";
  spec.velocity = {0.0, 1.0, 0.0};
  EXPECT_EQ(simulation.add(spec), 3);
  constexpr double t = 0.1;
  take_steps(simulation, 100);
  const BodyState state = simulation.state_of(3);
  EXPECT_NEAR(length(state.velocity - Vec3{0.0, 1.0, -g * t}), 0.0, rounding);
  EXPECT_NEAR(length(state.position - Vec3{3.0, t, 2.0 - 0.5 * g * t * (t + h)}), 0.0, rounding);
  EXPECT_EQ(simulation.body_count(), 4);
  EXPECT_GE(simulation.world().find_group("guests"), 0);
  EXPECT_EQ(simulation.world().shapes.size(), 2U);  // balls of one size share theirs
}

TEST(BodiesOfCallers, WhatComesTouchesAtOnce) {
  Simulation simulation = tower().start();
  simulation.step();
  simulation.add(ball("new", {1.0, 0.0, radius}));
  const StepReport report = simulation.step();
  EXPECT_EQ(report.bodies, 4);
  EXPECT_EQ(report.contacts, 3);
  EXPECT_NEAR(simulation.state_of(3).position.z, radius, 1e-9);
}

TEST(BodiesOfCallers, WhatGoesHoldsNothingUp) {
  SmallScene small = tower();
  Joint rope;
  rope.name = "rope";
  rope.type = JointType::Distance;
  rope.body_a = 1;  // the low one, which goes
  rope.body_b = 2;
  rope.length = 2.0 * radius;
  small.scene.world.joints.push_back(rope);
  Simulation simulation = small.start();
  take_steps(simulation, 10);
  simulation.hold(1, {1.0, 0.0, 0.0});
  simulation.push(1, {1.0, 0.0, 0.0});
  simulation.remove(1);
  EXPECT_EQ(simulation.body_count(), 2);
  EXPECT_EQ(simulation.world().removed, 1);
  EXPECT_TRUE(simulation.world().held.empty());
  EXPECT_FALSE(simulation.joint_state("rope").on);
  EXPECT_THAT(simulation.contacts_of(2), IsEmpty());
  take_steps(simulation, 50);
  EXPECT_NEAR(simulation.state_of(2).velocity.z, -g * 0.05, 1e-8);
  EXPECT_EQ(simulation.add(ball("new", {2.0, 0.0, 1.0})), 3);  // ids are not used again
  EXPECT_THAT(messages_of([&] { simulation.remove(1); }),
              ElementsAre("remove: body 1 is not there: it has gone, or never was"));
}

TEST(BodiesOfCallers, TheLedgerHasWhatTheyBringAndTake) {
  SmallScene small = tower();
  small.set_gravity({});
  Simulation simulation = small.start();
  take_steps(simulation, 2);
  BodySpec spec = ball("new", {3.0, 0.0, 2.0});
  spec.velocity = {0.0, 2.0, 0.0};
  spec.mass = 3.0;
  const GlobalId id = simulation.add(spec);
  EXPECT_NEAR(simulation.step().energy.bodies, 6.0, rounding);
  simulation.remove(id);
  const EnergyLedger ledger = simulation.step().energy;
  EXPECT_NEAR(ledger.bodies, -6.0, rounding);
  EXPECT_NEAR(ledger.unaccounted(), 0.0, rounding);
}

TEST(BodiesOfCallers, OthersThanBallsComeToo) {
  SmallScene small = tower();
  small.scene.world.domain.low = {-4.0, -4.0, -4.0};
  small.scene.world.domain.high = {4.0, 4.0, 4.0};
  small.scene.world.domain.periodic = {true, false, false};
  Simulation simulation = small.start();
  take_steps(simulation, 100);
  BodySpec belt = ball("belt", {0.0, 3.0, 0.0});
  belt.motion = Motion::Kinematic;
  belt.shape = Box{{1.0, 0.5, 0.1}};
  belt.movement.emplace();
  belt.movement->way[0] = Expression("2*t", {}, {"t"});
  const GlobalId moved = simulation.add(belt);
  BodySpec clump = ball("clump", {5.0, -2.0, 1.0});  // a period further on
  clump.shape = Compound{{{Sphere{0.1}, {}}, {Sphere{0.1}, {{0.1, 0.0, 0.0}, {}}}}};
  const GlobalId joined = simulation.add(clump);
  EXPECT_NEAR(simulation.state_of(joined).position.x, -3.0 + 0.05, rounding);  // of its centre
  take_steps(simulation, 10);
  EXPECT_NEAR(simulation.state_of(moved).position.x, 0.02, rounding);  // from when it came
  EXPECT_NEAR(simulation.state_of(joined).velocity.z, -g * 0.01, rounding);
}

TEST(BodiesOfCallers, AreInCheckpoints) {
  Simulation whole = tower().start();
  take_steps(whole, 3);
  BodySpec brick = ball("brick", {0.05, 0.0, 0.6});
  brick.shape = Box{{0.1, 0.1, 0.05}};
  whole.add(brick);
  whole.remove(1);
  Simulation resumed = support::restarted(whole);
  take_steps(whole, 100);
  take_steps(resumed, 100);
  EXPECT_EQ(trajectory_hash(whole.world().bodies), trajectory_hash(resumed.world().bodies));
  EXPECT_EQ(resumed.body_count(), 3);
}

// ---- what is wrong

TEST(BodiesOfCallers, FaultsAreSaidAtOnceAndNothingComes) {
  SmallScene small = tower();
  small.add_material("glass", 2500.0);
  small.add_material("air");
  small.scene.world.domain.low = {-4.0, -4.0, -4.0};
  small.scene.world.domain.high = {4.0, 4.0, 4.0};
  small.scene.world.domain.periodic = {true, false, false};
  Simulation simulation = small.start();
  const std::size_t shapes = simulation.world().shapes.size();
  BodySpec spec = ball("new", {0.0, 9.0, 0.0});
  spec.material = "ston";
  spec.shape = Box{{0.1, 0.0, 0.1}};
  EXPECT_THAT(
      messages_of([&] { simulation.add(spec); }),
      ElementsAre("add: new: material 'ston' is not one of materials: did you mean 'stone'? known "
                  "are stone, glass, air",
                  "add: new: size = 0 must be > 0",
                  "add: new at (0, 9, 0) m is outside the domain: place it inside, or make the "
                  "domain larger"));
  spec = ball("new", {1.0, 0.0, 1.0});
  spec.material = "glass";
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre("add: new: pairs: none between stone and glass, whose bodies may touch: "
                          "add {between: [stone, glass], friction: ..., restitution: ...}"));
  spec.material = "air";
  EXPECT_THAT(
      messages_of([&] { simulation.add(spec); }),
      ElementsAre("add: new: material air has no density: give it one, or give new a mass"));
  spec = ball("low", {1.0, 0.0, 1.0});
  spec.group = "guests";
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre("add: low: name = 'low' is given twice: rename one",
                          "add: low: name = 'low' is the name of a group, too: low is in group "
                          "guests; rename one"));
  spec = ball("ramp", {});
  spec.motion = Motion::Fixed;
  spec.shape = Plane{{0.6, 0.0, 0.8}};
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre(HasSubstr("add: ramp: its normal (0.6, 0, 0.8) leans along x, which is "
                                    "periodic")));
  spec.shape = Mesh{};
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre("add: ramp: a mesh has no triangles"));
  spec.motion = Motion::Dynamic;
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre("add: ramp: a mesh has no triangles"));
  EXPECT_EQ(simulation.body_count(), 3);
  EXPECT_EQ(simulation.world().shapes.size(), shapes);
  EXPECT_LT(simulation.world().find_group("new"), 0);
  EXPECT_EQ(simulation.add(ball("new", {1.0, 0.0, 1.0})), 3);
}

/// Which steps would fail for, on some ranks alone.
TEST(BodiesOfCallers, WhatAScenesBodyIsRefusedForOneThatComesIsToo) {
  SmallScene small = tower();
  small.add_material("air");
  small.add_material("glass", 2500.0);
  SceneBuilder& builder = small;
  builder.set_pair("air", "stone", {});
  Domain& domain = small.scene.world.domain;
  domain.low = {-4.0, -4.0, -4.0};
  domain.high = {4.0, 4.0, 4.0};
  domain.periodic = {true, false, false};
  Event release;
  release.kind = Event::Kind::Release;
  release.target = "doors";
  release.at = 10.0;
  small.scene.events = {release};
  small.scene.world.groups.push_back("doors");
  Simulation simulation = small.start();
  const auto faults = [&](const BodySpec& spec) {
    return messages_of([&] { simulation.add(spec); });
  };
  BodySpec spec = ball("far", {500.0, 2.0, 0.0});
  spec.motion = Motion::Fixed;
  EXPECT_THAT(faults(spec), ElementsAre(HasSubstr("add: far: reaches from 499.9 to 500.1 m along x,"
                                                  " which is periodic with a period of 8 m")));
  spec = ball("belt", {500.0, 2.0, 0.0});
  spec.motion = Motion::Kinematic;
  spec.movement.emplace();
  EXPECT_THAT(faults(spec), ElementsAre(HasSubstr("add: belt: reaches from 499.9 to 500.1 m")));
  spec = ball("beam", {0.0, 2.0, 1.0});
  spec.shape = Box{{600.0, 0.1, 0.1}};
  EXPECT_THAT(faults(spec), ElementsAre(HasSubstr("add: beam: reaches from -600 to 600 m")));
  spec = ball("speck", {0.0, 2.0, 1.0});
  spec.mass = 1e-200;
  EXPECT_THAT(faults(spec), ElementsAre(HasSubstr("add: speck: its mass of 1e-200 kg")));
  // what an event will release
  spec.motion = Motion::Fixed;
  spec.group = "doors";
  EXPECT_THAT(faults(spec), ElementsAre(HasSubstr("add: speck: its mass of 1e-200 kg")));
  spec = ball("door", {0.0, 2.0, 1.0});
  spec.motion = Motion::Fixed;
  spec.group = "doors";
  spec.material = "air";
  EXPECT_THAT(faults(spec),
              ElementsAre(HasSubstr("add: door: cannot be released: its mass is not known")));
  EXPECT_EQ(simulation.body_count(), 3);
  spec.group.clear();
  EXPECT_EQ(simulation.add(spec), 3);
  simulation.add(ball("from_afar", {501.0, 2.0, 1.0}));  // which is brought back
  take_steps(simulation, 3);
  EXPECT_LT(std::abs(simulation.state_of(4).position.x), 4.0);
}

TEST(BodiesOfCallers, ANameIsOfOneBody) {
  SmallScene small = tower();
  small.add_generator(
      unit_spheres("heap", Generator::Kind::Lattice, 0.1, {5.0, 5.0, 5.0}, {6, 6, 6}));
  Event add;
  add.kind = Event::Kind::Add;
  add.at = 10.0;
  small.add(ball("later", {8.0, 0.0, 0.0}));
  add.added = {small.scene.bodies.back()};
  small.scene.bodies.pop_back();
  small.scene.events = {add};
  Simulation simulation = small.start();
  BodySpec spec = ball("new", {3.0, 0.0, 2.0});
  spec.group = "guests";
  const GlobalId id = simulation.add(spec);
  simulation.remove(id);
  Simulation resumed = support::restarted(simulation);
  for (const std::string name : {"new", "low", "heap", "later"}) {
    const auto told =
        ElementsAre(fmt::format("add: {0}: name = '{0}' is given twice: rename one", name));
    EXPECT_THAT(messages_of([&] { resumed.add(ball(name, {3.0, 0.0, 2.0})); }), told);
  }
  EXPECT_EQ(resumed.add(ball("newer", {3.0, 0.0, 2.0})), id + 1);
}

/// A name that is both would mean two things; one's own group others may join.
TEST(BodiesOfCallers, AGroupHasNotTheNameOfABodyOfAnother) {
  Simulation simulation = tower().start();
  BodySpec spec = ball("new", {3.0, 0.0, 2.0}), other = ball("other", {4.0, 0.0, 2.0});
  spec.group = "guests";
  other.group = "new";
  const auto told = ElementsAre(HasSubstr("add: other: group = 'new' is the name of a body"));
  const std::vector<BodySpec> both = {spec, other};
  EXPECT_THAT(messages_of([&] { simulation.add(both); }), told);
  const GlobalId id = simulation.add(spec);
  EXPECT_THAT(messages_of([&] { simulation.add(other); }), told);
  simulation.remove(id);
  EXPECT_THAT(messages_of([&] { simulation.add(other); }), told);
  EXPECT_EQ(simulation.world().find_group("new"), -1);
  other.group = "low";
  EXPECT_EQ(simulation.add(other), id + 1);
  spec = ball("newer", {5.0, 0.0, 2.0});
  spec.group = spec.name;
  EXPECT_EQ(simulation.add(spec), id + 2);
}

TEST(BodiesOfCallers, AMovementThatIsNotFiniteNowIsAFaultOfItsBody) {
  Simulation simulation = tower().start();
  take_steps(simulation, 5);
  std::vector<BodySpec> specs = {ball("wall", {3.0, 0.0, 2.0}), ball("gate", {4.0, 0.0, 2.0}),
                                 ball("low", {5.0, 0.0, 2.0})};
  for (std::size_t i : {0, 1}) {
    specs[i].motion = Motion::Kinematic;
    specs[i].movement.emplace();
  }
  specs[0].movement->way[0] = Expression("sqrt(a - t)", {{"a", 3.5 * h}}, {"t"});
  specs[1].movement->angle = Expression("1/t", {}, {"t"});
  EXPECT_THAT(messages_of([&] { simulation.add(specs); }),
              ElementsAre(HasSubstr("add: wall: sqrt(a - t) is"),
                          HasSubstr("add: gate: 1/t is inf at t = 0"),
                          HasSubstr("add: low: name = 'low' is given twice")));
  EXPECT_EQ(simulation.body_count(), 3);
  EXPECT_TRUE(simulation.world().motions.empty());
}

TEST(BodiesOfCallers, ManyComeTogetherAsOneByOne) {
  Simulation together = tower().start(), single = tower().start();
  std::vector<BodySpec> specs;
  for (int i = 0; i < 9; ++i) {
    BodySpec spec = ball("new" + std::to_string(i), {2.0 + 0.3 * i, 0.0, radius});
    spec.group = "guests";
    spec.scale = i == 5 ? 0.5 : 1.0;
    specs.push_back(spec);
  }
  EXPECT_EQ(together.add(specs), 3);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(single.add(specs[static_cast<std::size_t>(i)]), 3 + i);
  take_steps(together, 20);
  take_steps(single, 20);
  EXPECT_EQ(together.settings().smallest_size, single.settings().smallest_size);
  EXPECT_EQ(trajectory_hash(together.world().bodies), trajectory_hash(single.world().bodies));
  EXPECT_EQ(together.add(std::vector<BodySpec>{}), 12);
  EXPECT_EQ(together.body_count(), 12);
}

/// What one of them is refused for keeps all away; they are looked at beside each other, too.
TEST(BodiesOfCallers, OfManyNoneComesWhereOneIsRefused) {
  SmallScene small = tower();
  small.add_material("glass", 2500.0);
  SceneBuilder& builder = small;
  builder.set_pair("glass", "stone", {});
  Simulation simulation = small.start();
  std::vector<BodySpec> specs = {ball("a", {3.0, 0.0, 1.0}), ball("b", {4.0, 0.0, 1.0}),
                                 ball("a", {5.0, 0.0, 1.0})};
  specs[0].material = specs[1].material = "glass";
  EXPECT_THAT(messages_of([&] { simulation.add(specs); }),
              ElementsAre(HasSubstr("add: b: pairs: none between glass and glass"),
                          HasSubstr("add: a: name = 'a' is given twice")));
  EXPECT_EQ(simulation.body_count(), 3);
  specs.pop_back();
  specs[1].material = "stone";
  EXPECT_EQ(simulation.add(specs), 3);
}

/// Only what may move meets what stands.
TEST(BodiesOfCallers, WhatNeverMovesNeedsNoPairWithWhatNeverMoves) {
  SmallScene small(h);
  small.add_material("glass", 2500.0);
  small.add_floor();
  Simulation simulation = small.start();
  BodySpec wall = ball("wall", {0.0, 0.0, 1.0});
  wall.motion = Motion::Fixed;
  wall.material = "glass";
  EXPECT_EQ(simulation.add(wall), 1);
  EXPECT_THAT(messages_of([&] {
                simulation.add(ball("ball", {2.0, 0.0, 1.0}));
              }),
              ElementsAre(HasSubstr("pairs: none between glass and stone")));
}

/// Bodies that are to come later, and those that are to be released.
TEST(BodiesOfCallers, WhatComesNeedsPairsWithWhatIsToCome) {
  SmallScene small(h);
  for (const char* name : {"glass", "sand", "ice", "wood"}) small.add_material(name, 2500.0);
  Generator stream =
      unit_spheres("feed", Generator::Kind::Stream, 0.1, {-1.0, -1.0, 2.0}, {1.0, 1.0, 2.1});
  stream.material = 2;
  stream.mass_rate = Expression(1.0);
  small.add_generator(stream);
  small.add("door", Motion::Fixed, small.box({1.0, 1.0, 1.0}), {0.0, 0.0, -3.0});
  small.scene.world.groups.push_back("doors");
  Event add, release;
  add.kind = Event::Kind::Add;
  add.at = 10.0;
  small.add("later", Motion::Dynamic, small.sphere(radius), {8.0, 0.0, 0.0});
  add.added = {small.scene.bodies.back()};
  add.added[0].material = 3;
  small.scene.bodies.pop_back();
  release.kind = Event::Kind::Release;
  release.target = "doors";
  release.at = 20.0;
  small.scene.events = {add, release};
  Simulation simulation = small.start();
  BodySpec spec = ball("new", {3.0, 0.0, 0.0});
  spec.material = "glass";
  spec.motion = Motion::Fixed;
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre(HasSubstr("add: new: pairs: none between sand and glass"),
                          HasSubstr("add: new: pairs: none between ice and glass")));
  // what is of a group that is released moves one day
  spec.material = "stone";
  spec.group = "doors";
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre(HasSubstr("add: new: pairs: none between sand and stone"),
                          HasSubstr("add: new: pairs: none between ice and stone")));
  spec.material = "wood";
  EXPECT_THAT(messages_of([&] { simulation.add(spec); }),
              ElementsAre(HasSubstr("add: new: pairs: none between stone and wood"),
                          HasSubstr("add: new: pairs: none between sand and wood"),
                          HasSubstr("add: new: pairs: none between ice and wood")));
  EXPECT_EQ(simulation.body_count(), 1);
}

/// Sizes of what comes set how steps go on, as if it had been there.
TEST(BodiesOfCallers, OfAFloorAloneWhatComesSetsHowItIsPushedOut) {
  SmallScene with(h), without(h);
  for (SmallScene* small : {&with, &without}) {
    small->scene.max_overlap = 1.0;
    small->add_floor();
  }
  const Vec3 low{0.0, 0.0, 0.5 * radius};  // half of it is in the floor
  with.add(ball("ball", low));
  Simulation there = with.start(), came = without.start();
  came.add(ball("ball", low));
  EXPECT_EQ(came.settings().smallest_size, 2.0 * radius);
  EXPECT_EQ(came.settings().recovery_speed, there.settings().recovery_speed);
  EXPECT_EQ(came.settings().recovery_size, there.settings().recovery_size);
  EXPECT_EQ(came.parts().detection().smallest(), there.parts().detection().smallest());
  double fastest = 0.0;
  for (int step = 0; step < 40; ++step) {
    there.step();
    came.step();
    fastest = std::max(fastest, came.state_of(1).velocity.z);
  }
  EXPECT_LE(fastest, 0.5 * std::sqrt(g * 2.0 * radius) * (1.0 + 1e-9));
  EXPECT_EQ(trajectory_hash(there.world().bodies), trajectory_hash(came.world().bodies));
  came.add(ball("other", {3.0, 0.0, 2.0}));  // no smaller
  BodySpec speck = ball("small", {5.0, 0.0, 2.0});
  speck.scale = 0.25;
  came.add(speck);
  EXPECT_EQ(came.settings().smallest_size, 0.5 * radius);
  EXPECT_EQ(came.parts().detection().smallest(), 0.5 * radius);
  // which goes with the root of the size at each contact
  EXPECT_EQ(came.settings().recovery_size, 2.0 * radius);
  Simulation resumed = support::restarted(came);
  EXPECT_EQ(resumed.settings().recovery_speed, came.settings().recovery_speed);
  EXPECT_EQ(resumed.parts().detection().smallest(), 0.5 * radius);
  take_steps(came, 20);
  take_steps(resumed, 20);
  EXPECT_EQ(trajectory_hash(came.world().bodies), trajectory_hash(resumed.world().bodies));
}

TEST(BodiesOfCallers, TheLedgerHasWhatTheyDoBeforeTheFirstStep) {
  SmallScene small = tower();
  small.set_gravity({});
  small.body(2).velocity = {0.0, 0.0, 1.0};
  Simulation simulation = small.start();
  BodyState state = simulation.state_of(1);
  state.velocity = {1.0, 0.0, 0.0};
  simulation.set_state(1, state);
  BodySpec spec = ball("new", {3.0, 0.0, 2.0});
  spec.velocity = {0.0, 2.0, 0.0};
  spec.mass = 3.0;
  simulation.add(spec);
  simulation.remove(2);  // as much as the other has got
  EXPECT_NEAR(simulation.step().energy.bodies, 6.0, 1e-9);

  Simulation resumed = support::restarted(simulation);
  resumed.remove(3);
  EXPECT_NEAR(resumed.step().energy.bodies, -6.0, 1e-9);
}

TEST(BodiesOfCallers, TheLedgerHasWhatTheyBroughtBeforeACheckpoint) {
  SmallScene small = tower();
  small.set_gravity({});
  Simulation simulation = small.start();
  take_steps(simulation, 2);
  BodySpec spec = ball("new", {3.0, 0.0, 2.0});
  spec.velocity = {0.0, 2.0, 0.0};
  spec.mass = 3.0;
  simulation.add(spec);
  Simulation resumed = support::restarted(simulation);
  const EnergyLedger whole = simulation.step().energy, ledger = resumed.step().energy;
  EXPECT_NEAR(ledger.bodies, 6.0, rounding);
  EXPECT_EQ(ledger.bodies, whole.bodies);
  EXPECT_EQ(ledger.kinetic_start, whole.kinetic_start);
}

TEST(BodiesOfCallers, AMeshDoesNotMeetAMesh) {
  const auto triangles = std::make_shared<const TriangleMesh>(
      std::vector<std::array<Vec3, 3>>{{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}},
                                       {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}},
                                       {{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}},
                                       {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}});
  SmallScene small = tower();
  Event release;
  release.kind = Event::Kind::Release;
  release.target = "wedge";
  release.at = 10.0;
  small.scene.events = {release};
  BodySpec wedge = ball("wedge", {5.0, 0.0, 0.0});
  wedge.shape = Mesh{triangles};
  wedge.motion = Motion::Fixed;
  small.add(wedge);
  Simulation simulation = small.start();
  wedge.name = "other";
  wedge.pose.position.x = 8.0;
  // the first may move one day
  EXPECT_THAT(messages_of([&] { simulation.add(wedge); }),
              ElementsAre(HasSubstr("add: other and another body are both meshes and may touch")));
  // and so may this one
  wedge.group = "wedge";
  EXPECT_THAT(messages_of([&] { simulation.add(wedge); }),
              ElementsAre(HasSubstr("add: other and another body are both meshes and may touch")));
}

}  // namespace
}  // namespace talus
