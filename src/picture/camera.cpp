#include "picture/camera.hpp"

#include "talus/core/elementary.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <array>

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

}  // namespace talus::picture
