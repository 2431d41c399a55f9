#pragma once
// The solid that a closed mesh bounds.

#include "talus/geometry/triangle_mesh.hpp"

namespace talus {

/// Per unit of density, by integrals over the surface. A mesh that is inside out bounds the same
/// solid; all zero for one that is not closed, or has no triangles.
MassProperties mass_properties_of(const TriangleMesh& mesh);

/// The mesh in a frame whose origin is `centre`.
TriangleMesh moved(const TriangleMesh& mesh, const Vec3& centre);

}  // namespace talus
