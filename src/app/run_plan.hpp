#pragma once
// What a run begins with: a scene at its start, or a checkpoint.

#include "talus/simulation/simulation.hpp"

#include "app/folder_lock.hpp"
#include "app/run_arguments.hpp"
#include "app/run_memory.hpp"

#include <memory>
#include <optional>
#include <string>

namespace talus::app {

struct RunPlan {
  std::unique_ptr<FolderLock> lock;  ///< of the folder, where it is there; rank 0
  std::string folder;                ///< for what the run leaves
  std::string scene_text;            ///< with all overrides
  RunGoal goal;
  std::unique_ptr<Simulation> simulation;
  double wall_time = infinity;  ///< s
  // Of a run that goes on.
  std::optional<RunMemory> memory;
  std::string from;          ///< the checkpoint
  bool same_folder = false;  ///< whose files are there and are gone on with
  std::vector<std::string> remarks;
};

/// From the scene or from the checkpoint that the arguments name; the folder is looked at, not
/// made. Throws on all ranks alike. Collective.
RunPlan plan_of(const RunArguments& arguments, const CommonOptions& common, InputErrors faults);

}  // namespace talus::app
