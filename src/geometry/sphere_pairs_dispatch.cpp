#include "talus/core/simd.hpp"

#include "geometry/sphere_pairs.hpp"

namespace talus {

namespace baseline {
void sphere_contacts(const SpherePairTile*, SphereContactTile*, int);
}
namespace v3 {
void sphere_contacts(const SpherePairTile*, SphereContactTile*, int);
}
namespace v4 {
void sphere_contacts(const SpherePairTile*, SphereContactTile*, int);
}

void sphere_contacts(const SpherePairTile* pairs, SphereContactTile* contacts, int tile_count) {
  switch (simd_level()) {
    case SimdLevel::V4:
      return v4::sphere_contacts(pairs, contacts, tile_count);
    case SimdLevel::V3:
      return v3::sphere_contacts(pairs, contacts, tile_count);
    case SimdLevel::Baseline:
      break;
  }
  baseline::sphere_contacts(pairs, contacts, tile_count);
}

}  // namespace talus
