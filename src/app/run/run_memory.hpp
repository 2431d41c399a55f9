#pragma once
// What a run keeps in its checkpoints beside the state of the simulation.

#include "talus/stepping/checkpoint.hpp"

#include "app/run/run_goal.hpp"
#include "app/run/run_report.hpp"

namespace talus::app {

struct RunMemory {
  RunTotals totals;
  RunGoal goal;    ///< where the run was to end
  Bytes monitors;  ///< RunObserver::memory()
};

/// For Checkpoint::program.
Bytes packed_memory(const RunMemory& memory);

/// Of a checkpoint. Throws InputError where no run of talus has written it; `path`: how it is
/// called.
RunMemory memory_of(const Checkpoint& checkpoint, const std::string& path);

}  // namespace talus::app
