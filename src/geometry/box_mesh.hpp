#pragma once
// How a box touches a mesh: its corners touch faces, its faces touch vertices, edges touch edges.
// In the frame of the mesh.

#include "geometry/mesh_contacts.hpp"

#include <vector>

namespace talus {

/// A connected part of the mesh near a box, and the side of it that the box's centre is on.
struct SheetSide {
  Index sheet = 0;
  double side = 1.0;     ///< 1 where the triangles' normals point to, else -1
  double squared = 0.0;  ///< distance of the centre
  double facing = 0.0;   ///< how directly the triangle that decided the side faces the centre
};

struct BoxOnMesh {
  const TriangleMesh& mesh;
  const BoxInMesh& box;
  double margin = 0.0;
  double size = 0.0;               ///< the shortest half edge
  const std::vector<Index>& near;  ///< triangles whose bounds come near the box, ascending
  const std::vector<SheetSide>& sides;
  double tolerance() const { return 1e-6 * size; }
  /// Where overlaps are deeper, several features could be meant by one place.
  double shallow() const { return 0.1 * size; }
};

/// By how much (the sine) features may be turned out of the directions in which they touch alone:
/// the whole manifold of a box that is about to lie flat, not only the corner that comes first.
inline constexpr double touching_slack = 0.1;

/// Normal of a triangle to the side of its sheet that the box's centre is on. The centre may be
/// behind it all the same: the surface then bends away in between, and other triangles hide it.
Vec3 normal_to_box(const BoxOnMesh& pair, Index triangle);

/// Whether the box's centre sees the surface bend away from it at an edge, or end there.
bool stands_out(const BoxOnMesh& pair, Index edge);

void corners_on_faces(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts);
void faces_on_vertices(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts);
void edges_on_edges(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts);

}  // namespace talus
