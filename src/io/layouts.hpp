#pragma once
// One reader per layout; problem_file.cpp chooses. All record their faults in the file and return
// nothing then.

#include "talus/problem/body_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "io/input_file.hpp"

#include <optional>

namespace talus::io {

std::optional<BodyProblem> read_native(InputFile& file);
/// `root` is /fclib_local or /fclib_local_rolling; /fclib_global or /fclib_global_rolling.
std::optional<LocalProblem> read_fclib_local(InputFile& file, const std::string& root);
std::optional<GlobalProblem> read_fclib_global(InputFile& file, const std::string& root);

}  // namespace talus::io
