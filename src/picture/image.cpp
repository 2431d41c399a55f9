#include "picture/image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <png.h>
#include <stdexcept>

namespace talus::picture {
namespace {

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
}

std::size_t place_of(const Image& image, int x, int y) {
  return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
              static_cast<std::size_t>(x));
}

void append(png_structp png, png_bytep bytes, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(bytes), count);
}

/// libpng leaves by longjmp: nothing here may own anything.
bool encode(png_structp png, png_infop info, const Image& image, std::vector<png_bytep>& rows,
            std::string& bytes) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &bytes, append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  return true;
}

}  // namespace

Image::Image(int wide, int high, const Colour& colour)
    : width(wide),
      height(high),
      bytes(3 * static_cast<std::size_t>(wide) * static_cast<std::size_t>(high)) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) set(x, y, colour);
}

void Image::set(int x, int y, const Colour& colour) {
  if (x < 0 || y < 0 || x >= width || y >= height) return;
  std::uint8_t* const pixel = bytes.data() + place_of(*this, x, y);
  pixel[0] = byte_of(colour.r);
  pixel[1] = byte_of(colour.g);
  pixel[2] = byte_of(colour.b);
}

Colour Image::at(int x, int y) const {
  const std::uint8_t* const pixel = bytes.data() + place_of(*this, x, y);
  return {pixel[0] / 255.0, pixel[1] / 255.0, pixel[2] / 255.0};
}

std::string png_of(const Image& image) {
  Image copy = image;  // libpng wants pointers to what may change
  std::vector<png_bytep> rows;
  for (int y = 0; y < copy.height; ++y) rows.push_back(copy.bytes.data() + place_of(copy, 0, y));
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  std::string bytes;
  const bool done = info != nullptr && encode(png, info, copy, rows, bytes);
  png_destroy_write_struct(&png, &info);
  if (!done) throw std::runtime_error("a PNG could not be made: libpng refused");
  return bytes;
}

namespace {

/// Every fifteenth of the 256 colours that matplotlib publishes (CC0).
constexpr std::array<Colour, 18> anchors{{{0.267004, 0.004874, 0.329415},
                                          {0.281924, 0.089666, 0.412415},
                                          {0.280255, 0.165693, 0.476498},
                                          {0.263663, 0.237631, 0.518762},
                                          {0.237441, 0.305202, 0.541921},
                                          {0.208623, 0.367752, 0.552675},
                                          {0.182256, 0.426184, 0.557120},
                                          {0.159194, 0.482237, 0.558073},
                                          {0.137770, 0.537492, 0.554906},
                                          {0.121148, 0.592739, 0.544641},
                                          {0.128087, 0.647749, 0.523491},
                                          {0.180653, 0.701402, 0.488189},
                                          {0.274149, 0.751988, 0.436601},
                                          {0.395174, 0.797475, 0.367757},
                                          {0.535621, 0.835785, 0.281908},
                                          {0.688944, 0.865448, 0.182725},
                                          {0.845561, 0.887322, 0.099702},
                                          {0.993248, 0.906157, 0.143936}}};

/// Without black, which is the colour of lines and letters.
constexpr std::array<Colour, kinds_of_colour> kinds{{{0.000, 0.447, 0.698},
                                                     {0.902, 0.624, 0.000},
                                                     {0.000, 0.620, 0.451},
                                                     {0.800, 0.475, 0.655},
                                                     {0.337, 0.706, 0.914},
                                                     {0.835, 0.369, 0.000},
                                                     {0.941, 0.894, 0.259}}};

}  // namespace

Colour viridis(double share) {
  constexpr std::size_t last = anchors.size() - 1;
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(last);
  const std::size_t below = std::min(static_cast<std::size_t>(place), last - 1);
  const double part = place - static_cast<double>(below);
  return (1.0 - part) * anchors[below] + part * anchors[below + 1];
}

Colour of_kind(std::size_t number) {
  const Colour& plain = kinds[number % kinds.size()];
  switch (number / kinds.size() % 3) {
    case 1:
      return 0.6 * plain;
    case 2:
      return 0.5 * plain + 0.5 * white;
    default:
      return plain;
  }
}

}  // namespace talus::picture
