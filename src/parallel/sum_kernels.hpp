#pragma once
// Exact sums of plain lists of terms, eight at a time: the integers of add_exact_term.

#include "parallel/lane_totals_data.hpp"

namespace talus {

struct SumKernels {
  /// Adds terms[begin .. end), at most 4096 of them, as sum 0.
  void (*add_terms)(const double* terms, long begin, long end, double scale, LaneTotals&);
  /// Largest magnitude of at most 4096 terms; false where one is infinite or NaN.
  bool (*largest_term)(const double* terms, long count, double* largest);
  /// Limbs of at most 4096 terms: units of 1 / scale (a term has less than 2^39 of them), of 2^-40
  /// and of 2^-80 of that. Adds to limbs[0 .. 2].
  void (*add_limbs)(const double* terms, long count, double scale, long* limbs);
};

/// The kernels of the level in use (core/simd.hpp).
const SumKernels& sum_kernels();

}  // namespace talus
