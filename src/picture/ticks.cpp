#include "picture/ticks.hpp"

#include "talus/core/elementary.hpp"

#include <cmath>
#include <fmt/format.h>

namespace talus::picture {

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
  std::vector<double> values;
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
