#pragma once
// From candidate pairs to contacts: the narrow phase of detection.

#include "talus/model/world.hpp"

#include "geometry/broad_phase.hpp"
#include "geometry/narrow_phase.hpp"
#include "geometry/sphere_pairs.hpp"

#include <span>
#include <vector>

namespace talus {

/// What contacts are computed from; arrays by body.
struct CandidateContacts {
  const World& world;
  const std::vector<double>& margin;
  const std::vector<SpherePlace>& place;
  const std::vector<Bounds>& bounds;  ///< enlarged by the margin; none of spheres
  Vec3 period;

  /// Enlarged by the margin.
  Bounds bounds_of(std::size_t body) const {
    const SpherePlace& at = place[body];
    if (at.radius < 0.0) return bounds[body];
    const double reach = at.radius + margin[body];
    return {{at.x - reach, at.y - reach, at.z - reach}, {at.x + reach, at.y + reach, at.z + reach}};
  }
};

/// Overwrites what detection writes of `contacts` by the contacts of `pairs` with gap <= margin of
/// a + margin of b, in the order of pairs. `points` is workspace. Thread-safe.
void find_contacts(const CandidateContacts& view, std::span<const CandidatePair> pairs,
                   std::vector<ContactPoint>& points, ContactSet& contacts);

/// The arrays that detection writes.
void resize_found(ContactSet& contacts, std::size_t count);

/// Planes and meshes among themselves: the narrow phase has no contacts for them. (What is checked
/// before a run refuses those that could meet.)
bool never_touch(const World& world, const CandidatePair& pair);

}  // namespace talus
