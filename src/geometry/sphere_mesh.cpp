// A sphere touches a surface where the distance from its centre has a local minimum over the
// surface: at a point that is the nearest one of every triangle it belongs to. This does not depend
// on how the surface is cut into triangles: over a flat wall there is one such point, in a concave
// corner one on each side, over a convex edge one on the edge.

#include "geometry/mesh_features.hpp"
#include "geometry/triangle_distance.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
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

}  // namespace talus
