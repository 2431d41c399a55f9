#pragma once
// What a run cost each of its ranks: bodies, memory, messages.

#include "talus/simulation/simulation.hpp"

#include "app/run/run_report.hpp"
#include "parallel/ledger.hpp"

#include <nlohmann/json.hpp>

namespace talus::app {

/// The most that this process has ever had in memory, bytes; 0 where the system does not say.
double most_memory();
const char* name_of(OwnerKind kind);

/// Collective. `used`: the traffic of the run.
RunSharing sharing_of(const Simulation& simulation, const RunTotals& totals, const Traffic& used);

/// Adds "memory", and what runs on several ranks have beside it: "partition", "migration",
/// "ledger".
void add_sharing(nlohmann::ordered_json& report, const Simulation& simulation,
                 const RunTotals& totals, const RunSharing& sharing);

/// The lines of the summary.
void print_sharing(const Simulation& simulation, const RunTotals& totals,
                   const RunSharing& sharing);

}  // namespace talus::app
