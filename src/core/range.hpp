#pragma once
// What a number may be, and how that is said.

#include "talus/core/types.hpp"

#include <string>

namespace talus {

struct Range {
  double low = -infinity;
  double high = infinity;
  bool low_open = false, high_open = false;
  bool infinite = false;  ///< .inf and -.inf are values
  bool holds(double value) const;
  /// "must be > 0", "must lie in (0, 1]"; "must be finite" where there is no limit.
  std::string text() const;
};
inline constexpr Range any_number{};
inline constexpr Range positive{.low = 0.0, .low_open = true};
inline constexpr Range not_negative{.low = 0.0};
inline constexpr Range open_ended{.infinite = true};

}  // namespace talus
