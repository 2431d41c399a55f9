#pragma once
// What there is to see in the numbers of a run.

#include "app/run_numbers.hpp"
#include "picture/line_chart.hpp"

#include <vector>

namespace talus::app {

/// Energies, iterations, error, penetration, contacts, seconds and imbalance over time, as far as
/// the logs have them, and each monitor.
std::vector<picture::LineChart> charts_of(const RunNumbers& numbers);

/// For plot_run.py: {"charts": [...]}.
std::string charts_json(const std::vector<picture::LineChart>& charts);

}  // namespace talus::app
