#include "geometry/box_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// Contacts that are one: distance in shortest half edges, angle in rad.
constexpr double same_place = 1e-5, same_direction = 1e-3;

Bounds bounds_of(const BoxInMesh& box, double margin) {
  const auto extent = [&](auto component) {
    double sum = margin;
    for (std::size_t k = 0; k < 3; ++k) sum += box.half[k] * std::fabs(component(box.axis[k]));
    return sum;
  };
  const Vec3 out{extent([](const Vec3& v) { return v.x; }),
                 extent([](const Vec3& v) { return v.y; }),
                 extent([](const Vec3& v) { return v.z; })};
  return {box.centre - out, box.centre + out};
}

/// A corner that stands exactly on a vertex or an edge is seen by more than one kind of search.
void leave_out_repeated(std::vector<ContactPoint>& contacts, std::size_t first, double size) {
  std::size_t to = first;
  for (std::size_t i = first; i < contacts.size(); ++i) {
    bool known = false;
    for (std::size_t j = first; j < to && !known; ++j) {
      const Vec3 off = contacts[i].point - contacts[j].point;
      const Vec3 turn = contacts[i].normal - contacts[j].normal;
      known = dot(off, off) <= same_place * same_place * size * size &&
              dot(turn, turn) <= same_direction * same_direction;
    }
    if (!known) contacts[to++] = contacts[i];
  }
  contacts.resize(to);
}

}  // namespace

Vec3 normal_to_box(const BoxOnMesh& pair, Index triangle) {
  const Vec3 n = pair.mesh.normal(triangle);
  return dot(n, pair.box.centre - pair.mesh.corner(triangle, 0)) < 0.0 ? -n : n;
}

bool stands_out(const BoxOnMesh& pair, Index edge) {
  const auto of_edge = pair.mesh.topology().edge_triangles[edge];
  if (of_edge.size() != 2) return true;
  for (const std::size_t k : {0U, 1U}) {
    const Vec3 n = normal_to_box(pair, of_edge[k]);
    double height = 0.0;  // of the other triangle's apex, the one corner off the edge
    for (int i = 0; i < 3; ++i) {
      const double h =
          dot(n, pair.mesh.corner(of_edge[1 - k], i) - pair.mesh.corner(of_edge[k], 0));
      if (std::fabs(h) > std::fabs(height)) height = h;
    }
    if (height <= 0.0) return true;
  }
  return false;
}

void touch_box(const TriangleMesh& mesh, const BoxInMesh& box, double margin,
               std::vector<ContactPoint>& contacts) {
  thread_local std::vector<Index> near;  // kept: no allocation from call to call
  near.clear();
  mesh.search(bounds_of(box, margin), near);
  if (near.empty()) return;
  const double size = std::min({box.half[0], box.half[1], box.half[2]});
  const BoxOnMesh pair{mesh, box, margin, size, near};
  const std::size_t first = contacts.size();
  corners_on_faces(pair, contacts);
  faces_on_vertices(pair, contacts);
  edges_on_edges(pair, contacts);
  leave_out_repeated(contacts, first, size);
}

}  // namespace talus
