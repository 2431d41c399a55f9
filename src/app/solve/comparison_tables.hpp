#pragma once
// What a user reads at the end of talus compare: lines of at most 100 characters.

#include "io/comparison_file.hpp"

namespace talus::app {

/// One problem: work, errors and distances of every method. Several: a line per problem, and what
/// share each method solved. What the user ended is said to be incomplete. `reasons`: why a method
/// took no part in a problem.
void print_comparison(const Comparison& comparison, bool reasons);

}  // namespace talus::app
