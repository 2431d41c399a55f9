// Exponential, logarithm and power of elementary.hpp. The logarithm is carried to 65 bits, because
// a power multiplies its error by up to 745.

#include "talus/core/elementary.hpp"
#include "talus/core/types.hpp"

#include "core/high_low.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace talus {
namespace {

constexpr double one_over_log_2 = 1.4426950408889634;
// 40 bits, so that its multiples by exponents are exact
constexpr HighLow log_2{0x1.62e42fefa2000p-1, 0x1.9ef35793c7673p-41};
constexpr double overflow_from = 709.8;
constexpr double underflow_from = -745.2;

/// x 2^exponent with one rounding; x near 1.
double scaled(double x, int exponent) {
  if (exponent > 1000) return x * power_of_two(exponent - 1000) * power_of_two(1000);
  if (exponent < -1000) return x * power_of_two(exponent + 1000) * power_of_two(-1000);
  return x * power_of_two(exponent);
}

double exponential_of(HighLow x) {
  if (x.high > overflow_from) return infinity;
  if (x.high < underflow_from) return 0.0;
  const double n = std::nearbyint(x.high * one_over_log_2);
  const HighLow near = exact_pair_sum(x.high - n * log_2.high, -(n * log_2.low));
  const HighLow rest = ordered_sum(near.high, near.low + x.low);
  const double r = rest.high;         // at most log(2) / 2
  double tail = 1.0 / 87178291200.0;  // 1 / 14!
  tail = 1.0 / 6227020800.0 + r * tail;
  tail = 1.0 / 479001600.0 + r * tail;
  tail = 1.0 / 39916800.0 + r * tail;
  tail = 1.0 / 3628800.0 + r * tail;
  tail = 1.0 / 362880.0 + r * tail;
  tail = 1.0 / 40320.0 + r * tail;
  tail = 1.0 / 5040.0 + r * tail;
  tail = 1.0 / 720.0 + r * tail;
  tail = 1.0 / 120.0 + r * tail;
  tail = 1.0 / 24.0 + r * tail;
  tail = 1.0 / 6.0 + r * tail;
  tail = 0.5 + r * tail;
  const HighLow start = ordered_sum(1.0, r);
  return scaled(start.high + (start.low + (rest.low + r * r * tail)), static_cast<int>(n));
}

// log(i / 16) for i = 11 ... 23
constexpr std::array<HighLow, 13> logarithms{{{-0x1.7fafa3bd8151cp-2, 0x1.219024acd3b77p-58},
                                              {-0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56},
                                              {-0x1.a93ed3c8ad9e3p-3, -0x1.bcafa9de97203p-57},
                                              {-0x1.1178e8227e47cp-3, 0x1.0e63a5f01c691p-58},
                                              {-0x1.08598b59e3a07p-4, 0x1.dd7009902bf32p-58},
                                              {0.0, 0.0},
                                              {0x1.f0a30c01162a6p-5, 0x1.85f325c5bbacdp-59},
                                              {0x1.e27076e2af2e6p-4, -0x1.61578001e0162p-60},
                                              {0x1.5ff3070a793d4p-3, -0x1.bc60efafc6f6ep-58},
                                              {0x1.c8ff7c79a9a22p-3, -0x1.4f689f8434012p-57},
                                              {0x1.1675cababa60ep-2, 0x1.ce63eab883717p-61},
                                              {0x1.4618bc21c5ec2p-2, 0x1.f42decdeccf1dp-56},
                                              {0x1.739d7f6bbd007p-2, -0x1.8c76ceb014b04p-56}}};

/// Of positive, finite x = 2^exponent m: log m = log c + 2 artanh((m - c) / (m + c)), c = i / 16
/// nearest to m.
HighLow logarithm_of(double x) {
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.4142135623730951) {  // m about 1: no cancellation between its logarithm and the power's
    m *= 0.5;
    ++exponent;
  }
  const double i = std::nearbyint(16.0 * m), c = 0.0625 * i;
  const HighLow sum = exact_pair_sum(m, c);
  const double s = (m - c) / sum.high;
  const HighLow product = exact_product(s, sum.high);
  const double s_low = (((m - c) - product.high) - product.low - s * sum.low) / sum.high;
  const double z = s * s;
  double tail = 1.0 / 11.0;
  tail = 1.0 / 9.0 + z * tail;
  tail = 1.0 / 7.0 + z * tail;
  tail = 1.0 / 5.0 + z * tail;
  tail = 1.0 / 3.0 + z * tail;
  const HighLow& of_c = logarithms[static_cast<std::size_t>(i) - 11];
  const HighLow start = exact_pair_sum(exponent * log_2.high, of_c.high);
  const HighLow next = exact_pair_sum(start.high, 2.0 * s);
  const double rest = exponent * log_2.low + of_c.low + 2.0 * (s_low + s * z * tail);
  return exact_pair_sum(next.high, start.low + next.low + rest);
}

bool is_whole(double x) {
  return std::trunc(x) == x;
}

bool is_odd(double x) {
  return is_whole(x) && std::fabs(x) < 0x1p53 && x - 2.0 * std::floor(0.5 * x) == 1.0;
}

/// Of a base that is not negative, not 1, and an exponent that is not 0.
double power_of(double base, double exponent) {
  if (base == 0.0) return exponent > 0.0 ? 0.0 : infinity;
  if (std::isinf(base)) return exponent > 0.0 ? infinity : 0.0;
  if (std::isinf(exponent)) return (base > 1.0) == (exponent > 0.0) ? infinity : 0.0;
  const HighLow logarithm = logarithm_of(base);
  const double about = exponent * logarithm.high;
  if (about > overflow_from) return infinity;
  if (about < underflow_from) return 0.0;
  const HighLow product = exact_product(exponent, logarithm.high);
  return exponential_of(ordered_sum(product.high, product.low + exponent * logarithm.low));
}

}  // namespace

double exponential(double x) {
  return std::isnan(x) ? not_a_number : exponential_of({x, 0.0});
}

double natural_logarithm(double x) {
  if (std::isnan(x) || x < 0.0) return not_a_number;
  if (x == 0.0) return -infinity;
  if (std::isinf(x)) return infinity;
  const HighLow logarithm = logarithm_of(x);
  return logarithm.high + logarithm.low;
}

double power(double base, double exponent) {
  if (exponent == 0.0 || base == 1.0) return 1.0;
  if (std::isnan(base) || std::isnan(exponent)) return not_a_number;
  if (base < 0.0 && !std::isinf(base) && !is_whole(exponent)) return not_a_number;
  const double size = std::fabs(base);
  const double result = size == 1.0 ? 1.0 : power_of(size, exponent);
  return std::signbit(base) && is_odd(exponent) ? -result : result;
}

}  // namespace talus
