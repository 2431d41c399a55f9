#include "geometry/box_mesh.hpp"

#include "geometry/mesh_contacts.hpp"
#include "geometry/mesh_topology.hpp"

#include <algorithm>
#include <array>
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

// Corners of a box on the faces of a mesh: a corner touches each plane that it is over, once.

namespace {

constexpr double rises = 1e-5;  // sine from which a neighbour counts as a concave one

constexpr double unexplained = 0.01;  // of the way off a plane, for walls that are not upright

struct Touch {
  Index triangle = 0, group = 0;
  Vec3 normal;   ///< to the side of the box's centre
  Vec3 nearest;  ///< point of the triangle
  double gap = 0.0;
  double apart = 0.0;  ///< how far the whole box is from the plane; negative: behind it
};

class CornerOnFaces {
 public:
  CornerOnFaces(const BoxOnMesh& pair, const Vec3& corner, std::vector<Touch>& touches)
      : pair_(pair), mesh_(pair.mesh), corner_(corner), touches_(touches) {}

  /// Into the list: all planes that count. Where they exclude each other, the one that the box has
  /// to move least to get clear of.
  void find() {
    touches_.clear();
    for (const Index t : pair_.near) look_at(t);
    std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) {
      return a.apart != b.apart ? a.apart > b.apart : a.group < b.group;
    });
    std::size_t to = 0;
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      const bool hidden =
          std::any_of(touches_.begin(), touches_.begin() + static_cast<std::ptrdiff_t>(to),
                      [&](const Touch& nearer) { return is_behind(touches_[i], nearer); });
      if (!hidden && !catches_on_rim(touches_[i])) touches_[to++] = touches_[i];
    }
    touches_.resize(to);
  }

 private:
  void look_at(Index t) {
    const Vec3 n = normal_to_box(pair_, t);
    const double gap = dot(n, corner_ - mesh_.corner(t, 0));
    if (gap > pair_.margin || dot(n, pair_.box.centre - mesh_.corner(t, 0)) <= 0.0) return;
    const Index group = mesh_.topology().plane_group[t];
    const auto same = std::find_if(touches_.begin(), touches_.end(),
                                   [&](const Touch& other) { return other.group == group; });
    if (same != touches_.end()) return;
    const NearestPoint nearest = nearest_point(corners_of(mesh_, t), corner_);
    const Vec3 off = corner_ - gap * n - nearest.point;
    const bool over = dot(off, off) <= pair_.tolerance() * pair_.tolerance();
    if (!over && !beyond_concave(t, n, nearest, off)) return;
    const Touch touch{t, group, n, nearest.point, gap, apart_from(t, n)};
    if (gap >= -pair_.shallow() || entered_through(touch)) touches_.push_back(touch);
  }

  double apart_from(Index t, const Vec3& n) const {
    double apart = dot(n, pair_.box.centre - mesh_.corner(t, 0));
    for (std::size_t k = 0; k < 3; ++k)
      apart -= pair_.box.half[k] * std::fabs(dot(n, pair_.box.axis[k]));
    return apart;
  }

  /// Whether the corner is `off` the plane only because it is behind walls that stand on it there:
  /// in a concave edge, a corner must stay in front of both planes.
  bool beyond_concave(Index t, const Vec3& n, const NearestPoint& nearest, Vec3 off) const {
    const auto& topology = mesh_.topology();
    const auto at = static_cast<std::size_t>(t);
    const auto which = static_cast<std::size_t>(nearest.which);
    if (nearest.part == TrianglePart::Face) return false;
    const auto around = nearest.part == TrianglePart::Edge
                            ? topology.edge_triangles[topology.triangle_edges[at][which]]
                            : topology.vertex_triangles[mesh_.triangles()[at][which]];
    const double allowed = pair_.tolerance() + unexplained * std::sqrt(dot(off, off));
    for (const Index wall : around) {
      const Vec3 of_wall = normal_to_box(pair_, wall);
      const double depth = -dot(of_wall, corner_ - mesh_.corner(wall, 0));
      if (depth <= 0.0 || depth > pair_.shallow() || !stands_on(wall, n, nearest.point)) continue;
      const Vec3 back = of_wall - dot(of_wall, n) * n;
      const double along = dot(off, back);
      if (along < 0.0) off = off - (along / dot(back, back)) * back;
    }
    return dot(off, off) <= allowed * allowed;
  }

  bool stands_on(Index wall, const Vec3& n, const Vec3& foot) const {
    for (int i = 0; i < 3; ++i) {
      const Vec3 up = mesh_.corner(wall, i) - foot;
      if (dot(n, up) > rises * std::sqrt(dot(up, up))) return true;
    }
    return false;
  }

  /// Whether the way from the box's centre to the corner leads through the plane's triangles: else
  /// a corner that is deep behind it came around it.
  bool entered_through(const Touch& touch) const {
    const double height = dot(touch.normal, pair_.box.centre - mesh_.corner(touch.triangle, 0));
    const Vec3 crossing =
        corner_ + (-touch.gap / (height - touch.gap)) * (pair_.box.centre - corner_);
    return std::any_of(pair_.near.begin(), pair_.near.end(), [&](Index t) {
      if (mesh_.topology().plane_group[t] != touch.group) return false;
      const Vec3 off = nearest_point(corners_of(mesh_, t), crossing).point - crossing;
      return dot(off, off) <= pair_.tolerance() * pair_.tolerance();
    });
  }

  /// Whether a plane continues behind another one that the corner touches: over a convex edge only
  /// one of them counts.
  bool is_behind(const Touch& touch, const Touch& nearer) const {
    const Vec3& origin = mesh_.corner(nearer.triangle, 0);
    const double height = dot(nearer.normal, touch.nearest - origin);
    if (std::fabs(height) > pair_.tolerance()) return height < 0.0;
    const auto [a, b, c] = corners_of(mesh_, touch.triangle);
    return dot(nearer.normal, (a - origin) + (b - origin) + (c - origin)) < 0.0;
  }

  /// Whether a corner comes to a face from outside beyond a convex edge of it, and it is the face
  /// across that edge that the box lies on: there it sinks in by the solver's tolerance, which must
  /// not keep a box that is pushed onto a table from sliding on.
  bool catches_on_rim(const Touch& touch) const {
    return touch.gap >= 0.0 && std::any_of(pair_.near.begin(), pair_.near.end(),
                                           [&](Index t) { return is_rim_of(t, touch); });
  }

  bool is_rim_of(Index t, const Touch& touch) const {
    const Vec3 n = normal_to_box(pair_, t);
    const Vec3& origin = mesh_.corner(t, 0);
    const double below = -dot(n, corner_ - origin), tolerance = pair_.tolerance();
    if (below < -tolerance || dot(n, pair_.box.centre - origin) <= 0.0) return false;
    const double apart = apart_from(t, n);
    if (below > std::max(touch.gap, tolerance) && apart <= touch.apart) return false;
    const Index group = mesh_.topology().plane_group[t];
    if (group == touch.group || !is_behind(touch, {t, group, n, {}, -below, apart})) return false;
    const Vec3 off = nearest_point(corners_of(mesh_, t), corner_).point - corner_;
    const double close = touch.gap + below + 2.0 * tolerance;
    return dot(off, off) <= close * close;
  }

  const BoxOnMesh& pair_;
  const TriangleMesh& mesh_;
  const Vec3 corner_;
  std::vector<Touch>& touches_;
};

}  // namespace

void corners_on_faces(const BoxOnMesh& pair, std::vector<ContactPoint>& contacts) {
  thread_local std::vector<Touch> touches;  // kept: no allocation from call to call
  for (std::uint32_t k = 0; k < 8; ++k) {
    Vec3 corner = pair.box.centre;
    for (std::size_t i = 0; i < 3; ++i)
      corner =
          corner + ((k >> i & 1U) != 0 ? pair.box.half[i] : -pair.box.half[i]) * pair.box.axis[i];
    CornerOnFaces(pair, corner, touches).find();
    for (const Touch& touch : touches)
      contacts.push_back({corner - (0.5 * touch.gap) * touch.normal, -touch.normal, touch.gap,
                          feature_number(MeshFeature::Face, touch.group, k, 8)});
  }
}

// Vertices of a mesh on the faces of a box, and edges of a mesh on edges of a box.

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

  /// As for corners: whether an edge that comes to a rim from outside ends
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
