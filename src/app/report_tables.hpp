#pragma once
// The tables of report.html, each as one HTML element that is well-formed XML too.

#include <nlohmann/json.hpp>
#include <string>

namespace talus::app {

using ReportJson = nlohmann::ordered_json;

/// A value at the end of keys, such as {"error", "worst"}; null where it is not there.
ReportJson value_at(const ReportJson& report, std::initializer_list<const char*> keys);
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
