#pragma once
// The verbs of the program. Each returns an exit code; bad input leaves as InputError.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"

#include "partition/partition.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talus::app {

struct SolverSetting;

inline constexpr int exit_within_tolerance = 0;
inline constexpr int exit_above_tolerance = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_interrupted = 3;
inline constexpr int exit_failed = 4;

int run(int argc, char** argv, const Communicator& comm);

/// What every verb accepts.
struct CommonOptions {
  Communicator comm = Communicator::self();
  std::string threads;  ///< empty: what OpenMP offers
  bool quiet = false, verbose = false;
  std::string partition = "metis", write_partition;
  std::string model;  ///< of a network: --model

  /// Results, progress and notes come from one rank.
  bool speaks() const { return comm.rank() == 0; }
};

/// Adds a verb to the program and returns what to run when it was chosen. It gets the faults of the
/// command line found so far, adds its own and throws them all together, before any work.
using Command = std::function<int(InputErrors faults)>;
Command add_solve(CLI::App& program, CommonOptions& common);
Command add_info(CLI::App& program, CommonOptions& common);
Command add_generate(CLI::App& program, CommonOptions& common);
Command add_compare(CLI::App& program, CommonOptions& common);
Command add_run(CLI::App& program, CommonOptions& common);
Command add_check(CLI::App& program, CommonOptions& common);
Command add_render(CLI::App& program, CommonOptions& common);
Command add_plot(CLI::App& program, CommonOptions& common);
Command add_export(CLI::App& program, CommonOptions& common);

/// --quiet and --verbose on a verb, and --threads where threads have something to do.
void add_common(CLI::App& verb, CommonOptions& common);
void add_threads(CLI::App& verb, CommonOptions& common);
/// On verbs that share a problem among ranks.
void add_partition(CLI::App& verb, CommonOptions& common);
void add_write_partition(CLI::App& verb, CommonOptions& common);
void add_model(CLI::App& verb, CommonOptions& common);

/// --KEY V for a setting of the solver; what is given joins `assignments` as "solver.KEY=V".
void add_setting(CLI::App& verb, const std::shared_ptr<std::vector<std::string>>& assignments,
                 const SolverSetting& setting, const char* group);

/// The last lines of a verb's help.
extern const char* const exit_codes;

}  // namespace talus::app
