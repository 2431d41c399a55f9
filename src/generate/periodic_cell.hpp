#pragma once
// A cube full of spheres that continues itself in x, y and z: made once, a packing of any size is
// copies of it.

#include "talus/core/types.hpp"

#include <vector>

namespace talus {

/// Lengths are in mean radii of the spheres.
struct PeriodicCell {
  double side = 0.0;
  std::vector<Vec3> centre;  ///< in [0, side)^3, from the lowest to the highest
  std::vector<double> radius;

  Index count() const { return static_cast<Index>(centre.size()); }
};

/// Another sphere, or an image of it, that is near.
struct Neighbour {
  Index sphere = 0;
  std::array<int, 3> image{};  ///< which copy of the cell it is in: -1, 0 or 1 along each axis
  Vec3 normal;                 ///< unit, from it to the sphere whose neighbour it is
  double gap = 0.0;            ///< between the surfaces; negative where they overlap
};

/// Random points of which spheres that overlap push each other away until hardly any overlap is
/// left. Radii are uniform in 1 +- spread (below 0.5). The same bits on every machine.
PeriodicCell relaxed_cell(std::uint64_t seed, double spread);

/// Of each sphere all neighbours with gap <= reach, in order of their numbers. A pair has the same
/// gap and opposite normals in both lists. The side must be above twice the largest distance.
std::vector<std::vector<Neighbour>> neighbours_of(const PeriodicCell& cell, double reach);

}  // namespace talus
