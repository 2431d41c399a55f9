#pragma once
// What a user typed after talus run and talus check, and what it means together with the scene.

#include "talus/model/scene.hpp"
#include "talus/simulation/simulation.hpp"
#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"
#include "app/run/run_folder.hpp"
#include "app/run/run_goal.hpp"
#include "app/run/run_memory.hpp"
#include "partition/cell_map.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace talus::app {

struct RunArguments {
  std::string scene, output;
  std::string steps, until;  ///< empty: to the end of the scene
  bool overwrite = false;
  bool no_report = false;                ///< no report.html
  std::string balance_every;             ///< empty: where it pays
  std::string resume;                    ///< checkpoint or folder of a run; empty: from the start
  std::string wall_time;                 ///< H:MM:SS; empty: no limit
  bool checkpoint_at_end = false;        ///< a run that has come to its end leaves one, too
  std::vector<std::string> settings;     ///< -s KEY=VALUE
  std::vector<std::string> assignments;  ///< of options: "solver.tolerance=1e-5"
  bool json = false;                     ///< check: print JSON
  bool schema = false;                   ///< check: print the JSON Schema
  std::string ranks;                     ///< check: estimate for so many
};

/// The scene with all overrides.
Scene scene_of(const RunArguments& arguments);

/// Defaults of runs, then what scene and command line say. Tolerance 0: from what acts.
SolveOptions solver_of(const Scene& scene, InputErrors& faults);

/// --partition of bodies that move: metis, hilbert, random:SEED.
BalanceOptions cells_of(const std::string& text);

/// Of each option that was given to a method that does not run: what a user should know.
std::vector<std::string> idle_notes(const Scene& scene, const SolveOptions& options);

RunGoal goal_of(const RunArguments& arguments, const Scene& scene, InputErrors& faults);

/// -s, and the options of methods.
void add_scene_options(CLI::App& verb, const std::shared_ptr<RunArguments>& arguments);

// What a run begins with: a scene at its start, or a checkpoint.

struct RunPlan {
  std::unique_ptr<FolderLock> lock;  ///< of the folder, where it is there; rank 0
  std::string folder;                ///< for what the run leaves
  std::string scene_text;            ///< with all overrides
  std::vector<std::string> inputs;   ///< files that the scene was read from, and that it names
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
