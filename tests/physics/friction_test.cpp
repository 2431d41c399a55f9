// Sliding, rolling and sticking against elementary mechanics.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::run_until;
using support::SmallScene;

constexpr double g = 9.81;

TEST(SlidingSphere, RollsWithFiveSeventhsOfItsSpeed) {
  const double r = 0.1, u0 = 2.0, mu = 0.3, h = 1e-4;
  SmallScene small(h, mu);
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
  small.body(ball).velocity = {u0, 0.0, 0.0};
  Simulation simulation = small.start();
  const BodySet& bodies = simulation.world().bodies;
  double stop = 0.0;
  while (bodies.velocity[ball].x - r * bodies.angular_velocity[ball].y > 1e-9) {
    simulation.step();
    stop = simulation.world().time;
    ASSERT_LT(stop, 1.0);
  }
  EXPECT_NEAR(stop, 2.0 * u0 / (7.0 * mu * g), 1.01 * h);
  EXPECT_NEAR(bodies.velocity[ball].x, 5.0 / 7.0 * u0, 1e-6);
  EXPECT_NEAR(r * bodies.angular_velocity[ball].y, 5.0 / 7.0 * u0, 1e-6);
  // x_s of the exact solution; the steps sum u_k h, which is ahead by half a step's change
  EXPECT_NEAR(bodies.position[ball].x, 12.0 * u0 * u0 / (49.0 * mu * g), 2.0 * h * u0);
}

class SphereOnIncline : public testing::TestWithParam<double> {};

TEST_P(SphereOnIncline, RollsOrSlipsAsFrictionAllows) {
  const double theta = 30.0 * std::numbers::pi / 180.0, r = 0.1, t = 0.2, h = 1e-3;
  const double threshold = 2.0 / 7.0 * std::tan(theta), mu = GetParam() * threshold;
  SmallScene small(h, mu);
  small.set_gravity({g * std::sin(theta), 0.0, -g * std::cos(theta)});
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
  Simulation simulation = small.start();
  run_until(simulation, t);
  const Vec3 v = simulation.world().bodies.velocity[ball],
             w = simulation.world().bodies.angular_velocity[ball];
  const bool rolls = mu >= threshold;
  const double a =
      rolls ? 5.0 / 7.0 * g * std::sin(theta) : g * (std::sin(theta) - mu * std::cos(theta));
  const double alpha = rolls ? a / r : 5.0 * mu * g * std::cos(theta) / (2.0 * r);
  EXPECT_NEAR(v.x, a * t, 1e-6);
  EXPECT_NEAR(w.y, alpha * t, 1e-6 / r);
}
INSTANTIATE_TEST_SUITE_P(Threshold, SphereOnIncline, testing::Values(0.5, 0.9, 0.99, 1.01, 1.5));

class BrickOnIncline : public testing::TestWithParam<double> {};

/// Degrees of the incline beyond the angle of friction.
TEST_P(BrickOnIncline, SticksBelowTheAngleOfFrictionAndSlidesAbove) {
  const double mu = 0.4, beyond = GetParam() * std::numbers::pi / 180.0, h = 1e-2;
  const double theta = std::atan(mu) + beyond;
  SmallScene small(h, mu);
  small.set_gravity({g * std::sin(theta), 0.0, -g * std::cos(theta)});
  small.add_floor();
  const std::size_t brick =
      small.add("brick", Motion::Dynamic, small.box({0.2, 0.1, 0.05}), {0.0, 0.0, 0.025});
  Simulation simulation = small.start();
  const double t = beyond < 0.0 ? 10.0 : 1.0;
  run_until(simulation, t);
  const Vec3 x = simulation.world().bodies.position[brick],
             v = simulation.world().bodies.velocity[brick];
  if (beyond < 0.0) {
    EXPECT_LT(std::abs(x.x), 1e-8) << "creeps";
  } else {
    const double a = g * (std::sin(theta) - mu * std::cos(theta));
    EXPECT_NEAR(v.x, a * t, 1e-6);
  }
  EXPECT_NEAR(x.z, 0.025, 1e-8);
}
INSTANTIATE_TEST_SUITE_P(Angles, BrickOnIncline, testing::Values(-0.1, 0.1));

TEST(RollingFriction, StopsARollingSphere) {
  const double r = 0.1, u0 = 1.0, arm = 2e-3, h = 1e-3;
  SmallScene small(h, 0.8);
  small.pair().rolling_friction = arm;
  small.set_pair();
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
  small.body(ball).velocity = {u0, 0.0, 0.0};
  small.body(ball).angular_velocity = {0.0, u0 / r, 0.0};
  Simulation simulation = small.start();
  const double t = 0.5;
  run_until(simulation, t);
  // torque m g arm against rolling: a = 5/7 g arm / r
  EXPECT_NEAR(simulation.world().bodies.velocity[ball].x, u0 - 5.0 / 7.0 * g * arm / r * t, 1e-6);
  run_until(simulation, u0 / (5.0 / 7.0 * g * arm / r) + 0.1);
  EXPECT_NEAR(simulation.world().bodies.velocity[ball].x, 0.0, 1e-9);
}

TEST(Cohesion, HoldsASphereUnderACeilingUntilItsWeightIsTooMuch) {
  const double r = 0.05;
  const double weight = 1000.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r * g;
  for (const double share : {0.99, 1.01}) {
    SmallScene small(1e-3);
    small.pair().cohesion = weight / share;  // share of what it can hold
    small.set_pair();
    small.add("ceiling", Motion::Fixed, small.plane({0.0, 0.0, -1.0}), {});
    const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, -r});
    Simulation simulation = small.start();
    run_until(simulation, 0.5);
    const double z = simulation.world().bodies.position[ball].z;
    if (share < 1.0)
      EXPECT_NEAR(z, -r, 1e-9);
    else
      EXPECT_LT(z, -r - 1e-3);
  }
}

TEST(Conveyor, CarriesABrickUpToItsSpeed) {
  const double mu = 0.5, speed = 0.7, h = 1e-3;
  SmallScene small(h, mu);
  const std::size_t belt =
      small.add("belt", Motion::Kinematic, small.box({4.0, 1.0, 0.1}), {0.0, 0.0, -0.05});
  KinematicMotion motion;
  motion.velocity[0] = Expression(speed);
  small.body(belt).kinematic = motion;
  const std::size_t brick =
      small.add("brick", Motion::Dynamic, small.box({0.1, 0.1, 0.1}), {0.0, 0.0, 0.05});
  Simulation simulation = small.start();
  run_until(simulation, 0.1);
  const BodySet& bodies = simulation.world().bodies;
  EXPECT_NEAR(bodies.velocity[brick].x, mu * g * 0.1, 1e-6);
  run_until(simulation, 0.4);
  EXPECT_NEAR(bodies.velocity[brick].x, speed, 1e-9);
  EXPECT_NEAR(bodies.position[belt].x, speed * 0.4, 1e-12);
}

}  // namespace
}  // namespace talus
