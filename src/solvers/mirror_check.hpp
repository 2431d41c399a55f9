#pragma once
// Rows at the border are computed by two ranks and never sent (DESIGN 3): they stay equal only
// while all ranks compute alike. A sum of hashes over rows and mirrors, which is zero where they
// do, rides on the last reduction of a solve, so that unlike machines are found out.

#include "talus/problem/cone_problem.hpp"

namespace talus {

/// This rank's share of the sum: over all ranks it is zero (mod 2^64) where every mirror has the
/// bits of its row.
std::uint64_t mirror_sum(const ConeProblem& problem, const RowVector& impulses,
                         const RowVector& gap);

/// For a sum that is not zero: throws AgreedFailure with the first row that differs, its ranks and
/// their CPUs. Collective.
[[noreturn]] void report_unlike_mirrors(const ConeProblem& problem, const RowVector& impulses,
                                        const RowVector& gap, const Communicator& comm);

}  // namespace talus
