#pragma once
// Exact sums of plain lists of terms, eight at a time: the integers of add_exact_term.

#include "parallel/lane_totals_data.hpp"

namespace talus {

struct SumKernels {
  /// Adds terms[begin .. end), at most 4096 of them, as sum 0.
  void (*add_terms)(const double* terms, long begin, long end, double scale, LaneTotals&);
};

/// The kernels of the level in use (core/simd.hpp).
const SumKernels& sum_kernels();

}  // namespace talus
