// psor on several ranks: shares of masses, what ranks tell each other, and whole solves.

#include "talus/core/error.hpp"
#include "talus/generate/generate.hpp"
#include "talus/partition/partition.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/solvers/solve.hpp"

#include "metrics/definitions.hpp"
#include "solvers/sweeper.hpp"
#include "support/machine.hpp"
#include "support/manufactured_problem.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace talus {
namespace {

struct OnRanks {
  std::shared_ptr<const BodyPart> part;
  ConeProblem problem;
};

OnRanks with_owners(const BodyProblem& whole, const std::vector<int>& owners_of_slice) {
  const Communicator world = Communicator::world();
  OnRanks made;
  made.part = std::make_shared<BodyPart>(
      distribute(world, slice_of(whole, world.rank(), world.size()), owners_of_slice));
  made.problem = make_cone_problem(made.part, world);
  return made;
}

/// By METIS and the like, or "turns": body after body to the next rank, "last": all to the last.
OnRanks on_ranks(const BodyProblem& whole, const std::string& partition) {
  const Communicator world = Communicator::world();
  const BodySlice slice = slice_of(whole, world.rank(), world.size());
  if (partition != "turns" && partition != "last")
    return with_owners(whole, partition_bodies(world, slice, parse_partition(partition)));
  std::vector<int> owners;
  const SliceRange range = slice_range(slice.total_bodies, world.rank(), world.size());
  for (GlobalId place = range.first; place < range.last; ++place)
    owners.push_back(partition == "last" ? world.size() - 1
                                         : static_cast<int>(place % world.size()));
  return with_owners(whole, owners);
}

BodyProblem random_graph(std::uint64_t seed, bool rolling = false) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 120;
  options.joints = rolling ? 0 : 20;
  options.compliance = seed % 2 == 0;
  options.immovable_body = true;
  options.rolling = rolling;
  options.seed = seed;
  return support::random_bodies(options);
}

const BodyProblem& dense_packing() {
  static const BodyProblem packing = generate(parse_generate("packing,bodies=150,friction=0.5"));
  return packing;
}

RowVector zeros(const ConeProblem& problem) {
  return RowVector(static_cast<std::size_t>(problem.stored_rows()), 0.0);
}

/// Every body's mass divided by `multiplicity(body id, number of sharers)`.
using Multiplicity = double (*)(GlobalId, double);
double by_sharers(GlobalId /*id*/, double sharers) {
  return sharers;
}
double by_more_than_sharers(GlobalId id, double sharers) {
  return sharers + static_cast<double>(id % 3);
}
double not_at_all(GlobalId /*id*/, double /*sharers*/) {
  return 1.0;
}

/// Sweeps and exchanges from zero without the program around them.
class Trial {
 public:
  Trial(const OnRanks& mine, Law law, Multiplicity multiplicity)
      : mine_(mine),
        law_(law),
        mirrors_(*mine.part, mine.problem.cones, world_),
        rows_(rows_of(mine, multiplicity)),
        x_(zeros(mine.problem)),
        gap_(x_.size()),
        sweeper_(mine.problem, law, options_, rows_, x_) {
    rows_.refresh(x_);
  }

  void step(int sweeps) {
    rows_.begin_sweeps();
    for (int s = 0; s < sweeps; ++s) sweeper_.sweep();
    rows_.end_sweeps();
  }

  /// At x as it is now on all ranks, with a fresh product.
  double objective_now() {
    RowVector x = x_;
    mirrors_.update_mirrors(x);
    evaluate_gap(mine_.problem, law_, x, gap_);
    return objective({mine_.problem, law_, x, gap_, world_});
  }

  const BodySweep& rows() const { return rows_; }
  const RowVector& x() const { return x_; }
  const RowVector& gap() const { return gap_; }

 private:
  BodySweep rows_of(const OnRanks& mine, Multiplicity multiplicity) const {
    const auto& bodies = dynamic_cast<const BodyOperator&>(*mine.problem.delassus);
    auto exchange = std::make_unique<SweepExchange>(*mine.part, mine.problem.cones, world_);
    std::vector<double> split = exchange->sharers();
    for (const Index body : exchange->shared()) {
      const auto b = static_cast<std::size_t>(body);
      split[b] = multiplicity(mine.part->data.body_id[b], split[b]);
    }
    return {mine.problem, bodies, std::move(exchange), split};
  }

  const Communicator world_ = Communicator::world();
  const OnRanks& mine_;
  Law law_;
  PsorOptions options_;
  SweepExchange mirrors_;
  BodySweep rows_;
  RowVector x_, gap_;
  Sweeper<BodySweep> sweeper_;
};

class SplitMass : public testing::TestWithParam<const char*> {};

TEST_P(SplitMass, LowersTheObjectiveAtEveryExchange) {
  for (const BodyProblem& whole :
       {random_graph(1), random_graph(2), random_graph(3, true), dense_packing()}) {
    const OnRanks mine = on_ranks(whole, GetParam());
    for (const Multiplicity multiplicity : {by_sharers, by_more_than_sharers})
      for (const int sweeps : {1, 3}) {
        Trial trial(mine, Law::Associated, multiplicity);
        double before = 0.0;  // at x = 0
        for (int exchange = 0; exchange < 15; ++exchange) {
          trial.step(sweeps);
          const double now = trial.objective_now();
          EXPECT_LE(now, before + 1e-13 * std::abs(before)) << exchange << " of " << sweeps;
          before = now;
        }
        EXPECT_LT(before, 0.0);
      }
  }
}

TEST_P(SplitMass, LeavesTheVelocitiesOfTheTrueMasses) {
  const BodyProblem whole = random_graph(5);
  const OnRanks mine = on_ranks(whole, GetParam());
  const ConeSet& cones = mine.problem.cones;
  Trial trial(mine, Law::Associated, by_sharers);

  for (int exchange = 0; exchange < 4; ++exchange) trial.step(2);

  trial.objective_now();
  for (Index row = 0; row < mine.part->owned_joint_rows; ++row)
    EXPECT_NEAR(trial.rows().row_gap(row, trial.x()), trial.gap()[static_cast<std::size_t>(row)],
                1e-11);
  for (Index c = 0; c < mine.part->owned_contacts; ++c) {
    const Vec3 kept = trial.rows().cone_gap(c, cone_impulse(cones, trial.x(), c), trial.x()),
               fresh = cone_impulse(cones, trial.gap(), c);
    EXPECT_NEAR(kept.x, fresh.x, 1e-11);
    EXPECT_NEAR(kept.y, fresh.y, 1e-11);
    EXPECT_NEAR(kept.z, fresh.z, 1e-11);
  }
}

// What the split is for. Two ranks never raise the objective either way: N is at most twice the
// part of it that they see.
/// Returns the highest objective without the split; that of no impulses at all is 0.
double expect_rise_without_split(const OnRanks& mine) {
  Trial split(mine, Law::Associated, by_sharers), whole(mine, Law::Associated, not_at_all);
  double before_split = 0.0, before_whole = 0.0, highest = 0.0;
  int rises = 0;
  for (int exchange = 0; exchange < 15; ++exchange) {
    split.step(1);
    whole.step(1);
    const double now_split = split.objective_now(), now_whole = whole.objective_now();
    EXPECT_LE(now_split, before_split + 1e-13 * std::abs(before_split)) << exchange;
    rises += now_whole > before_whole ? 1 : 0;
    highest = std::max(highest, now_whole);
    before_split = now_split;
    before_whole = now_whole;
  }
  EXPECT_EQ(rises > 0, Communicator::world().size() > 2);
  return highest;
}

TEST(WholeMass, RaisesTheObjectiveOfADensePacking) {
  const double highest = expect_rise_without_split(on_ranks(dense_packing(), "turns"));

  EXPECT_TRUE(Communicator::world().size() < 4 || highest > 0.0);
}

TEST(WholeMass, RaisesTheObjectiveOfABodyPerRank) {
  // as many bodies as ranks: nearly every body is shared by nearly all
  support::RandomBodies options;
  options.bodies = Communicator::world().size();
  options.contacts = 12 * options.bodies;
  options.joints = 0;
  const double highest =
      expect_rise_without_split(on_ranks(support::random_bodies(options), "turns"));

  EXPECT_EQ(highest > 0.0, options.bodies > 2);
}

TEST_P(SplitMass, CountsTheRanksThatSweepABody) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = random_graph(4);
  const OnRanks mine = on_ranks(whole, GetParam());
  const BodyProblem& data = mine.part->data;
  // by hand: which rank owns a row of which body
  std::vector<std::int64_t> touched(whole.centre.size(), 0);
  const auto touch = [&](Index body) {
    if (body != no_body)
      touched[static_cast<std::size_t>(data.body_id[static_cast<std::size_t>(body)])] = 1;
  };
  for (Index c = 0; c < mine.part->owned_contacts; ++c) {
    touch(data.contact_body_a[static_cast<std::size_t>(c)]);
    touch(data.contact_body_b[static_cast<std::size_t>(c)]);
  }
  for (Index j = 0; j < mine.part->owned_joint_rows; ++j) {
    touch(data.joint_body_a[static_cast<std::size_t>(j)]);
    touch(data.joint_body_b[static_cast<std::size_t>(j)]);
  }
  std::vector<std::int64_t> ranks = touched;
  world.sum(ranks);

  const SweepExchange exchange(*mine.part, mine.problem.cones, world);

  for (std::size_t b = 0; b < data.body_id.size(); ++b) {
    const auto id = static_cast<std::size_t>(data.body_id[b]);
    const bool counts = touched[id] != 0 && id != 0;  // body 0 cannot be moved
    EXPECT_EQ(exchange.sharers()[b], counts ? static_cast<double>(ranks[id]) : 1.0) << id;
    const bool listed =
        std::count(exchange.shared().begin(), exchange.shared().end(), static_cast<Index>(b)) == 1;
    EXPECT_EQ(listed, counts && ranks[id] > 1) << id;
  }
}

// ---- whole solves

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

TEST_P(SplitMass, FindsTheVelocitiesThatApgdFindsAlone) {
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

TEST_P(SplitMass, GivesTheSameBitsForAnyThreadsAndOnRepeat) {
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

INSTANTIATE_TEST_SUITE_P(Partitions, SplitMass, testing::Values("metis", "random:7", "turns"));

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
  const OnRanks mine = on_ranks(random_graph(8), "turns");
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

    // and the mirrors of the second measurement (products are counted where the problem was made)
    EXPECT_EQ(world.traffic().exchanges - before - 2 * without, 40 / sweeps + 1);
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

TEST(PsorOnRanks, StopWhereNothingMoves) {
  BodyProblem whole;
  for (int b = 0; b < 4; ++b)
    whole.add_body({0.0, 0.0, 1.0 * b}, 0.0, {}, {});  // bodies that nothing moves
  whole.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.5}, 0.3, {-1.0, 0.0, 0.0});
  const OnRanks mine = on_ranks(whole, "turns");
  SolveOptions options = sweeping(Law::Associated);

  EXPECT_EQ(answer_of(mine.problem, options, Communicator::world()).report.status,
            SolveStatus::Stalled);
}

TEST(PsorOnRanks, RefuseMatrices) {
  const Communicator world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "alone";
  LocalProblem data;
  data.dimension = 3;
  data.W = from_triplets(3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}});
  data.V = {3, 0, {0, 0, 0, 0}, {}, {}};
  data.R = {0, 0, {0}, {}, {}};
  data.q = {-1.0, 0.0, 0.0};
  data.friction = {0.5};
  const ConeProblem problem = make_cone_problem(data);

  EXPECT_THROW(answer_of(problem, sweeping(Law::Associated), world), InputError);
}

}  // namespace
}  // namespace talus
