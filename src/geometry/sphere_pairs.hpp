#pragma once
// Pairs of spheres, eight at a time: the same bits as sphere_contact() of placed.hpp
// gives one by one. Plain data: included by the kernel file.

namespace talus {

/// Eight pairs, gathered: centres in the frame of a (b moved by its image), radii. A tile that is
/// not full may hold anything finite in its other lanes.
struct alignas(64) SpherePairTile {
  double ax[8], ay[8], az[8], a_radius[8];
  double bx[8], by[8], bz[8], b_radius[8];
};

/// What touches where; also of pairs that are far apart: the caller compares the gap.
struct alignas(64) SphereContactTile {
  double px[8], py[8], pz[8];  ///< midway between the surfaces
  double nx[8], ny[8], nz[8];  ///< from a to b; (0, 0, 1) where the centres are one point
  double gap[8];
};

/// Of each tile. Thread-safe; by the kernels of the level in use (talus/core/simd.hpp).
void sphere_contacts(const SpherePairTile* pairs, SphereContactTile* contacts, int tile_count);

}  // namespace talus
