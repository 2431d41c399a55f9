#include "app/report_tables.hpp"

#include "picture/line_chart.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace talus::app {
namespace {

using picture::xml_text;
using Rows = std::vector<std::vector<std::string>>;

/// The first row is the heading, unless it is empty.
std::string table_of(const Rows& rows) {
  std::string html = "<table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].empty()) continue;
    const char* const cell = r == 0 ? "th" : "td";
    html += "<tr>";
    for (const std::string& text : rows[r])
      html += fmt::format("<{0}>{1}</{0}>", cell, xml_text(text));
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

/// Key by key; objects inside of it as "key.key".
void add_rows(const ReportJson& object, const std::string& before, Rows& rows) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = before.empty() ? key : fmt::format("{}.{}", before, key);
    if (value.is_object())
      add_rows(value, name, rows);
    else
      rows.push_back({name, report_words(value)});
  }
}

std::string table_of_object(const ReportJson& object) {
  Rows rows{{}};
  add_rows(object, "", rows);
  return table_of(rows);
}

/// A list of objects: a row for each, a column for each key of any.
std::string table_of_list(const ReportJson& list) {
  Rows rows{{}};
  for (const ReportJson& entry : list) {
    if (!entry.is_object()) {
      rows.push_back({report_words(entry)});
      continue;
    }
    for (const auto& [key, value] : entry.items())
      if (std::find(rows[0].begin(), rows[0].end(), key) == rows[0].end()) rows[0].push_back(key);
  }
  for (const ReportJson& entry : list) {
    if (!entry.is_object()) continue;
    std::vector<std::string> row;
    for (const std::string& key : rows[0])
      row.push_back(entry.contains(key) ? report_words(entry[key]) : "");
    rows.push_back(row);
  }
  return table_of(rows);
}

std::string percent(const ReportJson& share) {
  return share.is_number() ? fmt::format("{:.3g} %", 100.0 * share.get<double>())
                           : report_words(share);
}

}  // namespace

ReportJson value_at(const ReportJson& report, std::initializer_list<const char*> keys) {
  ReportJson value = report;
  for (const char* key : keys) {
    if (!value.is_object() || !value.contains(key)) return nullptr;
    value = ReportJson(value[key]);
  }
  return value;
}

std::string report_words(const ReportJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "not known";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> words;
  for (const ReportJson& item : value) words.push_back(report_words(item));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string start_table(const ReportJson& report) {
  const ReportJson start = value_at(report, {"start"});
  if (!start.is_array() || start.empty()) return "";
  Rows rows{{}};
  for (const ReportJson& line : start)
    rows.push_back(
        {report_words(value_at(line, {"what"})), report_words(value_at(line, {"text"}))});
  return table_of(rows);
}

std::string summary_table(const ReportJson& report) {
  Rows rows{{}};
  const auto add = [&](const char* name, std::initializer_list<const char*> keys,
                       const char* unit = "") {
    const ReportJson value = value_at(report, keys);
    if (value.is_null() || (value.is_string() && value.get<std::string>().empty())) return;
    rows.push_back({name, fmt::format("{}{}", report_words(value), unit)});
  };
  if (!value_at(report, {"start"}).is_array()) add("scene", {"scene"});  // it says that too
  add("status", {"status"});
  add("reason", {"reason"});
  add("step", {"step"});
  add("time reached", {"time"}, " s");
  add("time step", {"time_step"}, " s");
  add("bodies at the end", {"bodies"});
  add("inserted", {"inserted"});
  add("removed", {"removed"});
  add("joints", {"joints"});
  add("contacts, most in a step", {"contacts", "most"});
  add("law", {"law"});
  add("method", {"method"});
  add("iterations per step, mean", {"iterations", "mean"});
  add("iterations per step, most", {"iterations", "most"});
  add("wall time", {"seconds", "total"}, " s");
  add("steps per second", {"speed", "steps_per_second"});
  add("ranks", {"ranks"});
  add("threads per rank", {"threads"});
  add("trajectory hash", {"trajectory_hash"});
  add("reproducible", {"reproducible"});
  add("version", {"versions", "talus"});
  return table_of(rows);
}

std::string error_table(const ReportJson& report) {
  const auto at = [&](std::initializer_list<const char*> keys) {
    return report_words(value_at(report, keys));
  };
  const std::string unit = at({"error", "unit"});
  Rows rows{{}};
  rows.push_back(
      {"residual of the worst step", fmt::format("{} {}", at({"error", "worst"}), unit)});
  rows.push_back({"mean residual", fmt::format("{} {}", at({"error", "mean"}), unit)});
  const std::string impulse_unit = at({"impulse_error", "unit"});
  rows.push_back({"the same as impulses, worst step",
                  fmt::format("{} {}", at({"impulse_error", "worst"}), impulse_unit)});
  rows.push_back({"the same as impulses, mean",
                  fmt::format("{} {}", at({"impulse_error", "mean"}), impulse_unit)});
  rows.push_back({"tolerance", fmt::format("{} {}", at({"tolerance"}), unit)});
  rows.push_back({"measure", fmt::format("{}, law {}", at({"error", "measure"}), at({"law"}))});
  rows.push_back({"steps above the tolerance",
                  fmt::format("{} of {}", at({"error", "unconverged_steps"}), at({"steps"}))});
  rows.push_back({"worst penetration",
                  fmt::format("{} of the smaller body, {} m, step {}",
                              percent(value_at(report, {"overlap", "largest_share_of_size"})),
                              at({"overlap", "largest"}), at({"overlap", "step"}))});
  if (value_at(report, {"joints"}) != 0 && value_at(report, {"joint_gap"}).is_object())
    rows.push_back(
        {"joints open by at most",
         fmt::format("{} of the smaller body, {} m, step {}; {} rad, step {}",
                     percent(value_at(report, {"joint_gap", "largest_share_of_size"})),
                     at({"joint_gap", "largest"}), at({"joint_gap", "step"}),
                     at({"joint_gap", "largest_angle"}), at({"joint_gap", "angle_step"}))});
  const ReportJson ledger = value_at(report, {"energy_ledger"});
  if (ledger.is_object())
    for (const auto& [key, value] : ledger.items())
      if (key != "steps")
        rows.push_back({fmt::format("energy ledger: {}", key),
                        fmt::format("{}{}", report_words(value), value.is_number() ? " J" : "")});
  const ReportJson energy = value_at(report, {"energy"});
  if (energy.is_object())
    for (const auto& [key, value] : energy.items())
      rows.push_back({fmt::format("energy: {}", key),
                      fmt::format("{}{}", report_words(value), value.is_number() ? " J" : "")});
  return table_of(rows);
}

namespace {

/// Of the phases over the ranks; older reports have means alone.
std::string table_of_phases(const ReportJson& phases, bool several) {
  const auto seconds = [](const ReportJson& phase, const char* key) {
    const ReportJson value = value_at(phase, {key});
    return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : report_words(value);
  };
  Rows rows{{"phase", "s", "share"}};
  if (several) rows[0] = {"phase", "least s", "mean s", "most s", "share"};
  for (const auto& [name, phase] : phases.items()) {
    if (!several && (name == "share" || name == "waiting")) continue;
    const std::string shown = name == "waiting" ? "waiting, within the above" : name;
    const std::string part = percent(value_at(phase, {"share"}));
    rows.push_back({shown, seconds(phase, "mean"), part});
    if (several)
      rows.back() = {shown, seconds(phase, "least"), seconds(phase, "mean"), seconds(phase, "most"),
                     part};
  }
  return table_of(rows);
}

}  // namespace

std::string phase_table(const ReportJson& report) {
  const ReportJson phases = value_at(report, {"phases"});
  if (phases.is_object()) {
    const ReportJson ranks = value_at(report, {"ranks"});
    return table_of_phases(phases, ranks.is_number() && ranks != 1);
  }
  const ReportJson seconds = value_at(report, {"seconds"});
  if (!seconds.is_object()) return "";
  double total = 0.0;
  if (seconds.value("total", ReportJson()).is_number()) total = seconds["total"].get<double>();
  Rows rows{{"phase", "s", "share"}};
  for (const auto& [key, value] : seconds.items()) {
    if (!value.is_number()) return table_of_object(seconds);
    const double s = value.get<double>();
    rows.push_back({key, fmt::format("{:.4g}", s),
                    total > 0.0 ? fmt::format("{:.1f} %", 100.0 * s / total) : ""});
  }
  return table_of(rows);
}

std::string other_tables(const ReportJson& report) {
  static const std::set<std::string> shown{
      "error",   "impulse_error", "overlap", "joint_gap", "energy_ledger", "energy",
      "seconds", "seconds_most",  "phases",  "start",     "warnings"};
  std::string html;
  for (const auto& [key, value] : report.items()) {
    if (shown.count(key) != 0 || !value.is_structured() || value.empty()) continue;
    html += fmt::format("<h3>{}</h3>\n", xml_text(key));
    html += value.is_array() ? table_of_list(value) : table_of_object(value);
  }
  return html;
}

}  // namespace talus::app
