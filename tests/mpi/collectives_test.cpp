// What a step asks of all ranks at once, beside its solves: each such call waits for the slowest.

#include "talus/core/expression.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/simulation/simulation.hpp"

#include "partition/balance.hpp"
#include "support/fault_of.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus {
namespace {

using support::SmallScene;
using ::testing::HasSubstr;

constexpr std::int64_t most_of_step = 5;

/// Balls that fall on a floor and bounce, two of them on a rod.
SmallScene falling_balls() {
  SmallScene small(2e-3, 0.4, 0.5);
  small.solver.tolerance = 1e-4;
  small.add_floor();
  const Index ball = small.sphere(0.05);
  for (int i = 0; i < 60; ++i) {
    const int along = i % 5, across = i / 5 % 4, up = i / 20;
    small.add("ball" + std::to_string(i), Motion::Dynamic, ball,
              {0.11 * along, 0.11 * across, 0.06 + 0.11 * up});
  }
  Joint rod;
  rod.name = "rod";
  rod.type = JointType::Distance;
  rod.body_a = 1;
  rod.body_b = 2;
  rod.length = 0.11;
  small.scene.world.joints.push_back(rod);
  return small;
}

TEST(Collectives, OfAStepAreFewBesideThoseOfItsSolves) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank waits for nobody";
  const SmallScene small = falling_balls();
  Simulation simulation(small.scene, small.solver, comm);
  int plain = 0, met = 0, more_than_most = 0;
  // of steps after each of which ranks look together who is slow
  const std::int64_t window = BalanceRules{}.window;
  for (int step = 0; step < 150; ++step) {
    const StepReport report = simulation.step();
    met += report.contacts > 0 ? 1 : 0;
    // what moves to other ranks, and what is hit and found again, takes messages of its own
    if (report.step == 1 || report.solves > 1 || report.searched || report.balanced ||
        !report.warnings.empty())
      continue;
    ++plain;
    const std::int64_t more = report.step % window == 0 ? 1 : 0;
    more_than_most += report.collectives > most_of_step + more ? 1 : 0;
    // a body that is hit and comes far is told to all
    EXPECT_LE(report.collectives, most_of_step + more + 1) << "step " << report.step;
  }
  EXPECT_GT(plain, 50);
  EXPECT_LT(more_than_most, plain / 10);
  EXPECT_GT(met, 50);
}

TEST(Collectives, AFaultOfOneRankWhileContactsAreFoundIsOneOfAll) {
  const Communicator comm = Communicator::world();
  SmallScene small(1e-2);
  small.solver.tolerance = 1e-3;
  // one goes round a periodic cell more often in a step than images are looked for
  small.scene.world.domain.periodic[0] = true;
  small.scene.world.domain.low = {0.0, -1.0, -1.0};
  small.scene.world.domain.high = {1.0, 1.0, 1.0};
  const Index ball = small.sphere(0.05);
  const GlobalId slow = 1, fast = 3;
  small.add_floor();
  small.add("slow", Motion::Dynamic, ball, {0.2, 0.0, 0.05});
  small.add("beside", Motion::Dynamic, ball, {0.3, 0.0, 0.05});
  small.add("fast", Motion::Dynamic, ball, {0.9, 0.0, 0.5});
  Simulation simulation(small.scene, small.solver, comm);
  simulation.step();
  BodyState state = simulation.state_of(fast);
  state.velocity = {6250.0, 0.0, 0.0};
  simulation.set_state(fast, state);

  std::string fault;
  try {
    simulation.step();
  } catch (const std::exception& error) {
    fault = error.what();
  }

  EXPECT_THAT(fault, HasSubstr("period"));
  // as before the step, on all ranks
  EXPECT_EQ(simulation.contacts_of(slow).size(), 2U);
  EXPECT_EQ(simulation.world().step, 1);
}

/// What a step() says that some ranks do not call, or with another time; empty on one rank.
std::string told_of(Simulation& simulation, bool all_step) {
  const int rank = simulation.communicator().rank();
  return support::fault_of([&] {
    if (all_step)
      simulation.step(1.0 + rank);
    else if (rank == 0)
      simulation.step();
    else
      simulation.state_of(1);
  });
}

TEST(Collectives, StepsThatNotAllRanksCallAlikeAreToldAndCostNothing) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank says what it says";
  const SmallScene small = falling_balls();
  Simulation disturbed(small.scene, small.solver, comm), alone(small.scene, small.solver, comm);
  for (int step = 0; step < 12;
       ++step) {  // the first one compares before it begins, others with it
    EXPECT_THAT(told_of(disturbed, true), HasSubstr("do not say the same"));
    EXPECT_THAT(told_of(disturbed, false), HasSubstr("do not say the same"));
    disturbed.step();
    alone.step();
    EXPECT_EQ(trajectory_hash(disturbed.world().bodies, comm),
              trajectory_hash(alone.world().bodies, comm));
  }
}

TEST(Collectives, AStepThatFailsBeforeRanksMeetIsStillComparedWithWhatOthersCall) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank meets nobody";
  SmallScene small = falling_balls();
  small.scene.world.gravity[2] = Expression("-1/(0.004 - t)", {}, {"t"});  // of steps of 2 ms
  small.scene.energy_ledger = false;
  Simulation simulation(small.scene, small.solver, comm);
  simulation.step();
  simulation.step();
  EXPECT_THAT(told_of(simulation, false), HasSubstr("do not say the same"));
  EXPECT_THROW(simulation.step(), FormulaError);
}

/// Of a periodic domain with a large ball that all ranks have, the origin of sums is asked for when
/// hubs are known.
TEST(Collectives, ALargeBallInAPeriodicDomainMovesAsOnOneRank) {
  const Communicator comm = Communicator::world();
  SmallScene small = falling_balls();
  small.add("large", Motion::Dynamic, small.sphere(0.5), {0.2, 0.9, 0.52});
  small.body(small.scene.bodies.size() - 1).velocity = {0.0, -2.0, 0.0};
  Domain& domain = small.scene.world.domain;
  domain.low = {-1.5, -1.5, -1.0};
  domain.high = {1.5, 1.5, 3.0};
  domain.periodic = {false, true, false};
  BalanceSettings balance;
  balance.by = BalanceSettings::By::Counts;
  Simulation shared(small.scene, small.solver, comm, balance);
  Simulation alone(small.scene, small.solver, Communicator::self());
  std::int64_t contacts = 0;
  for (int step = 0; step < 60; ++step) {
    contacts += shared.step().contacts;
    alone.step();
    ASSERT_EQ(trajectory_hash(shared.world().bodies, comm), trajectory_hash(alone.world().bodies))
        << "step " << step;
  }
  EXPECT_GT(contacts, 1000);
}

TEST(MixedNumbers, AreAddedAndComparedInOneReduction) {
  const Communicator comm = Communicator::world();
  const auto rank = comm.rank(), ranks = comm.size();
  std::array<std::int64_t, 2> sums{1, rank};
  std::array<double, 3> largest{-1.0 * rank, 1.0 * rank, 7.0};
  std::array<LimbSum, 2> exact;
  const double tiny = std::ldexp(1.0, -60);
  exact[0].add(std::array{1.0, tiny});
  exact[1].add(std::array{rank == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0});
  const std::int64_t before = comm.traffic().collectives;

  reduce(comm, {sums, largest, exact});

  EXPECT_EQ(comm.traffic().collectives - before, ranks > 1 ? 1 : 0);
  EXPECT_EQ(sums[0], ranks);
  EXPECT_EQ(sums[1], ranks * (ranks - 1) / 2);
  EXPECT_EQ(largest, (std::array{0.0, ranks - 1.0, 7.0}));
  LimbSum plain;
  for (int r = 0; r < ranks; ++r) plain.add(std::array{1.0, tiny});
  EXPECT_EQ(exact[0].value(), plain.value());
  EXPECT_TRUE(std::isnan(exact[1].value()));
}

TEST(MixedNumbers, ThatRanksGiveDifferentlyAreAFaultOfAll) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "one rank gives one list";
  std::array<std::int64_t, 2> sums{1, 2};
  std::array<double, 2> largest{1.0, 2.0};
  const bool is_first = comm.rank() == 0;  // as long as those of the others
  const auto give = [&] {
    reduce(comm,
           {std::span(sums).first(is_first ? 1 : 2), std::span(largest).first(is_first ? 2 : 1)});
  };
  EXPECT_THROW(give(), std::logic_error);
}

TEST(MixedNumbers, MayBeNoneOfAKind) {
  const Communicator comm = Communicator::world();
  std::array<std::int64_t, 1> sums{2};
  reduce(comm, {sums});
  EXPECT_EQ(sums[0], 2 * comm.size());
  reduce(comm, MixedNumbers{});
}

}  // namespace
}  // namespace talus
