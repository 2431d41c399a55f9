#include "picture/legend.hpp"

#include "picture/colours.hpp"
#include "picture/letters.hpp"
#include "picture/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::picture {
namespace {

void fill(Image& image, int x, int y, int width, int height, const Colour& colour) {
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) image.set(x + column, y + row, colour);
}

}  // namespace

void draw_colour_bar(Image& image, const Place& place, double low, double high,
                     const std::string& title, int letter_size) {
  const int line = letter_height * letter_size;
  write(image, place.x, place.y, title, letter_size);
  const int top = place.y + 2 * line, height = place.height - 3 * line, width = 2 * line;
  for (int row = 0; row < height; ++row)
    fill(image, place.x, top + row, width, 1,
         viridis((height - 1 - row) / static_cast<double>(height - 1)));
  const double range = high - low;
  if (!(range > 0.0))  // one value: all have it
    return write(image, place.x + width + line, top + height / 2, fmt::format("{:.4g}", low),
                 letter_size);
  const double step = round_step(range, 4);
  for (const double value : ticks(low, high, step)) {
    const int y = top + static_cast<int>(std::lround((1.0 - (value - low) / range) * (height - 1)));
    fill(image, place.x + width, y, line / 2, 1, ink);
    write(image, place.x + width + line, y - line / 2, tick_label(value, step), letter_size);
  }
}

void draw_kinds(Image& image, const Place& place, const std::vector<Kind>& kinds,
                const std::string& title, int letter_size) {
  const int line = letter_height * letter_size, step = 2 * line;
  write(image, place.x, place.y, title, letter_size);
  const auto room = static_cast<std::size_t>(std::max(2, (place.height - step) / step));
  const std::size_t shown = kinds.size() <= room ? kinds.size() : room - 1;
  int y = place.y + step;
  for (std::size_t i = 0; i < shown; ++i, y += step) {
    fill(image, place.x, y, line, line, kinds[i].colour);
    write(image, place.x + line + line / 2, y, kinds[i].name, letter_size);
  }
  if (shown < kinds.size())
    write(image, place.x, y, fmt::format("{} more", kinds.size() - shown), letter_size);
}

}  // namespace talus::picture
