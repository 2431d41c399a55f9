#pragma once
// Surfaces become pixels: a depth buffer, Lambert's law per pixel. Plain loops in one thread and in
// the order of the calls: the same pixels on every machine.

#include "talus/core/types.hpp"

#include "picture/image.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace talus::picture {

/// How a surface is painted.
enum class Layer : std::uint8_t {
  Solid,  ///< hides what is behind it
  Glass,  ///< tints what is behind it. To be drawn after all that is solid.
  Trial   ///< not at all: only counts
};

struct Paint {
  Colour colour;
  Layer layer = Layer::Solid;
};

/// Coordinates are those of Camera::project: pixels, x to the right, y down, z towards the viewer;
/// the middle of the first pixel is (0.5, 0.5).
class Raster {
 public:
  Raster(int width, int height);

  // Each returns in how many pixels it is in front of what is solid so far (Layer::Trial: of those
  // that something solid covers).
  /// Exact in every pixel. One that is smaller than a pixel still is one.
  std::int64_t sphere(const Vec3& centre, double radius, const Paint& paint);
  /// Pixels whose middle is inside; of an edge of two triangles each pixel belongs to one of them.
  std::int64_t triangle(const std::array<Vec3, 3>& corners, const Paint& paint);
  /// In front of what is solid, of one colour, `width` pixels wide; `strength` of 1 hides all.
  void line(const Vec3& from, const Vec3& to, const Colour& colour, double width,
            double strength = 1.0);

  std::int64_t covered() const;  ///< pixels that something solid covers

  /// Each pixel the mean of `samples` x `samples` of these.
  Image resolved(int samples, const Colour& background) const;

 private:
  struct Pixel {
    float depth, r, g, b;
  };
  struct Tint {
    float passes = 1.0F, weight = 0.0F, r = 0.0F, g = 0.0F, b = 0.0F;
  };
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  std::int64_t paint_pixel(int x, int y, double depth, const Vec3& normal, const Paint& paint);
  void tint(std::size_t pixel, const Colour& colour, double strength);

  int width_, height_;
  std::vector<Pixel> pixels_;
  std::vector<Tint> tints_;  ///< none until something is of glass
};

/// Lambert's law with light from the upper left, behind the viewer, and some from everywhere.
/// `normal`: unit, towards the viewer, in the coordinates of a raster.
Colour shaded(const Colour& colour, const Vec3& normal);

// Letters of 5 x 7 dots, as character displays have them (and one row below for what descends): a
// picture needs no font.

inline constexpr int letter_step = 6, letter_height = 7;  ///< dots, for size 1

/// Pixels of a line of text whose dots are `size` pixels wide.
int width_of(const std::string& text, int size);
/// ASCII text with its upper left corner at (x, y). Other characters become question marks.
void write(Image& image, int x, int y, const std::string& text, int size,
           const Colour& colour = ink);

}  // namespace talus::picture
