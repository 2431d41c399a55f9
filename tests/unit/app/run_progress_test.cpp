// Time left by the speed of late, and what fits a terminal.

#include "app/run/run_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using app::Pace;
using app::progress_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

StepReport step_of(std::int64_t step) {
  StepReport report;
  report.step = step;
  report.time = 1e-3 * static_cast<double>(step);
  report.bodies = 8005;
  report.contacts = 21000;
  report.iterations = 45;
  report.error = 8.1e-5;
  report.overlap_share = 0.0012;
  report.imbalance = 1.04;
  return report;
}

TEST(RunProgress, PaceKnowsNothingBeforeTheFirstStep) {
  const Pace pace(0, 0, 0.0);
  EXPECT_EQ(pace.steps_per_second(), 0.0);
  EXPECT_TRUE(std::isinf(pace.left({10, 10})));
}

TEST(RunProgress, ARunThatGoesOnCountsItsOwnStepsAlone) {
  Pace pace(1000, 1000, 2.0);
  pace.done(1001, 1001, 2.5);
  pace.done(1004, 1004, 4.0);
  EXPECT_DOUBLE_EQ(pace.steps_per_second(), 2.0);
  EXPECT_DOUBLE_EQ(pace.left({1010, 1010}), 3.0);
}

TEST(RunProgress, TimeLeftIsByTheSpeedOfLate) {
  Pace pace(0, 0, 0.0);
  double now = 0.0;
  std::int64_t step = 0;
  for (; step < 10000; ++step) pace.done(step + 1, step + 1, now += 0.001);  // falling: ten seconds
  for (; step < 10700; ++step) pace.done(step + 1, step + 1, now += 0.1);    // piled up: seventy
  EXPECT_NEAR(pace.steps_per_second(), 10.0, 0.01);
  EXPECT_NEAR(pace.left({10800, 10800}), 10.0, 0.01);
}

TEST(RunProgress, OfSlowStepsTheLastFiveCount) {
  Pace pace(0, 0, 0.0);
  for (std::int64_t step = 1; step <= 9; ++step)
    pace.done(step, step, 100.0 * static_cast<double>(step * step));
  // steps 5 to 9 took (81 - 16) * 100 s
  EXPECT_NEAR(pace.steps_per_second(), 5.0 / 6500.0, 1e-12);
}

TEST(RunProgress, SaysAllWhereThereIsRoom) {
  Pace pace(1190, 1190, 0.0);
  pace.done(1200, 1200, 0.1);

  const std::string text = progress_text(step_of(1200), pace, app::RunGoal{3000, 3000}, 2, 1000);

  EXPECT_EQ(text,
            "step 1200 of 3000, t = 1.2 s, 100 steps/s, about 18 s left, 8005 bodies, 21000 "
            "contacts, 45 iterations, error 8.10e-05 m/s, penetration 0.12 %, imbalance 1.04");
  EXPECT_THAT(progress_text(step_of(1200), pace, app::RunGoal{3000, 3000}, 1, 1000),
              Not(HasSubstr("imbalance")));
}

TEST(RunProgress, OnANarrowTerminalTheErrorIsStillThere) {
  Pace pace(1190, 1190, 0.0);
  pace.done(1200, 1200, 0.1);
  for (const std::size_t columns : {40U, 60U, 79U, 100U, 120U}) {
    const std::string text =
        progress_text(step_of(1200), pace, app::RunGoal{3000, 3000}, 2, columns);
    EXPECT_LE(text.size(), columns);
    EXPECT_THAT(text, StartsWith("step 1200/3000, 1.2 s, 100/s"));
  }
  EXPECT_THAT(progress_text(step_of(1200), pace, app::RunGoal{3000, 3000}, 2, 79),
              AllOf(HasSubstr("18 s left"), HasSubstr("8.1e-05 m/s"), HasSubstr("pen 0.12 %")));
}

}  // namespace
}  // namespace talus
