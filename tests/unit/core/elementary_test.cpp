// Against the C library in long double, whose 64 bits leave 11 to spare.

#include "core/elementary.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace talus {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Distance in units of the last place of the exact answer.
double ulps(double found, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) /
                             std::ldexp(1.0L, exponent - 53));
}

struct Case {
  const char* name;
  double (*ours)(double);
  long double (*theirs)(long double);
  double low, high;
};

class Elementary : public testing::TestWithParam<Case> {};

TEST_P(Elementary, IsWithinTwoUnitsInTheLastPlace) {
  const Case c = GetParam();
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> spread(c.low, c.high), exponent(-60.0, 0.0);
  double worst = 0.0, where = 0.0;
  for (int i = 0; i < 100000; ++i) {
    // half of them over the range, half of them near its end that is nearest to zero
    const double x = i % 2 == 0 ? spread(random) : spread(random) * std::exp2(exponent(random));
    const long double exact = c.theirs(x);
    if (x == 0.0 || std::fabs(exact) < DBL_MIN || std::fabs(exact) > DBL_MAX) continue;
    const double off = ulps(c.ours(x), exact);
    if (off > worst) std::tie(worst, where) = std::tuple(off, x);
  }
  EXPECT_LT(worst, 2.0) << "at " << where;
  RecordProperty("worst", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(
    All, Elementary,
    testing::Values(Case{"sine", sine, std::sin, -1e6, 1e6}, Case{"sine0", sine, std::sin, -4, 4},
                    Case{"cosine", cosine, std::cos, -1e6, 1e6},
                    Case{"cosine0", cosine, std::cos, -4, 4},
                    Case{"tangent", tangent, std::tan, -1e6, 1e6},
                    Case{"tangent0", tangent, std::tan, -4, 4},
                    Case{"arc_sine", arc_sine, std::asin, -1, 1},
                    Case{"arc_cosine", arc_cosine, std::acos, -1, 1},
                    Case{"exponential", exponential, std::exp, -708, 709},
                    Case{"logarithm", natural_logarithm, std::log, 0, 4},
                    Case{"logarithm_far", natural_logarithm, std::log, 0, 1e300}),
    [](const auto& one) { return one.param.name; });

TEST(Elementary, NearMultiplesOfARightAngleTheDigitsThatAreLeftAreRight) {
  double worst = 0.0;
  for (int n = 1; n <= 630000; n += 7) {
    const auto x = static_cast<double>(n * 1.57079632679489661923132169163975144L);
    for (const double at : {x, std::nextafter(x, inf)}) {
      worst = std::max(worst, ulps(sine(at), std::sin(static_cast<long double>(at))));
      worst = std::max(worst, ulps(cosine(at), std::cos(static_cast<long double>(at))));
    }
  }
  EXPECT_LT(worst, 2.0);
}

TEST(Elementary, FarOutSinesAreThoseOfANumberNearby) {
  // promised is a multiple of the distance to the next number far below 1
  for (const double x : {1048577.0, -1.7e6, 3.3e7, 1e9, -4e12, 1e15}) {
    const double step = std::nextafter(std::fabs(x), inf) - std::fabs(x);
    EXPECT_NEAR(sine(x), static_cast<double>(std::sin(static_cast<long double>(x))),
                2e-16 + 1e-5 * step);
    EXPECT_NEAR(cosine(x), static_cast<double>(std::cos(static_cast<long double>(x))),
                2e-16 + 1e-5 * step);
  }
  for (const double x : {1e30, -1e200, DBL_MAX})
    EXPECT_NEAR(sine(x) * sine(x) + cosine(x) * cosine(x), 1.0, 1e-15) << x;
}

TEST(Elementary, ArcTangentOfTwoHasTheRightQuadrantAndDigits) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> sign(-1.0, 1.0), exponent(-30.0, 30.0);
  double worst = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double scale = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1.0 : 16.0;
    const double y = sign(random) * std::exp2(scale * exponent(random));
    const double x = sign(random) * std::exp2(scale * exponent(random));
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    if (std::fabs(exact) < DBL_MIN) continue;
    worst = std::max(worst, ulps(arc_tangent(y, x), exact));
  }
  EXPECT_LT(worst, 2.0);
}

TEST(Elementary, ArcTangentOfSpecialValuesIsThatOfTheDirection) {
  const std::vector<double> values{0.0, -0.0, 1.0, -1.0, inf, -inf, DBL_MAX, -DBL_MAX, DBL_MIN};
  for (const double y : values)
    for (const double x : values) {
      const double expected = std::atan2(y, x), found = arc_tangent(y, x);
      EXPECT_NEAR(found, expected, 1e-15) << y << ' ' << x;
      EXPECT_EQ(std::signbit(found), std::signbit(expected)) << y << ' ' << x;
    }
  EXPECT_TRUE(std::isnan(arc_tangent(nan, 1.0)));
  EXPECT_TRUE(std::isnan(arc_tangent(1.0, nan)));
}

TEST(Elementary, PowerIsWithinTwoUnitsInTheLastPlace) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-300.0, 300.0), small(-8.0, 8.0);
  double worst = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double base = std::exp2(i % 2 == 0 ? small(random) : 1e-3 * small(random));
    const double e = i % 2 == 0 ? small(random) * 16.0 : exponent(random) * 100.0;
    const long double exact = std::pow(static_cast<long double>(base), static_cast<long double>(e));
    if (exact < DBL_MIN || exact > DBL_MAX) continue;
    worst = std::max(worst, ulps(power(base, e), exact));
  }
  EXPECT_LT(worst, 2.0);
}

TEST(Elementary, PowersThatAreNumbersAreExact) {
  for (int i = 0; i <= 22; ++i) {
    double exact = 1.0;
    for (int k = 0; k < i; ++k) exact *= 10.0;
    EXPECT_EQ(power(10.0, i), exact);
  }
  EXPECT_EQ(power(2.0, -1074.0), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(power(2.0, 1023.0), 0x1p1023);
  EXPECT_EQ(power(0.25, 0.5), 0.5);
  EXPECT_EQ(power(-3.0, 3.0), -27.0);
  EXPECT_EQ(power(-3.0, 2.0), 9.0);
}

TEST(Elementary, PowerOfSpecialValuesIsThatOfTheStandard) {
  const std::vector<double> values{0.0,   -0.0,   1.0,  -1.0, 0.5,    -0.5, 2.0,
                                   -2.0,  3.0,    -3.0, 2.5,  -2.5,   1e9,  -1e9,
                                   1e300, -1e300, inf,  -inf, 0x1p53, nan,  1e-300};
  for (const double base : values)
    for (const double exponent : values) {
      const double expected = std::pow(base, exponent), found = power(base, exponent);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(found)) << base << ' ' << exponent;
      } else if (std::isfinite(expected) && expected != 0.0) {
        EXPECT_NEAR(found / expected, 1.0, 1e-15) << base << ' ' << exponent;
      } else {
        EXPECT_EQ(found, expected) << base << ' ' << exponent;
        EXPECT_EQ(std::signbit(found), std::signbit(expected)) << base << ' ' << exponent;
      }
    }
}

TEST(Elementary, EndsOfTheRangesAreRight) {
  for (const double x : {inf, -inf, nan}) {
    EXPECT_TRUE(std::isnan(sine(x)));
    EXPECT_TRUE(std::isnan(cosine(x)));
    EXPECT_TRUE(std::isnan(tangent(x)));
    EXPECT_TRUE(std::isnan(arc_sine(x)));
    EXPECT_TRUE(std::isnan(arc_cosine(x)));
  }
  for (const auto& f : {sine, tangent, arc_sine}) {
    EXPECT_TRUE(std::signbit(f(-0.0)));
    EXPECT_EQ(f(0.0), 0.0);
  }
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_EQ(arc_sine(1.0), 0.5 * pi);
  EXPECT_EQ(arc_cosine(1.0), 0.0);
  EXPECT_EQ(arc_cosine(-1.0), pi);
  EXPECT_TRUE(std::isnan(arc_sine(1.0000001)));
  EXPECT_TRUE(std::isnan(arc_cosine(-1.0000001)));
  EXPECT_EQ(exponential(0.0), 1.0);
  EXPECT_EQ(exponential(-inf), 0.0);
  EXPECT_EQ(exponential(inf), inf);
  EXPECT_EQ(exponential(709.9), inf);
  EXPECT_EQ(exponential(709.79), inf);
  EXPECT_EQ(exponential(-746.0), 0.0);
  EXPECT_EQ(exponential(-745.1), std::exp(-745.1));
  EXPECT_EQ(exponential(709.78), std::exp(709.78));
  EXPECT_TRUE(std::isnan(exponential(nan)));
  EXPECT_EQ(natural_logarithm(1.0), 0.0);
  EXPECT_EQ(natural_logarithm(0.0), -inf);
  EXPECT_EQ(natural_logarithm(inf), inf);
  EXPECT_TRUE(std::isnan(natural_logarithm(-1.0)));
  EXPECT_TRUE(std::isnan(natural_logarithm(nan)));
  EXPECT_NEAR(natural_logarithm(5e-324), std::log(5e-324), 1e-12);
}

TEST(Elementary, BitsOfTodayAreThoseOfEveryMachine) {
  // from this code, so that a compiler or a processor that does otherwise is noticed
  std::uint64_t hash = 1469598103934665603ULL;
  const auto add = [&](double x) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
  };
  for (int i = 1; i <= 2000; ++i) {
    const double x = 0.37 * i;
    for (const double value :
         {sine(x), cosine(x), tangent(x), arc_tangent(x, 3.0), arc_sine(1.0 / x / 3.0),
          arc_cosine(0.3 / x), exponential(0.1 * x), natural_logarithm(x), power(x, 1.7)})
      add(value);
  }
  EXPECT_EQ(hash, 10384296594253683468ULL);
}

}  // namespace
}  // namespace talus
