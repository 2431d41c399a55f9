#pragma once
// From a file to what solvers see; what is found only then still names the file.

#include "talus/io/problem_file.hpp"

namespace talus::app {

/// make_cone_problem, which proves M positive definite; its fault gets the file and the dataset in
/// front. InputError too where what is finite in the file overflows in r or the diagonal of N.
ConeProblem set_up(const ProblemFile& file);

}  // namespace talus::app
