#pragma once
// The verbs of the program. Each returns an exit code; bad input leaves as InputError.

#include <CLI/CLI.hpp>
#include <functional>

namespace talus::app {

inline constexpr int exit_within_tolerance = 0;
inline constexpr int exit_above_tolerance = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_failed = 4;

int run(int argc, char** argv);

/// What every verb accepts.
struct CommonOptions {
  int threads = 0;  ///< 0: what OpenMP offers
  bool quiet = false, verbose = false;
};

/// Adds a verb to the program and returns what to run when it was chosen.
using Command = std::function<int()>;
Command add_solve(CLI::App& program, CommonOptions& common);
Command add_info(CLI::App& program, CommonOptions& common);
Command add_generate(CLI::App& program, CommonOptions& common);

/// --threads, --quiet, --verbose on a verb.
void add_common(CLI::App& verb, CommonOptions& common);
void use_threads(const CommonOptions& common);

}  // namespace talus::app
