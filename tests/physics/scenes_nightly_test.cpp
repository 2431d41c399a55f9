// The scenes of jobs/scenes/ that soft-sphere codes were measured on, in full size: the bands are
// those of LIGGGHTS and LAMMPS with E from 5e6 to 1e8 Pa.

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

/// Contacts of a bead with other beads, in the mean; what overlaps or nearly does.
double contacts_per_bead(const World& world, std::size_t beads) {
  constexpr double hair = 1e-6;  // m
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
  EXPECT_GT(z, 0.0930 * 0.98) << fraction << " " << contacts;
  EXPECT_LT(z, 0.0956 * 1.02);
  EXPECT_NEAR(fraction, 0.58, 0.02);
  EXPECT_NEAR(contacts, 4.6, 0.4);
}

TEST(NightlyDamScene, RunsOutAsThatOfSoftSpheres) {
  Simulation simulation = start_scene("dam.yaml");
  run_until(simulation, 1.7);
  const World& world = simulation.world();
  const std::vector<std::size_t> beads = members(world, "beads");
  ASSERT_EQ(beads.size(), 8000u);
  const Vec3 middle = centre_of_mass(world, beads);
  const double far = quantile(world, beads, 0, 0.9);
  RecordProperty("x_cm", std::to_string(middle.x));
  RecordProperty("z_cm", std::to_string(middle.z));
  RecordProperty("x_90", std::to_string(far));
  EXPECT_GT(middle.x, 0.1972 * 0.97) << middle.z << " " << far;
  EXPECT_LT(middle.x, 0.2000 * 1.03);
  EXPECT_GT(middle.z, 0.0428 * 0.97);
  EXPECT_LT(middle.z, 0.0435 * 1.03);
  EXPECT_NEAR(far, 0.429, 0.429 * 0.03);
}

}  // namespace
}  // namespace talus
