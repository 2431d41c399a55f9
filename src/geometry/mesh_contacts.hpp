#pragma once
// What touches a triangle mesh.

#include "talus/geometry/narrow_phase.hpp"

#include <vector>

namespace talus {

/// Appends the contacts of a sphere or box with a mesh, with gap <= margin, in order of feature.
/// Normals from the convex body to the mesh. Thread-safe.
void collide_mesh(const PlacedShape& convex, const PlacedShape& mesh, double margin,
                  std::vector<ContactPoint>& contacts);

}  // namespace talus
