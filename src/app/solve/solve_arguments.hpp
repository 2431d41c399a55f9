#pragma once
// What a user typed after talus solve, and what it means.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/solvers/solve.hpp"

#include "app/commands.hpp"
#include "app/solve/loaded_problem.hpp"
#include "io/report_file.hpp"

#include <string>
#include <vector>

namespace talus::app {

struct SolveArguments {
  std::string problem, generate;
  std::string warm_start, output, report, history;
  std::vector<std::string> assignments;  ///< of options: "solver.tolerance=1e-5"
  std::vector<std::string> settings;     ///< -s KEY=VALUE: applied last
};

/// All faults, with those found so far, before any work.
SolveOptions settle(const SolveArguments& arguments, const CommonOptions& common,
                    InputErrors faults);

/// Once the problem is known: methods and measures that do not fit it are refused.
void require_fit(const SolveOptions& options, const ConeProblem& problem, const std::string& path);

/// What a user may have meant otherwise: options of methods that do not run.
void note_idle_options(const SolveArguments& arguments, const SolveOptions& options,
                       const CommonOptions& common);

/// Names of the methods that `options` ask for.
std::vector<std::string> asked_methods(const SolveOptions& options);

/// Writes the answer, where that was asked for. A file that cannot be written costs neither the
/// others nor the summary: what went wrong is returned, alike on all ranks. Collective.
std::string write_output(const SolveArguments& arguments, const SolveReport& report,
                         const Answer& answer, const Communicator& comm);
/// The other files, on one rank; what goes wrong joins `lost`.
void write_texts(const SolveArguments& arguments, const CommonOptions& common,
                 const SolveReport& report, const RunFacts& facts,
                 const std::string& partition_lines, std::string& lost);

// What a user reads at the end of talus solve.

/// Unit of a measure; empty where it has none.
std::string unit_of(Measure measure);

/// "problem     p.h5 (native): 4 bodies, 16 contacts, 0 joint rows"
void print_problem(const RunFacts& facts);

void print_summary(const SolveReport& report, const RunFacts& facts);

}  // namespace talus::app
