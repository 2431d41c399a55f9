#include "picture/legend.hpp"

#include "core/elementary.hpp"
#include "picture/image.hpp"
#include "picture/raster.hpp"

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

double decimal_logarithm(double value) {
  static const double of_ten = natural_logarithm(10.0);
  return natural_logarithm(value) / of_ten;
}

double round_step(double range, int least) {
  if (!(range > 0.0) || !std::isfinite(range)) return 1.0;
  const double most = range / least;
  double step = power(10.0, std::floor(decimal_logarithm(most)));
  if (step > most) step /= 10.0;  // the logarithm is rounded
  if (10.0 * step <= most) step *= 10.0;
  for (const double factor : {5.0, 2.0})
    if (factor * step <= most) return factor * step;
  return step;
}

std::vector<double> ticks(double low, double high, double step) {
  constexpr double hair = 1e-9;
  constexpr double most = 1000.0;  // more are no picture; beyond 2^53 steps there is no next one
  std::vector<double> values;
  if (!((high - low) / step < most) || !(std::abs(low / step) < 1e15)) return values;
  const double first = std::ceil(low / step - hair);
  for (double i = first; i * step <= high + hair * step; ++i) values.push_back(i * step);
  return values;
}

std::string tick_label(double value, double step) {
  if (std::abs(value) < 1e-6 * step) return "0";
  const double digit =
      std::floor(decimal_logarithm(step) + 1e-9);  // the power of ten that is written last
  if (digit >= -4.0 && std::abs(value) < 1e6)
    return fmt::format("{:.{}f}", value, digit < 0.0 ? static_cast<int>(-digit) : 0);
  const double first = std::floor(decimal_logarithm(std::abs(value)) + 1e-9);
  return fmt::format("{:.{}e}", value, first > digit ? static_cast<int>(first - digit) : 0);
}

}  // namespace talus::picture
