#pragma once
// What there is to see in the numbers of a run.

#include "app/pictures/run_numbers.hpp"
#include "picture/line_chart.hpp"

#include <string>
#include <vector>

namespace talus::app {

/// Energies, iterations, error, penetration, contacts, seconds and imbalance over time, as far as
/// the logs have them, and each monitor.
std::vector<picture::LineChart> charts_of(const RunNumbers& numbers);

/// For plot_run.py: {"charts": [...]}.
std::string charts_json(const std::vector<picture::LineChart>& charts);

// What there is to see in the numbers of a monitor, whatever it watches.

/// Columns over time, at most seven in a chart. Five or more that differ by a whole number in their
/// names (bin0, bin1, ...) are a histogram or a profile: over that number, at the first and at the
/// last time. Of a monitor with lines per body (id), the heights of the first bodies. None where
/// there is no time.
std::vector<picture::LineChart> monitor_charts(const std::string& name, const Columns& table);

}  // namespace talus::app
