#pragma once
// report.html: what a run was, how good its answer is, how it went and what it looks like, in one
// file that refers to nothing else.

#include "app/commands.hpp"
#include "app/pictures/run_numbers.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
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

// The tables of report.html, each as one HTML element that is well-formed XML too.

using ReportJson = nlohmann::ordered_json;

/// A value at the end of keys, such as {"error", "worst"}; null where it is not there.
const ReportJson& value_at(const ReportJson& report, std::initializer_list<const char*> keys);
/// As a person reads it: six digits; "none" of nothing; "not finite" of a number that is null.
std::string report_words(const ReportJson& value);

/// What was understood of the scene before the first step; empty where the report does not say.
std::string start_table(const ReportJson& report);
/// What ran: scene, bodies, steps, ranks, law, method, hash.
std::string summary_table(const ReportJson& report);
/// The error bar of the run: residuals, penetration, steps above the tolerance, energies.
std::string error_table(const ReportJson& report);
/// Seconds of each phase and its share.
std::string phase_table(const ReportJson& report);
/// All keys that hold objects or lists, a table for each.
std::string other_tables(const ReportJson& report);

}  // namespace talus::app
