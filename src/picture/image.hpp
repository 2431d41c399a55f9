#pragma once
// Pixels, and PNG files of them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace talus::picture {

/// Red, green, blue as they are stored (sRGB), each from 0 to 1.
struct Colour {
  double r = 0.0, g = 0.0, b = 0.0;
};
inline Colour operator*(double s, const Colour& c) {
  return {s * c.r, s * c.g, s * c.b};
}
inline Colour operator+(const Colour& a, const Colour& b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}

inline constexpr Colour white{1.0, 1.0, 1.0}, ink{0.13, 0.15, 0.17};

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  ///< three per pixel, rows from above

  Image(int wide, int high, const Colour& colour);
  void set(int x, int y, const Colour& colour);  ///< nothing outside
  Colour at(int x, int y) const;
};

/// The bytes of a PNG file: 8 bits per channel, no time and no text in it, so that the same pixels
/// are the same bytes (of one version of zlib).
std::string png_of(const Image& image);

// Which colour means what.

/// viridis [Walt15]: dark blue at 0, yellow at 1, equal steps look equal, also in grey and to
/// the colour-blind. Outside: the ends.
Colour viridis(double share);

/// Of things without an order: colours that the colour-blind can tell apart [Okabe08]; after the
/// last one they come darker, then paler, then anew.
Colour of_kind(std::size_t number);
inline constexpr std::size_t kinds_of_colour = 7;

}  // namespace talus::picture
