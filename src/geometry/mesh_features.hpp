#pragma once
// What sphere and box have in common where they touch a mesh. Everything is in the frame and the
// units of the mesh.

#include "talus/geometry/narrow_phase.hpp"
#include "talus/geometry/triangle_mesh.hpp"

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

}  // namespace talus
