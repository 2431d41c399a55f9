#pragma once
// What touches a triangle mesh.
//
// A mesh is a surface with two sides, not a solid: a body is kept on the side where its centre is.
// A drum may be a shell with normals either way, and what is inside stays inside; a body whose
// centre has gone through a surface is on the other side. How a flat wall is cut into triangles
// makes no difference: only edges at which the surface bends or ends can be touched.

#include "talus/geometry/narrow_phase.hpp"

#include <vector>

namespace talus {

/// Appends the contacts of a sphere or box with a mesh, with gap <= margin, in order of feature.
/// Normals from the convex body to the mesh. Features are small numbers (below 48 times the number
/// of edges of the mesh). Thread-safe.
void collide_mesh(const PlacedShape& convex, const PlacedShape& mesh, double margin,
                  std::vector<ContactPoint>& contacts);

}  // namespace talus
