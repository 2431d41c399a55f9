#pragma once
// Pictures as others see them: decoded by libpng.

#include "picture/image.hpp"

#include <string>

namespace talus::support {

/// Throws std::runtime_error where the bytes are no PNG.
picture::Image decoded_png(const std::string& bytes);

/// How many pixels are not of a colour.
std::int64_t pixels_unlike(const picture::Image& image, const picture::Colour& colour);

}  // namespace talus::support
