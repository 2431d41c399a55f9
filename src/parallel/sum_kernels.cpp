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

/// visit(eight terms), the last eight filled up with zeros.
template <class Visit>
TALUS_INLINE void each_eight(const double* terms, long begin, long end, const Visit& visit) {
  long i = begin;
  for (; i + 8 <= end; i += 8) visit(load_anywhere(terms + i));
  V8 rest = zero();
  for (int lane = 0; i < end; ++i, ++lane) rest[lane] = terms[i];
  visit(rest);
}

void add_terms(const double* terms, long begin, long end, double scale, LaneTotals& totals) {
  LaneSums<1> sums(&scale);
  each_eight(terms, begin, end, [&](V8 term) { sums.add(0, term); });
  drain(sums, totals);
}

bool largest_term(const double* terms, long count, double* largest) {
  V8 most = zero(), poison = zero();
  each_eight(terms, 0, count, [&](V8 term) {
    const V8 size = absolute(term);
    most = select(size > most, size, most);
    poison += term - term;  // NOLINT: 0, or NaN once a term was infinite or NaN
  });
  *largest = 0.0;
  bool finite = true;
  for (int i = 0; i < 8; ++i) {
    *largest = most[i] > *largest ? most[i] : *largest;
    finite = finite && poison[i] == 0.0;
  }
  return finite;
}

void add_limbs(const double* terms, long count, double scale, long* limbs) {
  const V8 magic = broadcast(6755399441055744.0);  // 1.5 * 2^52: adding it rounds to an integer
  const V8 first = broadcast(scale), next = broadcast(1099511627776.0);  // 2^40
  U8 sums[3] = {U8{}, U8{}, U8{}};
  each_eight(terms, 0, count, [&](V8 term) {
    V8 left = term * first;
    for (int k = 0; k < 3; ++k) {
      const V8 rounded = left + magic;
      sums[k] += bits(rounded) - bits(magic);
      left = (left - (rounded - magic)) * next;
    }
  });
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 8; ++i) limbs[k] += static_cast<long>(sums[k][i]);
}

}  // namespace

extern const SumKernels sum_kernel_table;
const SumKernels sum_kernel_table = {add_terms, largest_term, add_limbs};

}  // namespace talus::TALUS_LEVEL
