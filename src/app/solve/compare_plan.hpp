#pragma once
// talus compare: from what a user typed to what is to be done, or all that is wrong with it.

#include "talus/core/error.hpp"
#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"
#include "app/pictures/plot.hpp"
#include "app/solve/loaded_problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace talus::app {

struct CompareArguments {
  std::vector<std::string> problems, generate;
  std::string methods, tolerances = "1e-3,1e-6";
  std::string plot, output;
  std::vector<std::string> assignments;  ///< of options: "solver.law=associated"
  std::vector<std::string> settings;     ///< -s KEY=VALUE: applied last
};

/// What is to be done, when all of it is right.
struct ComparePlan {
  SolveOptions options;
  std::vector<std::string> methods;
  std::vector<double> tolerances;  ///< falling
  ProblemSources sources;
  std::string output;
  std::optional<Plotter> plotter;
};

/// Throws all faults found so far and its own, before any work.
ComparePlan settle_comparison(const CompareArguments& arguments, const CommonOptions& common,
                              InputErrors faults);

}  // namespace talus::app
