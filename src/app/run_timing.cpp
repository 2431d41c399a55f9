#include "app/run_timing.hpp"

#include "io/json_parts.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::app {
namespace {

using Json = nlohmann::ordered_json;

double ratio(double part, double whole) {
  return whole > 0.0 ? part / whole : 0.0;
}

/// All phases but waiting are the whole run, on the mean of the ranks.
double run_seconds(const RunSharing& sharing) {
  double seconds = 0.0;
  for (std::size_t p = 0; p < waiting_phase; ++p) seconds += sharing.phases[p].mean;
  return seconds;
}

double steps_per_second(const RunTotals& totals) {
  return ratio(static_cast<double>(totals.steps_of_this_run), totals.wall_seconds);
}

/// Of all ranks together, while they solve.
double contact_iterations_per_second(const RunTotals& totals, const RunSharing& sharing) {
  return ratio(totals.contact_iterations, sharing.phases[solve_phase].mean);
}

}  // namespace

std::vector<double> seconds_of_phases(const RunTotals& totals, const Traffic& used) {
  const StageSeconds& s = totals.seconds;
  return {s.events,
          s.share,
          s.detect,
          s.assemble,
          s.solve,
          s.integrate,
          s.compare,
          totals.output_seconds,
          std::max(0.0, totals.wall_seconds - s.total() - totals.output_seconds),
          used.wait_seconds + used.reduction_seconds};
}

void add_timing(Json& report, const RunTotals& totals, const RunSharing& sharing) {
  const double total = run_seconds(sharing);
  Json mean = Json::object(), most = Json::object(), phases = Json::object();
  for (std::size_t p = 0; p < phase_names.size(); ++p) {
    const Spread& spread = sharing.phases[p];
    if (p <= output_phase) mean[phase_names[p]] = spread.mean;
    if (p <= output_phase) most[phase_names[p]] = spread.most;
    Json phase = io::spread_json(spread);
    phase["share"] = ratio(spread.mean, total);
    phases[phase_names[p]] = phase;
  }
  mean["total"] = total;
  report["seconds"] = mean;
  report["seconds_most"] = most;
  report["phases"] = phases;
  report["speed"] = {
      {"steps_per_second", steps_per_second(totals)},
      {"contact_iterations_per_second", contact_iterations_per_second(totals, sharing)}};
}

void print_timing(const RunTotals& totals, const RunSharing& sharing) {
  const bool several = sharing.ledger.ranks > 1;
  const double per_step = 1e3 * ratio(1.0, static_cast<double>(totals.steps_of_this_run));
  fmt::print("speed       {:.4g} steps/s; {:.3g} contacts x iterations per second of solving\n",
             steps_per_second(totals), contact_iterations_per_second(totals, sharing));
  if (several)
    fmt::print("phases      {:>10} {:>10} {:>10} {:>8}\n", "least s", "mean s", "most s",
               "% of run");
  else
    fmt::print("phases      {:>10} {:>12} {:>8}\n", "s", "ms per step", "% of run");
  for (std::size_t p = 0; p < phase_names.size(); ++p) {
    const std::string name = phase_names[p];
    if (!several && (name == "share" || p == waiting_phase)) continue;  // there are no others
    const Spread& s = sharing.phases[p];
    const double percent = 100.0 * ratio(s.mean, run_seconds(sharing));
    if (several)
      fmt::print("  {:<9} {:>10.4f} {:>10.4f} {:>10.4f} {:>8.1f}{}\n", name, s.least, s.mean,
                 s.most, percent, p == waiting_phase ? "  within the above" : "");
    else
      fmt::print("  {:<9} {:>10.4f} {:>12.4f} {:>8.1f}\n", name, s.mean, per_step * s.mean,
                 percent);
  }
}

}  // namespace talus::app
