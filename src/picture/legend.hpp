#pragma once
// What colours mean, in words and numbers.

#include "picture/image.hpp"

#include <string>
#include <vector>

namespace talus::picture {

/// Places in an image, pixels.
struct Place {
  int x = 0, y = 0, height = 0;
};

/// viridis from `low` (below) to `high` with round numbers beside it and a title above.
void draw_colour_bar(Image& image, const Place& place, double low, double high,
                     const std::string& title, int letter_size);

struct Kind {
  std::string name;
  Colour colour;
};
/// As many as there is room for; then how many more there are.
void draw_kinds(Image& image, const Place& place, const std::vector<Kind>& kinds,
                const std::string& title, int letter_size);

}  // namespace talus::picture
