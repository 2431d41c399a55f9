#pragma once
// A problem of bodies on one rank and in parts beside it: products and solves must have one rank's
// bits.

#include "talus/solvers/solve.hpp"

#include "mpi/on_ranks.hpp"
#include "problem/linear_operator.hpp"
#include "support/random_bodies.hpp"

#include <cmath>

namespace talus {

struct BesideOne {
  BodyProblem whole;
  ConeProblem alone;
  OnRanks mine;
};

inline BesideOne beside_one(BodyProblem whole, const std::string& partition) {
  BesideOne made;
  made.whole = std::move(whole);
  made.alone = make_cone_problem(made.whole);
  made.mine = on_ranks(made.whole, partition);
  return made;
}

inline void expect_same_rows(const BesideOne& b, const RowVector& mine, const RowVector& alone) {
  each_row(b.mine, b.whole, b.alone, [&](std::size_t here, std::size_t there) {
    expect_same_bits(mine[here], alone[there], there);
  });
}

/// N x, r, the diagonal and the numbers that are made of them.
inline void expect_same_product(const BesideOne& b) {
  const ConeProblem& problem = b.mine.problem;
  const RowVector x = support::random_impulses(b.alone.cones, 3);
  RowVector y(x.size());
  b.alone.delassus->apply(x, y);
  RowVector x_mine(static_cast<std::size_t>(problem.stored_rows()), 0.0), y_mine(x_mine.size());
  each_row(b.mine, b.whole, b.alone,
           [&](std::size_t here, std::size_t there) { x_mine[here] = x[there]; });

  problem.delassus->apply(x_mine, y_mine);

  EXPECT_EQ(problem.mean_diagonal, b.alone.mean_diagonal);
  EXPECT_EQ(problem.siconos_scale, b.alone.siconos_scale);
  EXPECT_EQ(problem.total_rows, b.alone.total_rows);
  expect_same_rows(b, y_mine, y);
  expect_same_rows(b, problem.free_velocity, b.alone.free_velocity);
  expect_same_rows(b, problem.diagonal, b.alone.diagonal);
}

inline void expect_same_report(const SolveReport& report, const SolveReport& expected) {
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
                                    {e.natural_local, f.natural_local},
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
}

inline void expect_same_solve(const BesideOne& b, const SolveOptions& options) {
  SCOPED_TRACE(name_of(options.method) + " " + name_of(options.law));
  RowVector x(static_cast<std::size_t>(b.alone.stored_rows()), 0.0), gap;
  const SolveReport expected = solve(b.alone, options, Communicator::self(), x, gap);
  RowVector x_mine(static_cast<std::size_t>(b.mine.problem.stored_rows()), 0.0), gap_mine;

  const SolveReport report =
      solve(b.mine.problem, options, Communicator::world(), x_mine, gap_mine);

  expect_same_report(report, expected);
  expect_same_rows(b, x_mine, x);
  expect_same_rows(b, gap_mine, gap);
}

}  // namespace talus
