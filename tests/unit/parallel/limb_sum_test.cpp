// Sums without a scale against integers, and their one promise: no order and no split changes a
// bit.

#include "talus/parallel/exact_sum.hpp"

#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus {
namespace {

using support::bits_of;

double sum_of(const std::vector<double>& terms) {
  LimbSum sum;
  for (std::size_t from = 0; from < terms.size(); from += LimbSum::most_terms)
    sum.add({terms.data() + from, std::min(LimbSum::most_terms, terms.size() - from)});
  return sum.value();
}

/// Terms over `decades` powers of two, of both signs.
std::vector<double> wild_terms(std::size_t count, double decades, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0), exponent(-decades, decades);
  std::vector<double> terms(count);
  for (double& term : terms)
    term = std::ldexp(mantissa(random), static_cast<int>(exponent(random)));
  return terms;
}

TEST(LimbSum, OfIntegersIsExact) {
  std::mt19937_64 random(1);
  std::vector<double> terms;
  Int128 exact = 0;
  for (int i = 0; i < 10000; ++i) {  // 70 bits: far more than a double holds
    const auto mantissa = static_cast<std::int64_t>(random() >> 11) - (1LL << 52);
    const int shift = static_cast<int>(random() % 18);
    terms.push_back(std::ldexp(static_cast<double>(mantissa), shift));
    exact += static_cast<Int128>(mantissa) * (1LL << shift);
  }

  EXPECT_EQ(sum_of(terms), static_cast<double>(exact));
  EXPECT_EQ(sum_of({1e16, 1.0, -1e16}), 1.0);
  EXPECT_EQ(sum_of({1.0, 0x1p-78, -1.0}), 0x1p-78);
  EXPECT_EQ(sum_of({-1.0, -0x1p-53}), -1.0);  // rounded once, to even
}

TEST(LimbSum, HasTheSameBitsForAnyOrderAndSplit) {
  for (const double decades : {1.0, 30.0, 200.0, 900.0}) {
    std::vector<double> terms = wild_terms(3000, decades, 2);
    const double expected = sum_of(terms);
    std::mt19937_64 random(3);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::shuffle(terms.begin(), terms.end(), random);
      std::array<LimbSum, 4> parts;
      for (std::size_t from = 0; from < terms.size();) {
        const std::size_t count = std::min<std::size_t>(1 + random() % 200, terms.size() - from);
        parts.at(random() % 4).add({terms.data() + from, count});
        from += count;
      }
      std::shuffle(parts.begin(), parts.end(), random);
      LimbSum all;
      for (const LimbSum& part : parts) all.merge(part);
      EXPECT_EQ(bits_of(all.value()), bits_of(expected)) << decades;
    }
  }
}

TEST(LimbSum, HasTheSameBitsForEachLevel) {
  const std::vector<double> terms = wild_terms(1003, 60.0, 4);
  std::vector<std::uint64_t> bits;
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    bits.push_back(bits_of(sum_of(terms)));
  }

  for (const std::uint64_t other : bits) EXPECT_EQ(other, bits.front());
}

TEST(LimbSum, IsRightAtEveryMagnitude) {
  for (int exponent = -960; exponent <= 1000; ++exponent) {
    const double unit = std::ldexp(1.0, exponent);
    EXPECT_EQ(sum_of({3.0 * unit, unit, 0.5 * unit, -4.0 * unit}), 0.5 * unit) << exponent;
    EXPECT_EQ(sum_of({unit, -unit}), 0.0);
  }
  EXPECT_EQ(sum_of({0x1p-1040, 0x1p-1060}), 0.0);  // below what is kept
  EXPECT_EQ(sum_of({1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(sum_of({1e308, 1e308}), INFINITY);
}

TEST(LimbSum, OfMoreThanAnyDoubleCanHoldIsRoundedToo) {
  LimbSum sum;  // 2^60 largest terms: the first limb no longer fits beside the others
  sum.add(std::vector<double>{0x1.8p38});
  for (int k = 0; k < 60; ++k) sum.merge(sum);

  EXPECT_EQ(sum.value(), 0x1.8p98);
}

TEST(LimbSum, OfNothingOrZerosIsZero) {
  EXPECT_EQ(bits_of(sum_of({})), bits_of(0.0));
  EXPECT_EQ(bits_of(sum_of({-0.0, 0.0})), bits_of(0.0));
}

TEST(LimbSum, IsUndefinedOnceATermWas) {
  LimbSum sum;
  sum.add(std::vector<double>{1.0, INFINITY});
  LimbSum other;
  other.add(std::vector<double>{2.0});
  other.merge(sum);

  EXPECT_TRUE(std::isnan(other.value()));
  EXPECT_TRUE(std::isnan(sum_of({NAN})));
}

}  // namespace
}  // namespace talus
