// Sweeps on several ranks, without the loop around them: shares of masses, and what ranks tell each
// other.

#include "generate/generate.hpp"
#include "metrics/definitions.hpp"
#include "mpi/random_graph.hpp"
#include "problem/body_operator.hpp"
#include "solvers/sweeper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using support::random_graph;
using support::zeros;

const BodyProblem& dense_packing() {
  static const BodyProblem packing = generate(parse_generate("packing,bodies=150,friction=0.5"));
  return packing;
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
    rows_.give_impulses(x_);
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
  const std::vector<Index>& order = trial.rows().cone_blocks().order;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto place = static_cast<Index>(k);
    const Index c = order[k];
    const Vec3 kept = trial.rows().cone_gap(place, cone_impulse(cones, trial.x(), c), trial.x()),
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
  const double highest = expect_rise_without_split(on_ranks(dense_packing(), "alternating"));

  // how high it rises is a matter of the order of the sweeps; that it rises is expected above
  EXPECT_TRUE(Communicator::world().size() < 8 || highest > 0.0);
}

TEST(WholeMass, RaisesTheObjectiveOfABodyPerRank) {
  // as many bodies as ranks: nearly every body is shared by nearly all
  support::RandomBodies options;
  options.bodies = Communicator::world().size();
  options.contacts = 12 * options.bodies;
  options.joints = 0;
  const double highest =
      expect_rise_without_split(on_ranks(support::random_bodies(options), "alternating"));

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

INSTANTIATE_TEST_SUITE_P(Partitions, SplitMass,
                         testing::Values("metis", "random:7", "alternating"));

}  // namespace
}  // namespace talus
