// Vertices of a mesh on the faces of a box, and edges of a mesh on edges of a box.

#include "geometry/box_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

using Triple = std::array<double, 3>;  // in the frame of the box

constexpr double no_crossing = 1e-3;  // sine between edges below which they have no crossing
constexpr double other_face = 0.5;    // cosine below which it is not the face that is touched
constexpr double same_axis = 0.99;    // cosine between an axis and the one that separates best

double dot(const Triple& a, const Triple& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Triple direction_in(const BoxInMesh& box, const Vec3& v) {
  return {talus::dot(v, box.axis[0]), talus::dot(v, box.axis[1]), talus::dot(v, box.axis[2])};
}

Vec3 direction_from(const BoxInMesh& box, const Triple& v) {
  return v[0] * box.axis[0] + v[1] * box.axis[1] + v[2] * box.axis[2];
}

Triple unit(const Triple& v) {
  const double length = std::sqrt(dot(v, v));
  return {v[0] / length, v[1] / length, v[2] / length};
}

/// v + s w
Triple along(const Triple& v, double s, const Triple& w) {
  return {v[0] + s * w[0], v[1] + s * w[1], v[2] + s * w[2]};
}

void sort_unique(std::vector<Index>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// ---- vertices -----------------------------------------------------------------------------------

class FaceOnVertex {
 public:
  FaceOnVertex(const BoxOnMesh& pair, Index vertex)
      : pair_(pair), vertex_(vertex), at_(direction_in(pair.box, point() - pair.box.centre)) {}

  void touch(std::vector<ContactPoint>& contacts) const {
    int outside = 0;
    std::size_t best = 3, best_that_fits = 3;
    for (std::size_t k = 0; k < 3; ++k) {
      if (gap(k) > pair_.margin) return;
      if (gap(k) > pair_.tolerance()) ++outside;
      if (best == 3 || gap(k) > gap(best)) best = k;
    }
    // over an edge or a corner of the box, it is edges that come near each other
    if (outside > 1 || !has_edge_that_stands_out()) return;
    for (std::size_t k = 0; k < 3; ++k)
      if ((best_that_fits == 3 || gap(k) > gap(best_that_fits)) && is_outermost(k))
        best_that_fits = k;
    if (best_that_fits == 3) return;
    // the nearest way out of the box may lead into the mesh: any other must then be short, too
    const double depth = -gap(best_that_fits);
    if (gap(best) > gap(best_that_fits) && (outside > 0 || depth > pair_.shallow())) return;
    const Vec3 out = sign(best_that_fits) * pair_.box.axis[best_that_fits];
    const auto face =
        static_cast<std::uint32_t>(2 * best_that_fits) + (at_[best_that_fits] < 0.0 ? 0U : 1U);
    contacts.push_back({point() + (0.5 * depth) * out, out, -depth,
                        feature_number(MeshFeature::Vertex, vertex_, face, 6)});
  }

 private:
  const Vec3& point() const { return pair_.mesh.vertices()[vertex_]; }
  double gap(std::size_t k) const { return std::fabs(at_[k]) - pair_.box.half[k]; }
  double sign(std::size_t k) const { return at_[k] < 0.0 ? -1.0 : 1.0; }

  bool has_edge_that_stands_out() const {
    const auto& topology = pair_.mesh.topology();
    const auto edges = topology.vertex_edges[vertex_];
    return std::any_of(edges.begin(), edges.end(),
                       [&](Index e) { return topology.edges[e].feature && stands_out(pair_, e); });
  }

  /// Whether no edge of the mesh leads from the vertex farther into the box.
  bool is_outermost(std::size_t k) const {
    const auto& topology = pair_.mesh.topology();
    const auto edges = topology.vertex_edges[vertex_];
    const Vec3 inwards = -sign(k) * pair_.box.axis[k];
    return std::all_of(edges.begin(), edges.end(), [&](Index e) {
      const auto& ends = topology.edges[e].ends;
      const Index other = ends[0] == vertex_ ? ends[1] : ends[0];
      const Vec3 way = pair_.mesh.vertices()[other] - point();
      return talus::dot(way, inwards) <= touching_slack * std::sqrt(talus::dot(way, way));
    });
  }

  const BoxOnMesh& pair_;
  const Index vertex_;
  const Triple at_;
};

// ---- edges --------------------------------------------------------------------------------------

/// A direction from the box to the edge, and how far they are apart along it.
struct EdgeSeparation {
  double gap = -infinity;
  Triple way{};
};

class EdgeOnEdges {
 public:
  EdgeOnEdges(const BoxOnMesh& pair, Index edge, std::vector<Triple>& faces)
      : pair_(pair), half_(pair.box.half), edge_(edge), faces_(faces) {
    const auto& ends = pair.mesh.topology().edges[edge].ends;
    from_ = in_box(ends[0]);
    to_ = in_box(ends[1]);
    const Triple between = along(to_, -1.0, from_);
    length_ = std::sqrt(dot(between, between));
    way_ = unit(between);
  }

  void touch(std::vector<ContactPoint>& contacts) {
    for (std::size_t k = 0; k < 3; ++k)
      if (face_gap(k, -1.0) > pair_.margin || face_gap(k, 1.0) > pair_.margin) return;
    if (!stands_out(pair_, edge_)) return;
    find_faces();
    const Triple best = best_separation().way;
    if (dot(best, best) == 0.0) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Triple across = crossed(axis);
      if (dot(across, across) < no_crossing * no_crossing) continue;
      across = unit(across);
      if (dot(across, best) < 0.0) across = along(Triple{}, -1.0, across);
      if (dot(across, best) >= same_axis) touch_edges(axis, across, contacts);
    }
  }

 private:
  Triple in_box(Index vertex) const {
    return direction_in(pair_.box, pair_.mesh.vertices()[vertex] - pair_.box.centre);
  }

  /// Of each triangle at the edge, the direction into it across the edge.
  void find_faces() {
    faces_.clear();
    const auto& mesh = pair_.mesh;
    const auto& ends = mesh.topology().edges[edge_].ends;
    for (const Index t : mesh.topology().edge_triangles[edge_])
      for (const Index v : mesh.triangles()[t])
        if (v != ends[0] && v != ends[1]) {
          const Triple apex = along(in_box(v), -1.0, from_);
          faces_.push_back(unit(along(apex, -dot(apex, way_), way_)));
        }
  }

  /// From the box's face on one side of an axis to the edge's nearest end.
  double face_gap(std::size_t k, double side) const {
    return std::min(side * from_[k], side * to_[k]) - half_[k];
  }

  /// Edge x axis k.
  Triple crossed(std::size_t k) const {
    Triple c{};
    c[(k + 1) % 3] = way_[(k + 2) % 3];
    c[(k + 2) % 3] = -way_[(k + 1) % 3];
    return c;
  }

  /// Whether the surface leads away from the box that lies against `way`.
  bool fits(const Triple& way) const {
    return std::all_of(faces_.begin(), faces_.end(),
                       [&](const Triple& face) { return -dot(way, face) <= touching_slack; });
  }

  /// Of box and edge as two convex bodies; while they overlap, among directions into which the
  /// surface lets the box go. No direction where there is none.
  EdgeSeparation best_separation() const {
    EdgeSeparation any, fitting;
    const auto consider = [&](double gap, const Triple& way) {
      if (gap > any.gap) any = {gap, way};
      if (gap > fitting.gap && fits(way)) fitting = {gap, way};
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const Triple across = crossed(k);
      const bool crosses = dot(across, across) >= no_crossing * no_crossing;
      for (const double side : {-1.0, 1.0}) {
        Triple way{};
        way[k] = side;
        consider(face_gap(k, side), way);
        if (!crosses) continue;
        way = along(Triple{}, side, unit(across));
        consider(dot(way, from_) - (half_[0] * std::fabs(way[0]) + half_[1] * std::fabs(way[1]) +
                                    half_[2] * std::fabs(way[2])),
                 way);
      }
    }
    if (any.gap > pair_.margin) return {};
    if (any.gap > 0.0) return any;
    return fitting.gap < any.gap && fitting.gap < -pair_.shallow() ? EdgeSeparation{} : fitting;
  }

  /// The four edges of the box along an axis, as far as they lie to that side.
  void touch_edges(std::size_t axis, const Triple& across,
                   std::vector<ContactPoint>& contacts) const {
    const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
    for (std::uint32_t which = 0; which < 4; ++which) {
      const double side_j = (which & 1U) != 0 ? 1.0 : -1.0;
      const double side_k = (which & 2U) != 0 ? 1.0 : -1.0;
      if (side_j * across[j] < -touching_slack || side_k * across[k] < -touching_slack) continue;
      Triple way = across;  // within the directions that the box's edge has to itself
      if (side_j * way[j] < 0.0) way[j] = 0.0;
      if (side_k * way[k] < 0.0) way[k] = 0.0;
      Triple middle{};
      middle[j] = side_j * half_[j];
      middle[k] = side_k * half_[k];
      touch_edge(axis, middle, across, unit(way), static_cast<std::uint32_t>(axis) * 4 + which,
                 contacts);
    }
  }

  void touch_edge(std::size_t axis, const Triple& middle, const Triple& across, Triple way,
                  std::uint32_t number, std::vector<ContactPoint>& contacts) const {
    // where the two lines come nearest: s on the mesh's, t on the box's
    const Triple between = along(middle, -1.0, from_);
    const double turn = way_[axis], square = 1.0 - turn * turn, onto = dot(between, way_);
    const double s = (onto - turn * between[axis]) / square;
    const double t = (turn * onto - between[axis]) / square;
    const double tolerance = pair_.tolerance();
    if (s < -tolerance || s > length_ + tolerance || std::fabs(t) > half_[axis] + tolerance) return;
    for (const Triple& face : faces_) {
      const double into = -dot(way, face);
      if (into > touching_slack) return;
      if (into > 0.0) way = along(way, into, face);
    }
    way = unit(way);
    const double gap = -dot(between, across) * dot(across, way);
    if (gap > pair_.margin || catches_on_rim(axis, middle, way, gap)) return;
    Triple on_box = middle;
    on_box[axis] = t;
    const Triple point = along(on_box, 0.5 * gap, way);
    contacts.push_back({pair_.box.centre + direction_from(pair_.box, point),
                        direction_from(pair_.box, way), gap,
                        feature_number(MeshFeature::Edge, edge_, number, 12)});
  }

  /// As for corners (box_corners_mesh.cpp): whether an edge that comes to a rim from outside ends
  /// only a little below the face beyond.
  bool catches_on_rim(std::size_t axis, const Triple& middle, const Triple& way, double gap) const {
    if (gap < 0.0) return false;
    const auto& mesh = pair_.mesh;
    const Vec3 out = -direction_from(pair_.box, way);
    for (const Index t : mesh.topology().edge_triangles[edge_]) {
      const Vec3 n = normal_to_box(pair_, t);
      const double height = talus::dot(n, pair_.box.centre - mesh.corner(t, 0));
      if (height <= 0.0 || talus::dot(out, n) > other_face) continue;
      for (const double side : {-1.0, 1.0}) {
        Triple end = middle;
        end[axis] = side * half_[axis];
        const double below = -height - talus::dot(n, direction_from(pair_.box, end));
        if (below >= -pair_.tolerance() && below <= std::max(gap, pair_.tolerance())) return true;
      }
    }
    return false;
  }

  const BoxOnMesh& pair_;
  const std::array<double, 3>& half_;
  const Index edge_;
  std::vector<Triple>& faces_;
  Triple from_{}, to_{}, way_{};
  double length_ = 0.0;
};

}  // namespace

void faces_on_vertices(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts) {
  thread_local std::vector<Index> vertices;  // kept: no allocation from call to call
  vertices.clear();
  const auto& corner = pair.mesh.topology().corner;
  for (const Index t : pair.near)
    for (const Index v : pair.mesh.triangles()[t])
      if (corner[v] != 0) vertices.push_back(v);
  sort_unique(vertices);
  for (const Index v : vertices) FaceOnVertex(pair, v).touch(contacts);
}

void edges_on_edges(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts) {
  thread_local std::vector<Index> edges;  // kept: no allocation from call to call
  thread_local std::vector<Triple> faces;
  edges.clear();
  const auto& topology = pair.mesh.topology();
  for (const Index t : pair.near)
    for (const Index e : topology.triangle_edges[t])
      if (topology.edges[e].feature) edges.push_back(e);
  sort_unique(edges);
  for (const Index e : edges) EdgeOnEdges(pair, e, faces).touch(contacts);
}

}  // namespace talus
