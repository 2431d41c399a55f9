#include "core/range.hpp"

#include <cmath>
#include <fmt/format.h>

namespace talus {

bool Range::holds(double value) const {
  if (std::isnan(value) || (std::isinf(value) && !infinite)) return false;
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Range::text() const {
  const bool below = low > -infinity;
  const bool above = high < infinity;
  if (below && above)
    return fmt::format("must lie in {}{}, {}{}", low_open ? "(" : "[", low, high,
                       high_open ? ")" : "]");
  if (below) return fmt::format("must be {} {}", low_open ? ">" : ">=", low);
  return infinite ? "must be a number" : "must be finite";
}

}  // namespace talus
