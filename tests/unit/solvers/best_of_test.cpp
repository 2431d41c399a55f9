// Several methods in turn from the same start: who wins, what is reported, how limits are shared.

#include "talus/core/error.hpp"

#include "generate/generate.hpp"
#include "support/solved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

namespace talus {
namespace {

using support::solved;
using support::Solved;
using testing::HasSubstr;

SolveOptions several(const std::vector<Method>& methods) {
  SolveOptions options;
  options.law = Law::Associated;
  options.methods = methods;
  return options;
}

SolveOptions alone(SolveOptions options, Method method) {
  options.methods.clear();
  options.method = method;
  return options;
}

TEST(BestOf, StopsAtTheFirstThatConverges) {
  const ProblemData stack = generate(parse_generate("stack,bodies=5"));
  const SolveOptions options = several({Method::Apgd, Method::Pspgfb});

  const Solved s = solved(stack, options);
  const Solved named = solved(stack, alone(options, Method::Apgd));

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_EQ(s.report.method, Method::Apgd);
  ASSERT_EQ(s.report.candidates.size(), 1U);
  EXPECT_EQ(s.report.candidates[0].status, SolveStatus::Converged);
  EXPECT_EQ(s.report.candidates[0].iterations, named.report.iterations);
  EXPECT_EQ(s.report.operator_products, named.report.operator_products);
  EXPECT_EQ(s.impulses, named.impulses);
}

TEST(BestOf, TakesTheLeastErrorWhereNoneConverges) {
  const ProblemData wall = generate(parse_generate("wall,bodies=20"));
  for (const Measure measure : {Measure::NaturalRelative, Measure::Energy}) {
    SolveOptions options = several({Method::Jacobi, Method::Apgd, Method::Psor});
    options.measure = measure;
    options.tolerance = 1e-30;
    options.max_iterations = 60;

    const Solved s = solved(wall, options);

    ASSERT_EQ(s.report.candidates.size(), 3U);
    std::int64_t products = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const CandidateReport& candidate = s.report.candidates[k];
      const Solved named = solved(wall, alone(options, options.methods[k]));
      EXPECT_EQ(candidate.method, options.methods[k]);
      EXPECT_EQ(candidate.error, named.report.error) << "each from the same start";
      EXPECT_GE(candidate.error, s.report.error);
      products += candidate.operator_products;
      if (candidate.method == s.report.method) {
        EXPECT_EQ(s.impulses, named.impulses);
      }
    }
    EXPECT_NE(s.report.method, Method::Jacobi) << "the slowest, and the first";
    EXPECT_EQ(s.report.operator_products, products);
  }
}

TEST(BestOf, TakesTheLeastEnergyErrorWhereThatIsAsked) {
  const ProblemData stack = generate(parse_generate("stack,bodies=5"));
  int differs = 0;
  for (const std::int64_t iterations : {1, 3, 5, 9, 15}) {
    SolveOptions options = several({Method::Apgd, Method::Pspgfb});
    options.law = Law::Coulomb;
    options.measure = Measure::NaturalVelocity;
    options.tolerance = 1e-30;
    options.max_iterations = iterations;
    const Solved by_error = solved(stack, options);
    options.choose_by_energy = true;

    const Solved s = solved(stack, options);

    const Solved apgd = solved(stack, alone(options, Method::Apgd));
    const Solved pspgfb = solved(stack, alone(options, Method::Pspgfb));
    const Solved& better = pspgfb.report.errors.energy < apgd.report.errors.energy ? pspgfb : apgd;
    EXPECT_EQ(s.report.method, better.report.method);
    EXPECT_EQ(s.impulses, better.impulses);
    EXPECT_EQ(s.report.errors.energy, better.report.errors.energy);
    differs += by_error.report.method != s.report.method ? 1 : 0;
  }
  EXPECT_GT(differs, 0) << "else nothing is tested";
}

TEST(BestOf, EveryMethodGetsAShareOfTheTime) {
  SolveOptions options = several({Method::Jacobi, Method::Pspgfb, Method::Apgd});
  options.tolerance = 0.0;
  options.stall_iterations = options.max_iterations = 1000000000000;
  options.time_limit = 0.6;
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(1);  // where others use the cores too, threads that wait for each other hold
                           // up the verification that is tried first

  const Solved s = solved(generate(parse_generate("wall,bodies=60")), options);

  omp_set_num_threads(threads_before);
  ASSERT_EQ(s.report.candidates.size(), 3U);
  for (const CandidateReport& candidate : s.report.candidates) {
    EXPECT_EQ(candidate.status, SolveStatus::TimeLimit);
    EXPECT_GT(candidate.iterations, 0);
  }
  EXPECT_GE(s.report.seconds, s.report.candidates[0].seconds);
}

// The clock decides how many methods fit; that one does, and that the others are named, is sure.
TEST(BestOf, AShortTimeGoesToFewerMethodsAndTheOthersAreNamed) {
  SolveOptions options = several({Method::Apgd, Method::Pspgfb, Method::Jacobi});
  options.tolerance = 0.0;
  options.time_limit = 1e-9;

  const Solved s = solved(generate(parse_generate("wall,bodies=60")), options);

  ASSERT_EQ(s.report.candidates.size(), 1U);
  EXPECT_EQ(s.report.method, Method::Apgd);
  ASSERT_EQ(s.report.remarks.size(), 2U);
  EXPECT_THAT(s.report.remarks[0], HasSubstr("apgd had 1e-09 s"));
  EXPECT_THAT(s.report.remarks[1],
              HasSubstr("the time limit of 1e-09 s left no time for pspgfb, jacobi: not run"));
}

TEST(BestOf, AnInterruptEndsThemAll) {
  SolveOptions options = several({Method::Apgd, Method::Pspgfb});
  options.tolerance = 0.0;
  int asked = 0;
  options.interrupted = [&] { return ++asked > 10; };

  const Solved s = solved(generate(parse_generate("stack,bodies=5")), options);

  ASSERT_EQ(s.report.candidates.size(), 1U);
  EXPECT_EQ(s.report.status, SolveStatus::Interrupted);
  EXPECT_EQ(s.report.iterations, 10);
}

TEST(BestOf, AnErrorThatIsNoNumberNeverWins) {
  BodyProblem problem = generate(parse_generate("stack,bodies=2"));
  problem.contact_bias[0].x = infinity;
  const ConeProblem cones = make_cone_problem(problem);
  RowVector x(static_cast<std::size_t>(cones.stored_rows()), 0.0), gap;

  const SolveReport report =
      solve(cones, several({Method::Apgd, Method::Psor}), Communicator::self(), x, gap);

  EXPECT_EQ(report.candidates.size(), 2U);
  EXPECT_EQ(report.status, SolveStatus::NotFinite);
}

TEST(BestOf, RefusesMethodsNamedTwiceOrUnfit) {
  try {
    solved(generate(parse_generate("stack,bodies=2")),
           several({Method::Apgd, Method::Cg, Method::Apgd}));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.messages().size(), 2U);
    EXPECT_THAT(error.messages()[0], HasSubstr("cg solves problems whose rows are all free"));
    EXPECT_THAT(error.messages()[1], HasSubstr("apgd twice"));
  }
}

}  // namespace
}  // namespace talus
