#pragma once
// What a solve leaves beside its solution: a JSON report, a CSV history, and the hash of the
// answer's bits. Keys: docs/file_formats.md.

#include "talus/solvers/solve.hpp"

#include "parallel/ledger.hpp"
#include "partition/partition.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace talus {

/// What the solver itself cannot know.
struct RunFacts {
  std::string problem, format;  ///< file or generator text; layout
  std::int64_t bodies = 0, contacts = 0, joint_rows = 0;
  int ranks = 1, threads = 1;
  std::uint64_t solution_hash = 0;
  std::vector<std::pair<std::string, std::string>> options;  ///< that were used: name and value
  /// On several ranks: how the bodies were shared, and what it cost.
  std::string partition;
  std::optional<PartitionQuality> quality;
  std::optional<Ledger> ledger;
  std::optional<ModelEstimate> model;
};

/// XXH64 over the bits of v (of u where a problem has no bodies), r and l, in the order of the
/// data.
std::uint64_t solution_hash(const Solution& solution);
/// The same number, of a solution that lies in slices on the ranks. Collective.
std::uint64_t solution_hash(const Solution& slice, const Communicator& comm);

/// "any_ranks", "same_ranks" or "no": what the answer's bits depend on. "no": a time limit or the
/// user ended the solve.
std::string reproducible(const SolveReport& report);

/// The report as JSON text. Numbers that are not finite become null.
std::string report_json(const SolveReport& report, const RunFacts& facts);

/// iteration, products, seconds, error and (where kept) all measures, one line each.
std::string history_csv(const SolveReport& report);

/// Writes beside and renames, so that no half-written file ever stands under `path`.
void write_text(const std::string& path, const std::string& text);

/// Throws InputError where a file could not be created at `path` (folder missing or not writable):
/// asked before long work begins.
void require_writable(const std::string& path, const std::string& option);

/// The same for write_solution(), which adds to a file that is there: it must be one of HDF5.
void require_solution_goal(const std::string& path, const std::string& option);

}  // namespace talus
