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

/// How many contacts can be numbered. Of two compounds: the product of their counts of parts (1 for
/// a sphere, box or plane), never too large where each has at most most_compound_parts.
inline constexpr std::uint64_t most_part_pairs = 1ULL << 20;
inline constexpr std::uint64_t most_compound_parts = 1ULL << 10;
/// Of a compound and a mesh: parts times edges of the mesh (at most three per triangle).
inline constexpr std::uint64_t most_part_edges = (1ULL << 32) / 48;

/// Appends the contacts with gap <= margin, in order of feature. Pairs of planes and of meshes have
/// none (TALUS_ASSERT: the model refuses them). Thread-safe.
void collide(const PlacedShape& a, const PlacedShape& b, double margin,
             std::vector<ContactPoint>& contacts);

}  // namespace talus
