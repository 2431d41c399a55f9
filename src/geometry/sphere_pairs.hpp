#pragma once
// Pairs of spheres, eight at a time: the same bits as sphere_contact() of placed.hpp
// gives one by one. Plain data: included by the kernel file.

namespace talus {

/// Where a body is, if it is a sphere; else its radius is negative.
struct alignas(32) SpherePlace {
  double x, y, z, radius;
};

/// Eight pairs: their bodies, and how b is moved by its image. A tile that is not full may hold any
/// bodies in its other lanes.
struct alignas(64) SpherePairTile {
  int a[8], b[8];
  double way_x[8], way_y[8], way_z[8];
};

/// What touches where; where a pair is none of spheres anything.
struct alignas(64) SphereContactTile {
  double px[8], py[8], pz[8];  ///< midway between the surfaces
  double nx[8], ny[8], nz[8];  ///< from a to b; (0, 0, 1) where the centres are one point
  double gap[8];
  unsigned touching;  ///< bit by lane: spheres with gap <= margin of a + margin of b
  unsigned others;    ///< bit by lane: not two spheres
};

/// Of each tile; arrays by body. Thread-safe; by the kernels of the level in use
/// (talus/core/simd.hpp).
void sphere_contacts(const SpherePlace* places, const double* margin, const SpherePairTile* pairs,
                     SphereContactTile* contacts, int tile_count);

}  // namespace talus
