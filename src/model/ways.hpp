#pragma once
// Ways between points of a periodic domain.

#include "geometry/broad_phase.hpp"

namespace talus {

/// The shortest of the ways from `a` to an image of `b`.
Vec3 shortest_way(const Periodicity& periodicity, const Vec3& a, const Vec3& b);

}  // namespace talus
