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
  std::vector<SpherePairTile> pairs(tile_count);
  for (SpherePairTile& p : pairs)
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const Vec3 a = random.vector(1.0), b = lane == 3 ? a : random.vector(1.0);
      p.ax[lane] = a.x;
      p.ay[lane] = a.y;
      p.az[lane] = a.z;
      p.a_radius[lane] = random.number(0.1, 1.0);
      p.bx[lane] = b.x;
      p.by[lane] = b.y;
      p.bz[lane] = b.z;
      p.b_radius[lane] = random.number(0.1, 1.0);
    }
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    std::vector<SphereContactTile> contacts(tile_count);

    sphere_contacts(pairs.data(), contacts.data(), static_cast<int>(tile_count));

    for (std::size_t i = 0; i < tile_count; ++i)
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const SpherePairTile& p = pairs[i];
        const SphereContactTile& c = contacts[i];
        const ContactPoint one =
            sphere_contact({{p.ax[lane], p.ay[lane], p.az[lane]}, p.a_radius[lane]},
                           {{p.bx[lane], p.by[lane], p.bz[lane]}, p.b_radius[lane]});
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
