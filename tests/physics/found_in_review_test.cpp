// Faults that a review has found in the simulator, each as the scene that showed it.

#include "talus/core/error.hpp"

#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

using support::run_until;
using support::SmallScene;
using testing::HasSubstr;

constexpr double g = 9.81;

// The recovery speed, chosen from the smallest body, also limited the elastic force of compliant
// contacts: heavy bodies sank for ever.
TEST(CompliantFloor, CarriesAHeavyBodyBesideATinyOne) {
  const double compliance = 1e-7;
  SmallScene small(1e-3);
  small.scene.time.scheme = Scheme::Spook;
  small.pair().compliance = compliance;
  small.set_pair();
  small.add_floor();
  const std::size_t heavy = small.add("heavy", Motion::Dynamic, small.sphere(0.5), {0.0, 0.0, 0.5});
  small.add("tiny", Motion::Dynamic, small.sphere(5e-4), {5.0, 0.0, 5e-4});
  Simulation simulation = small.start();
  run_until(simulation, 1.0);
  const BodySet& bodies = simulation.world().bodies;
  const double sinks = compliance * bodies.mass[heavy] * g;
  EXPECT_NEAR(0.5 - bodies.position[heavy].z, sinks, 0.02 * sinks);
}

// Compliance took a part of the impulse that restitution asks for.
TEST(CompliantFloor, TurnsAnImpactAroundByNewtonsLaw) {
  for (const double overlap : {-1e-7, 1e-7}) {
    SmallScene small(1e-3, 0.0, 1.0);
    small.scene.time.scheme = Scheme::Spook;
    small.pair().compliance = 1e-3;
    small.set_pair();
    small.set_gravity({});
    small.add_floor();
    const std::size_t ball =
        small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.05 - overlap});
    small.body(ball).velocity = {0.0, 0.0, -1.0};
    Simulation simulation = small.start();
    simulation.step();
    EXPECT_NEAR(simulation.world().bodies.velocity[ball].z, 1.0, 1e-9) << overlap;
  }
}

// Kinematic bodies were never brought back along periodic axes; their images ran out.
TEST(PeriodicBox, LetsAConveyorGoRoundForEver) {
  SmallScene small(1e-2);
  small.set_gravity({});
  small.scene.world.domain.low = {0.0, 0.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.scene.world.domain.periodic = {true, false, false};
  const std::size_t belt =
      small.add("belt", Motion::Kinematic, small.box({0.2, 0.2, 0.1}), {0.5, 0.5, 0.0});
  KinematicMotion motion;
  motion.velocity[0] = Expression(10.0);
  small.body(belt).kinematic = motion;
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.5, 0.5, 0.5});
  Simulation simulation = small.start();
  run_until(simulation, 20.03);  // 200.3 periods
  const BodySet& bodies = simulation.world().bodies;
  EXPECT_NEAR(bodies.position[belt].x, 0.8, 1e-9);
  EXPECT_NEAR(bodies.velocity[belt].x, 10.0, 1e-9);
}

TEST(Movement, ThatIsNoNumberAnyMoreEndsTheRunWithTheFormula) {
  SmallScene small(1e-3);
  const std::size_t shaker =
      small.add("shaker", Motion::Kinematic, small.box({0.5, 0.5, 0.1}), {0.0, 0.0, 0.0});
  KinematicMotion motion;
  motion.way[2] = Expression("sqrt(0.0055 - t)", {}, {"t"});
  small.body(shaker).kinematic = motion;
  Simulation simulation = small.start();
  try {
    run_until(simulation, 0.02);
    FAIL() << "went on";
  } catch (const FormulaError& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("sqrt(0.0055 - t) is"));
    EXPECT_THAT(failure.what(), HasSubstr("at t = 0.006"));
  }
}

TEST(ServoWall, IsNotLostWhereItsPointLeavesTheDomain) {
  SmallScene small(1e-3);
  small.scene.world.domain.low = {-1.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.scene.world.domain.outside = Outside::Remove;
  const std::size_t lid =
      small.add("lid", Motion::Dynamic, small.plane({0.0, 0.0, -1.0}), {0.0, 0.0, 0.999});
  small.body(lid).mass = 1.0;
  small.body(lid).velocity = {0.0, 0.0, 2.0};
  Simulation simulation = small.start();
  for (int k = 0; k < 10; ++k) simulation.step();
  EXPECT_GT(simulation.world().bodies.position[lid].z, 1.0);
  EXPECT_EQ(simulation.world().removed, 0);
}

TEST(PeriodicBox, RefusesAPlaneThatLeansAlongIt) {
  SmallScene small(1e-3);
  small.scene.world.domain.low = {0.0, 0.0, 0.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  small.scene.world.domain.periodic = {true, false, false};
  small.add("slope", Motion::Fixed, small.plane({1.0, 0.0, 1.0}), {});
  try {
    small.start();
    FAIL() << "was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("body 0 (slope): its normal"));
    EXPECT_THAT(error.what(), HasSubstr("leans along x"));
  }
}

// Only z was looked at.
TEST(FallThroughTheDomain, IsWarnedOfWhateverAxisIsUp) {
  for (const bool falls_far : {true, false}) {
    SmallScene small(1e-3);
    small.set_gravity({0.0, -g, 0.0});
    small.scene.world.domain.low = {-1.0, -1.0, -1.0};
    small.scene.world.domain.high = {1.0, falls_far ? 1000.0 : 1.0, falls_far ? 1.0 : 1000.0};
    small.add("ball", Motion::Dynamic, small.sphere(0.01), {});
    const Simulation simulation = small.start();
    EXPECT_EQ(simulation.warnings().size(), falls_far ? 1U : 0U);
  }
}

TEST(DeepOverlap, IsWarnedOf) {
  SmallScene small(1e-3);
  small.scene.max_overlap = 1.0;
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, -0.05});
  Simulation simulation = small.start();
  const StepReport report = simulation.step();
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_THAT(report.warnings[0].text, HasSubstr("overlap by 0.75 of the smaller one"));
}

}  // namespace
}  // namespace talus
