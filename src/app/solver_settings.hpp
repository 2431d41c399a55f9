#pragma once
// The options of every method under one spelling: --METHOD.OPTION V, or -s solver.METHOD.OPTION=V.

#include "talus/solvers/solve.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace talus::app {

struct SolverSetting {
  std::string name;  ///< "pspgfb.alpha_min"
  std::string help;
  std::string value;                            ///< at present, as text that set() takes
  std::function<void(const std::string&)> set;  ///< throws InputError on a wrong type
};

/// Settings that write into `options`, which must outlive them.
std::vector<SolverSetting> general_settings(SolveOptions& options);
std::vector<SolverSetting> method_settings(SolveOptions& options);

/// "solver.KEY=V" as given to -s; unknown keys name the nearest valid one.
void apply_setting(const std::string& assignment, SolveOptions& options);

/// Limits, and the options of these methods, as name and value.
std::vector<std::pair<std::string, std::string>> used_settings(
    SolveOptions options, const std::vector<std::string>& methods);

/// Those of the assignments ("solver.psor.relaxation=1.2") that set an option of another method:
/// what a user may have meant otherwise.
std::vector<std::string> idle_settings(const std::vector<std::string>& assignments,
                                       const std::vector<std::string>& methods);

}  // namespace talus::app
