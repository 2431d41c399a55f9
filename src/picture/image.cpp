#include "picture/image.hpp"

#include <algorithm>
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

}  // namespace talus::picture
