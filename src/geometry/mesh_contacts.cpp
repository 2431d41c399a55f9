#include "geometry/mesh_contacts.hpp"

#include "talus/core/error.hpp"

#include "geometry/mesh_topology.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace talus {

void collide_mesh(const PlacedShape& convex, const PlacedShape& mesh, double margin,
                  std::vector<ContactPoint>& contacts) {
  const auto* surface = std::get_if<Mesh>(mesh.shape);
  TALUS_ASSERT(surface != nullptr && surface->triangles != nullptr);
  const TriangleMesh& triangles = *surface->triangles;
  const Vec3 centre = (1.0 / mesh.scale) * to_local(mesh.pose, convex.pose.position);
  const double size = convex.scale / mesh.scale, reach = margin / mesh.scale;
  const auto first = static_cast<std::ptrdiff_t>(contacts.size());
  if (const auto* sphere = std::get_if<Sphere>(convex.shape)) {
    touch_sphere(triangles, centre, size * sphere->radius, reach, contacts);
  } else {
    const auto* box = std::get_if<Box>(convex.shape);
    TALUS_ASSERT(box != nullptr);
    const Mat3 turn = matrix_of(conjugate(mesh.pose.orientation) * convex.pose.orientation);
    touch_box(triangles,
              {centre,
               {Vec3{turn[0], turn[3], turn[6]}, Vec3{turn[1], turn[4], turn[7]},
                Vec3{turn[2], turn[5], turn[8]}},
               {size * box->half.x, size * box->half.y, size * box->half.z}},
              reach, contacts);
  }
  std::sort(contacts.begin() + first, contacts.end(),
            [](const ContactPoint& a, const ContactPoint& b) { return a.feature < b.feature; });
  for (auto c = contacts.begin() + first; c != contacts.end(); ++c) {
    c->point = to_world(mesh.pose, mesh.scale * c->point);
    c->normal = rotate(mesh.pose.orientation, c->normal);
    c->gap *= mesh.scale;
  }
}

// A sphere touches a surface where the distance from its centre has a local minimum over the
// surface: at a point that is the nearest one of every triangle it belongs to. This does not depend
// on how the surface is cut into triangles: over a flat wall there is one such point, in a concave
// corner one on each side, over a convex edge one on the edge.

namespace {

constexpr double same_square = 1e-12;   // relative: squares of distances that are equal
constexpr double one_direction = 1e-3;  // rad: of two contacts that are one
constexpr double on_triangle = 1e-6;    // of the radius: where vertices of T-junctions should be
constexpr double no_direction = 1e-12;  // of the radius: a centre on the surface itself

struct Candidate {
  Index triangle = 0;
  NearestPoint nearest;
  double squared = 0.0;  ///< distance from the centre
};

struct Workspace {
  std::vector<Index> found;
  std::vector<Candidate> candidates, order;
};

class SphereOnMesh {
 public:
  SphereOnMesh(const TriangleMesh& mesh, const Vec3& centre, double radius, double margin,
               Workspace& work)
      : mesh_(mesh),
        centre_(centre),
        radius_(radius),
        margin_(margin),
        found_(work.found),
        candidates_(work.candidates),
        order_(work.order) {}

  void touch(std::vector<ContactPoint>& contacts) {
    find_candidates();
    order_.clear();
    for (const Candidate& c : candidates_)
      if (is_minimum(c)) order_.push_back(c);
    std::sort(order_.begin(), order_.end(), [](const Candidate& a, const Candidate& b) {
      return a.squared != b.squared ? a.squared < b.squared : a.triangle < b.triangle;
    });
    const auto first = contacts.size();
    for (const Candidate& c : order_) {
      const ContactPoint contact = contact_of(c);
      if (contact.gap > margin_) continue;
      // what lies in the same direction is the same place seen twice, or hidden by what is nearer
      const bool known = std::any_of(contacts.begin() + static_cast<std::ptrdiff_t>(first),
                                     contacts.end(), [&](const ContactPoint& other) {
                                       const Vec3 turn = other.normal - contact.normal;
                                       return dot(turn, turn) <= one_direction * one_direction ||
                                              other.feature == contact.feature;
                                     });
      if (!known) contacts.push_back(contact);
    }
  }

 private:
  void find_candidates() {
    const double reach = radius_ + margin_;
    const Vec3 out{reach, reach, reach};
    found_.clear();
    candidates_.clear();
    mesh_.search({centre_ - out, centre_ + out}, found_);
    for (const Index t : found_) {
      const NearestPoint nearest = nearest_point(corners_of(mesh_, t), centre_);
      const Vec3 way = nearest.point - centre_;
      candidates_.push_back({t, nearest, dot(way, way)});
    }
  }

  bool nearer(const Candidate& a, const Candidate& b) const {
    return a.squared < (1.0 - same_square) * b.squared;
  }

  /// Part of the mesh that the nearest point is on.
  Index edge_of(const Candidate& c) const {
    return mesh_.topology().triangle_edges[c.triangle][c.nearest.which];
  }
  Index vertex_of(const Candidate& c) const {
    return mesh_.triangles()[c.triangle][c.nearest.which];
  }
  std::span<const Index> around(const Candidate& c) const {
    return c.nearest.part == TrianglePart::Edge ? mesh_.topology().edge_triangles[edge_of(c)]
                                                : mesh_.topology().vertex_triangles[vertex_of(c)];
  }

  bool is_minimum(const Candidate& c) const {
    if (c.squared > (radius_ + margin_) * (radius_ + margin_) * (1.0 + same_square)) return false;
    if (c.nearest.part == TrianglePart::Face) return true;
    for (const Index t : around(c)) {
      const auto it = std::lower_bound(
          candidates_.begin(), candidates_.end(), t,
          [](const Candidate& other, Index triangle) { return other.triangle < triangle; });
      if (it != candidates_.end() && it->triangle == t && nearer(*it, c)) return false;
    }
    // triangles that touch here without sharing vertices: T-junctions, meshes that overlap
    const double tolerance = on_triangle * radius_;
    return std::none_of(candidates_.begin(), candidates_.end(), [&](const Candidate& other) {
      if (!nearer(other, c)) return false;
      const Vec3& n = mesh_.normal(other.triangle);
      if (std::fabs(dot(n, c.nearest.point - mesh_.corner(other.triangle, 0))) > tolerance)
        return false;
      const Vec3 off =
          nearest_point(corners_of(mesh_, other.triangle), c.nearest.point).point - c.nearest.point;
      return dot(off, off) <= tolerance * tolerance;
    });
  }

  /// Whether the nearest point is inside a plane, be it on an edge of its triangles.
  bool is_flat(const Candidate& c) const {
    const auto& topology = mesh_.topology();
    if (c.nearest.part == TrianglePart::Face) return true;
    if (c.nearest.part == TrianglePart::Edge && around(c).size() < 2) return false;
    if (c.nearest.part == TrianglePart::Vertex)
      for (const Index e : topology.vertex_edges[vertex_of(c)])
        if (topology.edge_triangles[e].size() < 2) return false;
    const auto group = [&](Index t) { return topology.plane_group[t]; };
    return std::all_of(around(c).begin(), around(c).end(),
                       [&](Index t) { return group(t) == group(c.triangle); });
  }

  ContactPoint contact_of(const Candidate& c) const {
    const Vec3& n = mesh_.normal(c.triangle);
    const double height = dot(n, centre_ - mesh_.corner(c.triangle, 0));
    const double distance = std::sqrt(c.squared);
    ContactPoint contact;
    if (is_flat(c)) {
      contact.gap = std::fabs(height) - radius_;
      contact.normal = height < 0.0 ? n : -n;
      contact.feature = feature_number(MeshFeature::Face, mesh_.topology().plane_group[c.triangle]);
    } else {
      contact.gap = distance - radius_;
      contact.normal =
          distance > no_direction * radius_ ? (1.0 / distance) * (c.nearest.point - centre_) : -n;
      contact.feature = c.nearest.part == TrianglePart::Edge
                            ? feature_number(MeshFeature::Edge, edge_of(c))
                            : feature_number(MeshFeature::Vertex, vertex_of(c));
    }
    contact.point = centre_ + (radius_ + 0.5 * contact.gap) * contact.normal;
    return contact;
  }

  const TriangleMesh& mesh_;
  const Vec3 centre_;
  const double radius_, margin_;
  std::vector<Index>& found_;
  std::vector<Candidate>& candidates_;  ///< in the order of their triangles
  std::vector<Candidate>& order_;       ///< minima, the nearest first
};

}  // namespace

void touch_sphere(const TriangleMesh& mesh, const Vec3& centre, double radius, double margin,
                  std::vector<ContactPoint>& contacts) {
  thread_local Workspace work;  // kept: no allocation from call to call
  SphereOnMesh(mesh, centre, radius, margin, work).touch(contacts);
}

// By the regions in which a corner, an edge or the inside is nearest, told apart by barycentric
// coordinates without the division [Ericson05, 5.1.5].
NearestPoint nearest_point(const std::array<Vec3, 3>& triangle, const Vec3& to) {
  const auto& [a, b, c] = triangle;
  const Vec3 ab = b - a, ac = c - a, bc = c - b;
  const double ab_a = dot(ab, to - a), ac_a = dot(ac, to - a);
  if (ab_a <= 0.0 && ac_a <= 0.0) return {a, TrianglePart::Vertex, 0};
  const double ab_b = dot(ab, to - b), ac_b = dot(ac, to - b);
  if (ab_b >= 0.0 && ac_b <= ab_b) return {b, TrianglePart::Vertex, 1};
  const double ab_c = dot(ab, to - c), ac_c = dot(ac, to - c);
  if (ac_c >= 0.0 && ab_c <= ac_c) return {c, TrianglePart::Vertex, 2};
  const double of_c = ab_a * ac_b - ab_b * ac_a;
  if (of_c <= 0.0 && ab_a >= 0.0 && ab_b <= 0.0)
    return {a + (ab_a / (ab_a - ab_b)) * ab, TrianglePart::Edge, 0};
  const double of_b = ab_c * ac_a - ab_a * ac_c;
  if (of_b <= 0.0 && ac_a >= 0.0 && ac_c <= 0.0)
    return {a + (ac_a / (ac_a - ac_c)) * ac, TrianglePart::Edge, 2};
  const double of_a = ab_b * ac_c - ab_c * ac_b;
  const double from_b = ac_b - ab_b, from_c = ab_c - ac_c;
  if (of_a <= 0.0 && from_b >= 0.0 && from_c >= 0.0)
    return {b + (from_b / (from_b + from_c)) * bc, TrianglePart::Edge, 1};
  const double sum = of_a + of_b + of_c;
  return {a + (of_b / sum) * ab + (of_c / sum) * ac, TrianglePart::Face, 0};
}

}  // namespace talus
