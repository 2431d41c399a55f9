#pragma once
// Runs a kernel piece by piece and adds what it hands back to the sums of a thread.

#include "talus/parallel/exact_sum.hpp"

#include "parallel/lane_totals_data.hpp"

#include <algorithm>
#include <span>

namespace talus {

/// A lane takes at most 2^12 terms of 2^50 units before it is emptied; a tile gives one term per
/// lane.
inline constexpr int tiles_per_drain = 512;

/// Runs kernel(from, to, totals) over [begin, end) in pieces and adds sums first .. first + count
/// - 1.
template <class Kernel>
void drain_kernel(Index begin, Index end, int first, int count, LocalSums& sums, Kernel&& kernel) {
  LaneTotals totals{};
  for (Index from = begin; from < end; from += tiles_per_drain) {
    kernel(from, std::min<Index>(end, from + tiles_per_drain), totals);
    if (!totals.finite) sums.note_not_finite();
    for (int k = 0; k < count; ++k) {
      sums.note_largest(first + k, totals.largest[k]);
      for (int i = 0; i < 8; ++i)
        sums.add(first + k, totals.high[8 * k + i], totals.low[8 * k + i]);
    }
  }
}

/// Adds all terms to sum k of `sums`, the same integers as add_exact_term one by one. Threaded.
void add_exact_terms(std::span<const double> terms, int k, double scale, LocalSums& sums);

}  // namespace talus
