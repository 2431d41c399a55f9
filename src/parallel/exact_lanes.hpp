#pragma once
// The lane version of add_exact_term (parallel/exact_sum.hpp): eight terms at a time, same
// integers.

#include "core/lanes.hpp"
#include "parallel/lane_totals_data.hpp"

namespace talus::TALUS_LEVEL {
namespace {

/// What a kernel hands back: plain integers per lane, merged by parallel/lane_totals.hpp.
template <int K>
struct LaneSums {
  explicit TALUS_INLINE LaneSums(const double* scales) {  // NOLINT: K of K elements are set
    for (int k = 0; k < K; ++k) {
      scale[k] = broadcast(scales[k]);
      high[k] = low[k] = U8{};
      largest[k] = zero();
    }
    poison = zero();
  }

  TALUS_INLINE void add(int k, V8 term) {
    const V8 magic = broadcast(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to an integer
    const V8 scaled = term * scale[k];
    const V8 rounded = scaled + magic;
    const V8 rest = (scaled - (rounded - magic)) * 1099511627776.0 + magic;  // 2^40
    high[k] += bits(rounded) - bits(magic);
    low[k] += bits(rest) - bits(magic);
    const V8 size = absolute(term);
    largest[k] = select(size > largest[k], size, largest[k]);
    poison += term - term;  // NOLINT: 0, or NaN once a term was infinite or NaN
  }

  V8 scale[K];
  U8 high[K], low[K];
  V8 largest[K];
  V8 poison;
};

/// Empties the lanes into plain integers. Must happen before a lane has taken more than 2^12 terms.
template <int K>
TALUS_INLINE void drain(const LaneSums<K>& sums, LaneTotals& totals) {
  totals.finite = true;
  for (int i = 0; i < 8; ++i) totals.finite = totals.finite && sums.poison[i] == 0.0;
  for (int k = 0; k < K; ++k) {
    totals.largest[k] = 0.0;
    for (int i = 0; i < 8; ++i) {
      totals.high[8 * k + i] = static_cast<long>(sums.high[k][i]);
      totals.low[8 * k + i] = static_cast<long>(sums.low[k][i]);
      const double largest = sums.largest[k][i];
      totals.largest[k] = largest > totals.largest[k] ? largest : totals.largest[k];
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_LEVEL
