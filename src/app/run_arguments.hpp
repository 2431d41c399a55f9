#pragma once
// What a user typed after talus run and talus check, and what it means together with the scene.

#include "talus/model/scene.hpp"
#include "talus/partition/cell_map.hpp"
#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"
#include "app/run_goal.hpp"

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

}  // namespace talus::app
