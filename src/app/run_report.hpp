#pragma once
// Totals of a run: what its summary prints and report.json holds. Keys: docs/file_formats.md.

#include "talus/parallel/ledger.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/error_bar.hpp"

#include <cstdint>
#include <string>

namespace talus::app {

struct RunTotals {
  std::int64_t first_step = 0, steps = 0;
  std::int64_t iterations = 0, most_iterations = 0, products = 0;
  ErrorBar bar;
  std::int64_t inserted = 0, removed = 0, searches = 0;
  std::int64_t contacts = 0, most_contacts = 0;  ///< of the last step; of any
  std::int64_t contact_sum = 0;
  bool any_psor = false;
  std::int64_t moved = 0, balances = 0, most_ghosts = 0;  ///< of bodies between ranks
  StageSeconds seconds;                                   ///< of this rank
  double balance_seconds = 0.0;
  double wall_seconds = 0.0;

  /// `tolerance`: m/s.
  void add(const StepReport& step, double tolerance);
};

/// What a run cost each of its ranks, over all of them; most is of the slowest.
struct RunSharing {
  Spread bodies, ghosts, contacts;  ///< at the end
  Spread memory;                    ///< bytes, the most that a rank has ever had
  Spread balancing;                 ///< s
  StageSeconds mean, most;
  Ledger ledger;
  std::int64_t wide_bodies = 0;
};

struct RunEnd {
  std::string status = "finished";  ///< "finished", "interrupted", "failed"
  std::string reason;               ///< of a failure
  // Of the last state, over all ranks.
  std::int64_t bodies = 0;
  Energies energies;
  Momenta momenta;
  std::uint64_t hash = 0;
  int ranks = 1;
  RunSharing sharing;
};

std::string run_report_json(const Simulation& simulation, const RunTotals& totals,
                            const RunEnd& end);
void print_run_summary(const Simulation& simulation, const RunTotals& totals, const RunEnd& end);

}  // namespace talus::app
