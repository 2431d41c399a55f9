// Bodies that turn over their contacts, against elementary mechanics: a block that rocks from edge
// to edge, a ladder that slides down a wall, a brick whose slide curves. Rows of docs/truth.md.

#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

// ---- a block that rocks [Housner63] -------------------------------------------------------------

struct Block {
  double width = 0.1, height = 0.4;  // m
  double slope() const { return std::atan(width / height); }
  double radius() const { return 0.5 * std::hypot(width, height); }
  /// Of the spin at an impact, which keeps the angular momentum about the edge that lands.
  double kept() const { return 1.0 - 1.5 * std::pow(std::sin(slope()), 2); }
};

/// Turned by `tilt` over its edge at +x, where it has `spin`.
Simulation rocking(const Block& block, double tilt, double spin, double h, double gravity) {
  SmallScene small(h, 2.0);
  small.set_gravity({0.0, 0.0, -gravity});
  small.add_floor();
  const double from_edge = block.slope() - tilt;  // of the middle, from the vertical
  const double x = -block.radius() * std::sin(from_edge);
  const double z = block.radius() * std::cos(from_edge);
  const std::size_t body =
      small.add("block", Motion::Dynamic, small.box({block.width, 0.2, block.height}), {x, 0.0, z});
  small.body(body).pose.orientation = rotation_by({0.0, tilt, 0.0});
  small.body(body).angular_velocity = {0.0, spin, 0.0};
  small.body(body).velocity = {spin * z, 0.0, -spin * x};
  return small.start();
}

double tilt_of(const Simulation& simulation) {
  return turn_of(simulation.world().bodies.orientation[1]).y;
}

TEST(TruthOfRocking, ImpactKeepsTheMomentumAboutTheEdgeThatLands) {
  const Block block;
  expect_on_page(measured("Rocking block: share of its spin after an impact", block.kept(), 1e-3,
                          [&](double h) {
                            Simulation simulation = rocking(block, 0.0, -1.0, h, 0.0);
                            simulation.step();
                            return -simulation.world().bodies.angular_velocity[1].y;
                          }));
}

/// From the largest tilt to the next, on the other side: sin of what is left to the top falls with
/// the energy over the edge.
double next_tilt(const Block& block, double tilt) {
  const double a = block.slope();
  const double lift = std::cos(a - tilt) - std::cos(a);  // of the middle, by radius
  return a - std::acos(std::cos(a) + std::pow(block.kept(), 2) * lift);
}

double tilt_by_steps(const Block& block, double tilt, double h) {
  Simulation simulation = rocking(block, tilt, 0.0, h, g);
  double least = 0.0;
  while (simulation.world().time < 1.0) {
    simulation.step();
    const double now = tilt_of(simulation);
    if (now > least + 1e-4 && least < -1e-3) break;
    least = std::min(least, now);
  }
  return -least;
}

// The mean of some first tilts: an impact falls on any part of a step.
TEST(TruthOfRocking, TiltsFallWithTheEnergyThatImpactsTake) {
  const Block block;
  const TruthRow row = measured("Rocking block: tilt on the other side, of what it must be", 1.0,
                                1e-3, [&](double h) {
                                  double sum = 0.0;
                                  for (const double share : {0.4, 0.43, 0.46, 0.49, 0.52}) {
                                    const double tilt = share * block.slope();
                                    sum += tilt_by_steps(block, tilt, h) / next_tilt(block, tilt);
                                  }
                                  return sum / 5.0;
                                });
  EXPECT_NEAR(row.order(), 1.0, 0.2);
  expect_on_page(row);
}

// ---- a ladder that slides down a wall -----------------------------------------------------------

/// Height of its upper end when it leaves the wall, as a share of that at the start.
double leaves_wall(double angle, double h) {
  const double half = 0.5, tip = 1e-5;
  SmallScene small(h);
  small.add_floor();
  small.add("wall", Motion::Fixed, small.plane({1.0, 0.0, 0.0}), {});
  Compound ends;
  for (const double x : {-half, half}) ends.parts.push_back({Sphere{tip}, {{x, 0.0, 0.0}, {}}});
  small.scene.world.shapes.emplace_back(ends);
  const auto shape = static_cast<Index>(small.scene.world.shapes.size()) - 1;
  const std::size_t body =
      small.add("ladder", Motion::Dynamic, shape,
                {half * std::cos(angle) + tip, 0.0, half * std::sin(angle) + tip});
  small.body(body).pose.orientation = rotation_by({0.0, angle, 0.0});  // down along +x
  small.body(body).mass = 1.0;
  small.body(body).inertia = Sym3{1e-3, 0.0, 0.0, half * half / 3.0, 0.0, half * half / 3.0};
  Simulation simulation = small.start();
  const World& world = simulation.world();
  double before = 1.0, force_before = 0.0, leaves = 1.0;
  while (world.time < 2.0) {
    simulation.step();
    double force = 0.0;
    for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
      force += std::max(world.contacts.impulse[c].x, 0.0);
    const double now = (world.bodies.position[body].z - tip) / (half * std::sin(angle));
    if (force == 0.0) return leaves;
    leaves = now - (before - now) * force / (force_before - force);
    before = now;
    force_before = force;
  }
  ADD_FAILURE() << "stays at the wall";
  return leaves;
}

TEST(TruthOfRocking, LadderLeavesTheWallAtTwoThirdsOfItsHeight) {
  const TruthRow row =
      measured("Ladder without friction: height at which it leaves the wall, of its first",
               2.0 / 3.0, 2e-3, [](double h) { return leaves_wall(std::numbers::pi / 3.0, h); });
  EXPECT_NEAR(row.order(), 1.0, 0.2);
  expect_on_page(row);
}

// ---- a slide that curves ------------------------------------------------------------------------

// Across a slope of the angle of friction: speed plus its part down the slope stays, so that in the
// end it goes down with half of its first speed.
TEST(TruthOfRocking, BrickAcrossAnInclineEndsWithHalfItsSpeed) {
  const double friction = 0.5, speed = 1.0, angle = std::atan(friction);
  const auto state = [&](double h) {
    SmallScene small(h, friction);
    small.set_gravity({g * std::sin(angle), 0.0, -g * std::cos(angle)});
    small.add_floor();
    const std::size_t brick =
        small.add("brick", Motion::Dynamic, small.box({0.1, 0.1, 0.002}), {0.0, 0.0, 0.001});
    small.body(brick).velocity = {0.0, speed, 0.0};
    Simulation simulation = small.start();
    run_until(simulation, 2.0);
    return simulation.world().bodies.velocity[brick];
  };
  const TruthRow row = measured("Brick across an incline of the angle of friction: last speed, m/s",
                                0.5 * speed, 4e-3, [&](double h) { return state(h).x; });
  expect_on_page(row);
  EXPECT_NEAR(state(4e-3).y, 0.0, 1e-3);
}

}  // namespace
}  // namespace talus
