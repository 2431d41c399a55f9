#pragma once
// The start of a solve from the solution of an earlier one.

#include "talus/solvers/solve.hpp"

#include "app/solve/loaded_problem.hpp"

#include <string>
#include <vector>

namespace talus::app {

/// Zero, or the solution in `file` (empty: none) where that is the better start by the measure that
/// stops the solve; which, and the errors of both, joins the remarks. "FILE.h5:GROUP" is taken as
/// it is. Throws InputError where it is not of this problem. Collective.
RowVector start_from(const std::string& file, const LoadedProblem& loaded,
                     const SolveOptions& options, const Communicator& comm,
                     std::vector<std::string>& remarks);

}  // namespace talus::app
