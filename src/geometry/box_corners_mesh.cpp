// Corners of a box on the faces of a mesh: a corner touches each plane that it is over, once.

#include "geometry/box_mesh.hpp"
#include "geometry/triangle_distance.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double rises = 1e-5;  // sine from which a neighbour counts as a concave one

struct Touch {
  Index triangle = 0, group = 0;
  Vec3 normal;   ///< to the side of the box's centre
  Vec3 nearest;  ///< point of the triangle
  double gap = 0.0;
};

class CornerOnFaces {
 public:
  CornerOnFaces(const BoxOnMesh& pair, const Vec3& corner, std::vector<Touch>& touches)
      : pair_(pair), mesh_(pair.mesh), corner_(corner), touches_(touches) {}

  /// Into the list: all planes that count, the ones that are violated first.
  void find() {
    touches_.clear();
    for (const Index t : pair_.near) look_at(t);
    std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) {
      const bool above_a = a.gap >= 0.0, above_b = b.gap >= 0.0;
      if (above_a != above_b) return above_b;
      const double da = std::fabs(a.gap), db = std::fabs(b.gap);
      return da != db ? da < db : a.group < b.group;
    });
    std::size_t to = 0;
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      const bool hidden =
          std::any_of(touches_.begin(), touches_.begin() + static_cast<std::ptrdiff_t>(to),
                      [&](const Touch& nearer) { return is_behind(touches_[i], nearer); });
      if (!hidden) touches_[to++] = touches_[i];
    }
    touches_.resize(to);
  }

 private:
  void look_at(Index t) {
    const Vec3 n = normal_to_box(pair_, t);
    const double gap = dot(n, corner_ - mesh_.corner(t, 0));
    if (gap > pair_.margin) return;
    const Index group = mesh_.topology().plane_group[static_cast<std::size_t>(t)];
    const auto same = std::find_if(touches_.begin(), touches_.end(),
                                   [&](const Touch& other) { return other.group == group; });
    if (same != touches_.end()) return;
    const NearestPoint nearest = nearest_point(corners_of(mesh_, t), corner_);
    const Vec3 off = corner_ - gap * n - nearest.point;
    const bool over = dot(off, off) <= pair_.tolerance() * pair_.tolerance();
    if (!over && !beyond_concave(t, n, nearest)) return;
    const Touch touch{t, group, n, nearest.point, gap};
    if (gap >= -pair_.shallow() || entered_through(touch)) touches_.push_back(touch);
  }

  /// Whether the corner is off the plane only because it is behind a wall that stands on it there:
  /// in a concave edge, a corner must stay in front of both planes.
  bool beyond_concave(Index t, const Vec3& n, const NearestPoint& nearest) const {
    const auto& topology = mesh_.topology();
    const auto at = static_cast<std::size_t>(t);
    const auto which = static_cast<std::size_t>(nearest.which);
    if (nearest.part == TrianglePart::Face) return false;
    const auto around = nearest.part == TrianglePart::Edge
                            ? topology.edge_triangles[topology.triangle_edges[at][which]]
                            : topology.vertex_triangles[mesh_.triangles()[at][which]];
    return std::any_of(around.begin(), around.end(), [&](Index wall) {
      const double depth = -dot(normal_to_box(pair_, wall), corner_ - mesh_.corner(wall, 0));
      if (wall == t || depth <= 0.0 || depth > pair_.shallow()) return false;
      for (int i = 0; i < 3; ++i) {
        const Vec3 up = mesh_.corner(wall, i) - nearest.point;
        if (dot(n, up) > rises * std::sqrt(dot(up, up))) return true;
      }
      return false;
    });
  }

  /// Whether the way from the box's centre to the corner leads through the plane's triangles: else
  /// a corner that is deep behind it came around it.
  bool entered_through(const Touch& touch) const {
    const double height = dot(touch.normal, pair_.box.centre - mesh_.corner(touch.triangle, 0));
    const Vec3 crossing =
        corner_ + (-touch.gap / (height - touch.gap)) * (pair_.box.centre - corner_);
    return std::any_of(pair_.near.begin(), pair_.near.end(), [&](Index t) {
      if (mesh_.topology().plane_group[static_cast<std::size_t>(t)] != touch.group) return false;
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
