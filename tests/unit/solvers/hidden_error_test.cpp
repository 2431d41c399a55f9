// Problems on which a small residual proves nothing: a solver may not call them solved.

#include "talus/solvers/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

/// One contact, W = w times the unit matrix.
LocalProblem one_contact(double w, double mu) {
  LocalProblem p;
  p.W = from_triplets(3, 3, {{0, 0, w}, {1, 1, w}, {2, 2, w}});
  p.V = from_triplets(3, 0, {});
  p.R = from_triplets(0, 0, {});
  p.q = {-1.0, 0.5, 0.2};
  p.friction = {mu};
  return p;
}

struct Answer {
  SolveReport report;
  Solution solution;
};

Answer solved(const LocalProblem& data, Method method, Law law) {
  const ConeProblem problem = make_cone_problem(data);
  SolveOptions options;
  options.method = method;
  options.law = law;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  Answer answer;
  answer.report = solve(problem, options, Communicator::self(), x, gap);
  answer.solution = make_solution(data, problem, x, gap);
  return answer;
}

TEST(HiddenError, AContactThatNothingAnswersIsNotSolved) {
  for (const Method method : {Method::Pspgfb, Method::Apgd, Method::Psor})
    for (const Law law : {Law::Coulomb, Law::Associated}) {
      const SolveReport report = solved(one_contact(0.0, 0.5), method, law).report;

      EXPECT_NE(report.status, SolveStatus::Converged) << name_of(method) << name_of(law);
      EXPECT_GT(report.error, 1e-6) << name_of(method) << name_of(law);
      EXPECT_NEAR(report.errors.dual_violation, 1.0, 0.2) << name_of(method) << name_of(law);
    }
}

TEST(HiddenError, HugeFrictionIsSolvedOrNotCalledSolved) {
  for (const double mu : {1e2, 1e9, 1e17, 1e300})
    for (const Method method : {Method::Apgd, Method::Psor}) {
      const Answer answer = solved(one_contact(1.0, mu), method, Law::Coulomb);

      // it sticks: u = 0, so r = -q
      const bool right = std::abs(answer.solution.r[0] - 1.0) < 1e-4;
      EXPECT_TRUE(right || answer.report.error > 1e-6) << mu << name_of(method);
    }
}

TEST(HiddenError, SaysThatAnAbsoluteToleranceWasMetAtTheStart) {
  const ConeProblem problem = make_cone_problem(one_contact(2.0, 0.5));
  SolveOptions options;
  options.method = Method::Apgd;
  const auto remarks = [&](Measure measure, double tolerance) {
    options.measure = measure;
    options.tolerance = tolerance;
    RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
    const SolveReport report = solve(problem, options, Communicator::self(), x, gap);
    EXPECT_EQ(report.status, SolveStatus::Converged);
    return report.remarks;
  };

  EXPECT_THAT(
      remarks(Measure::Energy, 1e30),
      testing::ElementsAre(testing::HasSubstr("the natural residual is still 1 of that at zero")));
  EXPECT_THAT(remarks(Measure::NaturalRelative, 1e-3), testing::IsEmpty());
}

}  // namespace
}  // namespace talus
