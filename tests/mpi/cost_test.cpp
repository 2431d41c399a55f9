// The price of many ranks, counted in front of MPI: one message per neighbour and product, 48 bytes
// per boundary body, one reduction per iteration.

#include "talus/solvers/solve.hpp"

#include "mpi/interposed.hpp"
#include "mpi/on_ranks.hpp"
#include "problem/linear_operator.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

struct Priced {
  Communicator world = Communicator::world();
  OnRanks mine;

  Priced() {
    support::RandomBodies options;
    options.bodies = 80;
    options.contacts = 240;
    options.joints = 20;
    mine = on_ranks(support::random_bodies(options), "metis", world);
  }
  std::int64_t neighbours() const {
    return static_cast<std::int64_t>(mine.part->neighbours.size());
  }
  std::int64_t bytes_of_an_exchange() const {
    std::int64_t bodies = 0;
    for (const HaloNeighbour& n : mine.part->neighbours)
      bodies += static_cast<std::int64_t>(n.send.size());
    return 48 * bodies;
  }
  SolveReport solve_for(Method method, std::int64_t iterations) const {
    SolveOptions options;
    options.method = method;
    options.law = Law::Associated;
    options.tolerance = 0.0;
    options.max_iterations = iterations;
    RowVector x(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap;
    return solve(mine.problem, options, world, x, gap);
  }
};

TEST(CostOnRanks, AProductIsOneMessageOf48BytesPerBoundaryBodyToEachNeighbour) {
  const Priced p;
  RowVector x(static_cast<std::size_t>(p.mine.problem.stored_rows()), 0.0), y(x.size());
  reset_interposed();

  for (int k = 0; k < 3; ++k) p.mine.problem.delassus->apply(x, y);

  EXPECT_EQ(interposed().messages, 3 * p.neighbours());
  EXPECT_EQ(interposed().bytes, 3 * p.bytes_of_an_exchange());
  EXPECT_EQ(interposed().reductions, 0);
}

TEST(CostOnRanks, TheLedgerSaysWhatMpiSaw) {
  const Priced p;
  for (const Method method : {Method::Jacobi, Method::Pspgfb, Method::Apgd}) {
    reset_interposed();

    const SolveReport report = p.solve_for(method, 100);

    EXPECT_EQ(report.traffic.messages, interposed().messages);
    EXPECT_EQ(report.traffic.bytes, interposed().bytes);
    EXPECT_EQ(report.exchanges * p.neighbours(), interposed().messages);
    if (p.world.size() > 1) {
      EXPECT_EQ(report.reductions, interposed().reductions);
      // natural_local, which is among the errors of the report, asks the neighbours too, and the
      // first time how many rows they have
      const std::int64_t rings = method == Method::Jacobi ? 6 : 3;
      EXPECT_EQ(report.exchanges, p.neighbours() > 0 ? report.operator_products + rings : 0);
    } else {
      EXPECT_EQ(interposed().reductions, 0);
    }
  }
}

/// A longer solve less a shorter one: what an iteration costs, without set-up and verification.
TEST(CostOnRanks, AnIterationIsOneReductionAndOneExchange) {
  const Priced p;
  const auto per_iteration = [&](Method method) {
    reset_interposed();
    p.solve_for(method, 100);
    const Interposed shorter = interposed();
    reset_interposed();
    p.solve_for(method, 300);
    const double reductions =
        static_cast<double>(interposed().reductions - shorter.reductions) / 200.0;
    const double messages = static_cast<double>(interposed().messages - shorter.messages) / 200.0;
    return std::pair{reductions,
                     p.neighbours() > 0 ? messages / static_cast<double>(p.neighbours()) : 0.0};
  };
  // now and then a sum outgrows its scale and is taken again, a gradient is made afresh
  const auto [spg_reductions, spg_exchanges] = per_iteration(Method::Pspgfb);
  const auto [apgd_reductions, apgd_exchanges] = per_iteration(Method::Apgd);

  EXPECT_LE(spg_reductions, 1.1);
  EXPECT_LE(spg_exchanges, 1.02);
  EXPECT_LE(apgd_reductions, 1.2);
  EXPECT_LE(apgd_exchanges, 1.2);
}

}  // namespace
}  // namespace talus
