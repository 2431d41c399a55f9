#pragma once
// What a run solves its steps with, where the scene says nothing else.

#include "talus/solvers/solve.hpp"

namespace talus {

/// Tolerance 0: Simulation chooses it from what acts.
SolveOptions run_defaults();

}  // namespace talus
