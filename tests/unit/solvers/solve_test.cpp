// The seams around the methods: statuses, best iterate, history, progress, options, verification.

#include "talus/solvers/solve.hpp"

#include "talus/core/error.hpp"

#include "generate/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace talus {
namespace {

using testing::HasSubstr;

struct Trial {
  explicit Trial(const std::string& text)
      : problem(make_cone_problem(generate(parse_generate(text)))) {
    options.law = Law::Associated;
    impulses.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  }
  SolveReport operator()() { return solve(problem, options, Communicator::self(), impulses, gap); }

  ConeProblem problem;
  SolveOptions options;
  RowVector impulses, gap;
};

const std::vector<Method> all_methods{Method::Auto, Method::Jacobi, Method::Psor,  Method::Pspgfb,
                                      Method::Apgd, Method::Cg,     Method::Minres};

/// A stack, or joints for the methods that take nothing else.
std::string scene_for(Method method, int bodies) {
  const bool free_rows_only = method == Method::Cg || method == Method::Minres;
  return (free_rows_only ? "chain,bodies=" : "stack,bodies=") + std::to_string(bodies);
}

TEST(Solve, EveryMethodReportsTheIterationLimitWithItsBestIterate) {
  for (const Method method : all_methods) {
    Trial run(scene_for(method, 10));
    run.options.method = method;
    run.options.max_iterations = 7;
    run.options.psor.check_every = 1;

    const SolveReport report = run();

    EXPECT_EQ(report.status, SolveStatus::IterationLimit) << name_of(method);
    EXPECT_EQ(report.iterations, 7) << name_of(method);
    EXPECT_LT(report.error, 1.0) << name_of(method);  // better than the zero it started from
    EXPECT_DOUBLE_EQ(report.error, report.errors.natural_relative);
  }
}

TEST(Solve, StallsWhereNothingImproves) {
  for (const Method method : all_methods) {
    Trial run(scene_for(method, 6));
    run.options.method = method;
    run.options.tolerance = 0.0;  // out of reach in floating point
    run.options.stall_iterations = 20000;
    run.options.max_iterations = 100000000;

    const SolveReport report = run();

    EXPECT_EQ(report.status, SolveStatus::Stalled) << name_of(method);
    EXPECT_LT(report.error, 1e-3) << name_of(method);
  }
}

TEST(Solve, TimeLimitReturnsTheBestSoFar) {
  Trial run("wall,bodies=60");
  run.options.tolerance = 0.0;
  run.options.time_limit = 0.5;  // of which the verification takes a few ms
  run.options.max_iterations = 1000000000;

  const SolveReport report = run();

  EXPECT_EQ(report.status, SolveStatus::TimeLimit);
  // a machine that is busy with other work may leave no time for any iteration
  EXPECT_TRUE(report.error < 1.0 || report.iterations == 0) << report.error;
}

TEST(Solve, AnInterruptReturnsTheBestSoFar) {
  for (const Law law : {Law::Associated, Law::Coulomb})
    for (const Method method : {Method::Auto, Method::Jacobi, Method::Psor, Method::Pspgfb}) {
      Trial run("wall,bodies=20");
      run.options.law = law;
      run.options.method = method;
      run.options.tolerance = 0.0;
      int asked = 0;
      run.options.interrupted = [&] { return ++asked > 30; };

      const SolveReport report = run();

      EXPECT_EQ(report.status, SolveStatus::Interrupted) << name_of(method) << name_of(law);
      EXPECT_LE(report.iterations, 31) << name_of(method) << name_of(law);
      EXPECT_LT(report.error, 1.0) << name_of(method) << name_of(law);
    }
}

// psor measures every tenth sweep only: the eleventh question comes in the middle of a round.
TEST(Solve, AnInterruptEndsARoundOfSweepsEarly) {
  Trial run("wall,bodies=20");
  run.options.method = Method::Psor;
  run.options.tolerance = 0.0;
  int asked = 0;
  run.options.interrupted = [&] { return ++asked > 5; };

  const SolveReport report = run();

  EXPECT_EQ(report.status, SolveStatus::Interrupted);
  EXPECT_LT(report.iterations, 10);
  EXPECT_LT(report.error, 1.0);
}

TEST(Solve, ATimeLimitEndsEveryMethodUnderEveryLaw) {
  for (const Law law : {Law::Associated, Law::Coulomb})
    for (const Method method : {Method::Auto, Method::Psor, Method::Pspgfb}) {
      Trial run("wall,bodies=40");
      run.options.law = law;
      run.options.method = method;
      run.options.tolerance = 0.0;
      run.options.time_limit = 0.2;
      run.options.max_iterations = run.options.stall_iterations = 1000000000;

      const SolveReport report = run();

      EXPECT_EQ(report.status, SolveStatus::TimeLimit) << name_of(method) << name_of(law);
      EXPECT_LE(report.error, 1.0) << "never worse than the start";
      EXPECT_DOUBLE_EQ(report.error, report.errors.natural_relative);
    }
}

// The residual that the iteration carries along reaches the tolerance a little before the true one.
TEST(Solve, RoundingOfTheRecursionIsWorkedOff) {
  Trial run("stack,bodies=10,mass_ratio=1000000");
  run.options.method = Method::Apgd;

  const SolveReport report = run();

  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_LE(report.error, 1e-6);
}

TEST(Solve, ValuesThatAreNotFiniteAreAStatusNotACrash) {
  for (const Method method : all_methods) {
    Trial run(scene_for(method, 4));
    run.options.method = method;
    run.problem.free_velocity[0] = std::numeric_limits<double>::infinity();

    const SolveReport report = run();

    EXPECT_EQ(report.status, SolveStatus::NotFinite) << name_of(method);
    EXPECT_FALSE(report.error <= 1.0) << name_of(method);
  }
}

TEST(Solve, BestIterateIsKeptWhereTheDescentIsNotMonotone) {
  Trial run("wall,bodies=40");
  run.options.method = Method::Pspgfb;
  run.options.keep_history = true;
  run.options.max_iterations = 57;
  run.options.tolerance = 1e-14;

  const SolveReport report = run();

  const auto least = std::min_element(
      report.history.begin(), report.history.end(),
      [](const HistoryEntry& a, const HistoryEntry& b) { return a.error < b.error; });
  EXPECT_EQ(report.best_iteration, least->iteration);
  EXPECT_NEAR(report.error / least->error, 1.0,
              1e-6);  // verified afresh: rounding of the recursion
  EXPECT_NE(least->iteration, report.iterations)
      << "choose a count at which the last is not the best";
}

TEST(Solve, WithoutFallbackTheLastIterateIsReturned) {
  Trial run("wall,bodies=40");
  run.options.method = Method::Pspgfb;
  run.options.pspgfb.fallback = false;
  run.options.max_iterations = 57;
  run.options.tolerance = 1e-14;

  const SolveReport report = run();

  EXPECT_EQ(report.best_iteration, 57);
}

TEST(Solve, AWarmStartAtTheAnswerNeedsNoIteration) {
  for (const Method method : all_methods) {
    Trial run(scene_for(method, 5));
    run.options.tolerance = 1e-8;
    ASSERT_EQ(run().status, SolveStatus::Converged);
    run.options.method = method;
    run.options.tolerance = 1e-7;
    const SolveReport again = run();

    EXPECT_EQ(again.status, SolveStatus::Converged) << name_of(method);
    EXPECT_EQ(again.iterations, 0) << name_of(method);
  }
}

TEST(Solve, AStartOutsideTheConesIsProjected) {
  Trial run("stack,bodies=3");
  std::fill(run.impulses.begin(), run.impulses.end(), -1.0);
  run.options.max_iterations = 0;

  run();

  EXPECT_EQ(*std::max_element(run.impulses.begin(), run.impulses.end()), 0.0);
}

TEST(Solve, EveryMeasureCanStopEveryMethod) {
  for (const Method method : {Method::Psor, Method::Pspgfb, Method::Apgd, Method::Minres}) {
    for (std::size_t m = 0; m < measure_names().size(); ++m) {
      Trial run(scene_for(method, 3));
      run.options.method = method;
      run.options.measure = static_cast<Measure>(m);
      run.options.tolerance = 1e-7;

      const SolveReport report = run();

      EXPECT_EQ(report.status, SolveStatus::Converged) << name_of(method) << measure_names()[m];
      EXPECT_LE(report.error, 1e-7);
    }
  }
}

TEST(Solve, HistoryHoldsEveryMeasureOnRequest) {
  Trial run("stack,bodies=3");
  run.options.keep_history = run.options.history_all_measures = true;

  const SolveReport report = run();

  ASSERT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_DOUBLE_EQ(report.history.front().all->natural_relative, 1.0);
  for (const HistoryEntry& entry : report.history)
    EXPECT_NEAR(entry.error, entry.all->natural_relative, 1e-12 + 1e-9 * entry.error);
}

TEST(Solve, ProgressIsShownOnLongSolves) {
  Trial run("wall,bodies=60");
  run.options.tolerance = 0.0;
  run.options.time_limit = 0.8;
  run.options.max_iterations = 1000000000;
  std::vector<IterateStatus> seen;
  run.options.progress = [&](const IterateStatus& status) { seen.push_back(status); };

  run();

  ASSERT_FALSE(seen.empty());
  EXPECT_LE(seen.size(), 5U);  // four a second at most
  EXPECT_GT(seen.front().iteration, 0);
}

TEST(Solve, CoulombWithoutFrictionIsTheAssociatedLaw) {
  Trial run("stack,bodies=4,friction=0");
  run.options.law = Law::Coulomb;

  const SolveReport report = run();

  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_EQ(report.dampings, 0);
}

TEST(Solve, CoulombStopsAtTheIterationLimit) {
  Trial run("wall,bodies=40");
  run.options.law = Law::Coulomb;
  run.options.max_iterations = 50;

  const SolveReport report = run();

  EXPECT_EQ(report.status, SolveStatus::IterationLimit);
  EXPECT_EQ(report.iterations, 50);
}

TEST(Options, EveryFaultIsNamedAtOnce) {
  Trial run("stack,bodies=2");
  run.options.tolerance = -1.0;
  run.options.max_iterations = -5;
  run.options.apgd.grow = 1.0;
  run.options.apgd.shrink = 0.0;

  try {
    run();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.messages().size(), 4U);
    EXPECT_THAT(error.what(), HasSubstr("tolerance = -1"));
    EXPECT_THAT(error.what(), HasSubstr("max_iterations = -5"));
    EXPECT_THAT(error.what(), HasSubstr("apgd.grow = 1"));
    EXPECT_THAT(error.what(), HasSubstr("apgd.shrink = 0"));
  }
}

TEST(Options, EachMethodChecksItsOwn) {
  const auto refused = [](Method method, const auto& spoil) {
    Trial run("stack,bodies=2");
    run.options.method = method;
    spoil(run.options);
    try {
      run();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused(Method::Jacobi, [](auto& o) { o.jacobi.relaxation = 2.0; }),
              HasSubstr("jacobi.relaxation = 2"));
  EXPECT_THAT(refused(Method::Jacobi, [](auto& o) { o.jacobi.lambda_margin = 0.9; }),
              HasSubstr("jacobi.lambda_margin"));
  EXPECT_THAT(refused(Method::Psor, [](auto& o) { o.psor.relaxation = 0.0; }),
              HasSubstr("psor.relaxation = 0"));
  EXPECT_THAT(refused(Method::Psor, [](auto& o) { o.psor.check_every = 0; }),
              HasSubstr("psor.check_every"));
  EXPECT_THAT(refused(Method::Psor, [](auto& o) { o.psor.sweeps = 0; }),
              HasSubstr("psor.sweeps = 0 must lie in 1 .. 1000"));
  const auto both_ways = [](auto& o) {
    o.psor.accelerate = o.psor.symmetric = true;
    o.psor.sweeps = 3;
  };
  EXPECT_THAT(refused(Method::Psor, both_ways), HasSubstr("psor.sweeps = 3 must be even"));
  EXPECT_THAT(refused(Method::Pspgfb, [](auto& o) { o.pspgfb.sigma_max = 1.0; }),
              HasSubstr("pspgfb.sigma_max = 1"));
  EXPECT_THAT(refused(Method::Pspgfb, [](auto& o) { o.pspgfb.alpha_min = 0.0; }),
              HasSubstr("pspgfb.alpha_min"));
  EXPECT_THAT(refused(Method::Pspgfb, [](auto& o) { o.pspgfb.armijo = 0.7; }),
              HasSubstr("pspgfb.armijo = 0.7"));
}

TEST(Options, UnknownMethodNamesTheNearest) {
  try {
    method_named("apdg");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'apgd'"));
  }
}

// Each variation enters a branch of its own and must find the same answer.
TEST(Options, VariationsOfAMethodFindTheSameObjective) {
  Trial reference("stack,bodies=6");
  reference.options.tolerance = 1e-9;
  const double objective = reference().errors.objective;
  const auto check = [&](const char* what, const auto& vary) {
    Trial run("stack,bodies=6");
    run.options.tolerance = 1e-7;
    run.options.max_iterations = 2000000;
    vary(run.options);

    const SolveReport report = run();

    EXPECT_EQ(report.status, SolveStatus::Converged) << what;
    EXPECT_NEAR(report.errors.objective / objective, 1.0, 1e-6) << what;
  };
  check("plain SPG", [](auto& o) {
    o.method = Method::Pspgfb;
    o.pspgfb.precondition = false;
  });
  check("monotone line search", [](auto& o) {
    o.method = Method::Pspgfb;
    o.pspgfb.gll_history = 0;
  });
  check("short steps only", [](auto& o) {
    o.method = Method::Pspgfb;
    o.pspgfb.alpha_max = 0.5;
  });
  check("no restart", [](auto& o) { o.apgd.restart = false; });
  check("L never shrinks", [](auto& o) { o.apgd.shrink = 1.0; });
  check("fresh gradients", [](auto& o) { o.apgd.refresh_every = 1; });
  check("fresh spg gradients", [](auto& o) {
    o.method = Method::Pspgfb;
    o.pspgfb.refresh_every = 2;
  });
  check("jacobi with a poor estimate", [](auto& o) {
    o.method = Method::Jacobi;
    o.jacobi.lambda_iterations = 1;
    o.jacobi.lambda_margin = 1.0;
    o.jacobi.relaxation = 1.9;
  });
}

}  // namespace
}  // namespace talus
