#pragma once
// Slices compared bit for bit.

#include "talus/problem/body_problem.hpp"

namespace talus::support {

/// An EXPECT for every array and number.
void expect_same_slices(const BodySlice& found, const BodySlice& expected);

/// slice_of(), entry by entry: what it should give.
BodySlice plain_slice_of(const BodyProblem& whole, int rank, int ranks);

}  // namespace talus::support
