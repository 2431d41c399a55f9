// The scenes of grains in jobs/scenes/, small: each runs, and one number of each is what mechanics
// says. Full sizes: scenes_nightly_test.cpp.

#include "core/elementary.hpp"
#include "support/scene_run.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using support::centre_of_mass;
using support::members;
using support::quantile;
using support::run_until;
using support::start_scene;

constexpr double g = 9.81;

double volume_of_spheres(const World& world, const std::vector<std::size_t>& bodies) {
  double cubes = 0.0;
  for (const std::size_t b : bodies) {
    const double diameter = world.bodies.scale[b];
    cubes += diameter * diameter * diameter;
  }
  return pi / 6.0 * cubes;
}

// In a box of 20 diameters, soft spheres fill 0.58 far from walls and 0.55 in all: walls, next to
// which they are looser, take 0.03. In one of 8 diameters they take 2.5 times as much.
TEST(SettleScene, ComesToRestAtTheSolidFractionOfALoosePacking) {
  Simulation simulation =
      start_scene("settle.yaml", {"width=0.08", "fill=0.11", "count=400", "time.step=2e-3"});
  const World& world = simulation.world();
  double most = 0.0;
  while (world.time < 0.6) {
    simulation.step();
    most = std::max(most, energies_of(world).kinetic);
  }
  const std::vector<std::size_t> beads = members(world, "beads");
  ASSERT_EQ(beads.size(), 400u);
  EXPECT_LT(energies_of(world).kinetic, 1e-3 * most);
  // a column of constant density is twice as high as its centre of mass
  const double height = 2.0 * centre_of_mass(world, beads).z;
  const double fraction = volume_of_spheres(world, beads) / (0.08 * 0.08 * height);
  EXPECT_NEAR(fraction, 0.50, 0.03);
}

// Grains that nothing holds any more move like any falling thing for the first moments: the front
// has not gone farther than sqrt(2 g H) t, and most of the way of a collapse is done in a few
// sqrt(H / g).
TEST(DamScene, RunsOutWhenTheGateGoes) {
  Simulation simulation = start_scene(
      "dam.yaml", {"width=0.08", "fill=0.11", "count=300", "open=0.3", "time.step=2e-3"});
  const World& world = simulation.world();
  run_until(simulation, 0.3);
  ASSERT_EQ(members(world, "gate").size(), 1u);
  const std::vector<std::size_t> before = members(world, "beads");
  const Vec3 start = centre_of_mass(world, before);
  const double edge = quantile(world, before, 0, 1.0), height = quantile(world, before, 2, 1.0);
  EXPECT_LT(edge, 0.08 - 0.49 * 0.01);
  run_until(simulation, 0.6);
  EXPECT_TRUE(members(world, "gate").empty());
  const std::vector<std::size_t> after = members(world, "beads");
  ASSERT_EQ(after.size(), 300u);
  const Vec3 end = centre_of_mass(world, after);
  const double front = quantile(world, after, 0, 1.0);
  EXPECT_GT(end.x, 1.3 * start.x);
  EXPECT_LT(end.z, 0.8 * start.z);
  EXPECT_GT(front, 2.0 * edge);
  EXPECT_LT(front - edge, std::sqrt(2.0 * g * height) * 0.3);
}

// What falls apart evenly on all sides keeps its centre of mass, and what is left is a heap no
// steeper than grains with a friction of 0.5 can be.
TEST(ColumnScene, CollapsesToAHeap) {
  Simulation simulation =
      start_scene("column.yaml", {"radius=0.04", "aspect=1.2", "open=0.25", "time.step=2e-3"});
  const World& world = simulation.world();
  run_until(simulation, 0.25);
  const std::vector<std::size_t> before = members(world, "beads");
  const double width = quantile(world, before, 0, 0.95) - quantile(world, before, 0, 0.05);
  const double height = quantile(world, before, 2, 1.0);
  run_until(simulation, 0.65);
  const std::vector<std::size_t> after = members(world, "beads");
  ASSERT_EQ(after.size(), before.size());
  const double x = quantile(world, after, 0, 0.95) - quantile(world, after, 0, 0.05);
  const double y = quantile(world, after, 1, 0.95) - quantile(world, after, 1, 0.05);
  EXPECT_GT(x, 1.3 * width);
  EXPECT_NEAR(y / x, 1.0, 0.15);
  const double top = quantile(world, after, 2, 1.0);
  EXPECT_LT(top, 0.9 * height);
  EXPECT_LT(top / (0.5 * x), 1.0);
  const Vec3 middle = centre_of_mass(world, after);
  EXPECT_NEAR(middle.x, 0.0, 0.005);
  EXPECT_NEAR(middle.y, 0.0, 0.005);
}

// The rate of Beverloo 1961, W = C rho sqrt(g) (D - k d)^2.5 with C = 0.58 and k = 1.4, for a hole
// of the same area; it is known to +-30 % for a hole of few diameters.
TEST(SiloScene, RunsOutAtTheRateOfBeverloo) {
  Simulation simulation = start_scene(
      "silo.yaml", {"width=0.08", "hole=0.05", "fill=0.12", "open=0.2", "time.step=2e-3"});
  const World& world = simulation.world();
  run_until(simulation, 0.2);
  const std::size_t all = members(world, "beads").size();
  EXPECT_EQ(world.removed, 0);
  const auto above = [&] {  // kg that have not passed the hole
    const std::vector<std::size_t> beads = members(world, "beads");
    double inside = 0.0;
    for (const std::size_t b : beads)
      if (world.bodies.position[b].z > 0.0) inside += world.bodies.mass[b];
    return inside;
  };
  run_until(simulation, 0.28);
  const double first = above();
  run_until(simulation, 0.4);
  const double rate = (first - above()) / 0.12;
  // the lid is a removed body, too
  EXPECT_EQ(members(world, "beads").size() + static_cast<std::size_t>(world.removed), all + 1);
  const double density = 2500.0 * 0.57, diameter = 2.0 * 0.05 / std::sqrt(pi);
  const double beverloo = 0.58 * density * std::sqrt(g) * std::pow(diameter - 1.4 * 0.0095, 2.5);
  EXPECT_NEAR(rate / beverloo, 1.0, 0.35);
}

// Without friction walls carry nothing: the floor carries all.
TEST(SpheresScene, RestOnTheFloor) {
  Simulation simulation = start_scene("spheres.yaml", {"width=0.1", "count=150"});
  const World& world = simulation.world();
  run_until(simulation, 0.9);
  const std::vector<std::size_t> spheres = members(world, "spheres");
  ASSERT_EQ(spheres.size(), 150u);
  Vec3 impulse;
  const int steps = 50;
  for (int k = 0; k < steps; ++k) {
    simulation.step();
    impulse = impulse + support::impulse_by(world, "floor");
  }
  const double weight = support::mass(world, spheres) * g * steps * simulation.settings().h;
  EXPECT_NEAR(impulse.z / weight, 1.0, 0.02);
  EXPECT_EQ(impulse.x, 0.0);
}

// A floor that shakes with more than gravity throws its load up and catches it again, and in the
// mean carries its weight.
TEST(ShakerScene, ThrowsAndCatchesItsLoad) {
  Simulation simulation =
      start_scene("shaker.yaml", {"width=0.06", "height=0.3", "count=150", "time.step=1e-3"});
  const World& world = simulation.world();
  const double h = simulation.settings().h, period = 1.0 / 12.0;
  run_until(simulation, 3.0 * period);
  const std::vector<std::size_t> spheres = members(world, "spheres");
  const double weight = support::mass(world, spheres) * g;
  const double speed = 0.004 * 2.0 * pi * 12.0;  // of the floor, at most
  ASSERT_GT(speed * speed / 0.004, 2.0 * g);
  const Vec3 before = support::momentum(world, spheres);
  double sum = 0.0, least = 1e9, most = 0.0, kinetic = 0.0, work = 0.0;
  std::int64_t contacts = 0;
  int steps = 0;
  for (; world.time < 7.0 * period; ++steps) {
    contacts = std::max(contacts, simulation.step().contacts);
    const double force = support::impulse_by(world, "shaker").z / h;
    sum += force;
    least = std::min(least, force);
    most = std::max(most, force);
    kinetic += energies_of(world).kinetic;
    work += force * h * world.bodies.velocity[members(world, "shaker").at(0)].z;
  }
  const Vec3 gained = support::momentum(world, spheres) - before;
  EXPECT_GT(contacts, 300);
  EXPECT_NEAR((sum * h - gained.z) / (weight * steps * h), 1.0, 1e-6);
  EXPECT_NEAR(sum / (weight * steps), 1.0, 0.1);
  EXPECT_LT(least, 0.05 * weight);
  EXPECT_GT(most, 3.0 * weight);
  EXPECT_GT(work, 0.0);
  // carried along without being thrown they would have a quarter of m speed^2
  EXPECT_GT(kinetic / steps, 0.25 * weight / g * speed * speed);
}

}  // namespace
}  // namespace talus
