#pragma once
// Where the time of a run went: the seconds of each phase on the ranks, and how fast that was.

#include "app/run/run_report.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace talus::app {

/// In the order in which they are told. All but the last add up to the run; waiting is within them.
inline constexpr std::array<const char*, 10> phase_names{
    "events",    "share",   "detect", "assemble", "solve",
    "integrate", "compare", "output", "other",    "waiting"};
inline constexpr std::size_t solve_phase = 4, output_phase = 7, waiting_phase = 9;

/// Of this rank, one for each name. `used`: the traffic of the run.
std::vector<double> seconds_of_phases(const RunTotals& totals, const Traffic& used);

/// Adds "seconds", "seconds_most", "phases" and "speed".
void add_timing(nlohmann::ordered_json& report, const RunTotals& totals, const RunSharing& sharing);

/// The lines of the summary.
void print_timing(const RunTotals& totals, const RunSharing& sharing);

// Wall times as batch systems write them.

/// Seconds of "MM:SS", "H:MM:SS", "D-HH:MM:SS", or a number of seconds. Throws InputError naming
/// the option.
double parse_wall_time(const std::string& option, const std::string& text);

/// "1:02:03".
std::string wall_time_text(double seconds);

}  // namespace talus::app
