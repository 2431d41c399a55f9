#pragma once
// Totals of a run: what its summary prints and report.json holds. Keys: docs/file_formats.md.

#include "talus/simulation/simulation.hpp"

#include "app/run/error_bar.hpp"
#include "app/run/scene_words.hpp"
#include "parallel/ledger.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace talus::app {

/// Of the whole simulation, whatever number of runs it took; but what a run costs is of the last.
struct RunTotals {
  std::int64_t steps_of_this_run = 0;  ///< those of all runs: bar.steps
  std::int64_t iterations = 0, most_iterations = 0, products = 0;
  ErrorBar bar;
  std::int64_t inserted = 0, removed = 0, searches = 0;
  std::int64_t contacts = 0, most_contacts = 0;  ///< of the last step; of any
  std::int64_t contact_sum = 0;
  bool any_psor = false;
  int psor_ranks = 0;  ///< ranks of all runs of which one swept; -1: of several partitions
  std::int64_t moved = 0, balances = 0, most_ghosts = 0;  ///< of bodies between ranks
  double shortest_step = infinity, longest_step = 0.0;    ///< s
  StageSeconds seconds;                                   ///< of this rank
  double balance_seconds = 0.0;
  double output_seconds = 0.0;      ///< of this rank: what is written while the run goes on
  double contact_iterations = 0.0;  ///< contacts times iterations, over all steps
  double wall_seconds = 0.0;

  /// `tolerance`: m/s.
  void add(const StepReport& step, double tolerance);
  /// For a run on so many ranks that goes on from these.
  void begin_run(int ranks);
};

/// What a run cost each of its ranks, over all of them.
struct RunSharing {
  Spread bodies, ghosts, contacts;  ///< at the end
  Spread memory;                    ///< bytes, the most that a rank has ever had
  Spread balancing;                 ///< s
  std::vector<Spread> phases;       ///< s: of each of phase_names
  Ledger ledger;
  std::int64_t hub_bodies = 0;
};

struct RunEnd {
  std::string status = "finished";               ///< "finished", "interrupted", "failed"
  std::string reason;                            ///< of a failure
  std::string stopped_by;                        ///< what interrupted it: "SIGUSR1", ...
  std::string checkpoint;                        ///< the newest; empty: none
  std::map<std::string, std::int64_t> warnings;  ///< how many of each kind
  // Of the last state, over all ranks.
  std::int64_t bodies = 0;
  Energies energies;
  Momenta momenta;
  std::uint64_t hash = 0;
  int ranks = 1;
  RunSharing sharing;
  std::vector<LabelledText> start;  ///< what was said before the first step
};

std::string run_report_json(const Simulation& simulation, const RunTotals& totals,
                            const RunEnd& end);
void print_run_summary(const Simulation& simulation, const RunTotals& totals, const RunEnd& end);

}  // namespace talus::app
