// Every operator method under every law: the same iterates, errors and choices on any ranks.

#include "talus/solvers/solve.hpp"

#include "mpi/on_ranks.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace talus {
namespace {

struct Both {
  BodyProblem whole;
  ConeProblem alone;
  OnRanks mine;
};

Both both(support::RandomBodies options, const std::string& partition) {
  Both made;
  made.whole = support::random_bodies(options);
  made.alone = make_cone_problem(made.whole);
  made.mine = on_ranks(made.whole, partition, Communicator::world());
  return made;
}

void expect_the_same(const Both& b, const SolveOptions& options) {
  SCOPED_TRACE(name_of(options.method) + " " + name_of(options.law));
  RowVector x(static_cast<std::size_t>(b.alone.stored_rows()), 0.0), gap;
  const SolveReport expected = solve(b.alone, options, Communicator::self(), x, gap);
  RowVector x_mine(static_cast<std::size_t>(b.mine.problem.stored_rows()), 0.0), gap_mine;

  const SolveReport report =
      solve(b.mine.problem, options, Communicator::world(), x_mine, gap_mine);

  EXPECT_EQ(report.status, expected.status);
  EXPECT_EQ(report.iterations, expected.iterations);
  EXPECT_EQ(report.dampings, expected.dampings);
  EXPECT_EQ(report.operator_products, expected.operator_products);
  EXPECT_EQ(report.error, expected.error);
  EXPECT_EQ(report.stages.size(), expected.stages.size());
  const ErrorReport &e = report.errors, &f = expected.errors;
  for (const auto& [here, there] : {std::pair{e.natural, f.natural},
                                    {e.natural_relative, f.natural_relative},
                                    {e.natural_velocity, f.natural_velocity},
                                    {e.natural_velocity_max, f.natural_velocity_max},
                                    {e.natural_tau, f.natural_tau},
                                    {e.energy, f.energy},
                                    {e.siconos, f.siconos},
                                    {e.siconos_invariant, f.siconos_invariant},
                                    {e.bilateral, f.bilateral},
                                    {e.objective, f.objective},
                                    {e.duality_gap, f.duality_gap},
                                    {e.penalised_gap, f.penalised_gap},
                                    {e.dual_violation, f.dual_violation}})
    EXPECT_TRUE(here == there || (std::isnan(here) && std::isnan(there)))
        << here << " is not " << there;  // Siconos's are undefined for joints alone
  each_row(b.mine, b.whole, b.alone, [&](std::size_t here, std::size_t there) {
    expect_same_bits(x_mine[here], x[there], there);
    expect_same_bits(gap_mine[here], gap[there], there);
  });
}

class SameOnRanks : public testing::TestWithParam<const char*> {};

TEST_P(SameOnRanks, EveryMethodUnderEveryLaw) {
  support::RandomBodies options;
  options.bodies = 50;
  options.contacts = 120;
  options.joints = 20;
  options.compliance = true;
  options.immovable_body = true;
  const Both b = both(options, GetParam());
  for (const Law law : {Law::Associated, Law::Coulomb, Law::Box})
    for (const Method method : {Method::Jacobi, Method::Pspgfb, Method::Apgd, Method::Auto}) {
      SolveOptions wanted;
      wanted.method = method;
      wanted.law = law;
      wanted.tolerance = 1e-12;
      wanted.max_iterations = 60;
      expect_the_same(b, wanted);
    }
}

TEST_P(SameOnRanks, RollingFriction) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 60;
  options.joints = 10;
  options.rolling = true;
  const Both b = both(options, GetParam());
  for (const Law law : {Law::Associated, Law::Coulomb})
    for (const Method method : {Method::Pspgfb, Method::Apgd}) {
      SolveOptions wanted;
      wanted.method = method;
      wanted.law = law;
      wanted.tolerance = 1e-12;
      wanted.max_iterations = 40;
      expect_the_same(b, wanted);
    }
}

TEST_P(SameOnRanks, JointsAlone) {
  support::RandomBodies options;
  options.bodies = 40;
  options.contacts = 0;
  options.joints = 90;
  options.compliance = true;
  const Both b = both(options, GetParam());
  for (const Method method : {Method::Cg, Method::Minres, Method::Auto}) {
    SolveOptions wanted;
    wanted.method = method;
    wanted.max_iterations = 80;
    expect_the_same(b, wanted);
  }
}

TEST_P(SameOnRanks, SeveralMethodsAndAnotherMeasure) {
  support::RandomBodies options;
  options.bodies = 40;
  options.contacts = 90;
  const Both b = both(options, GetParam());
  SolveOptions wanted;
  wanted.methods = {Method::Jacobi, Method::Apgd};
  wanted.law = Law::Associated;
  wanted.measure = Measure::FischerBurmeister;
  wanted.tolerance = 0.0;
  wanted.max_iterations = 30;
  expect_the_same(b, wanted);
}

INSTANTIATE_TEST_SUITE_P(Partitions, SameOnRanks,
                         testing::Values("metis", "random:7", "alternating"));

/// A wish that only one rank has ends the solve on all, after the same iteration.
TEST(EndOnRanks, WhatOneRankWishesAllDo) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 80;
  const Both b = both(options, "metis");
  const Communicator world = Communicator::world();
  SolveOptions wanted;
  wanted.tolerance = 0.0;
  int asked = 0;
  wanted.interrupted = [&] { return world.rank() == world.size() - 1 && ++asked > 5; };
  RowVector x(static_cast<std::size_t>(b.mine.problem.stored_rows()), 0.0), gap;

  const SolveReport report = solve(b.mine.problem, wanted, world, x, gap);

  EXPECT_EQ(report.status, SolveStatus::Interrupted);
  EXPECT_EQ(report.iterations, world.size() == 1 ? 5 : 6);
}

TEST(EndOnRanks, ATimeLimitEndsAllTogether) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 80;
  const Both b = both(options, "metis");
  const Communicator world = Communicator::world();
  SolveOptions wanted;
  wanted.method = Method::Apgd;
  wanted.tolerance = 0.0;
  wanted.stall_iterations = 1000000000;
  wanted.time_limit = 0.05;
  RowVector x(static_cast<std::size_t>(b.mine.problem.stored_rows()), 0.0), gap;

  const SolveReport report = solve(b.mine.problem, wanted, world, x, gap);

  EXPECT_EQ(report.status, SolveStatus::TimeLimit);
  std::array<double, 1> most{static_cast<double>(report.iterations)}, least = most;
  world.largest(most);
  world.smallest(least);
  EXPECT_EQ(most[0], least[0]);
}

TEST(WarmStartOnRanks, ImpulsesOfTheWholeReachRowsAndMirrors) {
  for (const bool rolling : {false, true}) {
    support::RandomBodies options;
    options.bodies = 30;
    options.contacts = 80;
    options.joints = 20;
    options.rolling = rolling;
    const Both b = both(options, "alternating");
    const RowVector x = support::random_impulses(b.alone.cones, 5);
    RowVector gap;
    evaluate_gap(b.alone, Law::Associated, x, gap);
    const Solution whole = make_solution(ProblemData(b.whole), b.alone, x, gap);
    const RowVector back = impulses_from(b.alone, whole);

    const RowVector mine = impulses_from(*b.mine.part, b.mine.problem, whole);

    each_row(b.mine, b.whole, b.alone, [&](std::size_t here, std::size_t there) {
      expect_same_bits(mine[here], back[there], there);
    });
  }
}

}  // namespace
}  // namespace talus
