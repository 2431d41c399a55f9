// Rolling and spinning friction resist the turning of one body relative to the other, also where
// the other one turns as it is told to.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using support::SmallScene;

constexpr double h = 1e-3, g = 9.81, radius = 0.1;

/// A disk that turns about the vertical through the origin; its upper face is at height 0.
void add_turntable(SmallScene& small, const Vec3& axis, double rate) {
  const std::size_t table =
      small.add("table", Motion::Kinematic, small.box({2.0, 2.0, 0.2}), {0.0, 0.0, -0.1});
  KinematicMotion motion;
  motion.axis = axis;
  motion.rate = Expression(rate);
  small.body(table).kinematic = motion;
}

TEST(RollingOnWhatTurns, ATurntableSpinsTheBallUpToItsOwnSpeed) {
  constexpr double arm = 2e-3, rate = 3.0;  // m, rad/s
  SmallScene small(h, 0.5);
  small.set_gravity({0.0, 0.0, -g});
  small.pair().spinning_friction = arm;
  small.set_pair();
  add_turntable(small, {0.0, 0.0, 1.0}, rate);
  const std::size_t ball =
      small.add("ball", Motion::Dynamic, small.sphere(radius), {0.0, 0.0, radius});
  Simulation simulation = small.start();

  // torque arm m g on a moment of inertia of 2/5 m r2
  const double gain = arm * g / (0.4 * radius * radius);
  for (int step = 1; step <= 1000; ++step) {
    simulation.step();
    const Vec3 spin = simulation.world().bodies.angular_velocity[ball];
    EXPECT_NEAR(spin.z, std::min(rate, gain * h * step), 1e-4) << step;
    EXPECT_NEAR(std::abs(spin.x) + std::abs(spin.y), 0.0, 1e-6) << step;
  }
}

/// A ball on a slab that rolls about a horizontal axis far below turns with it: seen from the slab
/// it does not roll, and nothing resists.
TEST(RollingOnWhatTurns, NothingResistsWhatTurnsTogether) {
  constexpr double arm = 5e-2;
  SmallScene small(h, 0.9);
  small.pair().rolling_friction = small.pair().spinning_friction = arm;
  small.set_pair();
  small.set_gravity({0.0, 0.0, -g});
  constexpr double rate = 0.2;
  add_turntable(small, {0.0, 0.0, 1.0}, rate);
  const std::size_t ball =
      small.add("ball", Motion::Dynamic, small.sphere(radius), {0.5, 0.0, radius});
  small.body(ball).velocity = {0.0, 0.5 * rate, 0.0};
  small.body(ball).angular_velocity = {0.0, 0.0, rate};
  Simulation simulation = small.start();

  for (int step = 0; step < 500; ++step) simulation.step();

  // carried along in a circle, as if it were stuck there
  const BodySet& bodies = simulation.world().bodies;
  const double angle = rate * 500 * h;
  EXPECT_NEAR(bodies.position[ball].x, 0.5 * std::cos(angle), 1e-3);
  EXPECT_NEAR(bodies.position[ball].y, 0.5 * std::sin(angle), 1e-3);
  EXPECT_NEAR(bodies.angular_velocity[ball].z, rate, 1e-3);
  EXPECT_NEAR(std::hypot(bodies.angular_velocity[ball].x, bodies.angular_velocity[ball].y), 0.0,
              1e-2);
}

}  // namespace
}  // namespace talus
