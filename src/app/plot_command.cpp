// talus plot: what a run has logged as pictures, and its report as one page.

#include "talus/core/error.hpp"
#include "talus/io/report_file.hpp"

#include "app/commands.hpp"
#include "app/drawing_script.hpp"
#include "app/faults.hpp"
#include "app/on_first_rank.hpp"
#include "app/remarks.hpp"
#include "app/report_html.hpp"
#include "app/run_charts.hpp"
#include "io/goal.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <stdexcept>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  std::string folder;
  bool report_only = false;
};

/// The charts, drawn beside DIR/plots and moved into it once all are there.
void draw_charts(const DrawingScript& script, const fs::path& folder,
                 const std::vector<picture::LineChart>& charts) {
  const fs::path plots = folder / "plots", beside = io::beside(plots.string());
  std::error_code error;
  const int status = script.run({"--output", beside.string()}, charts_json(charts));
  if (status == 0) fs::create_directories(plots, error);
  for (const picture::LineChart& chart : charts)
    if (status == 0 && !error)
      fs::rename(beside / (chart.name + ".png"), plots / (chart.name + ".png"), error);
  std::error_code ignored;
  fs::remove_all(beside, ignored);
  if (status != 0)
    throw std::runtime_error(
        fmt::format("{}: could not be drawn: {} ended with status {}, its reason stands above",
                    plots.string(), script.python(), status));
  if (error)
    throw std::runtime_error(
        fmt::format("{}: could not be written: {}", plots.string(), error.message()));
}

int plot(const PlotArguments& a, const CommonOptions& common, InputErrors faults) {
  RunNumbers numbers;
  if (a.folder.empty())
    faults.add("give the folder of a run: talus plot DIR");
  else
    collect(faults, [&] {
      numbers = read_numbers(a.folder);
      require_writable((fs::path(a.folder) / "report.html").string(), "report.html");
    });
  std::optional<DrawingScript> script;
  if (!a.report_only)
    collect(faults, [&] { script.emplace("plot_run.py", "talus plot " + a.folder); });
  faults.throw_if_any();
  const std::vector<picture::LineChart> charts = charts_of(numbers);
  if (charts.empty())
    note(common, fmt::format("{} has no log: output.log of the scene asks for one", a.folder));
  write_report_html(a.folder, numbers);
  fmt::print("{}\n", (fs::path(a.folder) / "report.html").string());
  if (!script || charts.empty()) return exit_within_tolerance;
  draw_charts(*script, a.folder, charts);
  for (const picture::LineChart& chart : charts)
    fmt::print("{}\n", (fs::path(a.folder) / "plots" / (chart.name + ".png")).string());
  return exit_within_tolerance;
}

}  // namespace

Command add_plot(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<PlotArguments>();
  CLI::App& verb = *program.add_subcommand(
      "plot", "Draw what a run has logged (plots/*.png) and make its page (report.html)");
  verb.add_option("run", a->folder, "Folder of talus run")->type_name("DIR");
  verb.add_flag("--report-only", a->report_only,
                "Only report.html, which has the same charts and needs no matplotlib");
  add_common(verb, common);
  return [a, &common](InputErrors faults) {
    return on_first_rank(common.comm, [&] { return plot(*a, common, std::move(faults)); });
  };
}

}  // namespace talus::app
