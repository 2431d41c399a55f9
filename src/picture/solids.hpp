#pragma once
// Bodies on a raster.

#include "talus/geometry/shape.hpp"

#include "picture/camera.hpp"
#include "picture/raster.hpp"

#include <array>
#include <optional>

namespace talus::picture {

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
