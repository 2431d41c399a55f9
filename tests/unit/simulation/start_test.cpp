// The start of a simulation: what is refused, warned of and chosen before the first step.

#include "support/fault_of.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace talus {
namespace {

using support::SmallScene;
using support::unit_spheres;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double g = 9.81;

std::vector<std::string> refusals(const SmallScene& small) {
  return support::messages_of([&] { small.start(); });
}

TEST(SimulationStart, AllFaultsAtOnce) {
  SmallScene small(1e-2);
  small.scene.world.domain.low = {-1.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  const Index ball = small.sphere(0.1);
  small.add("a", Motion::Dynamic, ball, {});
  small.add("b", Motion::Dynamic, ball, {0.19, 0.0, 0.0});
  small.add("c", Motion::Dynamic, ball, {0.0, 3.0, 0.0});
  small.add("d", Motion::Dynamic, ball, {-0.19, 0.0, 0.0});
  Joint joint;
  joint.name = "far";
  joint.body_a = 0;
  joint.body_b = 1;
  small.scene.world.joints = {joint};
  small.add_generator(unit_spheres("full", Generator::Kind::Random, 0.5, {}, {0.1, 0.1, 0.1}));
  small.scene.generators[0].count = 3;
  const std::vector<std::string> messages = refusals(small);
  ASSERT_THAT(messages, SizeIs(4));
  EXPECT_THAT(messages[0], HasSubstr("small: far"));
  EXPECT_THAT(messages[1], HasSubstr("small:7:3: size = 0.5 must fit into the region"));
  EXPECT_THAT(messages[2],
              HasSubstr("small: 1 bodies are outside the domain at the start, the first: body 2 "
                        "(c) at (0, 3, 0) m: move them in"));
  EXPECT_THAT(messages[3], AllOf(HasSubstr("1 contacts overlap at the start by more than"),
                                 HasSubstr("between body 0 (a) and body 3 (d)")));
}

TEST(SimulationStart, BodiesTooFarForAPeriodicAxisAreNamed) {
  SmallScene small(1e-2);
  Domain& domain = small.scene.world.domain;
  domain.periodic = {true, false, false};
  domain.low = {0.0, -1.0, -1.0};
  domain.high = {1.0, 1.0, 1.0};
  small.add("beam", Motion::Fixed, small.box({300.0, 0.1, 0.1}), {0.5, 0.0, 0.0});
  small.add("far", Motion::Fixed, small.sphere(0.1), {80.0, 0.5, 0.5});
  small.add("long", Motion::Fixed, small.box({1.6, 0.1, 0.1}), {0.5, 0.5, -0.5});
  const std::vector<std::string> messages = refusals(small);
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_THAT(messages[0],
              HasSubstr("small: body 0 (beam): reaches from -149.5 to 150.5 m along x, "
                        "which is periodic with a period of 1 m"));
  EXPECT_THAT(messages[1], HasSubstr("body 1 (far)"));
}

TEST(SimulationStart, BodiesThatMoveAndWouldMeetThemselvesAreNamed) {
  SmallScene small(1e-2);
  Domain& domain = small.scene.world.domain;
  domain.periodic = {true, false, false};
  domain.low = {0.0, -1.0, -1.0};
  domain.high = {1.0, 1.0, 1.0};
  small.add("belt", Motion::Fixed, small.box({3.0, 0.1, 0.1}), {0.5, 0.0, -0.5});
  small.add("rod", Motion::Dynamic, small.box({1.2, 0.1, 0.1}), {0.5, 0.0, 0.0});
  small.add("log", Motion::Dynamic, small.box({1.0, 0.1, 0.1}), {0.5, 0.0, 0.5});
  small.add("across", Motion::Dynamic, small.box({0.1, 1.2, 0.1}), {0.5, 0.0, 0.8});
  EXPECT_THAT(refusals(small),
              ElementsAre(HasSubstr("body 1 (rod): is 1.2 m long along x, which is periodic with a "
                                    "period of 1 m: it would meet itself")));
}

TEST(SimulationStart, MadeBodiesTooLargeForAPeriodicAxisAreNamed) {
  SmallScene small(1e-2);
  Domain& domain = small.scene.world.domain;
  domain.periodic = {true, false, false};
  domain.low = {0.0, -1.0, -1.0};
  domain.high = {1.0, 1.0, 1.0};
  Generator huge = unit_spheres("huge", Generator::Kind::Lattice, 1e9, {}, {1.0, 0.5, 0.5});
  huge.spacing = {0.5, 0.5, 0.5};
  small.add_generator(huge);
  const std::vector<std::string> messages = refusals(small);
  ASSERT_THAT(messages, SizeIs(2));
  EXPECT_THAT(messages[0], AllOf(HasSubstr("body 0 (huge): reaches from"),
                                 HasSubstr("periodic with a period of 1 m")));
}

TEST(SimulationStart, WhatIsBeyondNumbersIsNamed) {
  const auto refused = [](const std::function<void(SmallScene&, SceneBody&)>& change) {
    SmallScene small(1e-2);
    const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
    change(small, small.body(ball));
    return refusals(small);
  };
  const auto beyond = ElementsAre(HasSubstr("is beyond 1e+100 (m, m/s, rad/s): check its units"));
  EXPECT_THAT(refused([](SmallScene&, SceneBody& ball) { ball.velocity.x = 1e300; }), beyond);
  EXPECT_THAT(refused([](SmallScene&, SceneBody& ball) { ball.pose.position.y = -1e300; }), beyond);
  EXPECT_THAT(refused([](SmallScene&, SceneBody& ball) { ball.angular_velocity.z = 1e101; }),
              beyond);
  EXPECT_THAT(refused([](SmallScene& small, SceneBody& ball) {
                Event event;
                event.kind = Event::Kind::Add;
                event.added = {ball};
                event.added[0].name = "late";
                event.added[0].velocity.x = 1e200;
                small.scene.events.push_back(event);
              }),
              beyond);
  EXPECT_THAT(refused([](SmallScene& small, SceneBody&) {
                Generator fast = unit_spheres("fast", Generator::Kind::Lattice, 0.1,
                                              {1.0, 1.0, 1.0}, {1.2, 1.2, 1.2});
                fast.velocity.z = -1e150;
                small.add_generator(fast);
              }),
              beyond);
}

TEST(SimulationStart, BodiesSoLightThatNumbersEndAreNamed) {
  SmallScene small(1e-2);
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.body(ball).mass = 1e-303;
  EXPECT_THAT(refusals(small), ElementsAre(HasSubstr("body 0 (ball): its mass of 1e-303 kg")));
}

Event release_of(const std::string& group) {
  Event release;
  release.kind = Event::Kind::Release;
  release.place = "small:9:3";
  release.target = group;
  release.at = 1.0;
  return release;
}

TEST(SimulationStart, SoAreLightBodiesThatWillBeReleased) {
  SmallScene small(1e-2);
  const std::size_t ball = small.add("ball", Motion::Fixed, small.sphere(0.1), {});
  small.body(ball).mass = 1e-303;
  EXPECT_THAT(refusals(small), ElementsAre());
  small.scene.events = {release_of("ball")};
  EXPECT_THAT(refusals(small), ElementsAre(HasSubstr("body 0 (ball): its mass of 1e-303 kg")));
}

TEST(SimulationStart, WhatEventsAddIsLookedAtLikeTheBodiesOfTheScene) {
  SmallScene small(1e-2);
  Domain& domain = small.scene.world.domain;
  domain.periodic = {true, false, false};
  domain.low = {0.0, -1.0, -1.0};
  domain.high = {1.0, 1.0, 1.0};
  small.add_material("air");
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.5, 0.0, 0.0});
  small.add("far", Motion::Fixed, small.sphere(0.1), {80.0, 0.5, 0.5});
  const std::size_t light = small.add("light", Motion::Dynamic, small.sphere(0.1), {0.5, 0.5, 0.5});
  small.body(light).mass = 1e-303;
  small.add("ramp", Motion::Fixed, small.plane({0.6, 0.0, 0.8}), {});
  const std::size_t door = small.add("door", Motion::Fixed, small.sphere(0.1), {0.5, -0.5, 0.5});
  small.body(door).material = small.scene.world.materials.find("air");
  Event add;
  add.kind = Event::Kind::Add;
  add.at = 0.5;
  for (std::size_t body = 1; body < small.scene.bodies.size(); ++body) {
    add.added.push_back(small.body(body));
    add.added.back().place = "small:8:3";
  }
  small.scene.bodies.resize(1);
  small.scene.events = {add, release_of("door")};
  EXPECT_THAT(refusals(small),
              ElementsAre(HasSubstr("small:8:3: far: reaches from 79.9 to 80.1 m along x"),
                          HasSubstr("small:8:3: light: its mass of 1e-303 kg"),
                          HasSubstr("small:8:3: ramp: its normal (0.6, 0, 0.8) leans along x"),
                          HasSubstr("small:9:3: target = 'door' cannot be released: its mass is "
                                    "not known")));
}

TEST(SimulationStart, ToleranceIsAShareOfWhatGravityAddsPerStep) {
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.solver.tolerance = 0.0;
  EXPECT_DOUBLE_EQ(small.start().solver().tolerance, 0.04 * g * 1e-2);
  EXPECT_DOUBLE_EQ(small.start().settings().touching, 0.1 * g * 1e-2 * 1e-2);
  small.solver.measure = Measure::NaturalVelocity;
  EXPECT_DOUBLE_EQ(small.start().solver().tolerance, 0.01 * g * 1e-2);
  EXPECT_DOUBLE_EQ(small.start().settings().touching, 0.1 * g * 1e-2 * 1e-2);
  small.set_gravity({});
  EXPECT_DOUBLE_EQ(small.start().solver().tolerance, 1e-6 * 0.2 / 1e-2);
  small.scene.bodies.clear();
  EXPECT_EQ(small.start().solver().tolerance, 1e-9);
}

TEST(SimulationStart, DefaultsFollowTheLargestGravityOfTheRun) {
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.solver.tolerance = 0.0;
  small.scene.time.end = 2.0;
  const auto expect_of = [&](double largest) {
    const Simulation simulation = small.start();
    // a formula is looked at 1000 times: its peak is met to some 1e-5
    EXPECT_NEAR(simulation.solver().tolerance, 0.04 * largest * 1e-2, 1e-4 * largest * 1e-2);
    EXPECT_NEAR(simulation.settings().bounce_speed, 2.0 * largest * 1e-2, 0.01 * largest * 1e-2);
    EXPECT_NEAR(simulation.settings().recovery_speed, 0.5 * std::sqrt(largest * 0.2), 1e-3);
  };
  small.scene.world.gravity[2] = Expression("-9*sin(pi*t/2)", {}, {"t"});  // 0 at the start
  expect_of(9.0);
  Event stronger;
  stronger.kind = Event::Kind::Gravity;
  stronger.at = 1.0;
  stronger.gravity[0] = Expression(20.0);
  small.scene.events = {stronger};
  expect_of(20.0);
}

TEST(SimulationStart, WarnsOfStepsThatLetBodiesThroughWalls) {
  SmallScene small(1e-2);
  small.add("bullet", Motion::Dynamic, small.sphere(0.05), {});
  small.body(0).velocity = {0.0, 0.0, -20.0};
  small.scene.world.domain.low.z = -50.0;
  small.scene.world.domain.high.z = 50.0;
  const Simulation simulation = small.start();
  EXPECT_THAT(simulation.warnings(),
              ElementsAre(AllOf(HasSubstr("body 0 (bullet) moves 2 of its size in a step of 0.01 s "
                                          "and may pass through others"),
                                HasSubstr("below 0.0025 s")),
                          AllOf(HasSubstr("time.step = 0.01 s: a fall through the domain (100 m) "
                                          "ends with 44.3 m/s"),
                                HasSubstr("below 0.0023 s"))));
}

TEST(SimulationStart, WarnsOfWhatIsLedTooFast) {
  SmallScene small(1e-2);
  small.set_gravity({});
  const std::size_t hammer = small.add("hammer", Motion::Kinematic, small.sphere(0.05), {});
  KinematicMotion motion;
  motion.way[0] = Expression("20*t", {}, {"t"});
  small.body(hammer).kinematic = motion;
  EXPECT_THAT(small.start().warnings(),
              ElementsAre(HasSubstr("body 0 (hammer) moves 2 of its size in a step of 0.01 s")));
}

TEST(SimulationStart, AFormulaThatTheFirstStepCannotDoWithoutIsBadInput) {
  SmallScene small(1e-2);
  const std::size_t hammer = small.add("hammer", Motion::Kinematic, small.sphere(0.05), {});
  KinematicMotion motion;
  motion.way[0] = Expression("sqrt(0.005 - t)", {}, {"t"});  // of steps of 10 ms
  small.body(hammer).kinematic = motion;
  EXPECT_THAT(refusals(small),
              ElementsAre(AllOf(HasSubstr("sqrt(0.005 - t) is"), HasSubstr("at t = 0.01"))));
}

TEST(SimulationStart, WhatComesLaterCountsAmongTheSizes) {
  const auto size_by_recovery = [](const SmallScene& small) {
    const double speed = small.start().settings().recovery_speed;  // sqrt(g d) / 2
    return 4.0 * speed * speed / g;
  };
  SmallScene small(1e-2);
  small.add("stone", Motion::Dynamic, small.sphere(0.5), {});
  EXPECT_NEAR(size_by_recovery(small), 1.0, 1e-12);

  Event event;
  event.kind = Event::Kind::Add;
  event.at = 1.0;
  SceneBody pebble;
  pebble.name = "pebble";
  pebble.shape = small.sphere(0.2);
  event.added = {pebble};
  small.scene.events = {event};
  EXPECT_NEAR(size_by_recovery(small), 0.4, 1e-12);

  Generator rain = unit_spheres("rain", Generator::Kind::Stream, 0.1, {2, 2, 2}, {3, 3, 2.5});
  rain.mass_rate = Expression(1.0);
  rain.sizes.kind = SizeDistribution::Kind::Table;
  rain.sizes.low = 0.0;
  rain.sizes.table = {{0.05, 0.5}, {0.03, 0.5}};
  small.add_generator(rain);
  EXPECT_NEAR(size_by_recovery(small), 0.03, 1e-12);
}

}  // namespace
}  // namespace talus
