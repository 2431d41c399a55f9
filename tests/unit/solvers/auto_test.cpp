// The method that chooses methods: what it takes, when it changes its mind, and what it says.

#include "talus/core/error.hpp"

#include "generate/generate.hpp"
#include "support/machine.hpp"
#include "support/manufactured_problem.hpp"
#include "support/solved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

using support::solved;
using support::Solved;
using testing::HasSubstr;

SolveOptions associated(Method method = Method::Auto) {
  SolveOptions options;
  options.law = Law::Associated;
  options.method = method;
  return options;
}

std::int64_t iterations_of(const std::vector<StageReport>& stages) {
  return std::accumulate(
      stages.begin(), stages.end(), std::int64_t{0},
      [](std::int64_t sum, const StageReport& stage) { return sum + stage.iterations; });
}

TEST(Auto, IsTheDefault) {
  EXPECT_EQ(SolveOptions{}.method, Method::Auto);
}

TEST(Auto, TakesMinresForFreeRowsUnderEveryLawOfConvexMethods) {
  const BodyProblem net = generate(parse_generate("net,bodies=25"));
  for (const Law law : {Law::Coulomb, Law::Associated}) {
    SolveOptions options;
    options.law = law;
    const Solved chosen = solved(net, options);
    options.method = Method::Minres;
    const Solved named = solved(net, options);

    EXPECT_EQ(chosen.report.status, SolveStatus::Converged);
    EXPECT_EQ(chosen.report.method, Method::Auto);
    ASSERT_EQ(chosen.report.stages.size(), 1U);
    EXPECT_EQ(chosen.report.stages[0].method, Method::Minres);
    EXPECT_EQ(chosen.report.stages[0].iterations, chosen.report.iterations);
    EXPECT_EQ(chosen.report.stages[0].reason, "converged");
    EXPECT_EQ(chosen.impulses, named.impulses);
  }
}

TEST(Auto, TakesApgdForContactsAndForBoundedJoints) {
  for (const ProblemData& data :
       {ProblemData{generate(parse_generate("stack,bodies=5"))},
        support::manufacture_bodies({.contacts = 0, .free_rows = 5, .box_rows = 3}).data}) {
    const Solved chosen = solved(data, associated());
    const Solved named = solved(data, associated(Method::Apgd));

    ASSERT_EQ(chosen.report.stages.size(), 1U);
    EXPECT_EQ(chosen.report.stages[0].method, Method::Apgd);
    EXPECT_TRUE(chosen.report.stages[0].averaged);
    EXPECT_EQ(chosen.impulses, named.impulses);
    EXPECT_TRUE(named.report.stages.empty());
  }
}

TEST(Auto, BeginsWithApgdInStepsWhereAHeavyBodyMeetsLightOnes) {
  for (const double ratio : {10.0, 2000.0}) {
    BodyProblem problem;
    const auto add = [&](double z, double mass) {
      const double turn = 1.0 / (0.4 * mass);
      return problem.add_body({0.0, 0.0, z}, 1.0 / mass, {turn, 0.0, 0.0, turn, 0.0, turn},
                              {0.0, 0.0, -mass, 0.0, 0.0, 0.0});
    };
    const Index low = add(1.0, 1.0), high = add(3.0, ratio);
    problem.add_contact(no_body, low, {0.0, 0.0, 1.0}, {}, 0.5, {});
    problem.add_contact(low, high, {0.0, 0.0, 1.0}, {0.0, 0.0, 2.0}, 0.5, {});
    SolveOptions options;
    options.automatic.first = Method::Pspgfb;
    const Solved s = solved(problem, options);
    ASSERT_EQ(s.report.status, SolveStatus::Converged);
    EXPECT_EQ(s.report.stages[0].method, ratio > 1000.0 ? Method::Apgd : Method::Pspgfb);
  }
}

TEST(Auto, TakesTurnsWhereNothingIsGainedAndEndsByItself) {
  SolveOptions options = associated();
  options.tolerance = 0.0;  // out of reach in floating point
  options.automatic.patience = 300;

  const Solved s = solved(generate(parse_generate("stack,bodies=6")), options);

  EXPECT_EQ(s.report.status, SolveStatus::Stalled);
  EXPECT_LT(s.report.error, 1e-12);
  ASSERT_GE(s.report.stages.size(), 6U);  // a round without gain follows the one that gained
  EXPECT_EQ(s.report.stages[0].method, Method::Apgd);
  EXPECT_EQ(s.report.stages[0].reason, "no gain in 300 iterations");
  EXPECT_EQ(s.report.stages[1].method, Method::Pspgfb);
  EXPECT_EQ(s.report.stages[2].method, Method::Apgd);
  EXPECT_FALSE(s.report.stages[2].averaged);
  EXPECT_EQ(s.report.stages[3].method, Method::Apgd);
  EXPECT_TRUE(s.report.stages[3].averaged);
  EXPECT_EQ(iterations_of(s.report.stages), s.report.iterations);
  EXPECT_TRUE(
      std::is_sorted(s.report.stages.rbegin(), s.report.stages.rend(),
                     [](const StageReport& a, const StageReport& b) { return a.error < b.error; }));
}

TEST(Auto, ChangesNothingWhileTheObjectiveFalls) {
  // the error stands still for longer than the patience again and again on the way down
  SolveOptions options = associated();
  options.automatic.patience = 20;
  const ProblemData stack = generate(parse_generate("stack,bodies=20"));

  const Solved s = solved(stack, options);

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_EQ(s.report.stages.size(), 1U);
  EXPECT_EQ(s.impulses, solved(stack, associated(Method::Apgd)).impulses);
}

TEST(Auto, GivesTheSameBitsForAnyThreadsWhereItChangesMethods) {
  SolveOptions options = associated();
  options.tolerance = 0.0;
  options.automatic.patience = 40;
  options.max_iterations = 3000;
  const ProblemData data =
      support::manufacture_bodies({.bodies = 60, .contacts = 300, .compliance = 1.0}).data;
  const support::ForcedThreads before(1);
  const Solved reference = solved(data, options);
  ASSERT_GT(reference.report.stages.size(), 2U);

  for (const int threads : {2, 3}) {
    const support::ForcedThreads forced(threads);
    EXPECT_EQ(support::bits_of_all(solved(data, options).impulses),
              support::bits_of_all(reference.impulses));
  }
}

TEST(Auto, TakesTheCoulombLaw) {
  SolveOptions options;
  options.law = Law::Coulomb;
  const ProblemData data = generate(parse_generate("stack,bodies=8,friction=0.3"));

  const Solved s = solved(data, options);
  options.method = Method::Apgd;
  const Solved named = solved(data, options);

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  ASSERT_EQ(s.report.stages.size(), 1U);
  EXPECT_EQ(s.report.stages[0].method, Method::Apgd);
  EXPECT_EQ(iterations_of(s.report.stages), s.report.iterations);
  EXPECT_EQ(s.impulses, named.impulses);
}

TEST(Auto, ChecksItsOptionsAndThoseOfWhatItMayRun) {
  SolveOptions options = associated();
  options.automatic.patience = 0;
  options.apgd.grow = 1.0;
  options.minres.refresh_every = 0;
  options.psor.relaxation = 7.0;  // psor does not run

  try {
    solved(generate(parse_generate("stack,bodies=2")), options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.messages().size(), 3U);
    EXPECT_THAT(error.what(), HasSubstr("auto.patience = 0"));
    EXPECT_THAT(error.what(), HasSubstr("apgd.grow = 1"));
    EXPECT_THAT(error.what(), HasSubstr("minres.refresh_every = 0"));
  }
}

TEST(Auto, SaysThatRowsContradictEachOther) {
  BodyProblem problem;
  problem.add_body({}, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
  problem.add_joint_row(no_body, 0, {}, {1, 0, 0, 0, 0, 0}, 1.0);
  problem.add_joint_row(no_body, 0, {}, {1, 0, 0, 0, 0, 0}, 3.0);

  const Solved s = solved(problem, {});

  EXPECT_EQ(s.report.status, SolveStatus::Stalled);
  EXPECT_NEAR(s.solution.v[0], -2.0, 1e-12);
  ASSERT_EQ(s.report.remarks.size(), 1U);
  EXPECT_THAT(s.report.remarks[0], HasSubstr("contradict"));
}

}  // namespace
}  // namespace talus
