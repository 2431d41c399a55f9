// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "parallel/sum_kernels.hpp"

#include "parallel/exact_lanes.hpp"

namespace talus::TALUS_LEVEL {
namespace {

/// From any address; lists of terms need not begin on a cache line.
TALUS_INLINE V8 load_anywhere(const double* p) {
  V8 v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

void add_terms(const double* terms, long begin, long end, double scale, LaneTotals& totals) {
  LaneSums<1> sums(&scale);
  long i = begin;
  for (; i + 8 <= end; i += 8) sums.add(0, load_anywhere(terms + i));
  V8 rest = zero();
  for (int lane = 0; i < end; ++i, ++lane) rest[lane] = terms[i];
  sums.add(0, rest);
  drain(sums, totals);
}

}  // namespace

extern const SumKernels sum_kernel_table;
const SumKernels sum_kernel_table = {add_terms};

}  // namespace talus::TALUS_LEVEL
