// Rolling, spinning and leaving a surface against elementary mechanics. Rows of docs/truth.md.

#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::expect_on_page;
using support::measured;
using support::run_until;
using support::SmallScene;
using support::TruthRow;

constexpr double g = 9.81;

// A sphere that rolls on a turntable goes round a fixed circle, at 2/7 of the table's rate,
// wherever it began.
TEST(TruthOfRolling, SphereOnATurntableGoesRoundAtTwoSevenths) {
  const double w = 2.0, speed = 0.3, r = 0.05;
  const double turns = 2.0 / 7.0 * w, t = 0.5 * std::numbers::pi / turns;  // a quarter
  const auto place = [&](double h) {
    SmallScene small(h, 1.0);
    const std::size_t table =
        small.add("table", Motion::Kinematic, small.plane({0.0, 0.0, 1.0}), {});
    KinematicMotion motion;
    motion.rate = Expression(w);
    small.body(table).kinematic = motion;
    const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
    small.body(ball).velocity = {speed, 0.0, 0.0};
    small.body(ball).angular_velocity = {0.0, speed / r, 0.0};
    Simulation simulation = small.start();
    run_until(simulation, t);
    // to the end of the quarter, which falls between two steps
    const BodySet& bodies = simulation.world().bodies;
    return bodies.position[ball] + (t - simulation.world().time) * bodies.velocity[ball];
  };
  const TruthRow row = measured("Sphere rolling on a turntable: x after a quarter of its circle, m",
                                speed / turns, 8e-3, [&](double h) { return place(h).x; });
  EXPECT_NEAR(row.order(), 2.0, 0.25);
  expect_on_page(row);
  EXPECT_NEAR(place(1e-3).y, speed / turns, 1e-6);
}

/// Height of a small sphere over the middle of the large one on which it began on top, as a share
/// of the distance of the middles, when it leaves: where the force of its contact comes to nothing,
/// by a straight line through its last two values.
double leaves_at(double friction, double h) {
  const double large = 1.0, small_radius = 0.1, distance = large + small_radius, tilt = 0.1;
  SmallScene small(h, friction);
  small.add("hill", Motion::Fixed, small.sphere(large), {});
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(small_radius),
                                     {distance * std::sin(tilt), 0.0, distance * std::cos(tilt)});
  Simulation simulation = small.start();
  const World& world = simulation.world();
  double before = std::cos(tilt), force_before = 0.0, leaves = before;
  while (world.time < 5.0) {
    simulation.step();
    double force = 0.0;
    for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
      force += dot(world.contacts.impulse[c], world.contacts.normal[c]);
    const double now = world.bodies.position[ball].z / distance;
    if (force == 0.0) return leaves;
    leaves = now - (before - now) * force / (force_before - force);
    before = now;
    force_before = force;
  }
  ADD_FAILURE() << "stays, pressed by " << force_before;
  return leaves;
}

TEST(TruthOfRolling, SphereLeavesASphere) {
  const double top = std::cos(0.1);
  // energy and centripetal force: cos = 2/3 of where it began; rolling takes 2/7 of the energy
  const TruthRow slides =
      measured("Sphere sliding off a sphere: cosine where it leaves", 2.0 / 3.0 * top, 2e-3,
               [](double h) { return leaves_at(0.0, h); });
  EXPECT_NEAR(slides.order(), 1.0, 0.3);
  expect_on_page(slides);
  // Before it leaves it slips, whatever friction is: the larger, the later.
  const TruthRow rolls =
      measured("Sphere rolling off a sphere, friction 50: cosine where it leaves",
               10.0 / 17.0 * top, 2e-3, [](double h) { return leaves_at(50.0, h); });
  EXPECT_NEAR(rolls.got, rolls.exact, 0.01 * rolls.exact);
  expect_on_page(rolls);
}

// Friction acts at the four corners, whose distance from the middle is one.
TEST(TruthOfRolling, SpinningBrickStops) {
  const double a = 0.2, b = 0.1, c = 0.04, friction = 0.3, spin = 5.0;
  const double arm = 0.5 * std::hypot(a, b), inertia = (a * a + b * b) / 12.0;
  const double slows = friction * g * arm / inertia;
  const auto state = [&](double h) {
    SmallScene small(h, friction);
    small.add_floor();
    const std::size_t brick =
        small.add("brick", Motion::Dynamic, small.box({a, b, c}), {0.0, 0.0, 0.5 * c});
    small.body(brick).angular_velocity = {0.0, 0.0, spin};
    Simulation simulation = small.start();
    const BodySet& bodies = simulation.world().bodies;
    run_until(simulation, 0.05);
    const double w = bodies.angular_velocity[brick].z;
    run_until(simulation, 0.2);
    EXPECT_LT(length(bodies.angular_velocity[brick]), 1e-9);
    return std::pair{w, turn_of(bodies.orientation[brick]).z};
  };
  expect_on_page(measured(
      "Spinning brick: spin after 0.05 s, rad/s", spin - slows * 0.05, 2e-3,
      [&](double h) { return state(h).first; }, 1e-7));
  const TruthRow turn =
      measured("Spinning brick: how far it turns, rad", spin * spin / (2.0 * slows), 2e-3,
               [&](double h) { return state(h).second; });
  EXPECT_NEAR(turn.order(), 1.0, 0.1);
  expect_on_page(turn);
}

// A cube that is pushed over its edge by gravity that leans: it begins to turn where the line of
// its weight leaves its foot.
TEST(TruthOfRolling, BlockTopplesWhereItsWeightLeavesItsFoot) {
  const auto topples = [](double slope, double h) {
    SmallScene small(h, 2.0);
    small.set_gravity({g * slope, 0.0, -g});
    small.add_floor();
    small.add("block", Motion::Dynamic, small.box({0.1, 0.1, 0.3}), {0.0, 0.0, 0.15});
    Simulation simulation = small.start();
    for (int k = 0; k < 3; ++k) simulation.step();
    return simulation.world().bodies.angular_velocity[1].y > 1e-6 * h;
  };
  expect_on_page(measured(
      "Block 0.1 wide, 0.3 high: slope at which it topples", 1.0 / 3.0, 4e-3,
      [&](double h) {
        double stands = 0.2, falls = 0.5;
        for (int k = 0; k < 34; ++k) {
          const double middle = 0.5 * (stands + falls);
          (topples(middle, h) ? falls : stands) = middle;
        }
        return falls;
      },
      1e-6));
}

}  // namespace
}  // namespace talus
