#pragma once
// A number as a sum of two doubles, high + low, the low one what rounding cut off the high one:
// about 106 bits, by sums and products only (Dekker's and Knuth's exact sum and product).

#include <bit>
#include <cstdint>
#include <limits>

namespace talus {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// 2^exponent, -1022 to 1023.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

struct HighLow {
  double high = 0.0, low = 0.0;
};

/// a + b exactly; for |a| >= |b| or a = 0.
inline HighLow ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
inline HighLow exact_pair_sum(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a in two halves of 26 bits each, whose products are exact.
inline HighLow halves(double a) {
  const double shifted = 134217729.0 * a;  // 2^27 + 1
  const double high = shifted - (shifted - a);
  return {high, a - high};
}

/// a b exactly, where neither overflows or underflows (both below 2^996).
inline HighLow exact_product(double a, double b) {
  const double product = a * b;
  const HighLow x = halves(a), y = halves(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

}  // namespace talus
