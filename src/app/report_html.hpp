#pragma once
// report.html: what a run was, how good its answer is, how it went and what it looks like, in one
// file that refers to nothing else.

#include "app/commands.hpp"
#include "app/run_numbers.hpp"

#include <cstdint>
#include <string>

namespace talus::app {

/// The page. `picture`: bytes of a PNG, or none.
std::string report_html(const RunNumbers& numbers, const std::string& picture);

/// DIR/report.html, as a whole or not at all; with the picture of the last state, for which that is
/// read. Throws std::runtime_error where the disk does not take it.
enum class WithPicture : std::uint8_t { No, Yes };
void write_report_html(const std::string& folder, const RunNumbers& numbers,
                       WithPicture picture = WithPicture::Yes);

/// The same at the end of a run, from what stands in its folder; of more than half a million bodies
/// without the picture, for which this rank would hold them all. Says on stdout where it is and
/// what it took; where it cannot be made there is a warning, and no failure.
void leave_report_html(const std::string& folder, std::int64_t bodies, const CommonOptions& common);

}  // namespace talus::app
