#include "app/monitor_charts.hpp"

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
