// Several methods from one cold start: what is read off a history, and how far answers lie apart.

#include "solvers/compare.hpp"

#include "generate/generate.hpp"
#include "support/dense_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Communicator comm = Communicator::self();

ConeProblem small_stack() {
  return make_cone_problem(generate(parse_generate("stack,bodies=4")));
}

SolveReport with_history(std::vector<double> errors, double tolerance) {
  SolveReport report;
  report.status = errors.back() <= tolerance ? SolveStatus::Converged : SolveStatus::Stalled;
  report.tolerance = tolerance;
  report.error = errors.back();
  std::int64_t k = 0;
  for (const double error : errors) {
    report.history.push_back({k, 10 * k, 0.5 * static_cast<double>(k), error, {}});
    ++k;
  }
  return report;
}

TEST(Milestones, AreTheFirstIteratesWithinATolerance) {
  const SolveReport report = with_history({1.0, 0.1, 0.5, 0.01, 0.001}, 0.001);

  const auto found = milestones_of(report, {0.5, 0.1, 0.05, 0.001});

  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].iterations, 1);
  EXPECT_EQ(found[1].iterations, 1) << "a tolerance that is met exactly is met";
  EXPECT_EQ(found[1].work, 10);
  EXPECT_EQ(found[1].seconds, 0.5);
  EXPECT_EQ(found[2].iterations, 3) << "the rise to 0.5 in between is no matter";
  EXPECT_EQ(found[3].iterations, 4);
  for (const Milestone& milestone : found) EXPECT_TRUE(milestone.met);
}

TEST(Milestones, OfASolveThatStoppedEarlyAreThoseItPassed) {
  const auto found = milestones_of(with_history({1.0, 0.1}, 0.001), {0.5, 0.05, 0.001});

  EXPECT_TRUE(found[0].met);
  EXPECT_FALSE(found[1].met);
  EXPECT_FALSE(found[2].met);
}

TEST(Milestones, TheOwnToleranceCountsOnlyWhenTheEndConfirmsIt) {
  SolveReport deceived = with_history({1.0, 0.0009}, 0.001);
  deceived.error = 0.002;  // what the fresh product says
  deceived.status = SolveStatus::Stalled;
  // the carried error was small at iteration 1, the verification sent it back to work
  const SolveReport sent_back = with_history({1.0, 0.0009, 0.004, 0.0005}, 0.001);

  EXPECT_FALSE(milestones_of(deceived, {0.001})[0].met);
  EXPECT_EQ(milestones_of(sent_back, {0.001})[0].iterations, 3);
}

TEST(Milestones, OfAnAnswerThatDivergedAreNone) {
  SolveReport report = with_history({1.0, 0.0001}, 0.001);
  report.status = SolveStatus::Diverged;
  report.error = infinity;

  for (const Milestone& milestone : milestones_of(report, {0.5, 0.001}))
    EXPECT_FALSE(milestone.met);
}

TEST(Milestones, WithoutAHistoryAreNone) {
  SolveReport report;
  report.tolerance = 1.0;

  EXPECT_FALSE(milestones_of(report, {2.0})[0].met);
  EXPECT_FALSE(milestones_of(report, {1.0})[0].met);
  EXPECT_THAT(thinned_curve(report), IsEmpty());
}

TEST(WorkOf, CountsASweepAsAProduct) {
  EXPECT_EQ(work_of(Method::Psor, 100, 12), 112);
  EXPECT_EQ(work_of(Method::Apgd, 100, 112), 112);
}

TEST(ThinnedCurve, KeepsEndsAndExtremesOfALongHistory) {
  std::vector<double> errors(100000);
  for (std::size_t k = 0; k < errors.size(); ++k)
    errors[k] = 1.0 / static_cast<double>(k + 1) * (k % 2 == 0 ? 1.0 : 3.0);
  errors[54321] = 50.0;  // one peak and one dip that only one iterate has
  errors[65432] = 1e-9;
  const SolveReport report = with_history(errors, 1e-12);

  const std::vector<CurvePoint> curve = thinned_curve(report);

  EXPECT_LT(curve.size(), 1000U);
  EXPECT_EQ(curve.front().iteration, 0);
  EXPECT_EQ(curve.back().iteration, 99999);
  const auto has = [&](std::int64_t iteration) {
    return std::any_of(curve.begin(), curve.end(),
                       [&](const CurvePoint& point) { return point.iteration == iteration; });
  };
  EXPECT_TRUE(has(54321));
  EXPECT_TRUE(has(65432));
  for (std::size_t k = 1; k < curve.size(); ++k)
    EXPECT_LT(curve[k - 1].iteration, curve[k].iteration);
}

TEST(ThinnedCurve, KeepsAllOfAShortHistory) {
  const std::vector<CurvePoint> curve = thinned_curve(with_history({4.0, 3.0, 2.0, 1.0}, 1.0));

  ASSERT_EQ(curve.size(), 4U);
  EXPECT_EQ(curve[2].error, 2.0);
  EXPECT_EQ(curve[2].work, 20);
  EXPECT_EQ(curve[2].seconds, 1.0);
}

TEST(RefusalOf, NamesTheReasonWhereAMethodCannotTakeTheProblem) {
  const ConeProblem problem = small_stack();

  EXPECT_THAT(refusal_of(problem, Method::Minres, Law::Coulomb), HasSubstr("minres solves"));
  EXPECT_THAT(refusal_of(problem, Method::Apgd, Law::Box), IsEmpty());
  EXPECT_THAT(refusal_of(problem, Method::Apgd, Law::Coulomb), IsEmpty());
  EXPECT_THAT(refusal_of(problem, Method::Psor, Law::Box), IsEmpty());
}

class RunMethod : public ::testing::TestWithParam<Method> {};

// The looser tolerance costs what a solve to that tolerance alone costs: a convex method does not
// look at the tolerance before it is met.
TEST_P(RunMethod, MeetsALooserToleranceWhereASolveToItWouldEnd) {
  const ConeProblem problem = small_stack();
  SolveOptions options;
  options.method = GetParam();
  options.law = Law::Associated;
  RowVector x, gap, alone(static_cast<std::size_t>(problem.stored_rows()), 0.0), its_gap;

  const MethodRun run = run_method(problem, options, {1e-2, 1e-5}, comm, x, gap);
  options.tolerance = 1e-2;
  const SolveReport loose = solve(problem, options, comm, alone, its_gap);

  ASSERT_TRUE(run.within_tolerance());
  EXPECT_EQ(run.method, name_of(GetParam()));
  EXPECT_EQ(run.report.tolerance, 1e-5);
  ASSERT_EQ(run.milestones.size(), 2U);
  EXPECT_EQ(run.milestones[0].iterations, loose.iterations);
  // the verification at its end costs a product more than the milestone
  EXPECT_EQ(run.milestones[0].work + 1,
            work_of(GetParam(), loose.iterations, loose.operator_products));
  EXPECT_EQ(run.milestones[1].iterations, run.report.iterations);
  EXPECT_LE(run.milestones[0].seconds, run.milestones[1].seconds);
  EXPECT_LE(run.milestones[1].seconds, run.report.seconds);
  EXPECT_THAT(run.report.history, IsEmpty()) << "only the thinned curve is kept";
  EXPECT_FALSE(run.curve.empty());
}

TEST_P(RunMethod, PassesMilestonesUnderTheCoulombLaw) {
  const ConeProblem problem = small_stack();
  SolveOptions options;
  options.method = GetParam();
  RowVector x, gap;

  const MethodRun run = run_method(problem, options, {1e-1, 1e-5}, comm, x, gap);

  EXPECT_TRUE(run.within_tolerance());
  for (const Milestone& milestone : run.milestones) EXPECT_TRUE(milestone.met);
  EXPECT_LE(run.milestones[0].work, run.milestones[1].work);
  EXPECT_LE(run.milestones[1].work, run.work);
}

TEST_P(RunMethod, GivesTheBitsOfAPlainSolve) {
  const ConeProblem problem = small_stack();
  SolveOptions options;
  options.method = GetParam();
  options.tolerance = 1e-5;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap, compared, its_gap;
  const SolveReport plain = solve(problem, options, comm, x, gap);

  // the start is zero, whatever stands in the vector
  compared.assign(x.size(), 17.0);
  const MethodRun run = run_method(problem, options, {1e-1, 1e-5}, comm, compared, its_gap);

  EXPECT_EQ(compared, x);
  EXPECT_EQ(run.report.operator_products, plain.operator_products)
      << "the history is measured for nothing";
  EXPECT_EQ(run.report.reductions, plain.reductions);
}

INSTANTIATE_TEST_SUITE_P(Compare, RunMethod,
                         ::testing::Values(Method::Jacobi, Method::Psor, Method::Pspgfb,
                                           Method::Apgd),
                         [](const auto& tested) { return name_of(tested.param); });

// Two rows with N = diag(2, 8): |x - x*|_N and the velocities by hand.
TEST(DistanceBetween, IsTheEnergyOfTheDifferenceAndTheLargestVelocity) {
  const ConeSet cones = make_cone_set(2, 0, 0);
  const ConeProblem problem =
      support::dense_problem(cones, {2.0, 0.0, 0.0, 8.0}, /*free_velocity=*/{-1.0, 3.0});
  KnownAnswer known{"known", support::to_stored(cones, {1.0, 1.0}), {}, 0.0};
  evaluate_gap(problem, Law::Associated, known.impulses, known.gap);
  const RowVector x = support::to_stored(cones, {2.0, 0.5});
  RowVector gap;
  evaluate_gap(problem, Law::Associated, x, gap);

  const AnswerDistance distance = distance_between(problem, x, gap, known, comm);

  EXPECT_DOUBLE_EQ(distance.velocity, 4.0);  // |8 (0.5 - 1)|
  EXPECT_DOUBLE_EQ(distance.energy_norm, std::sqrt((2.0 + 2.0) / (2.0 + 8.0)));
}

TEST(DistanceBetween, IsAbsoluteWhereTheKnownAnswerIsZero) {
  const ConeSet cones = make_cone_set(1, 0, 0);
  const ConeProblem problem = support::dense_problem(cones, {4.0}, {0.0});
  const RowVector zero = support::to_stored(cones, {0.0}), one = support::to_stored(cones, {1.0});
  RowVector gap_of_one;
  evaluate_gap(problem, Law::Associated, one, gap_of_one);
  KnownAnswer known{"known", zero, zero, 0.0};

  EXPECT_EQ(distance_between(problem, zero, zero, known, comm).energy_norm, 0.0);
  EXPECT_EQ(distance_between(problem, one, gap_of_one, known, comm).energy_norm, 2.0);
}

// Impulses of a redundant contact can be shared in many ways: the motion is the same.
TEST(DistanceBetween, DoesNotSeeHowRedundantImpulsesAreShared) {
  const ConeSet cones = make_cone_set(2, 0, 0);
  const ConeProblem problem = support::dense_problem(cones, {1.0, 1.0, 1.0, 1.0}, {-1.0, -1.0});
  KnownAnswer known{"known", support::to_stored(cones, {1.0, 0.0}), {}, 0.0};
  evaluate_gap(problem, Law::Associated, known.impulses, known.gap);
  const RowVector shared = support::to_stored(cones, {0.5, 0.5});
  RowVector gap;
  evaluate_gap(problem, Law::Associated, shared, gap);

  const AnswerDistance distance = distance_between(problem, shared, gap, known, comm);

  EXPECT_EQ(distance.velocity, 0.0);
  EXPECT_EQ(distance.energy_norm, 0.0);
}

}  // namespace
}  // namespace talus
