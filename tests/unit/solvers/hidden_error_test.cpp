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

}  // namespace
}  // namespace talus
