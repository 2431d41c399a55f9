// Angles: sine, cosine, tangent and their inverses. Taylor series on short intervals; what gets
// there (reduction, quotients, roots) is carried with the part that rounding cuts off.

#include "core/elementary.hpp"

#include "talus/core/types.hpp"

#include "core/high_low.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace talus {
namespace {

constexpr double two_over_pi = 0.6366197723675814;
// pi / 2 in pieces of 33 bits, so that multiples below 2^20 of the first three are exact.
constexpr double half_pi_1 = 0x1.921fb54400000p+0;
constexpr double half_pi_2 = 0x1.0b4611a600000p-34;
constexpr double half_pi_3 = 0x1.3198a2e000000p-69;
constexpr double half_pi_4 = 0x1.b839a252049c1p-104;
constexpr HighLow half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr HighLow whole_pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr double largest_in_one_step = 1048576.0;  // 2^20

/// x = quadrant pi / 2 + angle, |angle| <= pi / 4.
struct Reduced {
  HighLow angle;
  int quadrant = 0;
};

/// Off x what is a multiple of 2 pi, until it is small; |x| > 2^20. What is lost is 2^-20 of the
/// distance of x to its neighbours.
double without_many_turns(double x) {
  while (std::fabs(x) > largest_in_one_step) {
    const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(std::fabs(x)) >> 52) - 1023;
    const int shift = exponent - 18;  // at least 2: multiples of 2^shift pi / 2 are whole turns
    const double y = x * power_of_two(-shift);
    const double n = std::trunc(y * two_over_pi);
    x = (((y - n * half_pi_1) - n * half_pi_2) - n * half_pi_3) * power_of_two(shift);
  }
  return x;
}

/// Cody and Waite: pi / 2 is taken off in pieces, whose multiples are exact. x is finite.
Reduced reduced(double x) {
  if (std::fabs(x) > largest_in_one_step) x = without_many_turns(x);
  const double n = std::nearbyint(x * two_over_pi);
  const HighLow first = exact_pair_sum(x - n * half_pi_1, -(n * half_pi_2));
  const HighLow second = exact_pair_sum(first.high, -(n * half_pi_3));
  return {ordered_sum(second.high, (first.low + second.low) - n * half_pi_4),
          static_cast<int>(static_cast<std::int64_t>(n) & 3)};
}

/// Of |a| <= pi / 4.
HighLow sine_of(HighLow a) {
  const double x = a.high, z = x * x, cube = z * x;
  double tail = 1.0 / 355687428096000.0;  // 1 / 17!
  tail = -1.0 / 1307674368000.0 + z * tail;
  tail = 1.0 / 6227020800.0 + z * tail;
  tail = -1.0 / 39916800.0 + z * tail;
  tail = 1.0 / 362880.0 + z * tail;
  tail = -1.0 / 5040.0 + z * tail;
  tail = 1.0 / 120.0 + z * tail;
  return ordered_sum(x, (a.low - z * (0.5 * a.low - cube * tail)) - cube * (1.0 / 6.0));
}

/// Of |a| <= pi / 4.
HighLow cosine_of(HighLow a) {
  const double x = a.high, z = x * x;
  double tail = 1.0 / 20922789888000.0;  // 1 / 16!
  tail = -1.0 / 87178291200.0 + z * tail;
  tail = 1.0 / 479001600.0 + z * tail;
  tail = -1.0 / 3628800.0 + z * tail;
  tail = 1.0 / 40320.0 + z * tail;
  tail = -1.0 / 720.0 + z * tail;
  tail = 1.0 / 24.0 + z * tail;
  const HighLow start = ordered_sum(1.0, -0.5 * z);
  return ordered_sum(start.high, start.low + (z * z * tail - x * a.low));
}

double quotient(HighLow y, HighLow x) {
  const double q = y.high / x.high;
  const HighLow product = exact_product(q, x.high);
  return q + (((y.high - product.high) - product.low) + (y.low - q * x.low)) / x.high;
}

// arctan(i / 8)
constexpr std::array<HighLow, 9> arc_tangents{{{0.0, 0.0},
                                               {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                               {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                               {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                               {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                               {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                               {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                               {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                               {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};

/// arctan(y / x) for 0 <= y <= x: that of the nearest i / 8, and a series for the rest.
HighLow small_angle(HighLow y, HighLow x) {
  const double q = y.high / x.high;
  if (q < 0x1p-28) return {q, 0.0};  // the cube is less than half a unit of the last place
  const HighLow product = exact_product(q, x.high);
  const double q_low =
      (((y.high - product.high) - product.low) + (y.low - q * x.low)) / x.high / (1.0 + q * q);
  const double i = q < 0.125 ? 0.0 : std::nearbyint(8.0 * q);
  const double c = 0.125 * i;
  const double t = (q - c) / (1.0 + q * c), z = t * t;
  double tail = -1.0 / 19.0;
  tail = 1.0 / 17.0 + z * tail;
  tail = -1.0 / 15.0 + z * tail;
  tail = 1.0 / 13.0 + z * tail;
  tail = -1.0 / 11.0 + z * tail;
  tail = 1.0 / 9.0 + z * tail;
  tail = -1.0 / 7.0 + z * tail;
  tail = 1.0 / 5.0 + z * tail;
  tail = -1.0 / 3.0 + z * tail;
  const HighLow& start = arc_tangents[static_cast<std::size_t>(i)];
  const double rest = start.low + (q_low + t * z * tail);
  if (i == 0.0) return ordered_sum(t, rest);
  return ordered_sum(start.high, t + rest);
}

HighLow difference(HighLow a, HighLow b) {
  const HighLow d = ordered_sum(a.high, -b.high);
  return {d.high, d.low + (a.low - b.low)};
}

/// arctan(y / x) for y, x >= 0, not both zero.
HighLow angle_of(HighLow y, HighLow x) {
  return y.high <= x.high ? small_angle(y, x) : difference(half_pi, small_angle(x, y));
}

/// sqrt(1 - x^2), |x| <= 1.
HighLow other_side(double x) {
  const HighLow square = exact_product(x, x);
  HighLow under = exact_pair_sum(1.0, -square.high);
  under.low -= square.low;
  const double root = std::sqrt(under.high);
  if (root == 0.0) return {};
  const HighLow check = exact_product(root, root);
  return {root, (((under.high - check.high) - check.low) + under.low) / (2.0 * root)};
}

}  // namespace

double sine(double x) {
  if (!std::isfinite(x)) return not_a_number;
  if (std::fabs(x) < 0x1p-27) return x;  // keeps the sign of zero
  const Reduced r = reduced(x);
  const double of = (r.quadrant % 2 == 0 ? sine_of(r.angle) : cosine_of(r.angle)).high;
  return r.quadrant < 2 ? of : -of;
}

double cosine(double x) {
  if (!std::isfinite(x)) return not_a_number;
  const Reduced r = reduced(x);
  const double of = (r.quadrant % 2 == 0 ? cosine_of(r.angle) : sine_of(r.angle)).high;
  return r.quadrant == 0 || r.quadrant == 3 ? of : -of;
}

double tangent(double x) {
  if (!std::isfinite(x)) return not_a_number;
  if (std::fabs(x) < 0x1p-27) return x;
  const Reduced r = reduced(x);
  const HighLow opposite = sine_of(r.angle), adjacent = cosine_of(r.angle);
  return r.quadrant % 2 == 0 ? quotient(opposite, adjacent) : -quotient(adjacent, opposite);
}

double arc_tangent(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return not_a_number;
  if (std::isinf(x) || std::isinf(y)) {  // the direction is what counts
    x = std::copysign(std::isinf(x) ? 1.0 : 0.0, x);
    y = std::copysign(std::isinf(y) ? 1.0 : 0.0, y);
  } else if (x == 0.0 && y == 0.0) {
    x = std::copysign(1.0, x);
  }
  double opposite = std::fabs(y), adjacent = std::fabs(x);
  const double largest = std::fmax(opposite, adjacent);
  // exact products need room above and below
  const double scale = largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1.0;
  opposite *= scale;
  adjacent *= scale;
  HighLow angle = angle_of({opposite, 0.0}, {adjacent, 0.0});
  if (std::signbit(x)) angle = difference(whole_pi, angle);
  return std::copysign(angle.high + angle.low, y);
}

double arc_sine(double x) {
  if (!(std::fabs(x) <= 1.0)) return not_a_number;
  const HighLow angle = angle_of({std::fabs(x), 0.0}, other_side(x));
  return std::copysign(angle.high + angle.low, x);
}

double arc_cosine(double x) {
  if (!(std::fabs(x) <= 1.0)) return not_a_number;
  HighLow angle = angle_of(other_side(x), {std::fabs(x), 0.0});
  if (x < 0.0) angle = difference(whole_pi, angle);
  return angle.high + angle.low;
}

// Exponential, logarithm and power of elementary.hpp. The logarithm is carried to 65 bits, because
// a power multiplies its error by up to 745.

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
