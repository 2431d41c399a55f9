// The verdict of a run, on error bars that are written by hand.

#include "app/run/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace talus::app {
namespace {

using testing::HasSubstr;

constexpr double tolerance = 1e-4;

/// Half of the tolerance, a hundredth of the size as overlap, friction that took 2 J of 10.
ErrorBar sound() {
  ErrorBar bar;
  bar.steps = 10;
  bar.error = {0.5 * tolerance, 3};
  bar.overlap_share = {0.01, 4};
  bar.energy.steps = 10;
  bar.energy.gravity = bar.energy.through = 10.0;
  bar.energy.friction = 2.0;
  bar.energy.kinetic_end = 8.0;
  return bar;
}

TEST(Verdict, HoldsAndNamesWhatIsNearestToItsLimit) {
  const Verdict verdict = verdict_of(sound(), tolerance);
  EXPECT_TRUE(verdict.holds());
  EXPECT_EQ(verdict.worst().name, "convergence");
  EXPECT_DOUBLE_EQ(verdict.worst().share, 0.5);
  EXPECT_TRUE(verdict.warnings.empty());
  const auto json = verdict_json(verdict);
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["worst"], "convergence");
  EXPECT_EQ(json["checks"].size(), 6U);
}

TEST(Verdict, FallsWithEachOfWhatItStandsOn) {
  const auto worst_of = [](const ErrorBar& bar) {
    const Verdict verdict = verdict_of(bar, tolerance);
    EXPECT_FALSE(verdict.holds());
    return verdict.worst().name;
  };
  ErrorBar bar = sound();
  bar.error = {2.0 * tolerance, 7};
  bar.unconverged = 1;
  EXPECT_EQ(worst_of(bar), "convergence");
  bar = sound();
  bar.overlap_share = {0.2, 5};
  EXPECT_EQ(worst_of(bar), "overlap");
  bar = sound();
  bar.joint_gap_share = {0.05, 5};
  EXPECT_EQ(worst_of(bar), "joints");
  bar = sound();
  bar.joint_angle = {0.05, 5};
  EXPECT_EQ(worst_of(bar), "joints");
  bar = sound();
  bar.outran = {3.0, 5};
  EXPECT_EQ(worst_of(bar), "impacts");
  bar = sound();
  bar.time.comparisons = 1;
  bar.time.share = {0.2, 5};
  EXPECT_EQ(worst_of(bar), "time_step");
  bar = sound();
  bar.energy.impact = -3.0;
  EXPECT_EQ(worst_of(bar), "energy");
  bar = sound();
  bar.error.value = std::numeric_limits<double>::quiet_NaN();
  bar.unconverged = 1;
  EXPECT_EQ(worst_of(bar), "convergence");
}

// The default tolerance follows automatic steps: each is judged by its own.
TEST(Verdict, JudgesStepsByTheirOwnTolerances) {
  ErrorBar bar = sound();
  StepReport step;
  step.error = 0.9e-3;
  bar.add(step, 1e-3);
  step.error = 0.2e-5;
  bar.add(step, 1e-5);
  const Check check = verdict_of(bar, 1e-5).checks.at(0);
  EXPECT_DOUBLE_EQ(check.share, 0.9);
  EXPECT_THAT(check.text, HasSubstr("at 0.9 of its tolerance"));
}

// 16 kJ that become 259 kJ by a joint: joints and time step together.
TEST(Verdict, SeesEnergyThatJointsMake) {
  ErrorBar bar = sound();
  bar.energy.kinetic_start = 16e3;
  bar.energy.kinetic_end = bar.energy.kinetic_most = 259e3;
  bar.energy.joints = -243e3;
  const Verdict verdict = verdict_of(bar, tolerance);
  EXPECT_FALSE(verdict.holds());
  EXPECT_THAT(verdict.worst().text, HasSubstr("2.43e+05 J came from nowhere"));
}

// Joints take what the time step gives, and the other way round, within each swing of a pendulum.
TEST(Verdict, DoesNotBlameWhatJointsAndTimeStepExchange) {
  ErrorBar bar = sound();
  bar.energy.joints = -3.0;
  bar.energy.time_step = 3.0;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
}

// A heap at rest: all that its steps move is what the tolerance leaves.
TEST(Verdict, DoesNotBlameWhatTheToleranceLeaves) {
  ErrorBar bar = sound();
  bar.energy = {};
  bar.energy.steps = 10;
  bar.energy.through = 1e-3;
  bar.energy.impact = -4e-4;
  bar.energy.friction = 1e-4;
  bar.energy.solver_magnitude = 2e-3;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
  bar.energy.solver_magnitude = 1e-6;
  EXPECT_FALSE(verdict_of(bar, tolerance).holds());
}

// A pendulum that hangs straight down in the end: its energy went through it all the same.
TEST(Verdict, TakesWhatWentThroughStepByStep) {
  ErrorBar bar = sound();
  bar.energy = {};
  bar.energy.steps = 10;
  bar.energy.joints = -1e-3;
  bar.energy.gravity = bar.energy.kinetic_end = 1e-3;
  EXPECT_FALSE(verdict_of(bar, tolerance).holds());
  bar.energy.through = 1.0;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
}

// 1 J that comes in one step is 12 % of the largest kinetic energy, though impacts elsewhere take
// more over the run.
TEST(Verdict, SeesABurstThatImpactsTakeElsewhere) {
  ErrorBar bar = sound();
  bar.energy.kinetic_most = 8.0;
  bar.energy.through = 1e6;
  StepReport step;
  step.step = 41;
  step.energy.steps = 1;
  step.energy.gravity = 0.1;
  step.energy.impact = -1.5;
  step.energy.friction = 0.4;
  step.energy.solver_magnitude = 0.1;
  bar.gains.from_start_on = false;
  bar.gains.add(step);

  const Verdict verdict = verdict_of(bar, tolerance);

  EXPECT_FALSE(verdict.holds());
  EXPECT_EQ(verdict.worst().name, "energy");
  EXPECT_NEAR(verdict.worst().share, (1.0 / 8.0) / 0.05, 1e-9);
  EXPECT_THAT(verdict.worst().text, HasSubstr("1 J came from nowhere in step 41"));
  bar.gains.of_step.value = 0.3;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
  EXPECT_NEAR(verdict_of(bar, tolerance).checks.back().share, (0.3 / 8.0) / 0.05, 1e-9);
  bar.energy.kinetic_most = 1e-9;  // what moves slowly is measured by what sources give a step
  bar.gains.of_step.value = 0.004;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
  bar.gains.of_step.value = 0.006;
  EXPECT_FALSE(verdict_of(bar, tolerance).holds());
}

// max_overlap: bodies that overlap at the start are pushed out. As long as overlaps only fall that
// is no energy from nowhere, neither of the step nor of the run.
TEST(Verdict, DoesNotBlameTheRecoveryOfWhatOverlapsAtTheStart) {
  ErrorBar bar = sound();
  bar.energy = {};
  const auto add = [&](double overlap, double recovered) {
    StepReport step;
    step.step = bar.steps++;
    step.energy.steps = 1;
    step.energy.kinetic_end = step.energy.recovered = recovered;
    step.energy.impact = -recovered;
    step.overlap_share = overlap;
    bar.energy.add(step.energy);
    bar.gains.add(step);
  };
  add(0.2, 1.0);
  add(0.1, 0.5);
  add(0.1, 0.25);
  bar.overlap_share = {};
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
  EXPECT_TRUE(verdict_of(bar, tolerance).warnings.empty());
  EXPECT_EQ(bar.gains.of_step.value, 0.0);
  EXPECT_EQ(bar.gains.from_start, 1.75);

  add(0.11, 0.2);  // what has come deeper since is not of the start
  EXPECT_FALSE(verdict_of(bar, tolerance).holds());
  add(0.02, 0.3);
  EXPECT_EQ(bar.gains.of_step.value, 0.3);
  EXPECT_EQ(bar.gains.from_start, 1.75);
}

// A stack that is pushed up by what it had sunk in, bodies that land in one step: their steps give
// what others have taken, or will.
TEST(Verdict, DoesNotBlameAStepForWhatComesBack) {
  EnergyGains gains;
  gains.from_start_on = false;
  StepReport step;
  step.step = 3;
  step.energy.impact = -1.0;
  step.energy.recovered = 0.9;
  step.energy.time_step = -2.0;
  step.energy.late = -1.8;
  step.overlap_share = shallow_overlap;
  gains.add(step);
  EXPECT_NEAR(gains.of_step.value, 0.1 + 0.2, 1e-12);
  step.overlap_share = 1.01 * shallow_overlap;  // a body that was hit has come out of a wall
  gains.add(step);
  EXPECT_NEAR(gains.of_step.value, 1.0 + 0.2, 1e-12);

  ErrorBar bar = sound();
  bar.gains = gains;
  bar.energy.kinetic_most = 1.0;
  EXPECT_FALSE(verdict_of(bar, tolerance).holds());
  bar.energy.free_fall = 25.0;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
}

/// A ball of 1.3 kg on the floor: rounding moves what friction and impacts have to take.
TEST(Verdict, OfBodiesAtRestIsNotShakenByRounding) {
  ErrorBar bar = sound();
  bar.energy = {};
  bar.energy.steps = 5;
  bar.energy.free_fall = 6e-5;
  bar.energy.through = bar.energy.kinetic_most = 3e-19;
  bar.energy.impact = -5e-20;
  bar.gains.of_step = {5e-20, 2};
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
  EXPECT_TRUE(verdict_of(bar, tolerance).warnings.empty());
  bar.energy.impact = -5e-12;
  EXPECT_FALSE(verdict_of(bar, tolerance).holds());
}

TEST(Verdict, OfARunThatFailedDoesNotHold) {
  const Verdict verdict = verdict_of(sound(), tolerance, true);
  EXPECT_FALSE(verdict.holds());
  EXPECT_EQ(verdict.worst().name, "end");
  EXPECT_TRUE(verdict_json(verdict)["checks"]["end"]["share_of_limit"].is_null());
  EXPECT_TRUE(verdict_of(sound(), tolerance, false).holds());
}

TEST(Verdict, WarnsOfContactsThatGive) {
  ErrorBar bar = sound();
  bar.energy.friction = -0.1;
  const Verdict verdict = verdict_of(bar, tolerance);
  EXPECT_TRUE(verdict.holds());
  ASSERT_EQ(verdict.warnings.size(), 1U);
  EXPECT_THAT(verdict.warnings.front(), HasSubstr("gave 0.1 J"));
}

TEST(Verdict, OfARunWithoutALedgerSaysNothingOfEnergy) {
  ErrorBar bar = sound();
  bar.energy = {};
  const Verdict verdict = verdict_of(bar, tolerance);
  EXPECT_TRUE(verdict.holds());
  EXPECT_THAT(verdict.checks.back().text, HasSubstr("not looked at"));
}

// A ball that hangs on its joint: what rounding moves.
TEST(Verdict, DoesNotBlameRounding) {
  ErrorBar bar = sound();
  bar.energy = {};
  bar.energy.steps = 10;
  bar.energy.through = 3e-30;
  bar.energy.joints = -3e-30;
  EXPECT_TRUE(verdict_of(bar, tolerance).holds());
}

TEST(Verdict, OfNothingHolds) {
  EXPECT_TRUE(verdict_of(ErrorBar{}, tolerance).holds());
}

}  // namespace
}  // namespace talus::app
