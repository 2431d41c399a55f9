// The lane version of exact sums (parallel/exact_lanes.hpp) against add_exact_term: the same
// integers on each x86-64 level. Reached through a pass of the solvers: with scalar rows only, its
// first sum adds one term d g per lane.
#include "talus/cones/cone_set.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "generate/random.hpp"
#include "parallel/lane_totals.hpp"
#include "parallel/tile_ranges.hpp"
#include "solvers/pass_kernels.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Rows of a pass whose first sum is that of `terms`.
class TermPass {
 public:
  explicit TermPass(const std::vector<double>& terms)
      : cones_(make_cone_set(static_cast<Index>(terms.size()), 0, 0)),
        terms_(static_cast<std::size_t>(cones_.stored_rows()), 0.0),
        ones_(terms_.size(), 1.0) {
    std::copy(terms.begin(), terms.end(), terms_.begin());
    pass_.cones = view_of(cones_, RowPart::Owned);
    pass_.d = ones_.data();
    pass_.g = terms_.data();
    pass_.q = ones_.data();
    pass_.scale = pass_.inverse_scale = ones_.data();
  }

  Index tiles() const { return cones_.owned_tiles(); }

  /// Adds tiles [begin, end) with the level in use; four sums, of which the first is meant.
  void add(Index begin, Index end, double scale, LocalSums& sums) const {
    const double scales[] = {scale, 1.0, 1.0, 1.0};
    drain_kernel(begin, end, 0, 4, sums, [&](Index from, Index to, LaneTotals& totals) {
      pass_kernels().spg_sums(pass_, from, to, scales, totals);
    });
  }

 private:
  ConeSet cones_;
  RowVector terms_, ones_;
  SpgPass pass_{};
};

void expect_same_integers(const std::vector<double>& terms, double scale) {
  LocalSums plain(1);
  for (const double term : terms) add_exact_term(plain, 0, term, scale);
  const TermPass pass(terms);
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    LocalSums lanes_sum(4);
    pass.add(0, pass.tiles(), scale, lanes_sum);
    EXPECT_EQ(lanes_sum.finite(), plain.finite()) << name_of(level);
    if (!plain.finite()) continue;
    EXPECT_TRUE(lanes_sum.total(0) == plain.total(0)) << name_of(level);
    EXPECT_EQ(lanes_sum.largest(0), plain.largest(0)) << name_of(level);
  }
}

TEST(ExactLanes, AddTheIntegersOfThePlainVersion) {
  std::vector<double> terms;
  for (std::uint64_t i = 0; i < 20003; ++i) {
    KeyedRandom random(1, i, 1);
    terms.push_back(random.sign() * std::pow(10.0, random.uniform(-25.0, 0.0)));
  }

  expect_same_integers(terms, 0x1.0p31);
  expect_same_integers(terms, 0x1.0p50);
  expect_same_integers(terms, 0x1.0p13);
}

TEST(ExactLanes, AgreeOnZerosTiesDenormalsAndTheLargestTerms) {
  const double half = 0.5, low = 0x1.0p-41;  // halves of units of the first and the second limb
  expect_same_integers({0.0, -0.0, half, -half, 1.5, 2.5, -1.5, 3.0 + low, -3.0 - low, 3 * low,
                        1.0 - 0x1.0p-53, 5e-324, -5e-324, 0x1.0p50, -0x1.0p50, 0x1.0p50 - 0.125},
                       1.0);
}

TEST(ExactLanes, AgreeAtTheEndsOfTheRange) {
  expect_same_integers({1e300, -3e299, 1e-300, 5e-324}, std::ldexp(1.0, 31 - std::ilogb(1e300)));
  expect_same_integers({1e-300, 5e-324, -1e-310, 3e-302}, 0x1.0p1011);
}

TEST(ExactLanes, NoticeTermsThatAreNotFiniteInAnyLane) {
  for (const double bad : {not_a_number, HUGE_VAL, -HUGE_VAL})
    for (std::size_t lane = 0; lane < 8; ++lane) {
      std::vector<double> terms(11, 1.0);
      terms[lane] = bad;
      expect_same_integers(terms, 1.0);
    }
}

// A term beyond its scale makes no sense in units, but its size must be seen: the reduction is
// redone.
TEST(ExactLanes, SeeTheSizeOfTermsBeyondTheScale) {
  const TermPass pass({1.0, -1e200, 3.0});
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    LocalSums sums(4);
    pass.add(0, pass.tiles(), 0x1.0p31, sums);
    EXPECT_TRUE(sums.finite());
    EXPECT_EQ(sums.largest(0), 1e200);
  }
}

TEST(ExactLanes, MoreThanFourMillionLargestTermsDoNotOverflow) {
  const std::vector<double> terms(8 * tiles_per_drain, 0x1.0p50);
  const TermPass pass(terms);
  constexpr int repeats = 1025;  // of 2^12 terms
  const Int128 units = static_cast<Int128>(1LL << 50) * (1LL << 40) * (4096 * repeats);
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    const int sign = level == SimdLevel::V3 ? -1 : 1;
    LocalSums sums(4);
    for (int i = 0; i < repeats; ++i) pass.add(0, pass.tiles(), sign, sums);
    EXPECT_TRUE(sums.total(0) == sign * units);
  }
}

// A lane is emptied every tiles_per_drain tiles; here it takes the most terms that it ever may.
TEST(ExactLanes, LongRangesAreDrainedInTime) {
  const std::vector<double> terms(8 * (3 * tiles_per_drain + 5), 0x1.0p50 - 0.375);
  expect_same_integers(terms, 1.0);
}

TEST(TileRanges, CoverEveryTileOnceForAnyNumberOfThreads) {
  for (const Index tiles : {0, 1, 31, 32, 100, 1001})
    for (int threads = 1; threads <= 8; ++threads) {
      const support::ForcedThreads forced(threads);
      std::vector<int> visits(static_cast<std::size_t>(tiles), 0);
      for_tile_ranges(tiles, [&](Index begin, Index end) {
        for (Index tile = begin; tile < end; ++tile) ++visits[static_cast<std::size_t>(tile)];
      });
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
    }
}

TEST(TileRanges, SumsOfThreadsAreMergedToTheSameIntegers) {
  std::vector<double> terms;
  for (std::uint64_t i = 0; i < 8 * 100; ++i) terms.push_back(KeyedRandom(2, i, 1).uniform(-1, 1));
  const TermPass pass(terms);
  LocalSums alone(4);
  pass.add(0, pass.tiles(), 0x1.0p31, alone);

  for (int threads = 1; threads <= 8; ++threads) {
    const support::ForcedThreads forced(threads);
    LocalSums sums(4);
    for_tile_ranges(pass.tiles(), sums, [&](Index begin, Index end, LocalSums& mine) {
      pass.add(begin, end, 0x1.0p31, mine);
    });
    EXPECT_TRUE(sums.total(0) == alone.total(0));
    EXPECT_EQ(sums.largest(0), alone.largest(0));
  }
}

}  // namespace
}  // namespace talus
