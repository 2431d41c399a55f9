#include "app/run_charts.hpp"

#include "app/monitor_charts.hpp"

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

}  // namespace talus::app
