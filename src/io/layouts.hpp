#pragma once
// One reader per layout; problem_file.cpp chooses. All record their faults in the file and return
// nothing then.

#include "talus/problem/body_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "io/input_file.hpp"

#include <optional>

namespace talus::io {

std::optional<BodyProblem> read_native(InputFile& file);
std::optional<LocalProblem> read_fclib_local(InputFile& file);
std::optional<GlobalProblem> read_fclib_global(InputFile& file);

}  // namespace talus::io
