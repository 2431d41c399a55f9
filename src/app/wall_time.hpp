#pragma once
// Wall times as batch systems write them.

#include <string>

namespace talus::app {

/// Seconds of "MM:SS", "H:MM:SS", "D-HH:MM:SS", or a number of seconds. Throws InputError naming
/// the option.
double parse_wall_time(const std::string& option, const std::string& text);

/// "1:02:03".
std::string wall_time_text(double seconds);

}  // namespace talus::app
