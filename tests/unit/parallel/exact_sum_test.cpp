// Exact sums against integers and quadruple precision.
#include "talus/parallel/exact_sum.hpp"

#include "generate/random.hpp"
#include "parallel/lane_totals.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace talus {
namespace {

using support::bits_of;

__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using): -Wpedantic wants the marker

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double largest_double = std::numeric_limits<double>::max();

double sum_of(const std::vector<double>& terms) {
  return exact_sum(Communicator::self(), terms);
}

/// Both signs, magnitudes over `decades` powers of ten.
std::vector<double> random_terms(std::size_t count, double decades, std::uint64_t seed) {
  std::vector<double> terms(count);
  for (std::size_t i = 0; i < count; ++i) {
    KeyedRandom random(seed, i, 1);
    terms[i] = random.sign() * std::pow(10.0, random.uniform(-decades, 0.0));
  }
  return terms;
}

// The unit of a sum lies 71 bits below the power of two of its largest term.
double unit_of(const std::vector<double>& terms) {
  double largest = 0.0;
  for (const double term : terms) largest = std::max(largest, std::abs(term));
  return std::ldexp(1.0, std::ilogb(largest) - 71);
}

TEST(ExactSum, AddsWholeNumbersOfSeventyBitsWithoutError) {
  std::vector<double> terms;
  Int128 expected = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    KeyedRandom random(1, i, 1);
    const auto digits = static_cast<std::int64_t>(random.next_word()) >> 10;  // 53 and a sign
    const Int128 term = static_cast<Int128>(digits) * (1LL << random.below(18));
    expected += term;
    terms.push_back(static_cast<double>(term));
  }

  EXPECT_EQ(sum_of(terms), static_cast<double>(expected));  // rounded once
}

TEST(ExactSum, IsAsGoodAsQuadruplePrecision) {
  for (const double decades : {0.1, 6.0, 30.0}) {
    const std::vector<double> terms = random_terms(5000, decades, 2);
    Quad expected = 0;
    for (const double term : terms) expected += term;

    const double error = std::abs(static_cast<double>(sum_of(terms) - expected));

    // half a unit for each term, and the rounding of the sum itself
    const double rounding = std::abs(static_cast<double>(expected)) * 0x1.0p-53;
    EXPECT_LE(error, 5000 * 0.5 * unit_of(terms) + rounding);
  }
}

TEST(ExactSum, KeepsWhatIsSeventyOneBitsBelowTheLargestTerm) {
  EXPECT_EQ(sum_of({1e16, 1.0, -1e16}), 1.0);
  EXPECT_EQ(sum_of({1.0, 0x1.0p-71, -1.0}), 0x1.0p-71);
  EXPECT_EQ(sum_of({1.0, 0x1.0p-73, -1.0}), 0.0);  // a quarter of a unit
}

TEST(ExactSum, HasTheSameBitsInAnyOrder) {
  std::vector<double> terms = random_terms(3000, 20.0, 3);
  const std::uint64_t bits = bits_of(sum_of(terms));
  std::mt19937 random(1);

  for (int repeat = 0; repeat < 20; ++repeat) {
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(bits_of(sum_of(terms)), bits);
  }
  std::sort(terms.begin(), terms.end());
  EXPECT_EQ(bits_of(sum_of(terms)), bits);
}

TEST(ExactSum, HasTheSameBitsForAnyNumberOfThreads) {
  const std::vector<double> terms = random_terms(10000, 8.0, 4);
  std::vector<std::uint64_t> bits;

  for (int threads = 1; threads <= 8; ++threads) {
    const support::ForcedThreads forced(threads);
    bits.push_back(bits_of(sum_of(terms)));
  }

  EXPECT_EQ(bits, std::vector<std::uint64_t>(8, bits.front()));
}

TEST(ExactSum, FollowsPowersOfTwoFromOneEndOfTheRangeToTheOther) {
  const std::vector<double> terms = random_terms(100, 3.0, 5);
  const double sum = sum_of(terms);

  for (const int exponent : {-960, -300, 300, 1010}) {
    std::vector<double> scaled = terms;
    for (double& term : scaled) term = std::ldexp(term, exponent);
    EXPECT_EQ(sum_of(scaled), std::ldexp(sum, exponent));
  }
}

TEST(ExactSum, TakesTheEndsOfTheRange) {
  EXPECT_EQ(sum_of({1e300, 1e300, -1e300}), 1e300);
  EXPECT_EQ(sum_of({1e-300, 1e-300, -1e-300}), 1e-300);
  EXPECT_EQ(sum_of({1e300, 1e-300}), 1e300);
  EXPECT_EQ(sum_of({largest_double, -largest_double, 1.0}), 0.0);
  EXPECT_EQ(sum_of({largest_double, largest_double}), infinite);
  EXPECT_EQ(sum_of({-largest_double, -largest_double}), -infinite);
}

// The unit cannot go below 2^-1051, or the scale would be infinite.
TEST(ExactSum, CountsTheSmallestDenormalsAsZero) {
  EXPECT_EQ(sum_of({0x1.0p-1022, 0x1.0p-1051}), 0x1.0p-1022 + 0x1.0p-1051);
  EXPECT_EQ(sum_of({3 * 0x1.0p-1050, -0x1.0p-1050}), 2 * 0x1.0p-1050);
  EXPECT_EQ(sum_of({5e-324, 5e-324}), 0.0);
}

TEST(ExactSum, OfNothingOrZerosIsZero) {
  EXPECT_EQ(bits_of(sum_of({})), bits_of(0.0));
  EXPECT_EQ(bits_of(sum_of({0.0, -0.0, 0.0})), bits_of(0.0));
  EXPECT_EQ(bits_of(sum_of({-0.0})), bits_of(0.0));
}

TEST(ExactSum, OfATermThatIsNotFiniteIsNotANumber) {
  for (const double bad : {nan, infinite, -infinite}) {
    EXPECT_TRUE(std::isnan(sum_of({bad})));
    EXPECT_TRUE(std::isnan(sum_of({1.0, bad, 2.0})));
  }
  EXPECT_TRUE(std::isnan(sum_of({infinite, -infinite})));
}

TEST(ExactSum, TakesMoreThanFourMillionLargeTerms) {
  const std::size_t count = (1U << 22) + 1000;
  std::vector<double> terms(count, 2.0 - 0x1.0p-52);  // the most units a term can have

  // Int128 has room for 2^127 / 2^90 terms
  const Int128 expected = static_cast<Int128>((1LL << 53) - 1) * static_cast<std::int64_t>(count);
  EXPECT_EQ(sum_of(terms), std::ldexp(static_cast<double>(expected), -52));
}

TEST(ExactSum, CostsTwoReductions) {
  const Communicator comm = Communicator::self();

  exact_sum(comm, std::vector<double>{1.0, 2.0});

  EXPECT_EQ(comm.reductions(), 2);  // the first finds the scale
}

/// Adds the same terms with whatever scales it is given, as a solver's pass does.
auto adding(const std::vector<std::vector<double>>& terms) {
  return [terms](const double* scales, LocalSums& sums) {
    for (std::size_t k = 0; k < terms.size(); ++k)
      for (const double term : terms[k]) add_exact_term(sums, static_cast<int>(k), term, scales[k]);
  };
}

class CarriedScales : public testing::Test {
 protected:
  /// One sum of one term; returns how many reductions it took.
  std::int64_t reductions_of(double term) {
    const std::int64_t before = comm_.reductions();
    total_ = sums_.reduce(comm_, adding({{term}}))[0];
    return comm_.reductions() - before;
  }

  Communicator comm_ = Communicator::self();
  FusedSums sums_{1};
  double total_ = 0.0;
};

TEST_F(CarriedScales, TheFirstReductionIsDoneTwiceTheOthersOnce) {
  EXPECT_EQ(reductions_of(3.0), 2);
  EXPECT_EQ(reductions_of(2.5), 1);
  EXPECT_EQ(reductions_of(-7.0), 1);
  EXPECT_EQ(total_, -7.0);
  EXPECT_EQ(sums_.largest(0), 7.0);
}

TEST_F(CarriedScales, TermsMayGrowBySevenAndAHalfDecadesOrShrinkByFiveAtOnce) {
  reductions_of(1.0);
  EXPECT_EQ(reductions_of(0x1.0p19), 1);  // 2^31 units become 2^50
  EXPECT_EQ(total_, 0x1.0p19);
  EXPECT_EQ(reductions_of(2.0), 1);  // 2^31 units become 2^13
  EXPECT_EQ(total_, 2.0);
}

TEST_F(CarriedScales, TermsThatOutgrowTheScaleAreAddedAgain) {
  reductions_of(1.0);
  EXPECT_EQ(reductions_of(0x1.00001p19), 2);
  EXPECT_EQ(total_, 0x1.00001p19);
  EXPECT_EQ(reductions_of(1e300), 2);
  EXPECT_EQ(total_, 1e300);
}

TEST_F(CarriedScales, TermsThatFallFarBelowTheScaleAreAddedAgain) {
  reductions_of(1.0);
  EXPECT_EQ(reductions_of(0x1.fffffp-19), 2);
  EXPECT_EQ(total_, 0x1.fffffp-19);
  EXPECT_EQ(reductions_of(1e-300), 2);
  EXPECT_EQ(total_, 1e-300);
  reductions_of(1.0);
  EXPECT_EQ(reductions_of(5e-324), 2);  // and ends, although it never gets enough bits
  EXPECT_EQ(reductions_of(5e-324), 1);
}

TEST_F(CarriedScales, FiftyThreeBitsAreKeptAtTheLowerEndOfTheWindow) {
  sums_.reduce(comm_, adding({{0x1.0p18}}));
  const std::int64_t before = comm_.reductions();

  const double total = sums_.reduce(comm_, adding({{1.0, 0x1.0p-53, -1.0}}))[0];

  EXPECT_EQ(comm_.reductions() - before, 1);
  EXPECT_EQ(total, 0x1.0p-53);
}

TEST_F(CarriedScales, ZerosNeedNoScaleAndKeepTheOneThereIs) {
  EXPECT_EQ(reductions_of(0.0), 1);
  EXPECT_EQ(bits_of(total_), bits_of(0.0));
  EXPECT_EQ(reductions_of(1.0), 2);
  EXPECT_EQ(reductions_of(0.0), 1);
  EXPECT_EQ(reductions_of(1.0), 1);
}

TEST_F(CarriedScales, TermsThatAreNotFiniteAreNoticedOnceAndForgotten) {
  reductions_of(1.0);
  for (const double bad : {nan, infinite, -infinite}) {
    EXPECT_EQ(reductions_of(bad), 1);  // a better scale would not help
    EXPECT_FALSE(sums_.finite());
    EXPECT_TRUE(std::isnan(total_));
    EXPECT_EQ(reductions_of(1.5), 1);
    EXPECT_TRUE(sums_.finite());
    EXPECT_EQ(total_, 1.5);
  }
}

TEST_F(CarriedScales, DoNotOutliveTheirSolve) {
  const std::vector<double> terms = random_terms(1000, 15.0, 6);
  FusedSums fresh(1);
  const double alone = fresh.reduce(comm_, adding({terms}))[0];

  reductions_of(1e5);  // another solve, with other sizes
  FusedSums next(1);

  EXPECT_EQ(bits_of(next.reduce(comm_, adding({terms}))[0]), bits_of(alone));
}

TEST(FusedSums, EachHasItsOwnScale) {
  const Communicator comm = Communicator::self();
  FusedSums sums(max_fused_sums);
  std::vector<std::vector<double>> terms;
  for (int k = 0; k < max_fused_sums; ++k) {
    const double size = std::pow(10.0, 40 * k - 150);
    terms.push_back({size, 3.0 * size, -size});
  }

  const auto totals = sums.reduce(comm, adding(terms));

  for (std::size_t k = 0; k < terms.size(); ++k) {
    EXPECT_EQ(totals[k], terms[k][1]);
    EXPECT_EQ(sums.largest(static_cast<int>(k)), terms[k][1]);
  }
  EXPECT_EQ(comm.reductions(), 2);
}

TEST(FusedSums, OneThatOutgrowsItsScaleTakesTheOthersAlong) {
  const Communicator comm = Communicator::self();
  FusedSums sums(2);
  sums.reduce(comm, adding({{1.0}, {1.0}}));

  const auto totals = sums.reduce(comm, adding({{1.0, 0.25}, {1e30}}));

  EXPECT_EQ(comm.reductions(), 4);
  EXPECT_EQ(totals[0], 1.25);
  EXPECT_EQ(totals[1], 1e30);
}

TEST(FusedSums, MoreOrFewerThanThereIsRoomForAreABug) {
  EXPECT_THROW(FusedSums(0), std::logic_error);
  EXPECT_THROW(FusedSums(max_fused_sums + 1), std::logic_error);
}

/// A share of random integers.
LocalSums random_share(std::uint64_t seed) {
  LocalSums share(3);
  KeyedRandom random(7, seed, 1);
  for (int i = 0; i < 50; ++i)
    for (int k = 0; k < 3; ++k) {
      // full limbs of both signs: their sums leave 64 bits
      share.add(k, static_cast<std::int64_t>(random.next_word()),
                static_cast<std::int64_t>(random.next_word()));
      share.note_largest(k, random.uniform());
    }
  return share;
}

void expect_equal(const LocalSums& a, const LocalSums& b) {
  for (int k = 0; k < a.count(); ++k) {
    EXPECT_TRUE(a.total(k) == b.total(k));
    EXPECT_EQ(a.largest(k), b.largest(k));
  }
  EXPECT_EQ(a.finite(), b.finite());
}

TEST(LocalSums, MergeInAnyOrderAndGrouping) {
  const LocalSums a = random_share(1), b = random_share(2);
  LocalSums c = random_share(3);
  c.note_not_finite();

  LocalSums left = a, right = b, backwards = c;
  left.merge(b);
  left.merge(c);
  right.merge(c);
  LocalSums grouped = a;
  grouped.merge(right);
  backwards.merge(b);
  backwards.merge(a);

  expect_equal(left, grouped);
  expect_equal(left, backwards);
  EXPECT_FALSE(left.finite());
}

TEST(ListsOfTerms, GiveTheIntegersOfSingleTerms) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> all(100009);
  for (double& term : all) term = uniform(random) * std::exp(20.0 * uniform(random));
  const double scale = 0x1p18;  // terms reach e^20, so 2^47 units: in range
  for (const SimdLevel level : support::levels_here())
    for (const int threads : {1, 3})
      for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 4095U, 4097U, 100008U}) {
        const support::ForcedLevel forced_level(level);
        const support::ForcedThreads forced_threads(threads);
        const std::span<const double> terms(all.data() + 1, count);  // not on a cache line
        LocalSums lists(2), single(2);
        add_exact_terms(terms, 1, scale, lists);
        for (const double term : terms) add_exact_term(single, 1, term, scale);
        expect_equal(lists, single);
      }
}

TEST(ListsOfTerms, NoticeWhatIsNotFinite) {
  for (const double bad : {nan, infinite, -infinite}) {
    std::vector<double> terms(100, 1.0);
    terms[61] = bad;
    LocalSums sums(1);

    add_exact_terms(terms, 0, 1.0, sums);

    EXPECT_FALSE(sums.finite());
  }
}

TEST(LocalSums, HighUnitsCountTwoToTheFortyLowOnes) {
  LocalSums sums(1);
  sums.add(0, 3, -5);
  sums.add(0, -1, 2);

  EXPECT_TRUE(sums.total(0) == static_cast<Int128>(2) * (1LL << 40) - 3);
  sums.clear();
  EXPECT_TRUE(sums.total(0) == 0);
  EXPECT_EQ(sums.largest(0), 0.0);
}

TEST(LocalSums, OfDifferentCountsAreNotMerged) {
  LocalSums one(1);

  EXPECT_THROW(one.merge(LocalSums(2)), std::logic_error);
}

TEST(Communicator, OfOneRankAgreesWithItselfAndCounts) {
  const Communicator comm = Communicator::self();
  LocalSums sums(1);

  comm.reduce(sums);

  EXPECT_TRUE(comm.all_agree(true));
  EXPECT_FALSE(comm.all_agree(false));
  EXPECT_EQ(comm.reductions(), 3);
  EXPECT_EQ(comm.rank(), 0);
  EXPECT_EQ(comm.size(), 1);
}

}  // namespace
}  // namespace talus
