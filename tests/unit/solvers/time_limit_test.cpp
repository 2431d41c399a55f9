// What a time limit leaves little time for is remarked on.

#include "generate/generate.hpp"
#include "support/solved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using support::solved;
using testing::Contains;
using testing::ElementsAre;
using testing::StartsWith;

SolveOptions limited(double seconds) {
  SolveOptions options;
  options.method = Method::Pspgfb;
  options.tolerance = 0.0;
  options.max_iterations = options.stall_iterations = 1000000000;
  options.time_limit = seconds;
  return options;
}

TEST(TimeLimit, TooShortForAnythingReturnsTheStartAndSaysSo) {
  const SolveReport report =
      solved(generate(parse_generate("stack,bodies=4")), limited(1e-9)).report;

  EXPECT_EQ(report.status, SolveStatus::TimeLimit);
  EXPECT_DOUBLE_EQ(report.error, 1.0);
  EXPECT_THAT(report.remarks,
              ElementsAre(StartsWith("pspgfb had 1e-09 s, which left time for 0 iterations: "
                                     "verifying an answer alone takes about ")));
}

TEST(TimeLimit, EatenByAHistoryIsRemarkedOn) {
  SolveOptions options = limited(0.2);
  options.keep_history = options.history_all_measures = true;

  const SolveReport report = solved(generate(parse_generate("wall,bodies=40")), options).report;

  EXPECT_EQ(report.status, SolveStatus::TimeLimit);
  EXPECT_THAT(report.remarks, Contains(StartsWith("pspgfb had 0.2 s, of which the history took ")));
}

}  // namespace
}  // namespace talus
