#include "geometry/box_mesh.hpp"

#include "geometry/triangle_distance.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// Contacts that are one: distance in shortest half edges, angle in rad.
constexpr double same_distance = 1e-9;  // relative, squared
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

/// By the nearest triangle of each sheet. Where several meet at the nearest point, the one that
/// faces the centre most directly knows: the others may be seen from behind around an edge.
void find_sides(const TriangleMesh& mesh, const Vec3& centre, const std::vector<Index>& near,
                std::vector<SheetSide>& sides) {
  sides.clear();
  for (const Index t : near) {
    const Index sheet = mesh.topology().sheet[t];
    const Vec3 way = nearest_point(corners_of(mesh, t), centre).point - centre;
    const double height = dot(mesh.normal(t), centre - mesh.corner(t, 0));
    const SheetSide side{sheet, height < 0.0 ? -1.0 : 1.0, dot(way, way), std::fabs(height)};
    const auto known = std::find_if(sides.begin(), sides.end(),
                                    [&](const SheetSide& s) { return s.sheet == sheet; });
    if (known == sides.end()) {
      sides.push_back(side);
    } else if (side.squared < known->squared * (1.0 - same_distance) ||
               (side.squared <= known->squared * (1.0 + same_distance) &&
                side.facing > known->facing)) {
      *known = side;
    }
  }
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
  const Index sheet = pair.mesh.topology().sheet[triangle];
  const auto found = std::find_if(pair.sides.begin(), pair.sides.end(),
                                  [&](const SheetSide& side) { return side.sheet == sheet; });
  const Vec3 n = pair.mesh.normal(triangle);
  const double side = found != pair.sides.end()
                          ? found->side
                          : dot(n, pair.box.centre - pair.mesh.corner(triangle, 0));
  return side < 0.0 ? -n : n;
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
  thread_local std::vector<SheetSide> sides;
  near.clear();
  mesh.search(bounds_of(box, margin), near);
  if (near.empty()) return;
  const double size = std::min({box.half[0], box.half[1], box.half[2]});
  find_sides(mesh, box.centre, near, sides);
  const BoxOnMesh pair{mesh, box, margin, size, near, sides};
  const std::size_t first = contacts.size();
  corners_on_faces(pair, contacts);
  faces_on_vertices(pair, contacts);
  edges_on_edges(pair, contacts);
  leave_out_repeated(contacts, first, size);
}

}  // namespace talus
