#pragma once
// How a box touches a mesh: its corners touch faces, its faces touch vertices, edges touch edges.
// Shared by box_*_mesh.cpp; in the frame of the mesh.

#include "geometry/mesh_features.hpp"

#include <vector>

namespace talus {

struct BoxOnMesh {
  const TriangleMesh& mesh;
  const BoxInMesh& box;
  double margin = 0.0;
  double size = 0.0;               ///< the shortest half edge
  const std::vector<Index>& near;  ///< triangles whose bounds come near the box, ascending
  double tolerance() const { return 1e-6 * size; }
  /// Where overlaps are deeper, several features could be meant by one place.
  double shallow() const { return 0.1 * size; }
};

/// By how much (the sine) features may be turned out of the directions in which they touch alone:
/// the whole manifold of a box that is about to lie flat, not only the corner that comes first.
inline constexpr double touching_slack = 0.1;

/// Normal of a triangle to the side on which the box's centre is.
Vec3 normal_to_box(const BoxOnMesh& pair, Index triangle);

/// Whether the box's centre sees the surface bend away from it at an edge, or end there.
bool stands_out(const BoxOnMesh& pair, Index edge);

void corners_on_faces(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts);
void faces_on_vertices(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts);
void edges_on_edges(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts);

}  // namespace talus
