// Products and whole solves on ranks against one rank, bit for bit.

#include "talus/solvers/solve.hpp"

#include "mpi/on_ranks.hpp"
#include "support/random_bodies.hpp"

namespace talus {
namespace {

BodyProblem some_bodies(bool two_points) {
  support::RandomBodies options;
  options.bodies = 60;
  options.contacts = 200;
  options.joints = 40;
  options.compliance = true;
  options.immovable_body = true;
  options.two_points = two_points;
  return support::random_bodies(options);
}

class Ranks : public testing::TestWithParam<const char*> {};

TEST_P(Ranks, SetUpAndProductHaveTheBitsOfOneRank) {
  for (const bool two_points : {false, true}) {
    const BodyProblem whole = some_bodies(two_points);
    const ConeProblem alone = make_cone_problem(whole);
    const OnRanks mine = on_ranks(whole, GetParam(), Communicator::world());
    RowVector x = support::random_impulses(alone.cones, 3), y(x.size());
    alone.delassus->apply(x, y);
    RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0),
        y_mine(x_mine.size());
    each_row(mine, whole, alone,
             [&](std::size_t here, std::size_t there) { x_mine[here] = x[there]; });

    mine.problem.delassus->apply(x_mine, y_mine);

    EXPECT_EQ(mine.problem.mean_diagonal, alone.mean_diagonal);
    EXPECT_EQ(mine.problem.siconos_scale, alone.siconos_scale);
    EXPECT_EQ(mine.problem.total_rows, alone.total_rows);
    each_row(mine, whole, alone, [&](std::size_t here, std::size_t there) {
      expect_same_bits(y_mine[here], y[there], there);
      expect_same_bits(mine.problem.free_gap[here], alone.free_gap[there], there);
      expect_same_bits(mine.problem.diagonal[here], alone.diagonal[there], there);
    });
  }
}

struct Wanted {
  Method method = Method::Apgd;
  Law law = Law::Associated;
};

TEST_P(Ranks, SolvesHaveTheBitsOfOneRank) {
  const BodyProblem whole = some_bodies(false);
  const ConeProblem alone = make_cone_problem(whole);
  const OnRanks mine = on_ranks(whole, GetParam(), Communicator::world());
  const Communicator world = Communicator::world();
  for (const Wanted& wanted :
       {Wanted{Method::Jacobi}, Wanted{Method::Pspgfb}, Wanted{Method::Apgd},
        Wanted{Method::Apgd, Law::Coulomb}, Wanted{Method::Pspgfb, Law::Coulomb}}) {
    SolveOptions options;
    options.method = wanted.method;
    options.law = wanted.law;
    options.tolerance = 1e-12;
    options.max_iterations = 200;
    RowVector x(static_cast<std::size_t>(alone.stored_rows()), 0.0), gap;
    const SolveReport expected = solve(alone, options, Communicator::self(), x, gap);
    RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap_mine;

    const SolveReport report = solve(mine.problem, options, world, x_mine, gap_mine);

    EXPECT_EQ(report.iterations, expected.iterations) << name_of(wanted.method);
    EXPECT_EQ(report.error, expected.error) << name_of(wanted.method) << " " << name_of(wanted.law);
    EXPECT_EQ(report.errors.siconos, expected.errors.siconos);
    EXPECT_EQ(report.errors.objective, expected.errors.objective);
    EXPECT_EQ(report.errors.natural_velocity, expected.errors.natural_velocity);
    each_row(mine, whole, alone, [&](std::size_t here, std::size_t there) {
      expect_same_bits(x_mine[here], x[there], there);
      expect_same_bits(gap_mine[here], gap[there], there);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, Ranks,
                         testing::Values("metis", "hilbert", "blocks", "random:7"));

}  // namespace
}  // namespace talus
