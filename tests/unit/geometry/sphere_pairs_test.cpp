#include "geometry/sphere_pairs.hpp"

#include "geometry/placed.hpp"
#include "support/machine.hpp"
#include "unit/geometry/geometry_checks.hpp"

#include <bit>

namespace talus {
namespace {

void expect_same_bits(double found, double expected) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected))
      << found << ' ' << expected;
}

TEST(SpherePairs, HaveTheBitsOfOneByOneAtEveryLevel) {
  constexpr std::size_t tile_count = 50;
  RandomPlaces random(12);
  // of each pair its own two bodies; some are no spheres, and some gaps are the margin
  std::vector<SpherePairTile> pairs(tile_count);
  std::vector<SpherePlace> places;
  std::vector<double> margin;
  for (SpherePairTile& p : pairs)
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const Vec3 a = random.vector(1.0), b = lane == 3 ? a : random.vector(1.0),
                 way = lane < 4 ? Vec3{} : random.vector(0.5);
      p.a[lane] = static_cast<int>(places.size());
      places.push_back({a.x, a.y, a.z, lane == 6 ? -1.0 : random.number(0.1, 1.0)});
      p.b[lane] = static_cast<int>(places.size());
      places.push_back({b.x, b.y, b.z, lane == 2 ? -1.0 : random.number(0.1, 1.0)});
      p.way_x[lane] = way.x;
      p.way_y[lane] = way.y;
      p.way_z[lane] = way.z;
      const double share = random.number(0.0, 0.1);
      margin.push_back(share);
      margin.push_back(lane == 3 ? 0.0 : 0.1 - share);
    }
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    std::vector<SphereContactTile> contacts(tile_count);

    sphere_contacts(places.data(), margin.data(), pairs.data(), contacts.data(),
                    static_cast<int>(tile_count));

    for (std::size_t i = 0; i < tile_count; ++i)
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const SpherePairTile& p = pairs[i];
        const SphereContactTile& c = contacts[i];
        const auto a = static_cast<std::size_t>(p.a[lane]), b = static_cast<std::size_t>(p.b[lane]);
        const SpherePlace &on_a = places[a], &on_b = places[b];
        const bool spheres = on_a.radius >= 0.0 && on_b.radius >= 0.0;
        EXPECT_EQ((c.others >> lane & 1U) != 0, !spheres);
        const ContactPoint one = sphere_contact(
            {{on_a.x, on_a.y, on_a.z}, on_a.radius},
            {Vec3{on_b.x, on_b.y, on_b.z} + Vec3{p.way_x[lane], p.way_y[lane], p.way_z[lane]},
             on_b.radius});
        EXPECT_EQ((c.touching >> lane & 1U) != 0, spheres && one.gap <= margin[a] + margin[b]);
        expect_same_bits(c.gap[lane], one.gap);
        expect_same_bits(c.nx[lane], one.normal.x);
        expect_same_bits(c.ny[lane], one.normal.y);
        expect_same_bits(c.nz[lane], one.normal.z);
        expect_same_bits(c.px[lane], one.point.x);
        expect_same_bits(c.py[lane], one.point.y);
        expect_same_bits(c.pz[lane], one.point.z);
      }
  }
}

}  // namespace
}  // namespace talus
