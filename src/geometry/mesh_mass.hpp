#pragma once
// Meshes as bodies.

#include "talus/geometry/triangle_mesh.hpp"

namespace talus {

/// Of the solid that a closed mesh bounds; all zero of an open one.
MassProperties mass_properties_of(const TriangleMesh& mesh);

/// The mesh in a frame whose origin is `centre`.
TriangleMesh moved(const TriangleMesh& mesh, const Vec3& centre);

}  // namespace talus
