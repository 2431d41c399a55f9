#include "app/wall_time.hpp"

#include "talus/core/error.hpp"

#include "core/number.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <regex>

namespace talus::app {

double parse_wall_time(const std::string& option, const std::string& text) {
  static const std::regex form("(?:(?:([0-9]{1,6})-)?([0-9]{1,6}):)?([0-9]{1,6}):([0-9]{2})");
  struct Unit {
    double seconds, most;  ///< most: of it, where a larger unit stands in front
  };
  constexpr std::array<Unit, 4> units{{{86400.0, 0.0}, {3600.0, 23.0}, {60.0, 59.0}, {1.0, 59.0}}};
  double seconds = number_in<double>(text).value_or(-1.0);
  if (std::smatch part; std::regex_match(text, part, form)) {
    bool first = true, sound = true;
    seconds = 0.0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!part[i + 1].matched) continue;
      const double number = number_in<double>(part[i + 1].str()).value_or(0.0);
      sound = sound && (first || number <= units[i].most);
      first = false;
      seconds += units[i].seconds * number;
    }
    if (!sound) seconds = -1.0;
  }
  if (!(seconds > 0.0) || !std::isfinite(seconds))
    throw InputError(fmt::format(
        "{} = '{}' must be a time on the clock, as H:MM:SS (1:30:00), D-HH:MM:SS or seconds, > 0",
        option, text));
  return seconds;
}

std::string wall_time_text(double seconds) {
  constexpr std::int64_t minute = 60, hour = 3600;
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / hour, whole / minute % minute, whole % minute);
}

}  // namespace talus::app
