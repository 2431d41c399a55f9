#pragma once
// Numbers with their nouns and units.

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace talus {

/// "1 body", "2 bodies"
inline std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

inline std::string counted(std::int64_t count, const std::string& one) {
  return counted(count, one, one + "s");
}

/// "12 s", "3 min", "5.2 h" or "2.1 days": rounded, because it is a guess.
inline std::string about(double seconds) {
  constexpr double minute = 60.0, hour = 3600.0, day = 24.0 * hour;
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100.0 * minute) return fmt::format("{:.0f} min", seconds / minute);
  if (seconds < 2.0 * day) return fmt::format("{:.1f} h", seconds / hour);
  return fmt::format("{:.1f} days", seconds / day);
}

}  // namespace talus
