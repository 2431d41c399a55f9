#pragma once
// What sphere and box have in common where they touch a mesh. Everything is in the frame and the
// units of the mesh.

#include "talus/core/types.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "geometry/narrow_phase.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

enum class MeshFeature : std::uint8_t { Face = 0, Edge = 1, Vertex = 2 };

/// Of the mesh's part `id`, and the part of the convex body, one of `parts`.
inline std::uint32_t feature_number(MeshFeature kind, Index id, std::uint32_t part = 0,
                                    std::uint32_t parts = 1) {
  return ((static_cast<std::uint32_t>(id) * parts + part) << 2) | static_cast<std::uint32_t>(kind);
}

inline std::array<Vec3, 3> corners_of(const TriangleMesh& mesh, Index triangle) {
  return {mesh.corner(triangle, 0), mesh.corner(triangle, 1), mesh.corner(triangle, 2)};
}

/// A box in the frame of a mesh.
struct BoxInMesh {
  Vec3 centre;
  std::array<Vec3, 3> axis;
  std::array<double, 3> half{};
};

// Normals from the body to the mesh; appended in no particular order, each feature once.
void touch_sphere(const TriangleMesh& mesh, const Vec3& centre, double radius, double margin,
                  std::vector<ContactPoint>& contacts);
void touch_box(const TriangleMesh& mesh, const BoxInMesh& box, double margin,
               std::vector<ContactPoint>& contacts);

// The point of a triangle that is nearest to a point.

enum class TrianglePart : std::uint8_t { Face, Edge, Vertex };

struct NearestPoint {
  Vec3 point;
  TrianglePart part = TrianglePart::Face;
  int which = 0;  ///< edge i runs from corner i to corner i + 1; vertex i is corner i
};

NearestPoint nearest_point(const std::array<Vec3, 3>& triangle, const Vec3& to);

// What touches a triangle mesh.
//
// A mesh is a surface with two sides, not a solid: a body is kept on the side where its centre is.
// A drum may be a shell with normals either way, and what is inside stays inside; a body whose
// centre has gone through a surface is on the other side. How a flat wall is cut into triangles
// makes no difference: only edges at which the surface bends or ends can be touched.

/// Appends the contacts of a sphere or box with a mesh, with gap <= margin, in order of feature.
/// Normals from the convex body to the mesh. Features are small numbers (below 48 times the number
/// of edges of the mesh). Thread-safe.
void collide_mesh(const PlacedShape& convex, const PlacedShape& mesh, double margin,
                  std::vector<ContactPoint>& contacts);

}  // namespace talus
