#pragma once
// From where a picture is seen: parallel rays, so that lengths can be compared everywhere in it.

#include "talus/geometry/shape.hpp"

#include "picture/raster.hpp"

#include <array>
#include <optional>

namespace talus::picture {

/// Orthonormal: where right, up and the viewer are.
struct View {
  Vec3 right, up, towards;
};

/// Of a viewer who stands in a direction: azimuth from the x axis in the x-y plane, elevation above
/// it, degrees. From straight above or below, up is where the viewer's gaze would sink to.
View view_from(double azimuth, double elevation);

/// What is in the picture, in m along right and up.
struct Frame {
  double left = 0.0, right = 0.0, bottom = 0.0, top = 0.0;
  bool empty = true;

  void hold(double x, double y, double around);
};
/// The frame holds the point, or the sphere around it.
void hold(Frame& frame, const View& view, const Vec3& point, double around = 0.0);
/// The same of a shape: exact for spheres and boxes, of others their parts or corners.
void hold(Frame& frame, const View& view, const Shape& shape, double scale, const Pose& pose);

/// A rectangle of an image.
struct Window {
  double x = 0.0, y = 0.0, width = 0.0, height = 0.0;  ///< pixels, from the upper left corner
};

struct Camera {
  View view;
  Vec3 centre;         ///< is in the middle of the window
  double scale = 1.0;  ///< pixels per m
  double middle_x = 0.0, middle_y = 0.0;

  /// In pixels: x to the right, y down, z towards the viewer.
  Vec3 project(const Vec3& point) const;
};

/// The frame fills the window, with a margin of a twentieth.
Camera camera_for(const View& view, const Frame& frame, const Window& window);

// Bodies on a raster.

/// Returns what the raster says of all its surfaces together. Planes have none.
std::int64_t draw(Raster& raster, const Camera& camera, const Shape& shape, double scale,
                  const Pose& pose, const Paint& paint);

struct Stroke {
  Colour colour;
  double width = 1.0;     ///< pixels
  double strength = 1.0;  ///< 1 hides what is behind
};
/// Edges of boxes, and those of meshes where the surface ends or bends by more than 30 degrees.
void draw_edges(Raster& raster, const Camera& camera, const Shape& shape, double scale,
                const Pose& pose, const Stroke& stroke);

/// The rectangle in which a plane that lies along two axes crosses a box, corner after corner;
/// nothing of other planes.
std::optional<std::array<Vec3, 4>> section(const Vec3& normal, const Vec3& point,
                                           const Bounds& box);
/// Its border, and lines through the multiples of `spacing` of the coordinates.
void draw_grid(Raster& raster, const Camera& camera, const std::array<Vec3, 4>& section,
               double spacing, const Colour& colour, double width);

}  // namespace talus::picture
