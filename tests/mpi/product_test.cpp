// Products and whole solves on ranks against one rank, bit for bit.

#include "talus/partition/partition.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/solvers/solve.hpp"

#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>

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

struct OnRanks {
  std::shared_ptr<const BodyPart> part;
  ConeProblem problem;
};

OnRanks on_ranks(const BodyProblem& whole, const std::string& partition) {
  const Communicator world = Communicator::world();
  const BodySlice slice = slice_of(whole, world.rank(), world.size());
  OnRanks made;
  made.part = std::make_shared<BodyPart>(
      distribute(world, slice, partition_bodies(world, slice, parse_partition(partition))));
  made.problem = make_cone_problem(made.part, world);
  return made;
}

/// visit(local row, row of the whole) for every owned or mirrored contact row of the part.
template <class Visit>
void each_contact_row(const OnRanks& mine, const BodyProblem& whole, const ConeProblem& alone,
                      const Visit& visit) {
  std::map<GlobalId, Index> place;
  for (Index c = 0; c < whole.contact_count(); ++c)
    place[whole.contact_key[static_cast<std::size_t>(c)]] = c;
  each_stored(mine.part->owned_contacts, mine.part->mirrored_contacts, [&](Index c, bool owned) {
    const Index there = place.at(mine.part->data.contact_key[static_cast<std::size_t>(c)]);
    for (Index k = 0; k < 3; ++k)
      visit(static_cast<std::size_t>(mine.problem.cones.spatial_row(c, k)),
            static_cast<std::size_t>(alone.cones.spatial_row(there, k)), owned);
  });
}
template <class Visit>
void each_joint_row(const OnRanks& mine, const BodyProblem& whole, const Visit& visit) {
  std::map<GlobalId, Index> place;
  for (Index j = 0; j < whole.joint_row_count(); ++j)
    place[whole.joint_key[static_cast<std::size_t>(j)]] = j;
  each_stored(mine.part->owned_joint_rows, mine.part->mirrored_joint_rows,
              [&](Index j, bool owned) {
                visit(static_cast<std::size_t>(j),
                      static_cast<std::size_t>(
                          place.at(mine.part->data.joint_key[static_cast<std::size_t>(j)])),
                      owned);
              });
}
template <class Visit>
void each_row(const OnRanks& mine, const BodyProblem& whole, const ConeProblem& alone,
              const Visit& visit) {
  each_contact_row(mine, whole, alone, visit);
  each_joint_row(mine, whole, visit);
}

void expect_same_bits(double a, double b, std::size_t row) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b))
      << "row " << row << ": " << a << " and " << b;
}

class Ranks : public testing::TestWithParam<const char*> {};

TEST_P(Ranks, SetUpAndProductHaveTheBitsOfOneRank) {
  for (const bool two_points : {false, true}) {
    const BodyProblem whole = some_bodies(two_points);
    const ConeProblem alone = make_cone_problem(whole);
    const OnRanks mine = on_ranks(whole, GetParam());
    RowVector x = support::random_impulses(alone.cones, 3), y(x.size());
    alone.delassus->apply(x, y);
    RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0),
        y_mine(x_mine.size());
    each_row(mine, whole, alone,
             [&](std::size_t here, std::size_t there, bool /*owned*/) { x_mine[here] = x[there]; });

    mine.problem.delassus->apply(x_mine, y_mine);

    EXPECT_EQ(mine.problem.mean_diagonal, alone.mean_diagonal);
    EXPECT_EQ(mine.problem.siconos_scale, alone.siconos_scale);
    EXPECT_EQ(mine.problem.total_rows, alone.total_rows);
    each_row(mine, whole, alone, [&](std::size_t here, std::size_t there, bool /*owned*/) {
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
  const OnRanks mine = on_ranks(whole, GetParam());
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
    each_row(mine, whole, alone, [&](std::size_t here, std::size_t there, bool /*owned*/) {
      expect_same_bits(x_mine[here], x[there], there);
      expect_same_bits(gap_mine[here], gap[there], there);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, Ranks,
                         testing::Values("metis", "hilbert", "blocks", "random:7"));

}  // namespace
}  // namespace talus
