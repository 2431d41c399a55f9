#pragma once
// What a user reads at the end of talus solve.

#include "talus/io/report_file.hpp"
#include "talus/solvers/solve.hpp"

#include <string>

namespace talus::app {

/// Unit of a measure; empty where it has none.
std::string unit_of(Measure measure);

/// "problem     p.h5 (native): 4 bodies, 16 contacts, 0 joint rows"
void print_problem(const RunFacts& facts);

void print_summary(const SolveReport& report, const RunFacts& facts);

}  // namespace talus::app
