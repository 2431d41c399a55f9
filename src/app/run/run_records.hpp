#pragma once
// run.jsonl: one JSON object per reported step. Keys: docs/output.md.

#include "talus/simulation/simulation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace talus::app {

/// What has happened around a step that its report does not say.
struct RecordFacts {
  Energies energies;
  EnergyLedger ledger;                  ///< since the start of the run
  std::vector<std::string> warnings;    ///< told since the last record
  std::int64_t warnings_held_back = 0;  ///< since the start of the run
  double wall_seconds = 0.0;            ///< since the start of the run
  int ranks = 1;
};

/// One line, without its end. Numbers that are not finite become null.
std::string record_of(const StepReport& report, const RecordFacts& facts);
/// s: of a line that record_of() has made; else infinite.
double time_of_record(const std::string& line);

}  // namespace talus::app
