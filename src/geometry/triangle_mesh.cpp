#include "talus/geometry/triangle_mesh.hpp"

#include "talus/core/error.hpp"

#include "geometry/bounds_tree.hpp"
#include "geometry/mesh_mass.hpp"
#include "geometry/mesh_topology.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace talus {
namespace {

constexpr double smallest_area = 1e-12;  // in squares of the longest edge

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool before(const Vec3& a, const Vec3& b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

double squared(const Vec3& v) {
  return dot(v, v);
}

/// Twice its area long. From the corner opposite to the longest edge, where rounding does least.
Vec3 area_vector(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double ab = squared(b - a), bc = squared(c - b), ca = squared(a - c);
  if (ab >= bc && ab >= ca) return cross(a - c, b - c);
  return bc >= ca ? cross(b - a, c - a) : cross(c - b, a - b);
}

bool degenerate(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double longest = std::max({squared(b - a), squared(c - b), squared(a - c)});
  return !(0.5 * std::sqrt(squared(area_vector(a, b, c))) > smallest_area * longest);
}

Vec3 normalised(const Vec3& v) {
  return (1.0 / std::sqrt(dot(v, v))) * v;
}

}  // namespace

TriangleMesh::TriangleMesh(const std::vector<std::array<Vec3, 3>>& triangles) {
  if (static_cast<std::int64_t>(triangles.size()) > most_triangles)
    throw InputError(fmt::format("a mesh of {} triangles: it may have at most {}", triangles.size(),
                                 most_triangles));
  weld(triangles);
  leave_out_duplicates();
  number_vertices();
  find_normals();
  find_faults();
  plant_tree();
}

void TriangleMesh::weld(const std::vector<std::array<Vec3, 3>>& corners) {
  for (std::size_t t = 0; t < corners.size(); ++t) {
    const auto& [a, b, c] = corners[t];
    if (!(finite(a) && finite(b) && finite(c)))
      throw InputError(fmt::format("triangle {} of a mesh has a corner that is not finite", t));
    if (degenerate(a, b, c)) {
      ++faults_.degenerate;
      continue;
    }
    const auto first = static_cast<Index>(vertices_.size());
    // a sum with zero turns -0 into 0, and the two are the same point
    for (const Vec3& v : {a, b, c}) vertices_.push_back(v + Vec3{});
    triangles_.push_back({first, first + 1, first + 2});
  }
  std::vector<Index> order(vertices_.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto point = [&](Index i) { return vertices_[i]; };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Vec3 va = point(a), vb = point(b);
    if (before(va, vb)) return true;
    return !before(vb, va) && a < b;
  });
  std::vector<Index> same_as(vertices_.size());
  Index last = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || before(point(last), point(order[i]))) last = order[i];
    same_as[order[i]] = last;
  }
  for (auto& triangle : triangles_)
    for (Index& v : triangle) v = same_as[v];
}

void TriangleMesh::leave_out_duplicates() {
  struct Keyed {
    std::array<Index, 3> key;
    std::size_t triangle;
  };
  std::vector<Keyed> sorted;
  sorted.reserve(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    sorted.push_back({triangles_[t], t});
    std::sort(sorted.back().key.begin(), sorted.back().key.end());
  }
  std::sort(sorted.begin(), sorted.end(), [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.triangle < b.triangle;
  });
  std::vector<std::uint8_t> kept(triangles_.size(), 1);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].key == sorted[i - 1].key) {
      kept[sorted[i].triangle] = 0;
      ++faults_.duplicate;
    }
  std::size_t to = 0;
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    if (kept[t] != 0) triangles_[to++] = triangles_[t];
  triangles_.resize(to);
}

/// In the order in which triangles first have them.
void TriangleMesh::number_vertices() {
  std::vector<Index> number(vertices_.size(), -1);
  std::vector<Vec3> numbered;
  for (auto& triangle : triangles_)
    for (Index& v : triangle) {
      const auto old = static_cast<std::size_t>(v);
      if (number[old] < 0) {
        number[old] = static_cast<Index>(numbered.size());
        numbered.push_back(vertices_[old]);
      }
      v = number[old];
    }
  vertices_ = std::move(numbered);
}

void TriangleMesh::find_normals() {
  const auto count = static_cast<Index>(triangles_.size());
  std::vector<Vec3> area(triangles_.size());
  normals_.resize(triangles_.size());
  for (Index t = 0; t < count; ++t) {
    const auto i = static_cast<std::size_t>(t);
    area[i] = area_vector(corner(t, 0), corner(t, 1), corner(t, 2));
    normals_[i] = normalised(area[i]);
  }
  topology_ = std::make_shared<MeshTopology>(topology_of(vertices_, triangles_, normals_));
  // one normal per plane: that of a sliver alone would be off by its shape times rounding
  std::vector<Vec3> sum(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    Vec3& total = sum[topology_->plane_group[t]];
    total = total + area[t];
  }
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    normals_[t] = normalised(sum[topology_->plane_group[t]]);
}

void TriangleMesh::find_faults() {
  for (std::size_t e = 0; e < topology_->edges.size(); ++e) {
    const auto edge = static_cast<Index>(e);
    const auto of_edge = topology_->edge_triangles[edge];
    if (of_edge.size() == 1) ++faults_.open_edges;
    if (of_edge.size() > 2) ++faults_.crowded_edges;
    if (of_edge.size() != 2) continue;
    const auto& first = triangles_[of_edge[0]];
    const auto& second = triangles_[of_edge[1]];
    if (runs_along(first, topology_->edges[e]) == runs_along(second, topology_->edges[e]))
      ++faults_.flipped;
  }
  if (!faults_.closed() || triangles_.empty()) return;
  const Bounds around = bounds();
  const Vec3 origin = 0.5 * (around.low + around.high);
  double volume = 0.0;
  for (Index t = 0; t < static_cast<Index>(triangles_.size()); ++t)
    volume += dot(corner(t, 0) - origin, cross(corner(t, 1) - origin, corner(t, 2) - origin));
  faults_.inside_out = volume < 0.0;
}

void TriangleMesh::plant_tree() {
  std::vector<Bounds> items;
  items.reserve(triangles_.size());
  for (Index t = 0; t < static_cast<Index>(triangles_.size()); ++t) {
    const Vec3 &a = corner(t, 0), &b = corner(t, 1), &c = corner(t, 2);
    items.push_back(
        {{std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y}), std::min({a.z, b.z, c.z})},
         {std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y}), std::max({a.z, b.z, c.z})}});
  }
  tree_ = std::make_shared<BoundsTree>(std::move(items));
}

Bounds TriangleMesh::bounds() const {
  if (vertices_.empty()) return {};
  Bounds b{vertices_.front(), vertices_.front()};
  for (const Vec3& v : vertices_) {
    b.low = {std::min(b.low.x, v.x), std::min(b.low.y, v.y), std::min(b.low.z, v.z)};
    b.high = {std::max(b.high.x, v.x), std::max(b.high.y, v.y), std::max(b.high.z, v.z)};
  }
  return b;
}

TriangleMesh TriangleMesh::moved_by(const Vec3& way) const {
  TriangleMesh moved(*this);
  for (Vec3& v : moved.vertices_) v = v + way;
  moved.plant_tree();
  return moved;
}

namespace {

Sym3 operator+(const Sym3& a, const Sym3& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

/// s v v^T
Sym3 outer(double s, const Vec3& v) {
  return {s * v.x * v.x, s * v.x * v.y, s * v.x * v.z, s * v.y * v.y, s * v.y * v.z, s * v.z * v.z};
}

}  // namespace

// The solid is the sum of tetrahedra (origin, a, b, c) with signs. One of them has six times the
// volume d = a . (b x c), the moments int x = d/24 s and int x x^T = d/120 (a a^T + b b^T + c c^T +
// s s^T) with s = a + b + c: its points are mixtures of its corners.
MassProperties mass_properties_of(const TriangleMesh& mesh) {
  if (!mesh.faults().closed() || mesh.triangles().empty()) return {};
  const Bounds around = mesh.bounds();
  const Vec3 origin = 0.5 * (around.low + around.high);  // near: far ones would cancel digits
  double six_volumes = 0.0;
  Vec3 first;
  Sym3 second;
  for (Index t = 0; t < static_cast<Index>(mesh.triangles().size()); ++t) {
    const Vec3 a = mesh.corner(t, 0) - origin, b = mesh.corner(t, 1) - origin;
    const Vec3 c = mesh.corner(t, 2) - origin, s = a + b + c;
    const double d = dot(a, cross(b, c));
    six_volumes += d;
    first = first + d * s;
    second = second + (outer(d, a) + outer(d, b)) + (outer(d, c) + outer(d, s));
  }
  const double sign = six_volumes < 0.0 ? -1.0 : 1.0;
  const double volume = sign * six_volumes / 6.0;
  if (!(volume > 0.0)) return {};
  const Vec3 centre = (sign / 24.0 / volume) * first;
  const double scale = sign / 120.0;
  const Sym3 about_origin{scale * second.xx, scale * second.xy, scale * second.xz,
                          scale * second.yy, scale * second.yz, scale * second.zz};
  const Sym3 m = about_origin + outer(-volume, centre);
  return {volume, origin + centre, {m.yy + m.zz, -m.xy, -m.xz, m.xx + m.zz, -m.yz, m.xx + m.yy}};
}

TriangleMesh moved(const TriangleMesh& mesh, const Vec3& centre) {
  return mesh.moved_by(-centre);
}

void TriangleMesh::search(const Bounds& box, std::vector<Index>& found) const {
  tree_->search(box, found);
}

}  // namespace talus
