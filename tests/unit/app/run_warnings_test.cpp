// Of warnings of one kind ever fewer are told, and none is lost from the count.

#include "app/run/run_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using app::RunWarnings;
using ::testing::ElementsAre;

TEST(RunWarnings, AreToldAtLargerAndLargerIntervals) {
  RunWarnings warnings;
  std::vector<std::string> told;
  for (std::int64_t step = 1; step <= 450; ++step)
    if (const auto text = warnings.tell({"a", "a" + std::to_string(step)}, step))
      told.push_back(*text);
  EXPECT_THAT(told, ElementsAre("a1", "a101 (99 more of this kind since the last one told)",
                                "a301 (199 more of this kind since the last one told)"));
  EXPECT_THAT(warnings.rest(), ElementsAre("149 more warnings of the kind 'a' were not shown"));
  EXPECT_EQ(warnings.count(), 450);
  EXPECT_EQ(warnings.held_back(), 447);
}

TEST(RunWarnings, OfOneKindDoNotHoldBackAnother) {
  RunWarnings warnings;
  EXPECT_EQ(warnings.tell({"a", "first"}, 5), "first");
  EXPECT_EQ(warnings.tell({"b", "other"}, 5), "other");
  EXPECT_EQ(warnings.tell({"a", "again"}, 6), std::nullopt);
  EXPECT_EQ(warnings.tell({"b", "late"}, 105), "late") << "nothing was held back";
  EXPECT_EQ(warnings.held_back(), 1);
}

}  // namespace
}  // namespace talus
