#include "generate/random.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

TEST(KeyedRandom, GivesThePublishedWordsOfPhilox) {
  // Known-answer vector of Random123 for philox4x32-10 with key 0 and counter 0.
  KeyedRandom random(0, 0, 0);

  EXPECT_EQ(random.next_word(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(random.next_word(), 0x9b00dbd8bc57ac4cu);
}

TEST(KeyedRandom, DrawsDependOnSeedObjectAndPurposeOnly) {
  const std::uint64_t word = KeyedRandom(7, 11, 3).next_word();
  KeyedRandom(7, 12, 3).next_word();  // other draws in between change nothing

  EXPECT_EQ(KeyedRandom(7, 11, 3).next_word(), word);
  EXPECT_NE(KeyedRandom(8, 11, 3).next_word(), word);
  EXPECT_NE(KeyedRandom(7, 12, 3).next_word(), word);
  EXPECT_NE(KeyedRandom(7, 11, 4).next_word(), word);
  EXPECT_NE(KeyedRandom(7 + (std::uint64_t{1} << 32), 11, 3).next_word(), word);
  EXPECT_NE(KeyedRandom(7, 11 + (std::uint64_t{1} << 32), 3).next_word(), word);
}

TEST(KeyedRandom, UniformNumbersFillTheirInterval) {
  KeyedRandom random(1, 2, 3);
  double least = 1e9, greatest = -1e9, sum = 0.0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(2.0, 6.0);
    least = std::min(least, x);
    greatest = std::max(greatest, x);
    sum += x;
  }

  EXPECT_GE(least, 2.0);
  EXPECT_LT(greatest, 6.0);
  // the standard deviation of the mean is 4 / sqrt(12 * 1e5) = 0.0037: 0.02 is beyond five of them
  EXPECT_NEAR(sum / count, 4.0, 0.02);
}

TEST(KeyedRandom, DirectionsHaveUnitLengthAndNoPreference) {
  Vec3 mean;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const Vec3 d = KeyedRandom(5, static_cast<std::uint64_t>(i), 0).direction();
    ASSERT_NEAR(dot(d, d), 1.0, 1e-15);  // one division and one root: a few ulp
    mean = mean + (1.0 / count) * d;
  }

  EXPECT_LT(std::sqrt(dot(mean, mean)), 0.03);  // standard deviation 1 / sqrt(2e4) = 0.007
}

TEST(KeyedRandom, SignsAndChancesAreFair) {
  int positive = 0, happened = 0, below_two = 0;
  for (int i = 0; i < 10000; ++i) {
    KeyedRandom random(9, static_cast<std::uint64_t>(i), 1);
    positive += random.sign() > 0.0;
    happened += random.chance(0.25);
    const std::uint64_t k = random.below(5);
    ASSERT_LT(k, 5u);
    below_two += k < 2;
  }

  // six standard deviations of the binomial distribution: 6 * 50 = 300 at one half
  EXPECT_NEAR(positive, 5000, 300);
  EXPECT_NEAR(happened, 2500, 300);
  EXPECT_NEAR(below_two, 4000, 300);
}

}  // namespace
}  // namespace talus
