#include "picture/raster.hpp"

#include "talus/core/rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace talus::picture {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

/// Whole numbers of a range [low, high) of middles of pixels, inside [0, end).
struct Span {
  int first, last;  ///< last is not in it
};
Span span_of(double low, double high, int end) {
  const auto edge = [&](double at) {
    return static_cast<int>(std::clamp(std::ceil(at - 0.5), 0.0, static_cast<double>(end)));
  };
  return {edge(low), edge(high)};
}

/// Where an edge crosses the middle of a row. From the upper end, whichever triangle asks: the two
/// that share it agree to the last bit.
double crossing(const Vec3& a, const Vec3& b, double y) {
  const Vec3 &upper = a.y < b.y ? a : b, &lower = a.y < b.y ? b : a;
  return upper.x + (lower.x - upper.x) * ((y - upper.y) / (lower.y - upper.y));
}

/// The part of a line where one coordinate is in a range, as shares of its length.
void clip(double from, double to, double low, double high, std::array<double, 2>& part) {
  const double way = to - from;
  if (way == 0.0) {
    if (from < low || from > high) part = {1.0, 0.0};
    return;
  }
  const double enters = ((way > 0.0 ? low : high) - from) / way;
  const double leaves = ((way > 0.0 ? high : low) - from) / way;
  part = {std::max(part[0], enters), std::min(part[1], leaves)};
}

}  // namespace

Colour shaded(const Colour& colour, const Vec3& normal) {
  constexpr double ambient = 0.38;
  constexpr Vec3 light{-0.40, -0.56, 0.726};  // unit
  return (ambient + (1.0 - ambient) * std::max(0.0, dot(normal, light))) * colour;
}

Raster::Raster(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
              Pixel{nothing, 0.0F, 0.0F, 0.0F}) {}

std::int64_t Raster::paint_pixel(int x, int y, double depth, const Vec3& normal,
                                 const Paint& paint) {
  constexpr double strength_of_glass = 0.10;
  Pixel& pixel = pixels_[place(x, y)];
  const auto deep = static_cast<float>(depth);
  if (!(deep > pixel.depth)) return 0;
  if (paint.layer == Layer::Trial) return pixel.depth > nothing ? 1 : 0;
  const Colour seen = shaded(paint.colour, normal);
  if (paint.layer == Layer::Glass)
    tint(place(x, y), seen, strength_of_glass);
  else
    pixel = {deep, static_cast<float>(seen.r), static_cast<float>(seen.g),
             static_cast<float>(seen.b)};
  return 1;
}

/// Layers of glass need not be sorted: what passes through all of them is a product, and they show
/// the mean of their colours [McGuire13].
void Raster::tint(std::size_t pixel, const Colour& colour, double strength) {
  if (tints_.empty()) tints_.resize(pixels_.size());
  Tint& t = tints_[pixel];
  const auto s = static_cast<float>(strength);
  t.passes *= 1.0F - s;
  t.weight += s;
  t.r += s * static_cast<float>(colour.r);
  t.g += s * static_cast<float>(colour.g);
  t.b += s * static_cast<float>(colour.b);
}

std::int64_t Raster::sphere(const Vec3& centre, double radius, const Paint& paint) {
  const double least = 0.75;  // so that the middle of some pixel is inside
  if (radius < least) {
    const double x = std::floor(centre.x), y = std::floor(centre.y);
    if (x < 0.0 || y < 0.0 || x >= width_ || y >= height_) return 0;
    return paint_pixel(static_cast<int>(x), static_cast<int>(y), centre.z + radius, {0.0, 0.0, 1.0},
                       paint);
  }
  std::int64_t count = 0;
  const Span rows = span_of(centre.y - radius, centre.y + radius, height_);
  for (int y = rows.first; y < rows.last; ++y) {
    const double dy = y + 0.5 - centre.y;
    const double half = std::sqrt(std::max(0.0, radius * radius - dy * dy));
    const Span columns = span_of(centre.x - half, centre.x + half, width_);
    for (int x = columns.first; x < columns.last; ++x) {
      const double dx = x + 0.5 - centre.x;
      const double dz = std::sqrt(std::max(0.0, radius * radius - dy * dy - dx * dx));
      count += paint_pixel(x, y, centre.z + dz, (1.0 / radius) * Vec3{dx, dy, dz}, paint);
    }
  }
  return count;
}

std::int64_t Raster::triangle(const std::array<Vec3, 3>& corners, const Paint& paint) {
  const auto& [a, b, c] = corners;
  Vec3 normal = cross(b - a, c - a);
  if (normal.z == 0.0) return 0;  // seen edge-on
  const double depth_x = -normal.x / normal.z, depth_y = -normal.y / normal.z;
  normal = unit(normal.z < 0.0 ? -normal : normal);
  std::int64_t count = 0;
  const Span rows = span_of(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y}), height_);
  for (int row = rows.first; row < rows.last; ++row) {
    const double y = row + 0.5;
    double left = infinity, right = -left;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 &from = corners[i], &to = corners[(i + 1) % 3];
      if (!((from.y <= y) != (to.y <= y))) continue;
      const double x = crossing(from, to, y);
      left = std::min(left, x);
      right = std::max(right, x);
    }
    if (!(left < right)) continue;
    const Span columns = span_of(left, right, width_);
    for (int column = columns.first; column < columns.last; ++column)
      count += paint_pixel(column, row, a.z + depth_x * (column + 0.5 - a.x) + depth_y * (y - a.y),
                           normal, paint);
  }
  return count;
}

void Raster::line(const Vec3& from, const Vec3& to, const Colour& colour, double width,
                  double strength) {
  std::array<double, 2> part{0.0, 1.0};
  clip(from.x, to.x, -width, width_ + width, part);
  clip(from.y, to.y, -width, height_ + width, part);
  if (!(part[0] < part[1])) return;
  const Vec3 begin = from + part[0] * (to - from), way = (part[1] - part[0]) * (to - from);
  const bool flat = std::abs(way.x) >= std::abs(way.y);  // steps along x, else along y
  const double steps = std::max(1.0, std::ceil(flat ? std::abs(way.x) : std::abs(way.y)));
  const double lift = width;  // a line on a surface is in front of it
  int last = -1;
  for (double i = 0.0; i <= steps; ++i) {
    const Vec3 at = begin + (i / steps) * way;
    const auto along = static_cast<int>(std::floor(flat ? at.x : at.y));
    if (along == last) continue;
    last = along;
    const double across = flat ? at.y : at.x;
    const Span thick = span_of(across - 0.5 * width, across + 0.5 * width, flat ? height_ : width_);
    if (along < 0 || along >= (flat ? width_ : height_)) continue;
    for (int k = thick.first; k < thick.last; ++k) {
      Pixel& pixel = pixels_[flat ? place(along, k) : place(k, along)];
      if (!(static_cast<float>(at.z + lift) > pixel.depth)) continue;
      tint(flat ? place(along, k) : place(k, along), colour, strength);
    }
  }
}

std::int64_t Raster::covered() const {
  return std::count_if(pixels_.begin(), pixels_.end(),
                       [](const Pixel& pixel) { return pixel.depth > nothing; });
}

Image Raster::resolved(int samples, const Colour& background) const {
  Image image(width_ / samples, height_ / samples, background);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      Colour sum;
      for (int k = 0; k < samples * samples; ++k) {
        const std::size_t i = place(samples * x + k % samples, samples * y + k / samples);
        const Pixel& p = pixels_[i];
        const Colour solid = p.depth > nothing ? Colour{p.r, p.g, p.b} : background;
        const Tint t = tints_.empty() ? Tint{} : tints_[i];
        sum = sum + t.passes * solid;
        if (t.weight > 0.0F) sum = sum + ((1.0 - t.passes) / t.weight) * Colour{t.r, t.g, t.b};
      }
      image.set(x, y, (1.0 / (samples * samples)) * sum);
    }
  return image;
}

namespace {

using Glyph = std::array<std::uint8_t, 5>;  // columns from the left; the lowest bit is the top row

constexpr char first = ' ', last = '~';
constexpr std::array<Glyph, last - first + 1> glyphs{
    {{0x00, 0x00, 0x00, 0x00, 0x00}, {0x00, 0x00, 0x5F, 0x00, 0x00}, {0x00, 0x07, 0x00, 0x07, 0x00},
     {0x14, 0x7F, 0x14, 0x7F, 0x14}, {0x24, 0x2A, 0x7F, 0x2A, 0x12}, {0x23, 0x13, 0x08, 0x64, 0x62},
     {0x36, 0x49, 0x56, 0x20, 0x50}, {0x00, 0x08, 0x07, 0x03, 0x00}, {0x00, 0x1C, 0x22, 0x41, 0x00},
     {0x00, 0x41, 0x22, 0x1C, 0x00}, {0x2A, 0x1C, 0x7F, 0x1C, 0x2A}, {0x08, 0x08, 0x3E, 0x08, 0x08},
     {0x00, 0x80, 0x70, 0x30, 0x00}, {0x08, 0x08, 0x08, 0x08, 0x08}, {0x00, 0x00, 0x60, 0x60, 0x00},
     {0x20, 0x10, 0x08, 0x04, 0x02}, {0x3E, 0x51, 0x49, 0x45, 0x3E}, {0x00, 0x42, 0x7F, 0x40, 0x00},
     {0x72, 0x49, 0x49, 0x49, 0x46}, {0x21, 0x41, 0x49, 0x4D, 0x33}, {0x18, 0x14, 0x12, 0x7F, 0x10},
     {0x27, 0x45, 0x45, 0x45, 0x39}, {0x3C, 0x4A, 0x49, 0x49, 0x31}, {0x41, 0x21, 0x11, 0x09, 0x07},
     {0x36, 0x49, 0x49, 0x49, 0x36}, {0x46, 0x49, 0x49, 0x29, 0x1E}, {0x00, 0x00, 0x14, 0x00, 0x00},
     {0x00, 0x40, 0x34, 0x00, 0x00}, {0x00, 0x08, 0x14, 0x22, 0x41}, {0x14, 0x14, 0x14, 0x14, 0x14},
     {0x00, 0x41, 0x22, 0x14, 0x08}, {0x02, 0x01, 0x59, 0x09, 0x06}, {0x3E, 0x41, 0x5D, 0x59, 0x4E},
     {0x7C, 0x12, 0x11, 0x12, 0x7C}, {0x7F, 0x49, 0x49, 0x49, 0x36}, {0x3E, 0x41, 0x41, 0x41, 0x22},
     {0x7F, 0x41, 0x41, 0x41, 0x3E}, {0x7F, 0x49, 0x49, 0x49, 0x41}, {0x7F, 0x09, 0x09, 0x09, 0x01},
     {0x3E, 0x41, 0x41, 0x51, 0x73}, {0x7F, 0x08, 0x08, 0x08, 0x7F}, {0x00, 0x41, 0x7F, 0x41, 0x00},
     {0x20, 0x40, 0x41, 0x3F, 0x01}, {0x7F, 0x08, 0x14, 0x22, 0x41}, {0x7F, 0x40, 0x40, 0x40, 0x40},
     {0x7F, 0x02, 0x1C, 0x02, 0x7F}, {0x7F, 0x04, 0x08, 0x10, 0x7F}, {0x3E, 0x41, 0x41, 0x41, 0x3E},
     {0x7F, 0x09, 0x09, 0x09, 0x06}, {0x3E, 0x41, 0x51, 0x21, 0x5E}, {0x7F, 0x09, 0x19, 0x29, 0x46},
     {0x26, 0x49, 0x49, 0x49, 0x32}, {0x03, 0x01, 0x7F, 0x01, 0x03}, {0x3F, 0x40, 0x40, 0x40, 0x3F},
     {0x1F, 0x20, 0x40, 0x20, 0x1F}, {0x3F, 0x40, 0x38, 0x40, 0x3F}, {0x63, 0x14, 0x08, 0x14, 0x63},
     {0x03, 0x04, 0x78, 0x04, 0x03}, {0x61, 0x59, 0x49, 0x4D, 0x43}, {0x00, 0x7F, 0x41, 0x41, 0x41},
     {0x02, 0x04, 0x08, 0x10, 0x20}, {0x00, 0x41, 0x41, 0x41, 0x7F}, {0x04, 0x02, 0x01, 0x02, 0x04},
     {0x40, 0x40, 0x40, 0x40, 0x40}, {0x00, 0x03, 0x07, 0x08, 0x00}, {0x20, 0x54, 0x54, 0x78, 0x40},
     {0x7F, 0x28, 0x44, 0x44, 0x38}, {0x38, 0x44, 0x44, 0x44, 0x28}, {0x38, 0x44, 0x44, 0x28, 0x7F},
     {0x38, 0x54, 0x54, 0x54, 0x18}, {0x00, 0x08, 0x7E, 0x09, 0x02}, {0x18, 0xA4, 0xA4, 0x9C, 0x78},
     {0x7F, 0x08, 0x04, 0x04, 0x78}, {0x00, 0x44, 0x7D, 0x40, 0x00}, {0x20, 0x40, 0x40, 0x3D, 0x00},
     {0x7F, 0x10, 0x28, 0x44, 0x00}, {0x00, 0x41, 0x7F, 0x40, 0x00}, {0x7C, 0x04, 0x78, 0x04, 0x78},
     {0x7C, 0x08, 0x04, 0x04, 0x78}, {0x38, 0x44, 0x44, 0x44, 0x38}, {0xFC, 0x18, 0x24, 0x24, 0x18},
     {0x18, 0x24, 0x24, 0x18, 0xFC}, {0x7C, 0x08, 0x04, 0x04, 0x08}, {0x48, 0x54, 0x54, 0x54, 0x24},
     {0x04, 0x04, 0x3F, 0x44, 0x24}, {0x3C, 0x40, 0x40, 0x20, 0x7C}, {0x1C, 0x20, 0x40, 0x20, 0x1C},
     {0x3C, 0x40, 0x30, 0x40, 0x3C}, {0x44, 0x28, 0x10, 0x28, 0x44}, {0x4C, 0x90, 0x90, 0x90, 0x7C},
     {0x44, 0x64, 0x54, 0x4C, 0x44}, {0x00, 0x08, 0x36, 0x41, 0x00}, {0x00, 0x00, 0x77, 0x00, 0x00},
     {0x00, 0x41, 0x36, 0x08, 0x00}, {0x02, 0x01, 0x02, 0x04, 0x02}}};

const Glyph& glyph_of(char letter) {
  const char known = letter < first || letter > last ? '?' : letter;
  return glyphs[known - first];
}

}  // namespace

int width_of(const std::string& text, int size) {
  return text.empty() ? 0 : size * (letter_step * static_cast<int>(text.size()) - 1);
}

void write(Image& image, int x, int y, const std::string& text, int size, const Colour& colour) {
  for (const char letter : text) {
    const Glyph& glyph = glyph_of(letter);
    for (int column = 0; column < 5; ++column)
      for (int row = 0; row < 8; ++row)
        if (((glyph[column] >> row) & 1) != 0)
          for (int dot = 0; dot < size * size; ++dot)
            image.set(x + size * column + dot % size, y + size * row + dot / size, colour);
    x += size * letter_step;
  }
}

}  // namespace talus::picture
