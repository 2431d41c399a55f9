#include "picture/solids.hpp"

#include "talus/geometry/triangle_mesh.hpp"

#include "core/elementary.hpp"
#include "geometry/mesh_topology.hpp"
#include "picture/legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::picture {
namespace {

void hold(Frame& frame, const View& view, const Sphere& sphere, double scale, const Pose& pose) {
  picture::hold(frame, view, pose.position, scale * sphere.radius);
}

void hold(Frame& frame, const View& view, const Box& box, double scale, const Pose& pose) {
  for (const double x : {-scale, scale})
    for (const double y : {-scale, scale})
      for (const double z : {-scale, scale})
        picture::hold(frame, view,
                      to_world(pose, {x * box.half.x, y * box.half.y, z * box.half.z}));
}

void hold(Frame&, const View&, const Plane&, double, const Pose&) {}

void hold(Frame& frame, const View& view, const Compound& compound, double scale,
          const Pose& pose) {
  for (const Compound::Part& part : compound.parts) {
    const Pose there = pose * Pose{scale * part.pose.position, part.pose.orientation};
    std::visit([&](const auto& shape) { hold(frame, view, shape, scale, there); }, part.shape);
  }
}

void hold(Frame& frame, const View& view, const Mesh& mesh, double scale, const Pose& pose) {
  if (mesh.triangles == nullptr) return;
  for (const Vec3& vertex : mesh.triangles->vertices())
    picture::hold(frame, view, to_world(pose, scale * vertex));
}

}  // namespace

View view_from(double azimuth, double elevation) {
  const double a = azimuth * pi / 180.0, e = elevation * pi / 180.0;
  const double ca = cosine(a), sa = sine(a), ce = cosine(e), se = sine(e);
  return {{-sa, ca, 0.0}, {-se * ca, -se * sa, ce}, {ce * ca, ce * sa, se}};
}

void Frame::hold(double x, double y, double around) {
  left = empty ? x - around : std::min(left, x - around);
  right = empty ? x + around : std::max(right, x + around);
  bottom = empty ? y - around : std::min(bottom, y - around);
  top = empty ? y + around : std::max(top, y + around);
  empty = false;
}

void hold(Frame& frame, const View& view, const Vec3& point, double around) {
  frame.hold(dot(view.right, point), dot(view.up, point), around);
}

void hold(Frame& frame, const View& view, const Shape& shape, double scale, const Pose& pose) {
  std::visit([&](const auto& kind) { hold(frame, view, kind, scale, pose); }, shape);
}

Vec3 Camera::project(const Vec3& point) const {
  const Vec3 way = point - centre;
  return {middle_x + scale * dot(view.right, way), middle_y - scale * dot(view.up, way),
          scale * dot(view.towards, way)};
}

Camera camera_for(const View& view, const Frame& frame, const Window& window) {
  constexpr double margin = 0.05, no_size = 1e-12;
  const double width = std::max(frame.right - frame.left, no_size);
  const double height = std::max(frame.top - frame.bottom, no_size);
  Camera camera;
  camera.view = view;
  camera.centre =
      0.5 * (frame.left + frame.right) * view.right + 0.5 * (frame.bottom + frame.top) * view.up;
  camera.scale = (1.0 - 2.0 * margin) * std::min(window.width / width, window.height / height);
  camera.middle_x = window.x + 0.5 * window.width;
  camera.middle_y = window.y + 0.5 * window.height;
  return camera;
}

namespace {

/// A body on its way to the raster.
struct Placed {
  const Camera& camera;
  double scale = 1.0;
  Pose pose;

  Vec3 operator()(const Vec3& local) const { return camera.project(to_world(pose, scale * local)); }
};

/// By bits x, y, z: the corner where these coordinates are positive.
std::array<Vec3, 8> corners_of(const Box& box, const Placed& placed) {
  std::array<Vec3, 8> corners;
  for (std::size_t i = 0; i < corners.size(); ++i)
    corners[i] =
        placed({(i & 1U) != 0 ? box.half.x : -box.half.x, (i & 2U) != 0 ? box.half.y : -box.half.y,
                (i & 4U) != 0 ? box.half.z : -box.half.z});
  return corners;
}

class Surfaces {
 public:
  Surfaces(Raster& raster, const Paint& paint) : raster_(raster), paint_(paint) {}

  std::int64_t draw(const Sphere& sphere, const Placed& at) {
    return raster_.sphere(at({}), sphere.radius * at.scale * at.camera.scale, paint_);
  }

  std::int64_t draw(const Box& box, const Placed& at) {
    constexpr std::array<std::array<std::size_t, 4>, 6> faces{
        {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}}};
    const std::array<Vec3, 8> c = corners_of(box, at);
    std::int64_t count = 0;
    for (const auto& f : faces)
      count += raster_.triangle({c[f[0]], c[f[1]], c[f[2]]}, paint_) +
               raster_.triangle({c[f[0]], c[f[2]], c[f[3]]}, paint_);
    return count;
  }

  std::int64_t draw(const Plane&, const Placed&) { return 0; }

  std::int64_t draw(const Compound& compound, const Placed& at) {
    std::int64_t count = 0;
    for (const Compound::Part& part : compound.parts) {
      const Placed there{at.camera, at.scale,
                         at.pose * Pose{at.scale * part.pose.position, part.pose.orientation}};
      count += std::visit([&](const auto& shape) { return draw(shape, there); }, part.shape);
    }
    return count;
  }

  std::int64_t draw(const Mesh& mesh, const Placed& at) {
    if (mesh.triangles == nullptr) return 0;
    std::vector<Vec3> seen;
    for (const Vec3& vertex : mesh.triangles->vertices()) seen.push_back(at(vertex));
    std::int64_t count = 0;
    for (const auto& [a, b, c] : mesh.triangles->triangles())
      count += raster_.triangle({seen[a], seen[b], seen[c]}, paint_);
    return count;
  }

 private:
  Raster& raster_;
  Paint paint_;
};

struct Pencil {
  Raster& raster;
  Stroke stroke;

  void operator()(const Vec3& a, const Vec3& b) const {
    raster.line(a, b, stroke.colour, stroke.width, stroke.strength);
  }
};

void edges_of(const Box& box, const Placed& at, const Pencil& pencil) {
  const std::array<Vec3, 8> corners = corners_of(box, at);
  for (std::size_t a = 0; a < 8; ++a)
    for (const std::size_t bit : {1U, 2U, 4U})
      if ((a & bit) == 0) pencil(corners[a], corners[a | bit]);
}

void edges_of(const Mesh& mesh, const Placed& at, const Pencil& pencil) {
  constexpr double cosine_of_30_degrees = 0.8660254037844387;
  if (mesh.triangles == nullptr) return;
  const TriangleMesh& m = *mesh.triangles;
  const MeshTopology& topology = m.topology();
  for (Index e = 0; e < static_cast<Index>(topology.edges.size()); ++e) {
    const auto of_edge = topology.edge_triangles[e];
    if (of_edge.size() == 2 &&
        dot(m.normal(of_edge[0]), m.normal(of_edge[1])) > cosine_of_30_degrees)
      continue;
    const auto& ends = topology.edges[e].ends;
    pencil(at(m.vertices()[ends[0]]), at(m.vertices()[ends[1]]));
  }
}

void edges_of(const Compound& compound, const Placed& at, const Pencil& pencil) {
  for (const Compound::Part& part : compound.parts)
    if (const auto* box = std::get_if<Box>(&part.shape))
      edges_of(*box,
               {at.camera, at.scale,
                at.pose * Pose{at.scale * part.pose.position, part.pose.orientation}},
               pencil);
}

void edges_of(const Sphere&, const Placed&, const Pencil&) {}
void edges_of(const Plane&, const Placed&, const Pencil&) {}

}  // namespace

std::int64_t draw(Raster& raster, const Camera& camera, const Shape& shape, double scale,
                  const Pose& pose, const Paint& paint) {
  Surfaces surfaces(raster, paint);
  const Placed at{camera, scale, pose};
  return std::visit([&](const auto& kind) { return surfaces.draw(kind, at); }, shape);
}

void draw_edges(Raster& raster, const Camera& camera, const Shape& shape, double scale,
                const Pose& pose, const Stroke& stroke) {
  const Placed at{camera, scale, pose};
  std::visit([&](const auto& kind) { edges_of(kind, at, {raster, stroke}); }, shape);
}

std::optional<std::array<Vec3, 4>> section(const Vec3& normal, const Vec3& point,
                                           const Bounds& box) {
  constexpr double along_axes = 1.0 - 1e-9;
  const Vec3 &a = box.low, &b = box.high;
  if (std::abs(normal.x) > along_axes)
    return {{{{point.x, a.y, a.z}, {point.x, b.y, a.z}, {point.x, b.y, b.z}, {point.x, a.y, b.z}}}};
  if (std::abs(normal.y) > along_axes)
    return {{{{a.x, point.y, a.z}, {b.x, point.y, a.z}, {b.x, point.y, b.z}, {a.x, point.y, b.z}}}};
  if (std::abs(normal.z) > along_axes)
    return {{{{a.x, a.y, point.z}, {b.x, a.y, point.z}, {b.x, b.y, point.z}, {a.x, b.y, point.z}}}};
  return std::nullopt;
}

void draw_grid(Raster& raster, const Camera& camera, const std::array<Vec3, 4>& section,
               double spacing, const Colour& colour, double width) {
  const auto draw_line = [&](const Vec3& from, const Vec3& to) {
    raster.line(camera.project(from), camera.project(to), colour, width);
  };
  for (std::size_t i = 0; i < 4; ++i) draw_line(section[i], section[(i + 1) % 4]);
  // two directions: across the first side, and across the second
  for (const std::size_t side : {0U, 1U}) {
    const Vec3 &from = section[side], way = section[side + 1] - from;
    const Vec3 across = section[(side + 3) % 4] - from;
    const double long_way = length(way);
    if (!(long_way > 0.0)) continue;
    const double start = dot(from, (1.0 / long_way) * way);
    for (const double at : ticks(start, start + long_way, spacing)) {
      const Vec3 place = from + ((at - start) / long_way) * way;
      draw_line(place, place + across);
    }
  }
}

}  // namespace talus::picture
