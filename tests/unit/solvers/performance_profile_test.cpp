#include "talus/cones/cone_set.hpp"

#include "solvers/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> three{"a", "b", "c"};

// Worked out by hand: best costs 10, 20, 5 and, where nobody got there, none. The sums are of
// powers of two and the ratios small integers, so that equality holds exactly.
const std::vector<std::vector<double>> by_hand{{10.0, 40.0, infinity},
                                               {80.0, 20.0, infinity},
                                               {5.0, 5.0, 10.0},
                                               {infinity, infinity, infinity}};

TEST(PerformanceProfile, IsTheShareOfProblemsWithinAFactorOfTheBest) {
  const std::vector<ProfileLine> lines = performance_profile(three, by_hand, 1.0);

  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].method, "a");
  EXPECT_THAT(lines[0].tau, ElementsAre(1.0, 4.0));  // best twice, 80 / 20 once
  EXPECT_THAT(lines[0].share, ElementsAre(0.5, 0.75));
  EXPECT_THAT(lines[1].tau, ElementsAre(1.0, 4.0));
  EXPECT_THAT(lines[1].share, ElementsAre(0.5, 0.75));
  EXPECT_THAT(lines[2].tau, ElementsAre(2.0));
  EXPECT_THAT(lines[2].share, ElementsAre(0.25));
}

TEST(PerformanceProfile, ReadsAsAStaircase) {
  const ProfileLine a = performance_profile(three, by_hand, 1.0)[0];

  EXPECT_EQ(share_within(a, 0.99), 0.0);
  EXPECT_EQ(share_within(a, 1.0), 0.5);
  EXPECT_EQ(share_within(a, 3.99), 0.5);
  EXPECT_EQ(share_within(a, 4.0), 0.75);
  EXPECT_EQ(share_within(a, 1e300), 0.75) << "the problem that nobody solved counts";
}

TEST(PerformanceProfile, CostsOfNothingAreAllTheSame) {
  const auto lines = performance_profile({"a", "b"}, {{0.0, 1.0}, {0.0, 4.0}}, 1.0);

  EXPECT_THAT(lines[0].tau, ElementsAre(1.0));
  EXPECT_THAT(lines[1].tau, ElementsAre(1.0, 4.0)) << "1 is as cheap as nothing; 4 is not";
}

TEST(PerformanceProfile, OfNothingIsEmpty) {
  EXPECT_THAT(performance_profile({}, {}, 1.0), IsEmpty());
  const auto unsolved = performance_profile({"a"}, {{infinity}}, 1.0);
  ASSERT_EQ(unsolved.size(), 1U);
  EXPECT_THAT(unsolved[0].tau, IsEmpty());
  EXPECT_EQ(share_within(unsolved[0], 100.0), 0.0);
}

}  // namespace
}  // namespace talus
