// The scenes that soft-sphere codes were measured on, in full size: the box that settles against
// LIGGGHTS and LAMMPS with E = 1e8 Pa, the dam break against both from the very same start.

#include "talus/io/scene_file.hpp"
#include "talus/simulation/run_defaults.hpp"

#include "support/places.hpp"
#include "support/scene_run.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace talus {
namespace {

using support::centre_of_mass;
using support::members;
using support::quantile;
using support::run_until;
using support::start_scene;

/// Contacts of a bead with other beads, in the mean; what overlaps or nearly does.
double contacts_per_bead(const World& world, std::size_t beads) {
  constexpr double hair = 1e-5;  // m: spheres of E = 1e8 Pa overlap by 0.92e-5 m in the mean
  const Index group = world.find_group("beads");
  const auto is_bead = [&](Index body) {
    return world.bodies.group[static_cast<std::size_t>(body)] == group;
  };
  double count = 0.0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
    if (world.contacts.gap[c] < hair && is_bead(world.contacts.body_a[c]) &&
        is_bead(world.contacts.body_b[c]))
      count += 2.0;
  return count / static_cast<double>(beads);
}

/// Solid fraction three diameters from walls, floor and surface, by the share of bead centres in a
/// box: each counts as a whole.
double bulk_fraction(const World& world, const std::vector<std::size_t>& beads) {
  const double d = 0.01, low = 3.0 * d, high = 0.2 - 3.0 * d;
  const double top = quantile(world, beads, 2, 0.99) - 3.0 * d;
  const auto inside = std::count_if(beads.begin(), beads.end(), [&](std::size_t b) {
    const Vec3& x = world.bodies.position[b];
    return low < x.x && x.x < high && low < x.y && x.y < high && low < x.z && x.z < top;
  });
  constexpr double sphere = 3.14159265358979323846 / 6.0;
  return sphere * d * d * d * static_cast<double>(inside) /
         ((high - low) * (high - low) * (top - low));
}

TEST(NightlySettleScene, IsAsHighAsThatOfSoftSpheres) {
  Simulation simulation = start_scene("settle.yaml");
  run_until(simulation, 1.0);
  const World& world = simulation.world();
  const std::vector<std::size_t> beads = members(world, "beads");
  ASSERT_EQ(beads.size(), 8000u);
  const double z = centre_of_mass(world, beads).z, fraction = bulk_fraction(world, beads);
  const double contacts = contacts_per_bead(world, beads.size());
  RecordProperty("z_cm", std::to_string(z));
  RecordProperty("solid_fraction", std::to_string(fraction));
  RecordProperty("contacts_per_bead", std::to_string(contacts));
  EXPECT_NEAR(z, 0.0951, 0.0951 * 0.01) << fraction << " " << contacts;
  EXPECT_NEAR(fraction, 0.5763, 0.01);
  EXPECT_NEAR(contacts, 4.46, 0.2);
}

/// The dam of jobs/scenes/dam.yaml, whose spheres are those that LIGGGHTS has left at rest. Being
/// soft (E = 5e6 Pa) they overlap, by 3.6 % of a diameter at most; hard ones push each other apart.
/// Let out at once, that would add to the flow (x_cm 0.212 m): the gate stays until it is done.
std::string dam_of(const std::filesystem::path& start) {
  return R"(
talus: 1
time: {step: 1.0e-3, end: 1.0}
gravity: [0, 0, -9.81]
domain: {min: [-0.01, -0.01, -0.01], max: [3, 0.21, 0.5], outside: stop}
max_overlap: 0.05
materials: {bead: {density: 2500}, wall: {density: 2500}}
pairs:
  - {between: [bead, bead], friction: 0.5, restitution: 0.5}
  - {between: [bead, wall], friction: 0.5, restitution: 0.5}
bodies:
  - {name: floor, motion: fixed, material: wall, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: back, motion: fixed, material: wall, shape: {type: plane, normal: [1, 0, 0]}}
  - {name: left, motion: fixed, material: wall, shape: {type: plane, normal: [0, 1, 0]}}
  - {name: right, motion: fixed, material: wall, shape: {type: plane, normal: [0, -1, 0]},
     position: [0, 0.2, 0]}
  - {name: gate, motion: fixed, material: wall, shape: {type: plane, normal: [-1, 0, 0]},
     position: [0.2, 0, 0]}
events:
  - {at: 0.3, type: remove, target: gate}
generators:
  - {name: beads, type: import, material: bead, file: ")" +
         start.string() + R"("}
)";
}

TEST(NightlyDamScene, RunsOutAsThatOfSoftSpheres) {
  const std::filesystem::path start = support::problems_folder() / "../peers/settled8k.data";
  if (!std::filesystem::exists(start)) GTEST_SKIP() << start << " is not there";
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "dam_of_peers.yaml";
  std::ofstream(file) << dam_of(start);
  SolveOptions solver = run_defaults();
  solver.max_iterations = 2000;
  Simulation simulation(read_scene(file.string()), solver, Communicator::self());
  run_until(simulation, 0.3 + 0.7);
  const World& world = simulation.world();
  const std::vector<std::size_t> beads = members(world, "beads");
  ASSERT_EQ(beads.size(), 8000u);
  const Vec3 middle = centre_of_mass(world, beads);
  const double far = quantile(world, beads, 0, 0.9);
  RecordProperty("x_cm", std::to_string(middle.x));
  RecordProperty("z_cm", std::to_string(middle.z));
  RecordProperty("x_90", std::to_string(far));
  // The two peers differ by 1.4, 1.6 and 0.9 %: within twice that of their mean, or a little more.
  // Not reached today: -3.2, +3.7 and -4.2 %. The peers are soft here, which may be the rest.
  EXPECT_NEAR(middle.x, 0.1986, 0.1986 * 0.028) << middle.z << " " << far;
  EXPECT_NEAR(middle.z, 0.0431, 0.0431 * 0.032);
  EXPECT_NEAR(far, 0.429, 0.429 * 0.03);
}

}  // namespace
}  // namespace talus
