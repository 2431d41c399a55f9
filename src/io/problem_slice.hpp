#pragma once
// Problem files on many ranks: each reads and writes its slice, none holds the whole. All calls
// here are collective; what goes wrong on any rank is thrown alike on all, and the file that was
// there stays whole. Why so: docs/decisions/012-files-on-ranks.md.

#include "talus/io/problem_file.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include "partition/state_slice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace talus {

struct SlicedProblem {
  /// Matrices, which are small, are whole on every rank. Of bodies `data` is an empty BodyProblem.
  ProblemFile file;
  std::optional<BodySlice> bodies;
};

/// A native file is read in slices, one of FCLib by every rank as a whole. Throws InputError as
/// read_problem() does: the faults of all slices, each with its index in the file.
SlicedProblem read_problem_slice(const std::string& path, const Communicator& comm,
                                 const ReadOptions& options = {});

/// The bytes are those that one rank writes.
void write_native(const std::string& path, const BodySlice& problem, const Communicator& comm);
void write_solution(const std::string& path, const SolutionSlice& solution,
                    const std::vector<Attribute>& attributes, const Communicator& comm);

/// Without the rows that the file's layout does not have: see in_rows_of_file() of a whole
/// solution.
SolutionSlice in_rows_of_file(const ProblemFile& file, SolutionSlice solution);

}  // namespace talus
