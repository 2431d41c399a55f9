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

/// Pairs of parts of two compounds whose contacts can be numbered: the product of their counts of
/// parts (1 for a sphere, box or plane) may not be larger. With compounds of at most
/// most_compound_parts it never is.
inline constexpr std::uint64_t most_part_pairs = 1U << 20;
inline constexpr std::uint64_t most_compound_parts = 1U << 10;

/// Appends the contacts with gap <= margin, in order of feature. Pairs of planes and of meshes have
/// none (TALUS_ASSERT: the model refuses them). Thread-safe.
void collide(const PlacedShape& a, const PlacedShape& b, double margin,
             std::vector<ContactPoint>& contacts);

}  // namespace talus
