#pragma once
// One reader per layout; problem_file.cpp chooses. All record their faults in the file and return
// nothing then.

#include "talus/io/problem_file.hpp"
#include "talus/problem/body_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "io/hdf5/input_file.hpp"

#include <optional>

namespace talus::io {

inline constexpr std::int64_t native_version = 1;

std::optional<BodyProblem> read_native(InputFile& file);
/// The slice of one rank. Its entries are not checked yet: for that all ranks must come together.
std::optional<BodySlice> read_native_slice(InputFile& file, int rank, int ranks);
/// `root` is /fclib_local or /fclib_local_rolling; /fclib_global or /fclib_global_rolling.
std::optional<LocalProblem> read_fclib_local(InputFile& file, const std::string& root);
std::optional<GlobalProblem> read_fclib_global(InputFile& file, const std::string& root);

/// Which one problem the file holds (ProblemFile::format); throws when there is none, or more than
/// one.
std::string format_of(InputFile& file);
/// What stands beside the problem.
void describe(InputFile& file, ProblemFile& result);

}  // namespace talus::io
