#pragma once
// What a run solves its steps with, where the scene says nothing else.

#include "talus/solvers/solve.hpp"

namespace talus {

/// Tolerance 0: Simulation chooses 0.01 g h.
SolveOptions run_defaults();

}  // namespace talus
