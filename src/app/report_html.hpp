#pragma once
// report.html: what a run was, how good its answer is, how it went and what it looks like, in one
// file that refers to nothing else.

#include "app/run_numbers.hpp"

#include <string>

namespace talus::app {

/// The page. `picture`: bytes of a PNG, or none.
std::string report_html(const RunNumbers& numbers, const std::string& picture);

/// DIR/report.html with the picture of the last state, as a whole or not at all. Throws
/// std::runtime_error where the disk does not take it.
void write_report_html(const std::string& folder, const RunNumbers& numbers);

}  // namespace talus::app
