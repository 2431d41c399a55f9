#pragma once
// From candidate pairs to contacts: the narrow phase of detection.

#include "talus/model/world.hpp"

#include "geometry/broad_phase.hpp"
#include "geometry/narrow_phase.hpp"

#include <span>
#include <vector>

namespace talus {

/// What contacts are computed from; arrays by body.
struct CandidateContacts {
  const World& world;
  const std::vector<double>& margin;
  const std::vector<Bounds>& bounds;  ///< enlarged by the margin
  const std::vector<double>& radius;  ///< of spheres; negative: another shape
  Vec3 period;
};

/// Appends the contacts of `pairs` with gap <= margin of a + margin of b, in the order of pairs.
/// `points` is workspace. Thread-safe.
void add_contacts(const CandidateContacts& view, std::span<const CandidatePair> pairs,
                  std::vector<ContactPoint>& points, ContactSet& contacts);

/// Planes and meshes among themselves: the narrow phase has no contacts for them. (What is checked
/// before a run refuses those that could meet.)
bool never_touch(const World& world, const CandidatePair& pair);

}  // namespace talus
