#pragma once
// What a run cost each of its ranks: bodies, memory, seconds by stage, messages.

#include "talus/parallel/ledger.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/run_report.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace talus::app {

/// Stages by the names that reports give them.
struct StageName {
  const char* name;
  double StageSeconds::*seconds;
};
inline constexpr std::array<StageName, 6> stage_names{{{"events", &StageSeconds::events},
                                                       {"share", &StageSeconds::share},
                                                       {"detect", &StageSeconds::detect},
                                                       {"assemble", &StageSeconds::assemble},
                                                       {"solve", &StageSeconds::solve},
                                                       {"integrate", &StageSeconds::integrate}}};

/// The most that this process has ever had in memory, bytes; 0 where the system does not say.
double most_memory();
const char* name_of(OwnerKind kind);

/// Collective. `used`: the traffic of the run.
RunSharing sharing_of(const Simulation& simulation, const RunTotals& totals, const Traffic& used);

/// Adds what all runs have: "seconds", "seconds_most", "memory"; and what runs on several ranks
/// have beside it: "partition", "migration", "ledger".
void add_sharing(nlohmann::ordered_json& report, const Simulation& simulation,
                 const RunTotals& totals, const RunSharing& sharing);

/// The lines of the summary.
void print_sharing(const Simulation& simulation, const RunTotals& totals,
                   const RunSharing& sharing);

}  // namespace talus::app
