// Every operator method under every law: the same iterates, errors and choices on any ranks.

#include "mpi/same_on_ranks.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace talus {
namespace {

class SameOnRanks : public testing::TestWithParam<const char*> {};

void expect_same_solves(const BesideOne& b, const std::vector<Method>& methods,
                        const std::vector<Law>& laws, std::int64_t iterations) {
  for (const Law law : laws)
    for (const Method method : methods) {
      SolveOptions wanted;
      wanted.method = method;
      wanted.law = law;
      wanted.tolerance = 1e-12;
      wanted.max_iterations = iterations;
      expect_same_solve(b, wanted);
    }
}

TEST_P(SameOnRanks, EveryMethodUnderEveryLaw) {
  support::RandomBodies options;
  options.bodies = 50;
  options.contacts = 120;
  options.joints = 20;
  options.compliance = true;
  options.immovable_body = true;
  expect_same_solves(beside_one(support::random_bodies(options), GetParam()),
                     {Method::Jacobi, Method::Pspgfb, Method::Apgd, Method::Auto},
                     {Law::Associated, Law::Coulomb, Law::Box}, 60);
}

// Where to look at it is decided from reduced numbers, what is seen comes from neighbours.
TEST_P(SameOnRanks, StoppedByTheLargestMeanOverNeighbourhoods) {
  support::RandomBodies options;
  options.bodies = 50;
  options.contacts = 120;
  options.joints = 20;
  const BesideOne b = beside_one(support::random_bodies(options), GetParam());
  for (const Method method : {Method::Pspgfb, Method::Apgd}) {
    SolveOptions wanted;
    wanted.method = method;
    wanted.law = Law::Associated;
    wanted.measure = Measure::NaturalLocal;
    wanted.tolerance = 1e-2;
    wanted.max_iterations = 2000;
    expect_same_solve(b, wanted);
  }
}

TEST_P(SameOnRanks, RollingFriction) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 60;
  options.joints = 10;
  options.rolling = true;
  expect_same_solves(beside_one(support::random_bodies(options), GetParam()),
                     {Method::Pspgfb, Method::Apgd}, {Law::Associated, Law::Coulomb}, 40);
}

TEST_P(SameOnRanks, JointsAlone) {
  support::RandomBodies options;
  options.bodies = 40;
  options.contacts = 0;
  options.joints = 90;
  options.compliance = true;
  const BesideOne b = beside_one(support::random_bodies(options), GetParam());
  for (const Method method : {Method::Cg, Method::Minres, Method::Auto}) {
    SolveOptions wanted;
    wanted.method = method;
    wanted.max_iterations = 80;
    expect_same_solve(b, wanted);
  }
}

TEST_P(SameOnRanks, SeveralMethodsAndAnotherMeasure) {
  support::RandomBodies options;
  options.bodies = 40;
  options.contacts = 90;
  const BesideOne b = beside_one(support::random_bodies(options), GetParam());
  SolveOptions wanted;
  wanted.methods = {Method::Jacobi, Method::Apgd};
  wanted.law = Law::Associated;
  wanted.measure = Measure::FischerBurmeister;
  wanted.tolerance = 0.0;
  wanted.max_iterations = 30;
  expect_same_solve(b, wanted);
}

INSTANTIATE_TEST_SUITE_P(Partitions, SameOnRanks,
                         testing::Values("metis", "random:7", "alternating"));

/// A stop flag that only one rank has ends the solve on all, after the same iteration.
TEST(EndOnRanks, WhatOneRankWishesAllDo) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 80;
  const BesideOne b = beside_one(support::random_bodies(options), "metis");
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
  const BesideOne b = beside_one(support::random_bodies(options), "metis");
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
    const BesideOne b = beside_one(support::random_bodies(options), "alternating");
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
