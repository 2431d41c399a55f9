#include "app/run_charts.hpp"

#include "core/number.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::app {
namespace {

using picture::Curve;
using picture::LineChart;
using Json = nlohmann::ordered_json;

constexpr const char* time_label = "t, s";

/// A column over time, of the first log that has it.
struct Wanted {
  std::vector<std::string> columns;  ///< any of these names
  const char* label;
  double factor = 1.0;
};

void add(LineChart& chart, const RunRecords& records, const Wanted& wanted) {
  for (const Columns& log : records.logs) {
    const std::vector<double>* time = log.find("time");
    for (const std::string& name : wanted.columns) {
      const std::vector<double>* values = log.find(name);
      if (time == nullptr || values == nullptr || time->empty()) continue;
      Curve curve{wanted.label, *time, *values};
      for (double& value : curve.y) value *= wanted.factor;
      chart.curves.push_back(std::move(curve));
      return;
    }
  }
}

LineChart chart_of(const RunRecords& records, const char* name, const char* title, const char* unit,
                   const std::vector<Wanted>& wanted) {
  LineChart chart{name, title, time_label, unit, false, {}, {}};
  for (const Wanted& one : wanted) add(chart, records, one);
  return chart;
}

LineChart error_chart(const RunRecords& records) {
  LineChart chart =
      chart_of(records, "error", "Verified error of steps", "m/s",
               {{{"error"}, "of the step"}, {{"largest_error"}, "of its worst contact"}});
  chart.logarithmic = true;
  if (records.report.is_object() && records.report.value("tolerance", Json()).is_number())
    chart.marks.push_back({"tolerance", records.report["tolerance"].get<double>()});
  return chart;
}

LineChart seconds_chart(const RunRecords& records) {
  return chart_of(records, "seconds", "Seconds per step", "s",
                  {{{"seconds", "seconds.total"}, "all"},
                   {{"seconds.detect"}, "detection"},
                   {{"seconds.assemble"}, "assembly"},
                   {{"seconds.solve"}, "solving"},
                   {{"seconds.integrate"}, "integration"},
                   {{"seconds.exchange", "seconds.migrate"}, "exchange"}});
}

// ---- monitors

/// The number at the end of a name such as "bin_0.25", and what stands before it.
std::pair<std::string, std::optional<double>> split(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && (std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0 ||
                        name[digits - 1] == '.'))
    --digits;
  return {name.substr(0, digits), number_in<double>(name.substr(digits))};
}

/// Columns that differ by a number only, many of them: a histogram or a profile, drawn over that
/// number at the first and the last time.
std::optional<LineChart> profile_of(const std::string& name, const Columns& table,
                                    const std::vector<std::size_t>& columns,
                                    const std::vector<double>& time) {
  LineChart chart{name, name, "", name, false, {}, {}};
  std::vector<double> x;
  for (const std::size_t c : columns) {
    const auto [front, number] = split(table.names[c]);
    if (!number || front != split(table.names[columns.front()]).first) return std::nullopt;
    x.push_back(*number);
    chart.x_label = front;
  }
  for (const std::size_t row : {std::size_t{0}, time.size() - 1}) {
    Curve curve{fmt::format("t = {:.4g} s", time[row]), x, {}};
    for (const std::size_t c : columns) curve.y.push_back(table.values[c][row]);
    if (chart.curves.empty() || row > 0) chart.curves.push_back(std::move(curve));
  }
  return chart;
}

LineChart monitor_chart(const std::string& name, const Columns& table) {
  constexpr std::size_t most_curves = 7;  // as many as there are colours
  LineChart chart{name, name, time_label, "", false, {}, {}};
  const std::vector<double>* time = table.find("time");
  if (time == nullptr || time->empty()) return chart;
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const auto& values = table.values[c];
    const bool any = std::any_of(values.begin(), values.end(),
                                 [](double value) { return std::isfinite(value); });
    if (any && table.names[c] != "time" && table.names[c] != "step") columns.push_back(c);
  }
  if (columns.size() > most_curves)
    if (const auto profile = profile_of(name, table, columns, *time)) return *profile;
  if (columns.size() > most_curves) {
    chart.title += fmt::format(" (the first {} of {} columns)", most_curves, columns.size());
    columns.resize(most_curves);
  }
  for (const std::size_t c : columns)
    chart.curves.push_back({table.names[c], *time, table.values[c]});
  return chart;
}

}  // namespace

std::vector<LineChart> charts_of(const RunRecords& records) {
  std::vector<LineChart> all{
      chart_of(records, "energy", "Energies", "J",
               {{{"kinetic", "kinetic_energy", "energy.kinetic"}, "kinetic"},
                {{"potential", "potential_energy", "energy.potential"}, "potential"},
                {{"energy", "energy.total"}, "both"}}),
      error_chart(records),
      chart_of(records, "iterations", "Iterations per step", "", {{{"iterations"}, "iterations"}}),
      chart_of(records, "penetration", "Largest penetration", "% of the smaller body",
               {{{"overlap", "overlap.share"}, "penetration", 100.0}}),
      chart_of(records, "contacts", "Contacts and bodies", "",
               {{{"contacts"}, "contacts"}, {{"bodies"}, "bodies"}}),
      seconds_chart(records),
      chart_of(records, "imbalance", "Imbalance of ranks", "largest / mean",
               {{{"imbalance"}, "imbalance"}})};
  if (all[3].curves.empty())
    all[3] = chart_of(records, "penetration", "Largest penetration", "m",
                      {{{"penetration"}, "penetration"}});
  for (const auto& [name, table] : records.monitors)
    all.push_back(monitor_chart("monitor-" + name, table));
  std::erase_if(all, [](const LineChart& chart) { return chart.curves.empty(); });
  return all;
}

std::string charts_json(const std::vector<LineChart>& charts) {
  const auto numbers = [](const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values)
      list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    return list;
  };
  Json list = Json::array();
  for (const LineChart& chart : charts) {
    Json curves = Json::array(), marks = Json::array();
    for (const Curve& curve : chart.curves)
      curves.push_back({{"label", curve.label}, {"x", numbers(curve.x)}, {"y", numbers(curve.y)}});
    for (const LineChart::Mark& mark : chart.marks)
      marks.push_back({{"label", mark.label}, {"y", mark.y}});
    list.push_back({{"name", chart.name},
                    {"title", chart.title},
                    {"x_label", chart.x_label},
                    {"y_label", chart.y_label},
                    {"logarithmic", chart.logarithmic},
                    {"curves", curves},
                    {"marks", marks}});
  }
  return Json{{"charts", list}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace talus::app
