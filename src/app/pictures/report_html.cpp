#include "app/pictures/report_html.hpp"

#include "talus/core/error.hpp"
#include "talus/io/state_file.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/inspect/info_of_runs.hpp"
#include "app/pictures/body_picture.hpp"
#include "app/pictures/run_charts.hpp"
#include "app/remarks.hpp"
#include "app/streams.hpp"
#include "io/report_file.hpp"
#include "picture/line_chart.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace talus::app {
namespace {

using picture::xml_text;

constexpr const char* style = R"css(
body { font: 15px/1.45 sans-serif; color: #222; background: #fff; max-width: 1240px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { font-size: 1.2em; margin: 1.6em 0 .4em; } h3 { font-size: 1em; margin: 1em 0 .2em; }
table { border-collapse: collapse; font-size: 14px; display: block; max-width: 100%; overflow-x: auto; } th, td { text-align: left; padding: 2px 14px 2px 0; border-bottom: 1px solid #e4e4e4; vertical-align: top; }
.columns { display: flex; flex-wrap: wrap; gap: 0 3em; } img, svg { max-width: 100%; height: auto; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 1em 2em; } .charts svg { width: 100%; }
.status { font-size: 1.1em; } .good { color: #00734d; } .bad { color: #b33c00; } pre { background: #f6f6f6; padding: 1em; overflow-x: auto; font-size: 13px; }
)css";

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (unsigned k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

/// One sentence that says whether the answer can be used.
std::string verdict(const ReportJson& report) {
  if (!report.is_object())
    return "<p class=\"status bad\">The run has left no report: it is still going on, or was "
           "killed.</p>\n";
  const std::string status = report_words(value_at(report, {"status"}));
  const ReportJson& above = value_at(report, {"error", "unconverged_steps"});
  std::string warned;
  if (const ReportJson& warnings = value_at(report, {"warnings"}); warnings.is_object())
    for (const auto& [kind, count] : warnings.items())
      warned += fmt::format("{}{} of the kind '{}'", warned.empty() ? "; warnings: " : ", ",
                            report_words(count), kind);
  const bool holds = value_at(report, {"verdict", "holds"}) == true;
  const ReportJson& worst = value_at(report, {"verdict", "worst"});
  const std::string stands_on =
      worst.is_string()
          ? fmt::format("; {}: {}, {}", holds ? "nearest to its limit" : "does not hold",
                        report_words(worst), report_words(value_at(report, {"verdict", "text"})))
          : "";
  const bool good = status == "finished" && holds;
  return fmt::format(
      "<p class=\"status {}\">{}: {} of {} steps above the tolerance of {} m/s{}{}</p>\n",
      good ? "good" : "bad", xml_text(status), xml_text(report_words(above)),
      xml_text(report_words(value_at(report, {"steps"}))),
      xml_text(report_words(value_at(report, {"tolerance"}))), xml_text(stands_on),
      xml_text(warned));
}

/// What was understood of the scene, and where it ran.
std::string start_tables(const ReportJson& report) {
  const std::string table = start_table(report);
  return table.empty() ? "" : "<h2>The scene</h2>\n" + table;
}

std::string tables(const ReportJson& report) {
  if (!report.is_object()) return "";
  return "<div class=\"columns\">\n<div><h2>The run</h2>\n" + summary_table(report) +
         "</div>\n<div><h2>Error bar of the run</h2>\n" + error_table(report) +
         "<h2>Where the time went</h2>\n" + phase_table(report) + "</div>\n</div>\n";
}

std::string charts(const RunNumbers& numbers) {
  std::string html = "<h2>Over time</h2>\n";
  const std::vector<picture::LineChart> all = charts_of(numbers);
  if (all.empty())
    return html +
           "<p>Nothing was logged: <code>output: {log: {every: 0.01}}</code> in the scene "
           "has a line written every so many simulated seconds.</p>\n";
  html += "<div class=\"charts\">\n";
  for (const picture::LineChart& chart : all) html += picture::svg_of(chart);
  return html + "</div>\n";
}

/// The picture of the last state; none where there is no state that can be read.
std::string picture_in(const std::string& folder) {
  try {
    return picture::png_of(picture_of(read_state(state_file_of(folder, std::nullopt)), {}));
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace

std::string report_html(const RunNumbers& numbers, const std::string& picture) {
  const ReportJson& report = numbers.report;
  std::string title = report.is_object() ? report_words(value_at(report, {"title"})) : "";
  if (title.empty()) title = std::filesystem::path(numbers.folder).filename().string();
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      xml_text(title), style);
  html += verdict(report);
  if (!picture.empty())
    html +=
        "<p><img alt=\"The bodies of the last state, coloured by velocity\" "
        "src=\"data:image/png;base64," +
        base64(picture) + "\"/></p>\n";
  else if (report.is_object() && value_at(report, {"bodies"}) != 0)
    html +=
        "<p>No picture of the bodies here: <code>talus render DIR --output P.png</code> draws "
        "them.</p>\n";
  html += start_tables(report) + tables(report) + charts(numbers);
  if (report.is_object()) html += "<h2>More figures</h2>\n" + other_tables(report);
  if (!numbers.scene.empty())
    html += "<details><summary>The scene as it ran</summary>\n<pre>" + xml_text(numbers.scene) +
            "</pre></details>\n";
  return html + "</body>\n</html>\n";
}

void write_report_html(const std::string& folder, const RunNumbers& numbers, WithPicture picture) {
  write_text((std::filesystem::path(folder) / "report.html").string(),
             report_html(numbers, picture == WithPicture::Yes ? picture_in(folder) : ""));
}

void leave_report_html(const std::string& folder, std::int64_t bodies,
                       const CommonOptions& common) {
  constexpr std::int64_t most_bodies = 500000;  // half a kilobyte each, and a second in all
  Stopwatch watch;
  try {
    write_report_html(folder, read_numbers(folder),
                      bodies <= most_bodies ? WithPicture::Yes : WithPicture::No);
    say("report      {}, made in {:.2g} s\n",
        (std::filesystem::path(folder) / "report.html").string(), watch.lap());
  } catch (const std::exception& failure) {
    note(common, fmt::format("warning: there is no report.html: {}; talus plot {} makes it",
                             failure_text(failure), folder));
  }
}

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

const ReportJson& value_at(const ReportJson& report, std::initializer_list<const char*> keys) {
  static const ReportJson none = nullptr;
  const ReportJson* value = &report;
  for (const char* key : keys) {
    if (!value->is_object() || !value->contains(key)) return none;
    value = &(*value)[key];
  }
  return *value;
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
  const ReportJson& start = value_at(report, {"start"});
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
    const ReportJson& value = value_at(report, keys);
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
  const ReportJson& ledger = value_at(report, {"energy_ledger"});
  if (ledger.is_object())
    for (const auto& [key, value] : ledger.items())
      if (key != "steps")
        rows.push_back({fmt::format("energy ledger: {}", key),
                        fmt::format("{}{}", report_words(value), value.is_number() ? " J" : "")});
  const ReportJson& energy = value_at(report, {"energy"});
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
    const ReportJson& value = value_at(phase, {key});
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
  const ReportJson& phases = value_at(report, {"phases"});
  if (phases.is_object()) {
    const ReportJson& ranks = value_at(report, {"ranks"});
    return table_of_phases(phases, ranks.is_number() && ranks != 1);
  }
  const ReportJson& seconds = value_at(report, {"seconds"});
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
