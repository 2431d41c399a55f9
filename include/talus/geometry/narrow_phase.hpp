#pragma once
// Contact points of one pair of shapes. Always called with the body of lower id as A, so that the
// same pair gives the same bits everywhere.

#include "talus/geometry/shape.hpp"

#include <cstdint>
#include <vector>

namespace talus {

struct ContactPoint {
  Vec3 point;        ///< midway between the two surfaces, world frame
  Vec3 normal;       ///< unit, from A to B
  double gap = 0.0;  ///< m; negative where they overlap
  /// Which features touch: the same number in the next step for the same place of contact, unique
  /// in the pair. What warm starts and the order of sums go by. 0 for two spheres.
  std::uint32_t feature = 0;
};

/// A shape where it is. `shape` must outlive it.
struct PlacedShape {
  const Shape* shape = nullptr;
  double scale = 1.0;
  Pose pose;
};

/// Appends the contacts with gap <= margin, in order of feature. Pairs of planes and of meshes have
/// none (TALUS_ASSERT: the model refuses them). Thread-safe.
void collide(const PlacedShape& a, const PlacedShape& b, double margin,
             std::vector<ContactPoint>& contacts);

}  // namespace talus
