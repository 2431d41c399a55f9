#include "app/run/run_timing.hpp"

#include "talus/core/error.hpp"

#include "app/run/run_sharing.hpp"
#include "app/streams.hpp"
#include "core/number.hpp"
#include "io/json_parts.hpp"
#include "simulation/simulation_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

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
  say("speed       {:.4g} steps/s; {:.3g} contacts x iterations per second of solving\n",
      steps_per_second(totals), contact_iterations_per_second(totals, sharing));
  if (several)
    say("phases      {:>10} {:>10} {:>10} {:>8}\n", "least s", "mean s", "most s", "% of run");
  else
    say("phases      {:>10} {:>12} {:>8}\n", "s", "ms per step", "% of run");
  for (std::size_t p = 0; p < phase_names.size(); ++p) {
    const std::string name = phase_names[p];
    if (!several && (name == "share" || p == waiting_phase)) continue;  // there are no others
    const Spread& s = sharing.phases[p];
    const double percent = 100.0 * ratio(s.mean, run_seconds(sharing));
    if (several)
      say("  {:<9} {:>10.4f} {:>10.4f} {:>10.4f} {:>8.1f}{}\n", name, s.least, s.mean, s.most,
          percent, p == waiting_phase ? "  within the above" : "");
    else
      say("  {:<9} {:>10.4f} {:>12.4f} {:>8.1f}\n", name, s.mean, per_step * s.mean, percent);
  }
}

namespace {

using Json = nlohmann::ordered_json;

double share(double part, double whole) {
  return whole > 0.0 ? part / whole : 0.0;
}

}  // namespace

// What getrusage says begins before the program started itself once more, see main.
double most_memory() {
  std::ifstream status("/proc/self/status");
  constexpr double kilobyte = 1024.0;
  for (std::string word; status >> word;) {
    double kilobytes = 0.0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobyte * kilobytes;
  }
  return 0.0;
}

const char* name_of(OwnerKind kind) {
  switch (kind) {
    case OwnerKind::Metis:
      return "metis";
    case OwnerKind::Hilbert:
      return "hilbert";
    case OwnerKind::Random:
      return "random";
  }
  return "";
}

RunSharing sharing_of(const Simulation& simulation, const RunTotals& totals, const Traffic& used) {
  const Communicator& comm = simulation.communicator();
  const World& world = simulation.world();
  std::vector<double> mine{
      static_cast<double>(world.bodies.owned), static_cast<double>(simulation.ghost_count()),
      static_cast<double>(world.contacts.gap.size()), most_memory(), totals.balance_seconds};
  const std::size_t first_phase = mine.size();
  for (const double seconds : seconds_of_phases(totals, used)) mine.push_back(seconds);
  const std::vector<Spread> spreads = spreads_of(comm, mine);
  RunSharing sharing;
  sharing.bodies = spreads[0];
  sharing.ghosts = spreads[1];
  sharing.contacts = spreads[2];
  sharing.memory = spreads[3];
  sharing.balancing = spreads[4];
  sharing.phases.assign(spreads.begin() + static_cast<std::ptrdiff_t>(first_phase), spreads.end());
  sharing.ledger = ledger_of(comm, used, totals.wall_seconds);
  // hub bodies are known everywhere
  sharing.hub_bodies =
      std::count(simulation.parts().hub().begin(), simulation.parts().hub().end(), 1);
  return sharing;
}

void add_sharing(Json& report, const Simulation& simulation, const RunTotals& totals,
                 const RunSharing& sharing) {
  report["memory"] = io::spread_json(sharing.memory);
  if (sharing.ledger.ranks == 1) return;
  const BalanceSettings& balance = simulation.balance_settings();
  report["partition"] = {
      {"kind", name_of(balance.cells.kind)},
      {"balance", balance.by == BalanceSettings::By::Measured ? "measured" : "counts"},
      {"imbalance", simulation.imbalance()},
      {"bodies", io::spread_json(sharing.bodies)},
      {"ghosts", io::spread_json(sharing.ghosts)},
      {"contacts", io::spread_json(sharing.contacts)},
      {"wide_bodies", sharing.hub_bodies}};
  report["migration"] = {{"bodies", totals.moved},
                         {"balances", totals.balances},
                         {"most_ghosts_of_a_rank", totals.most_ghosts},
                         {"seconds_of_balances", sharing.balancing.most},
                         {"share_of_balances", share(sharing.balancing.most, totals.wall_seconds)}};
  report["ledger"] = io::ledger_json(sharing.ledger);
}

void print_sharing(const Simulation& simulation, const RunTotals& totals, const RunSharing& s) {
  constexpr double megabyte = 1e6;
  say("ranks       {} by {}: imbalance {:.3g}, {:.0f} to {:.0f} bodies and {:.0f} to {:.0f} ghosts "
      "of "
      "a rank, {:.3g} to {:.3g} MB; {} bodies moved, {} balances ({:.2g} % of the time)\n",
      s.ledger.ranks, name_of(simulation.balance_settings().cells.kind), s.ledger.imbalance(),
      s.bodies.least, s.bodies.most, s.ghosts.least, s.ghosts.most, s.memory.least / megabyte,
      s.memory.most / megabyte, totals.moved, totals.balances,
      100.0 * share(s.balancing.most, totals.wall_seconds));
  const double per = 1.0 / static_cast<double>(std::max<std::int64_t>(1, totals.steps_of_this_run));
  say("ledger      per step and rank: {:.1f} reductions, {:.1f} exchanges, {:.1f} messages, {:.1f} "
      "kB\n",
      per * static_cast<double>(s.ledger.reductions), per * static_cast<double>(s.ledger.exchanges),
      per * s.ledger.messages.mean, 1e-3 * per * s.ledger.bytes.mean);
}

double parse_wall_time(const std::string& option, const std::string& text) {
  static const std::regex form("(?:(?:([0-9]{1,6})-)?([0-9]{1,6}):)?([0-9]{1,6}):([0-9]{2})");
  struct Unit {
    double seconds, most;  ///< most: of it, where a larger unit stands in front
  };
  constexpr std::array<Unit, 4> units{{{86400.0, 0.0}, {3600.0, 23.0}, {60.0, 59.0}, {1.0, 59.0}}};
  double seconds = number_in<double>(text).value_or(-1.0);
  if (std::smatch part; std::regex_match(text, part, form)) {
    bool first = true, sound = true;
    seconds = 0.0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!part[i + 1].matched) continue;
      const double number = number_in<double>(part[i + 1].str()).value_or(0.0);
      sound = sound && (first || number <= units[i].most);
      first = false;
      seconds += units[i].seconds * number;
    }
    if (!sound) seconds = -1.0;
  }
  if (!(seconds > 0.0) || !std::isfinite(seconds))
    throw InputError(fmt::format(
        "{} = '{}' must be a time on the clock, as H:MM:SS (1:30:00), D-HH:MM:SS or seconds, > 0",
        option, text));
  return seconds;
}

std::string wall_time_text(double seconds) {
  constexpr std::int64_t minute = 60, hour = 3600;
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / hour, whole / minute % minute, whole % minute);
}

}  // namespace talus::app
