#include "app/run_sharing.hpp"

#include "app/run_timing.hpp"
#include "io/json_parts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

namespace talus::app {
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
  // wide bodies are known everywhere
  sharing.wide_bodies = std::count(simulation.wide().begin(), simulation.wide().end(), 1);
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
      {"wide_bodies", sharing.wide_bodies}};
  report["migration"] = {{"bodies", totals.moved},
                         {"balances", totals.balances},
                         {"most_ghosts_of_a_rank", totals.most_ghosts},
                         {"seconds_of_balances", sharing.balancing.most},
                         {"share_of_balances", share(sharing.balancing.most, totals.wall_seconds)}};
  report["ledger"] = io::ledger_json(sharing.ledger);
}

void print_sharing(const Simulation& simulation, const RunTotals& totals, const RunSharing& s) {
  constexpr double megabyte = 1e6;
  fmt::print(
      "ranks       {} by {}: imbalance {:.3g}, {:.0f} to {:.0f} bodies and {:.0f} to {:.0f} ghosts "
      "of "
      "a rank, {:.3g} to {:.3g} MB; {} bodies moved, {} balances ({:.2g} % of the time)\n",
      s.ledger.ranks, name_of(simulation.balance_settings().cells.kind), s.ledger.imbalance(),
      s.bodies.least, s.bodies.most, s.ghosts.least, s.ghosts.most, s.memory.least / megabyte,
      s.memory.most / megabyte, totals.moved, totals.balances,
      100.0 * share(s.balancing.most, totals.wall_seconds));
  const double per = 1.0 / static_cast<double>(std::max<std::int64_t>(1, totals.steps_of_this_run));
  fmt::print(
      "ledger      per step and rank: {:.1f} reductions, {:.1f} exchanges, {:.1f} messages, {:.1f} "
      "kB\n",
      per * static_cast<double>(s.ledger.reductions), per * static_cast<double>(s.ledger.exchanges),
      per * s.ledger.messages.mean, 1e-3 * per * s.ledger.bytes.mean);
}

}  // namespace talus::app
