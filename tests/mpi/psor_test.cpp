// psor on several ranks: whole solves.

#include "talus/core/error.hpp"
#include "talus/solvers/solve.hpp"

#include "generate/generate.hpp"
#include "mpi/random_graph.hpp"
#include "solvers/sweep_rows.hpp"
#include "support/machine.hpp"
#include "support/manufactured_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus {
namespace {

using support::random_graph;
using support::zeros;

SolveOptions sweeping(Law law) {
  SolveOptions options;
  options.method = Method::Psor;
  options.law = law;
  options.tolerance = 1e-10;
  options.max_iterations = 50000;
  return options;
}

struct Answer {
  SolveReport report;
  RowVector x, gap;
};

Answer answer_of(const ConeProblem& problem, const SolveOptions& options,
                 const Communicator& comm) {
  Answer answer;
  answer.x = zeros(problem);
  answer.report = solve(problem, options, comm, answer.x, answer.gap);
  return answer;
}

/// Largest difference of gap velocities at contacts, owned ones of this rank.
double distance(const OnRanks& mine, const RowVector& gap, const BodyProblem& whole,
                const ConeProblem& alone, const RowVector& known) {
  std::map<GlobalId, Index> place;
  for (Index c = 0; c < whole.contact_count(); ++c)
    place[whole.contact_key[static_cast<std::size_t>(c)]] = c;
  double largest = 0.0;
  for (Index c = 0; c < mine.part->owned_contacts; ++c) {
    const Index there = place.at(mine.part->data.contact_key[static_cast<std::size_t>(c)]);
    const Vec3 difference =
        cone_impulse(mine.problem.cones, gap, c) - cone_impulse(alone.cones, known, there);
    largest =
        std::max({largest, std::abs(difference.x), std::abs(difference.y), std::abs(difference.z)});
  }
  return largest;
}

class PsorParts : public testing::TestWithParam<const char*> {};

TEST_P(PsorParts, FindsTheVelocitiesThatApgdFindsAlone) {
  for (const Law law : {Law::Associated, Law::Coulomb, Law::Box}) {
    const auto whole = std::get<BodyProblem>(
        support::manufacture_bodies({.law = law, .free_rows = 3, .compliance = 0.1}).data);
    const ConeProblem alone = make_cone_problem(whole);
    const OnRanks mine = on_ranks(whole, GetParam());
    SolveOptions options = sweeping(law);
    options.method = Method::Apgd;
    const Answer known = answer_of(alone, options, Communicator::self());
    ASSERT_EQ(known.report.status, SolveStatus::Converged) << name_of(law);
    for (const bool accelerate : {false, true}) {
      options.method = Method::Psor;
      options.psor.accelerate = accelerate;
      options.psor.sweeps = accelerate ? 2 : 1;

      const Answer found = answer_of(mine.problem, options, Communicator::world());

      EXPECT_EQ(found.report.status, SolveStatus::Converged) << name_of(law) << accelerate;
      EXPECT_LE(found.report.iterations, 2000);
      EXPECT_LT(distance(mine, found.gap, whole, alone, known.gap), 1e-8)
          << name_of(law) << accelerate;
    }
  }
}

TEST_P(PsorParts, GivesTheSameBitsForAnyThreadsAndOnRepeat) {
  const OnRanks mine = on_ranks(random_graph(6), GetParam());
  for (const bool accelerate : {false, true}) {
    SolveOptions options = sweeping(Law::Coulomb);
    options.psor.accelerate = accelerate;
    options.max_iterations = 100;
    options.tolerance = 0.0;
    std::vector<std::uint64_t> reference;
    for (const int threads : {1, 2, 1}) {
      const support::ForcedThreads forced(threads);

      const auto bits =
          support::bits_of_all(answer_of(mine.problem, options, Communicator::world()).x);

      if (reference.empty()) reference = bits;
      EXPECT_EQ(bits, reference) << threads;
    }
  }
}

/// Every fifth sphere touches one large body as well.
BodyProblem with_a_drum(BodyProblem packing) {
  const Index spheres = packing.body_count();
  const Index drum = packing.add_body({}, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
  GlobalId key = *std::max_element(packing.contact_key.begin(), packing.contact_key.end());
  for (Index b = 0; b < spheres; b += 5) {
    const Vec3 centre = packing.centre[static_cast<std::size_t>(b)];
    packing.add_contact(b, drum, {1.0, 0.0, 0.0}, centre, 0.5, {-0.001, 0.0, 0.0});
    packing.contact_key.back() = ++key;
  }
  return packing;
}

/// Large enough on each of three ranks for blocks of independent rows.
std::vector<BodyProblem> large_problems() {
  const BodyProblem packing = generate(parse_generate("packing,bodies=5000"));
  return {packing, with_a_drum(packing),
          generate(parse_generate("packing,bodies=1200,rolling_friction=0.001"))};
}

bool has_blocks(const OnRanks& mine, const Communicator& comm) {
  const SweepRows rows = make_sweep_rows(mine.problem, Law::Coulomb, comm);
  const auto& bodies = std::get<BodySweep>(rows);
  return bodies.cone_blocks().block_end.size() > 1 || bodies.rolling_blocks().block_end.size() > 1;
}

TEST(PsorOnRanks, GiveTheSameBitsForAnyThreadsInBlocks) {
  const std::vector<BodyProblem> problems = large_problems();
  const Communicator world = Communicator::world();
  for (const BodyProblem& whole : problems) {
    const OnRanks mine = on_ranks(whole, "metis");
    EXPECT_TRUE(has_blocks(mine, world) || world.size() > 3);
    SolveOptions options = sweeping(Law::Coulomb);
    options.psor.symmetric = true;
    options.psor.sweeps = 2;
    options.max_iterations = 4;
    options.tolerance = 0.0;
    std::vector<std::uint64_t> reference;
    for (const int threads : {1, 2, 3, 4}) {
      const support::ForcedThreads forced(threads);

      const auto bits = support::bits_of_all(answer_of(mine.problem, options, world).x);

      if (reference.empty()) reference = bits;
      EXPECT_EQ(bits, reference) << threads;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, PsorParts,
                         testing::Values("metis", "random:7", "alternating"));

TEST(PsorOnRanks, OfWhichOneOwnsAllHasTheBitsOfOneRank) {
  const BodyProblem whole = random_graph(7);
  const ConeProblem alone = make_cone_problem(whole);
  const Communicator world = Communicator::world();
  const OnRanks mine = on_ranks(whole, "last");
  for (const bool accelerate : {false, true}) {
    SolveOptions options = sweeping(Law::Associated);
    options.psor.accelerate = accelerate;
    options.tolerance = 0.0;
    options.max_iterations = 100;
    const Answer expected = answer_of(alone, options, Communicator::self());

    const Answer found = answer_of(mine.problem, options, world);

    EXPECT_EQ(found.report.iterations, expected.report.iterations);
    EXPECT_EQ(found.report.error, expected.report.error);
    if (world.rank() == world.size() - 1) {
      EXPECT_EQ(support::bits_of_all(found.x), support::bits_of_all(expected.x));
    }
  }
}

TEST(PsorOnRanks, TellEachOtherOncePerStep) {
  const Communicator world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "alone";
  const OnRanks mine = on_ranks(random_graph(8), "alternating");
  for (const int sweeps : {1, 4}) {
    SolveOptions options = sweeping(Law::Associated);
    options.psor.sweeps = sweeps;
    options.psor.check_every = 1000;
    options.tolerance = 0.0;
    options.max_iterations = 0;
    const std::int64_t before = world.traffic().exchanges;
    answer_of(mine.problem, options, world);
    const std::int64_t without = world.traffic().exchanges - before;
    options.max_iterations = 40;

    answer_of(mine.problem, options, world);

    // and the mirrors where sweeps begin and at the second measurement, which who does not sweep
    // has no need of (products are counted where the problem was made)
    EXPECT_EQ(world.traffic().exchanges - before - 2 * without, 40 / sweeps + 2);
  }
}

TEST(PsorOnRanks, EndTogetherWhenOneOfThemWantsTo) {
  const Communicator world = Communicator::world();
  const OnRanks mine = on_ranks(random_graph(9), "metis");
  SolveOptions options = sweeping(Law::Associated);
  options.tolerance = 0.0;
  int asked = 0;
  options.interrupted = [&] { return world.rank() == world.size() - 1 && ++asked > 3; };

  const SolveReport report = answer_of(mine.problem, options, world).report;

  EXPECT_EQ(report.status, SolveStatus::Interrupted);
  EXPECT_LE(report.iterations, 50);
  options.interrupted = {};
  options.time_limit = 0.2;
  EXPECT_EQ(answer_of(mine.problem, options, world).report.status, SolveStatus::TimeLimit);
}

TEST(PsorOnRanks, LookEarlierWhenTimeIsShort) {
  const OnRanks mine = on_ranks(generate(parse_generate("packing,bodies=20000")), "metis");
  SolveOptions options = sweeping(Law::Coulomb);
  options.tolerance = 0.0;
  options.time_limit = 0.4;
  options.psor.check_every = 10000;  // several seconds
  options.max_iterations = 10'000'000;
  for (const int sweeps : {1, 1000}) {
    options.psor.sweeps = sweeps;
    const SolveReport report = answer_of(mine.problem, options, Communicator::world()).report;
    EXPECT_EQ(report.status, SolveStatus::TimeLimit);
    EXPECT_LT(report.iterations, 10000);
  }
}

TEST(PsorOnRanks, StopWhereNothingMoves) {
  BodyProblem whole;
  for (int b = 0; b < 4; ++b)
    whole.add_body({0.0, 0.0, 1.0 * b}, 0.0, {}, {});  // bodies that nothing moves
  whole.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.5}, 0.3, {-1.0, 0.0, 0.0});
  const OnRanks mine = on_ranks(whole, "alternating");
  SolveOptions options = sweeping(Law::Associated);

  EXPECT_EQ(answer_of(mine.problem, options, Communicator::world()).report.status,
            SolveStatus::Stalled);
}

}  // namespace
}  // namespace talus
