#pragma once
// What a run keeps in its checkpoints beside the state of the simulation.

#include "talus/io/checkpoint_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/run/run_goal.hpp"
#include "app/run/run_report.hpp"

namespace talus::app {

struct RunMemory {
  std::vector<GeneratorReport> generators;
  std::vector<StreamState> streams;
  ComparisonSchedule comparisons;
  StepControl control;
  RunTotals totals;
  RunGoal goal;    ///< where the run was to end
  Bytes monitors;  ///< RunObserver::memory()
};

/// All that a checkpoint of this simulation holds. Collective; every rank knows all joints
/// afterwards.
void write_checkpoint_of(Simulation& simulation, const std::string& path,
                         const std::string& scene_text, const RunTotals& totals,
                         const RunGoal& goal, const Bytes& monitors);

/// What a checkpoint says, as a simulation takes it; `memory` of the run.
Continuation continuation_of(Checkpoint checkpoint, RunMemory& memory);

}  // namespace talus::app
