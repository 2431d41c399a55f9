// The scenes of plates, bricks and joints in jobs/scenes/: each runs, and one number of each is
// what mechanics says.

#include "core/elementary.hpp"
#include "support/scene_folder.hpp"
#include "support/scene_run.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace talus {
namespace {

using support::centre_of_mass;
using support::joint_named;
using support::members;
using support::run_until;
using support::start_scene;

constexpr double g = 9.81;

TEST(StackScene, EveryPlateCarriesTheWeightsAbove) {
  Simulation simulation =
      start_scene("stack.yaml", {"solver.tolerance=1e-8", "solver.max_iterations=100000"});
  const World& world = simulation.world();
  const double h = simulation.settings().h;
  run_until(simulation, 5.0 * h);
  double above = 0.0;
  for (int k = 20; k >= 1; --k) {
    const std::size_t plate = members(world, "plate" + std::to_string(k)).at(0);
    above += world.bodies.mass[plate];
    double carried = 0.0;
    for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
      if (world.contacts.body_b[c] == static_cast<Index>(plate))
        carried += world.contacts.impulse[c].z;
    EXPECT_NEAR(carried / (above * g * h), 1.0, 1e-4) << "under plate " << k;
  }
}

/// The rocker's angle of a four-bar by the law of cosines, from the crank's.
double rocker_angle(double crank_angle) {
  const double crank = 0.1, coupler = 0.3, rocker = 0.25, ground = 0.3;
  const double x = crank * std::cos(crank_angle) - ground, z = crank * std::sin(crank_angle);
  const double far = std::hypot(x, z);
  const double between =
      std::acos((far * far + rocker * rocker - coupler * coupler) / (2.0 * far * rocker));
  const double to_pin = std::atan2(z, x);
  return (to_pin < 0.0 ? to_pin + 2.0 * pi : to_pin) - between;
}

TEST(FourbarScene, RockerFollowsTheCrank) {
  Simulation simulation = start_scene("fourbar.yaml", {"rpm=60", "time.step=5e-4"});
  const World& world = simulation.world();
  const double rest = rocker_angle(0.0);
  double least = 0.0, most = 0.0;
  for (int step = 0; step < 2400; ++step) {  // 1.2 turns
    simulation.step();
    const double crank = joint_named(world, "drive").angle;
    const double rocker = joint_named(world, "support").angle;
    ASSERT_NEAR(crank, 2.0 * pi * world.time, 1e-3);
    ASSERT_NEAR(rocker, rocker_angle(crank) - rest, 2e-3) << world.time;
    least = std::min(least, rocker);
    most = std::max(most, rocker);
  }
  // between its dead points, where crank and coupler are in line
  const auto at_support = [](double across) {
    return std::acos((0.3 * 0.3 + 0.25 * 0.25 - across * across) / (2.0 * 0.3 * 0.25));
  };
  EXPECT_NEAR(most - least, at_support(0.4) - at_support(0.2), 4e-3);
  // the plate stands
  EXPECT_NEAR(world.bodies.position[members(world, "plate").at(0)].z, 0.025, 1e-4);
}

// A bed that moves with a drum lies as steep as friction holds, and the motor carries its weight
// beside the axle.
TEST(DrumScene, BedIsInclinedAndTheMotorHoldsIt) {
  Simulation simulation =
      start_scene("drum.yaml", {"d=0.02", "count=120", "rpm=15", "time.step=2e-3"});
  const World& world = simulation.world();
  run_until(simulation, 1.0);
  const std::vector<std::size_t> fill = members(world, "fill");
  ASSERT_EQ(fill.size(), 120u);
  const double weight = support::mass(world, fill) * g;
  double angle = 0.0, torque = 0.0, lever = 0.0;
  const int steps = 300;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    const Vec3 middle = centre_of_mass(world, fill);
    EXPECT_LT(length(Vec3{middle.x, 0.0, middle.z}), 0.1);
    angle += arc_tangent(-middle.x, -middle.z) / steps;
    lever += -middle.x / steps;
    torque += joint_named(world, "axle").reaction_torque.y / steps;
  }
  EXPECT_GT(angle * 180.0 / pi, 10.0);
  EXPECT_LT(angle * 180.0 / pi, 40.0);
  EXPECT_NEAR(torque / (weight * lever), 1.0, 0.15);
  const std::size_t drum = members(world, "drum").at(0);
  EXPECT_NEAR(world.bodies.angular_velocity[drum].y, 2.0 * pi * 15.0 / 60.0, 1e-3);
}

// What hangs from the corners: their reactions are its weight and what its momentum gains.
TEST(NetScene, CornersCarryWeightAndMomentum) {
  Simulation simulation = start_scene("net.yaml", {"solver.tolerance=1e-3"});
  const World& world = simulation.world();
  std::vector<std::size_t> all(world.bodies.id.size());
  for (std::size_t b = 0; b < all.size(); ++b) all[b] = b;
  EXPECT_GT(all.size(), 900u);
  const double h = simulation.settings().h, weight = support::mass(world, all) * g;
  Vec3 before = support::momentum(world, all);
  for (int step = 0; step < 30; ++step) {
    EXPECT_EQ(simulation.step().joint_rows, 3531);
    Vec3 carried;
    for (const char* corner : {"corner0_0", "corner13_0", "corner0_14", "corner13_14"})
      carried = carried + joint_named(world, corner).reaction_force;
    const Vec3 now = support::momentum(world, all);
    EXPECT_NEAR(carried.z * h, now.z - before.z + weight * h, 1e-9 * weight * h);
    EXPECT_NEAR(carried.x * h, now.x - before.x, 1e-9 * weight * h);
    before = now;
  }
}

TEST(WreckingScene, WallStandsUntilTheBallGivesItItsMomentum) {
  Simulation simulation =
      start_scene("wrecking.yaml", {"columns=6", "rows=8", "solver.tolerance=2e-4"});
  const World& world = simulation.world();
  const double h = simulation.settings().h;
  std::vector<std::size_t> bricks;
  for (const char* group : {"even", "shifted", "halves"})
    for (const std::size_t b : members(world, group)) bricks.push_back(b);
  ASSERT_EQ(bricks.size(), 4u * 6u + 4u * 5u + 4u * 2u);
  const std::vector<Vec3> start = world.bodies.position;
  const std::vector<std::size_t> ball = members(world, "ball");
  const double weight = (support::mass(world, bricks) + support::mass(world, ball)) * g;
  run_until(simulation, 0.2);
  for (const std::size_t b : bricks) EXPECT_LT(length(world.bodies.position[b] - start[b]), 1e-4);
  const Vec3 before = support::momentum(world, ball);
  // down from 0.35 rad on a rope of 4 m
  const double drop = 4.0 * (1.0 - cosine(0.35));
  EXPECT_NEAR(before.y / support::mass(world, ball), std::sqrt(36.0 + 2.0 * g * drop), 0.1);

  Vec3 last = before + support::momentum(world, bricks);
  double most = 0.0;
  while (world.time < 0.8) {
    simulation.step();
    const Vec3 now = support::momentum(world, ball) + support::momentum(world, bricks);
    const Vec3 given = support::impulse_by(world, "floor") +
                       h * joint_named(world, "rope").reaction_force - Vec3{0.0, 0.0, weight * h};
    const Vec3 wrong = now - last - given;
    ASSERT_LT(length(wrong), 1e-9 * weight) << world.time;
    last = now;
    most = std::max(most, support::momentum(world, bricks).y);
  }
  EXPECT_LT(support::momentum(world, ball).y, before.y - 0.8 * most);
  const auto displaced = std::count_if(bricks.begin(), bricks.end(), [&](std::size_t b) {
    return length(world.bodies.position[b] - start[b]) > 0.125;
  });
  EXPECT_GT(displaced, 15);
}

}  // namespace
}  // namespace talus
