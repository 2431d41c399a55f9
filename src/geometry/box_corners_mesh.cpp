// Corners of a box on the faces of a mesh: a corner touches each plane that it is over, once.

#include "geometry/box_mesh.hpp"
#include "geometry/triangle_distance.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
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

}  // namespace talus
