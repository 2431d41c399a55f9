#include "generate/size_distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace talus {
namespace {

using Kind = SizeDistribution::Kind;
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t draws = 20000;

SizeDistribution uniform(bool by_mass) {
  return {.kind = Kind::Uniform, .by_mass = by_mass, .low = 0.5, .high = 2.0};
}

SizeDistribution lognormal(bool by_mass, double low = 0.0, double high = infinite) {
  return {.kind = Kind::Lognormal,
          .by_mass = by_mass,
          .low = low,
          .high = high,
          .median = 1.0,
          .deviation = 0.4};
}

SizeDistribution table(bool by_mass) {
  return {.kind = Kind::Table,
          .by_mass = by_mass,
          .table = {{2.0, 3.0}, {1.0, 1.0}, {0.5, 4.0}, {3.0, 0.0}, {1.0, 2.0}}};
}

std::vector<double> drawn(const SizeDistribution& wanted, std::uint64_t seed = 1) {
  const Sizes sizes(wanted);
  std::vector<double> all;
  for (std::uint64_t k = 0; k < draws; ++k) all.push_back(sizes.draw(seed, k));
  return all;
}

double normal_up_to(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

/// Share of the bodies, of weight size^power each, up to a size.
double reached(const std::vector<double>& sizes, double size, double power) {
  double sum = 0.0, all = 0.0;
  for (const double d : sizes) {
    all += std::pow(d, power);
    if (d <= size) sum += std::pow(d, power);
  }
  return sum / all;
}

struct Case {
  const char* name;
  SizeDistribution wanted;
  std::function<double(double)> up_to;  ///< the analytic distribution, as it is asked for
};

class SizesFollow : public testing::TestWithParam<Case> {};

TEST_P(SizesFollow, TheAnalyticDistribution) {
  const auto& [name, wanted, up_to] = GetParam();
  const std::vector<double> all = drawn(wanted);

  // Kolmogorov: 1.95 / sqrt(n) is exceeded once in 1000; by mass few large bodies weigh the most
  const double tolerance = (wanted.by_mass ? 4.0 : 1.95) / std::sqrt(double{draws});
  for (double d = 0.3; d < 4.0; d += 0.07)
    EXPECT_NEAR(reached(all, d, wanted.by_mass ? 3.0 : 0.0), up_to(d), tolerance) << d;

  const Sizes sizes(wanted);
  for (double d = 0.305; d < 4.0; d += 0.01)  // between the steps of the table
    EXPECT_NEAR(sizes.share_up_to(d), up_to(d), 1e-12) << d;
  EXPECT_LE(*std::max_element(all.begin(), all.end()), sizes.largest());
  const double deviation = largest_deviation(sizes, wanted.by_mass, all);
  EXPECT_GT(deviation, 0.0);
  EXPECT_LT(deviation, tolerance);
}

double of_table(double d) {
  return 0.4 * (d >= 0.5 ? 1.0 : 0.0) + 0.3 * (d >= 1.0 ? 1.0 : 0.0) + 0.3 * (d >= 2.0 ? 1.0 : 0.0);
}
double of_uniform(double d) {
  return std::clamp((d - 0.5) / 1.5, 0.0, 1.0);
}
double of_lognormal(double d) {
  return normal_up_to(std::log(d) / 0.4);
}
double of_cut(double d) {
  const double low = of_lognormal(0.8), high = of_lognormal(1.5);
  return std::clamp((of_lognormal(d) - low) / (high - low), 0.0, 1.0);
}
/// Cut so that only the far tail is left, four to five deviations out.
double of_tail(double d) {
  const auto above = [](double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); };
  const auto at = [&](double x) { return above(std::log(x) / 0.1); };
  return d < 1.5 ? 0.0 : (d > 1.7 ? 1.0 : (at(1.5) - at(d)) / (at(1.5) - at(1.7)));
}
SizeDistribution tail() {
  SizeDistribution wanted = lognormal(false, 1.5, 1.7);
  wanted.deviation = 0.1;
  return wanted;
}

INSTANTIATE_TEST_SUITE_P(Each, SizesFollow,
                         testing::Values(Case{"uniform", uniform(false), of_uniform},
                                         Case{"uniform_by_mass", uniform(true), of_uniform},
                                         Case{"lognormal", lognormal(false), of_lognormal},
                                         Case{"cut", lognormal(false, 0.8, 1.5), of_cut},
                                         Case{"cut_by_mass", lognormal(true, 0.8, 1.5), of_cut},
                                         Case{"tail", tail(), of_tail},
                                         Case{"table", table(false), of_table},
                                         Case{"table_by_mass", table(true), of_table}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(Sizes, ByMassTheirNumbersGoByTheCube) {
  // the number density 1 / d^3 on [0.5, 2] has the median 1 / sqrt((1 / 0.25 + 1 / 4) / 2)
  EXPECT_NEAR(reached(drawn(uniform(true)), 1.0 / std::sqrt(2.125), 0.0), 0.5, 0.014);
  // a lognormal distribution by mass has the number median exp(-3 s^2)
  EXPECT_NEAR(reached(drawn(lognormal(true)), std::exp(-0.48), 0.0), 0.5, 0.014);
}

TEST(Sizes, OfANumberDependOnSeedAndNumberAlone) {
  const Sizes sizes(lognormal(false));

  const double forwards = sizes.draw(7, 3);
  for (std::uint64_t k = 100; k > 0; --k) sizes.draw(7, k);

  EXPECT_EQ(sizes.draw(7, 3), forwards);
  EXPECT_NE(sizes.draw(8, 3), forwards);
  EXPECT_NE(sizes.draw(7, 4), forwards);
}

TEST(Sizes, ConstantOnesAreOneSize) {
  const SizeDistribution wanted{.low = 0.01};
  const Sizes sizes(wanted);

  EXPECT_EQ(sizes.draw(1, 5), 0.01);
  EXPECT_EQ(sizes.largest(), 0.01);
  EXPECT_EQ(largest_deviation(sizes, false, {0.01, 0.01}), 0.0);
  EXPECT_EQ(largest_deviation(sizes, false, {0.01, 0.02}), 0.5);
  EXPECT_EQ(largest_deviation(sizes, false, {}), 0.0);
}

TEST(Sizes, DeviationIsThatOfTheWorstPlace) {
  const Sizes sizes(SizeDistribution{.kind = Kind::Uniform, .low = 1.0, .high = 2.0});

  // one body at 1.25: below it 0.25 is wanted, from it on 0.75 is left
  EXPECT_DOUBLE_EQ(largest_deviation(sizes, false, {1.25}), 0.75);
  EXPECT_DOUBLE_EQ(largest_deviation(sizes, false, {1.25, 1.75}), 0.25);
  // by mass the larger one is 7^3 / (5^3 + 7^3) = 0.733 of all
  EXPECT_NEAR(largest_deviation(sizes, true, {1.25, 1.75}), 0.75 - 125.0 / 468.0, 1e-15);
}

TEST(Sizes, UniformOfNoWidthIsOneSize) {
  for (const bool by_mass : {false, true}) {
    const Sizes sizes({.kind = Kind::Uniform, .by_mass = by_mass, .low = 1.5, .high = 1.5});
    EXPECT_EQ(sizes.draw(1, 1), 1.5);
    EXPECT_EQ(sizes.share_below(1.5), 0.0);
    EXPECT_EQ(sizes.share_up_to(1.5), 1.0);
  }
}

TEST(NormalBetween, IsThatOfTheLibraryAlsoFarOut) {
  const double root = std::sqrt(2.0);
  for (double a = -9.0; a < 9.0; a += 0.37)
    for (double b = a + 0.1; b < 9.5; b += 0.83) {
      const double out = a >= 0.0   ? 0.5 * (std::erfc(a / root) - std::erfc(b / root))
                         : b <= 0.0 ? 0.5 * (std::erfc(-b / root) - std::erfc(-a / root))
                                    : 0.5 * (std::erf(b / root) - std::erf(a / root));
      EXPECT_NEAR(normal_between(a, b) / out, 1.0, 1e-11) << a << " " << b;
    }
  EXPECT_EQ(normal_between(-infinite, infinite), 1.0);
  EXPECT_EQ(normal_between(1.0, 1.0), 0.0);
  EXPECT_EQ(normal_between(39.0, 40.0), 0.0);
}

TEST(Sizes, FaultsAreToldInWords) {
  using testing::ElementsAre;
  EXPECT_THAT(faults_of(uniform(false)), ElementsAre());
  EXPECT_THAT(faults_of(lognormal(true)), ElementsAre());
  EXPECT_THAT(faults_of(table(true)), ElementsAre());
  EXPECT_THAT(faults_of({.low = 0.0}), ElementsAre("size = 0 must be a positive length in m"));
  EXPECT_THAT(faults_of({.kind = Kind::Uniform, .low = -1.0, .high = -2.0}),
              ElementsAre("smallest size = -1 must be a positive length in m",
                          "largest size = -2 must be at least the smallest, -1"));
  EXPECT_THAT(
      faults_of({.kind = Kind::Lognormal, .low = 1.0, .high = 2.0, .median = 0.0}),
      ElementsAre("median = 0 must be a positive length in m",
                  "deviation = 0 must be positive: it is that of the logarithm; without any, give "
                  "one size"));
  EXPECT_THAT(faults_of({.kind = Kind::Table}),
              ElementsAre("table is empty: give lines of size and share"));
  EXPECT_THAT(faults_of({.kind = Kind::Table, .table = {{0.0, 1.0}, {1.0, -1.0}}}),
              ElementsAre("table: size 1 = 0 must be a positive length in m",
                          "table: share 2 = -1 must not be negative"));
  EXPECT_THAT(faults_of({.kind = Kind::Table, .table = {{1.0, 0.0}}}),
              ElementsAre("table: the sum of all shares = 0 must be positive"));
}

}  // namespace
}  // namespace talus
