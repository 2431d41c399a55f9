// Numbers as users type them.

#include "core/number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace talus {
namespace {

TEST(NumberIn, TakesTheWholeTextOnly) {
  EXPECT_EQ(number_in<double>("1e-3"), 1e-3);
  EXPECT_EQ(number_in<int>("-7"), -7);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "+1", "0x10"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(number_in<double>(text), std::nullopt);
    EXPECT_EQ(number_in<int>(text), std::nullopt);
  }
}

TEST(NumberIn, TakesAWholeNumberInAnySpelling) {
  EXPECT_EQ(number_in<int>("1e3"), 1000);
  EXPECT_EQ(number_in<int>("2.0"), 2);
  EXPECT_EQ(number_in<std::int64_t>("-1.5e9"), -1500000000);
  EXPECT_EQ(number_in<std::int64_t>("9223372036854775807"),
            std::numeric_limits<std::int64_t>::max());
}

TEST(NumberIn, RefusesFractionsAndWhatDoesNotFit) {
  for (const char* text : {"1.5", "1e-3", "1e10", "1e30", "inf", "nan"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(number_in<int>(text), std::nullopt);
  }
  EXPECT_EQ(number_in<std::int64_t>("1e18"), std::nullopt) << "beyond what a double counts in ones";
}

}  // namespace
}  // namespace talus
