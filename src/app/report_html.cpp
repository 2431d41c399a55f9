#include "app/report_html.hpp"

#include "talus/core/error.hpp"
#include "talus/io/report_file.hpp"
#include "talus/io/state_file.hpp"

#include "app/body_picture.hpp"
#include "app/remarks.hpp"
#include "app/report_tables.hpp"
#include "app/run_charts.hpp"
#include "app/run_states.hpp"

#include <filesystem>
#include <fmt/format.h>

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
  const ReportJson above = value_at(report, {"error", "unconverged_steps"});
  std::string warned;
  if (const ReportJson warnings = value_at(report, {"warnings"}); warnings.is_object())
    for (const auto& [kind, count] : warnings.items())
      warned += fmt::format("{}{} of the kind '{}'", warned.empty() ? "; warnings: " : ", ",
                            report_words(count), kind);
  const bool holds = value_at(report, {"verdict", "holds"}) == true;
  const ReportJson worst = value_at(report, {"verdict", "worst"});
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
    fmt::print("report      {}, made in {:.2g} s\n",
               (std::filesystem::path(folder) / "report.html").string(), watch.lap());
  } catch (const std::exception& failure) {
    note(common, fmt::format("warning: there is no report.html: {}; talus plot {} makes it",
                             failure.what(), folder));
  }
}

}  // namespace talus::app
