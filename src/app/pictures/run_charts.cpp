#include "app/pictures/run_charts.hpp"

#include "core/number.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

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

void add(LineChart& chart, const RunNumbers& numbers, const Wanted& wanted) {
  for (const Columns& log : numbers.logs) {
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

LineChart chart_of(const RunNumbers& numbers, const char* name, const char* title, const char* unit,
                   const std::vector<Wanted>& wanted) {
  LineChart chart{name, title, time_label, unit, false, {}, {}};
  for (const Wanted& one : wanted) add(chart, numbers, one);
  return chart;
}

LineChart error_chart(const RunNumbers& numbers) {
  LineChart chart =
      chart_of(numbers, "error", "Verified error of steps", "m/s",
               {{{"error"}, "of the step"}, {{"largest_error"}, "of its worst contact"}});
  chart.logarithmic = true;
  if (numbers.report.is_object() && numbers.report.value("tolerance", Json()).is_number())
    chart.marks.push_back({"tolerance", numbers.report["tolerance"].get<double>()});
  return chart;
}

LineChart seconds_chart(const RunNumbers& numbers) {
  return chart_of(numbers, "seconds", "Seconds per step", "s",
                  {{{"seconds", "seconds.total"}, "all"},
                   {{"seconds.detect"}, "detection"},
                   {{"seconds.assemble"}, "assembly"},
                   {{"seconds.solve"}, "solving"},
                   {{"seconds.integrate"}, "integration"},
                   {{"seconds.exchange", "seconds.migrate"}, "exchange"}});
}

}  // namespace

std::vector<LineChart> charts_of(const RunNumbers& numbers) {
  std::vector<LineChart> all{
      chart_of(numbers, "energy", "Energies", "J",
               {{{"kinetic", "kinetic_energy", "energy.kinetic"}, "kinetic"},
                {{"potential", "potential_energy", "energy.potential"}, "potential"},
                {{"energy", "energy.total"}, "both"}}),
      error_chart(numbers),
      chart_of(numbers, "iterations", "Iterations per step", "", {{{"iterations"}, "iterations"}}),
      chart_of(numbers, "penetration", "Largest penetration", "% of the smaller body",
               {{{"overlap", "overlap.share"}, "penetration", 100.0}}),
      chart_of(numbers, "contacts", "Contacts and bodies", "",
               {{{"contacts"}, "contacts"}, {{"bodies"}, "bodies"}}),
      seconds_chart(numbers),
      chart_of(numbers, "imbalance", "Imbalance of ranks", "largest / mean",
               {{{"imbalance"}, "imbalance"}})};
  if (all[3].curves.empty())
    all[3] = chart_of(numbers, "penetration", "Largest penetration", "% of the smaller body",
                      {{{"penetration_percent"}, "penetration"}});
  if (all[3].curves.empty())
    all[3] = chart_of(numbers, "penetration", "Largest penetration", "m",
                      {{{"penetration"}, "penetration"}});
  for (const auto& [name, table] : numbers.monitors)
    for (LineChart& chart : monitor_charts(name, table)) all.push_back(std::move(chart));
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

namespace {

using picture::Curve;
using picture::LineChart;
using Places = std::vector<std::size_t>;  ///< of columns

constexpr std::size_t most_curves = 7;  // as many as there are colours

/// "bin12_count" is the 12th of "bin_count".
struct Numbered {
  std::string family;
  double number = 0.0;
};
std::optional<Numbered> numbered(const std::string& name) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto begin = std::find_if(name.begin(), name.end(), is_digit);
  const auto end = std::find_if_not(begin, name.end(), is_digit);
  if (begin == end || (end != name.end() && *end == '.')) return std::nullopt;  // none, or q0.5
  const std::optional<double> number = number_in<double>(std::string(begin, end));
  if (!number) return std::nullopt;
  return Numbered{std::string(name.begin(), begin) + std::string(end, name.end()), *number};
}

LineChart profile_of(const std::string& name, const std::string& family, const Columns& table,
                     const Places& columns, const std::vector<double>& time) {
  const std::string title = fmt::format("{}: {}", name, family);
  LineChart chart{
      fmt::format("monitor-{}-{}", name, family), title, "number", family, false, {}, {}};
  for (const std::size_t row : {std::size_t{0}, time.size() - 1}) {
    if (!chart.curves.empty() && row == 0) break;  // the only line
    Curve curve{fmt::format("t = {:.4g} s", time[row]), {}, {}};
    for (const std::size_t c : columns) {
      curve.x.push_back(numbered(table.names[c])->number);
      curve.y.push_back(table.values[c][row]);
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

/// A curve for each of the first bodies.
LineChart tracks_of(const std::string& name, const std::vector<double>& ids,
                    const std::vector<double>& time, const std::vector<double>& height) {
  LineChart chart{"monitor-" + name, name, "t, s", "z, m", false, {}, {}};
  std::map<double, std::size_t> curves;
  for (std::size_t row = 0; row < time.size(); ++row) {
    const auto [found, added] = curves.try_emplace(ids[row], chart.curves.size());
    if (found->second >= most_curves) continue;
    if (added) chart.curves.push_back({fmt::format("body {}", ids[row]), {}, {}});
    chart.curves[found->second].x.push_back(time[row]);
    chart.curves[found->second].y.push_back(height[row]);
  }
  if (curves.size() > most_curves)
    chart.title += fmt::format(" (the first {} of {} bodies)", most_curves, curves.size());
  return chart;
}

/// All columns with a number in them, but time and step.
Places told(const Columns& table) {
  Places columns;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const std::vector<double>& values = table.values[c];
    const bool any = std::any_of(values.begin(), values.end(),
                                 [](double value) { return std::isfinite(value); });
    if (any && table.names[c] != "time" && table.names[c] != "step") columns.push_back(c);
  }
  return columns;
}

std::vector<LineChart> over_time(const std::string& name, const Columns& table,
                                 const Places& columns, const std::vector<double>& time) {
  constexpr std::size_t in_each_of_many = 6;  // a force and a torque, half a tensor
  const bool many = columns.size() > most_curves;
  const std::size_t step = many ? in_each_of_many : most_curves;
  const std::size_t count = (columns.size() + step - 1) / step;
  std::vector<LineChart> charts;
  for (std::size_t k = 0; k < count; ++k) {
    LineChart chart{"monitor-" + name, name, "t, s", "", false, {}, {}};
    if (many) {
      chart.name += fmt::format("-{}", k + 1);
      chart.title += fmt::format(" ({} of {})", k + 1, count);
    }
    for (std::size_t i = step * k; i < std::min(step * (k + 1), columns.size()); ++i)
      chart.curves.push_back({table.names[columns[i]], time, table.values[columns[i]]});
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace

std::vector<LineChart> monitor_charts(const std::string& name, const Columns& table) {
  constexpr std::size_t least_of_a_profile = 5;
  const std::vector<double>* time = table.find("time");
  if (time == nullptr || time->empty()) return {};
  const std::vector<double>*ids = table.find("id"), *height = table.find("z");
  if (ids != nullptr && height != nullptr) return {tracks_of(name, *ids, *time, *height)};
  Places plain;
  std::vector<std::string> families;  // in the order of the file
  std::map<std::string, Places> members;
  for (const std::size_t c : told(table)) {
    const std::optional<Numbered> part = numbered(table.names[c]);
    if (!part) {
      plain.push_back(c);
      continue;
    }
    if (members.count(part->family) == 0) families.push_back(part->family);
    members[part->family].push_back(c);
  }
  std::vector<LineChart> profiles;
  for (const std::string& family : families) {
    const Places& columns = members[family];
    if (columns.size() < least_of_a_profile)
      plain.insert(plain.end(), columns.begin(), columns.end());
    else
      profiles.push_back(profile_of(name, family, table, columns, *time));
  }
  std::vector<LineChart> charts = over_time(name, table, plain, *time);
  charts.insert(charts.end(), profiles.begin(), profiles.end());
  return charts;
}

}  // namespace talus::app
