#include "support/png_reader.hpp"

#include <cmath>
#include <png.h>
#include <stdexcept>

namespace talus::support {

picture::Image decoded_png(const std::string& bytes) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) == 0)
    throw std::runtime_error(std::string("no PNG: ") + header.message);
  header.format = PNG_FORMAT_RGB;
  picture::Image image(static_cast<int>(header.width), static_cast<int>(header.height), {});
  if (png_image_finish_read(&header, nullptr, image.bytes.data(), 0, nullptr) == 0)
    throw std::runtime_error(std::string("a PNG that breaks off: ") + header.message);
  return image;
}

std::int64_t pixels_unlike(const picture::Image& image, const picture::Colour& colour) {
  constexpr double half_a_byte = 0.5 / 255.0;
  std::int64_t count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const picture::Colour seen = image.at(x, y);
      if (std::abs(seen.r - colour.r) > half_a_byte || std::abs(seen.g - colour.g) > half_a_byte ||
          std::abs(seen.b - colour.b) > half_a_byte)
        ++count;
    }
  return count;
}

}  // namespace talus::support
