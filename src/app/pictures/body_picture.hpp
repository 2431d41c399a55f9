#pragma once
// The bodies of a state as a picture.

#include "talus/io/state_file.hpp"

#include "app/pictures/picture_field.hpp"
#include "picture/image.hpp"

#include <optional>
#include <string>

namespace talus::app {

/// How bodies that hold others are drawn: what does not move by impulses, and large meshes and
/// compounds with others inside.
enum class Walls : std::uint8_t {
  Auto,  ///< of glass where they would hide more than a fiftieth of what moves, else solid
  Solid,
  Glass,
  Hidden  ///< not at all
};

struct PictureOptions {
  std::string field = "velocity";          ///< of picture_fields()
  std::optional<PictureField> given;       ///< in its place
  double azimuth = -60.0, elevation = 25;  ///< degrees: where the viewer stands
  int width = 960, height = 600;           ///< pixels
  std::optional<double> low, high;         ///< of the colours; else what the bodies have
  Walls walls = Walls::Auto;
};

/// The same pixels for the same state and options, on any machine. In the frame: what moves by
/// impulses (where nothing does, everything).
picture::Image picture_of(const SavedState& state, const PictureOptions& options);

/// Bodies that are meshes without triangles: they cannot be drawn.
std::size_t bare_meshes(const SavedState& state);

}  // namespace talus::app
