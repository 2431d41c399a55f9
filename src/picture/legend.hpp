#pragma once
// Round numbers along an axis.

#include "picture/image.hpp"

#include <string>
#include <vector>

namespace talus::picture {

/// With the same bits on every machine; of a power of ten perhaps not quite whole.
double decimal_logarithm(double value);
/// 1, 2 or 5 times a power of ten: the largest that makes at least `least` steps of a range.
double round_step(double range, int least);
/// Multiples of the step that lie in [low, high].
std::vector<double> ticks(double low, double high, double step);
/// As few digits as tell multiples of the step apart.
std::string tick_label(double value, double step);

// What colours mean, in words and numbers.

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
