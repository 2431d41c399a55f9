// When a balance pays, and that work leaves a slow rank: ranks whose speed and load are known.

#include "partition/balance.hpp"

#include "mpi/moving_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

TEST(Imbalance, IsTheLargestOverTheMean) {
  const Communicator world = Communicator::world();
  const int ranks = world.size();
  // 1, 2, ..., ranks: the mean is (ranks + 1) / 2
  EXPECT_DOUBLE_EQ(imbalance(world, world.rank() + 1), 2.0 * ranks / (ranks + 1));
  EXPECT_EQ(imbalance(world, 5), 1.0);
  EXPECT_EQ(imbalance(world, 0), 1.0);
}

TEST(MeasuredWeights, AreInProportionToTheTimePerWeight) {
  const Communicator world = Communicator::world();
  const int ranks = world.size();
  // rank 0 takes 3 per weight, the others 1; all have the weight 10
  const std::vector<std::int64_t> weight{4, 6};

  const auto scaled = measured_weights(world, weight, world.rank() == 0 ? 3000 : 1000);

  const double mean = (3.0 + ranks - 1) / ranks, mine = world.rank() == 0 ? 3.0 : 1.0;
  EXPECT_NEAR(static_cast<double>(scaled[0]), 64 * 4 * mine / mean, 0.5);
  EXPECT_NEAR(static_cast<double>(scaled[1]), 64 * 6 * mine / mean, 0.5);
}

TEST(MeasuredWeights, OfNothingAndOfRanksWithoutBodiesAreSound) {
  const Communicator world = Communicator::world();
  EXPECT_TRUE(measured_weights(world, {}, 1000).empty());
  const std::vector<std::int64_t> one{1}, none;
  EXPECT_EQ(measured_weights(world, one, 0), std::vector<std::int64_t>{64});
  const bool has = world.rank() == 0;
  // the time of ranks without bodies is nobody's
  EXPECT_EQ(measured_weights(world, has ? one : none, 1000),
            has ? std::vector<std::int64_t>{64} : none);
  // a rank beside which the others need no time
  const auto extreme = measured_weights(world, one, has ? 1000000000 : 0);
  EXPECT_GE(extreme[0], 4);
  EXPECT_LE(extreme[0], 1024);
}

/// The time of each rank for its bodies, in ns, on a machine whose ranks are so slow.
std::vector<double> times_of(const MovingScene& scene, const std::vector<int>& owner,
                             const std::vector<double>& slowness) {
  std::vector<double> times = loads_of_ranks(scene, owner, static_cast<int>(slowness.size()));
  for (std::size_t r = 0; r < times.size(); ++r) times[r] *= 1000.0 * slowness[r];
  return times;
}

TEST(MeasuredWeights, MoveWorkAwayFromASlowRank) {
  const Communicator world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "work can go nowhere";
  const auto mine = static_cast<std::size_t>(world.rank());
  std::vector<double> slowness(static_cast<std::size_t>(world.size()), 1.0);
  slowness.back() = 2.0;
  const MovingScene scene = block_of_spheres(16, 12, 10);
  CellMap map = make_cell_map(
      world, share_of(scene, world.rank(), [](std::size_t) { return 0; }).load(), {}, nullptr);
  const auto now = [&] {
    return largest_over_mean(times_of(scene, owners_by(map, scene), slowness));
  };
  EXPECT_GT(now(), 1.25);  // 2 ranks: 4/3; of many: 2

  // as a watch would ask: a body that has left the slow rank weighs less than was thought, so that
  // one balance need not do
  int balances = 0;
  for (; balances < 5 && now() > 1.1; ++balances) {
    const std::vector<int> owner = owners_by(map, scene);
    OwnedShare share = share_of(scene, world.rank(), [&](std::size_t i) { return owner[i]; });
    share.weight =
        measured_weights(world, share.weight, std::llround(times_of(scene, owner, slowness)[mine]));
    map = make_cell_map(world, share.load(), {}, &map);
  }

  EXPECT_LE(now(), 1.1);
  EXPECT_LE(balances, 4);
}

/// Work per step of this rank, if rank 0 has `times` as much as each of the others, which have 100.
std::int64_t work(double times) {
  return Communicator::world().rank() == 0 ? std::llround(100.0 * times) : 100;
}

/// Steps until the watch says so; 0: not within `most`. All ranks must say the same.
int steps_until_balance(BalanceWatch& watch, double times, int most) {
  const Communicator world = Communicator::world();
  for (int step = 1; step <= most; ++step) {
    const bool pays = watch.step_done(world, work(times));
    EXPECT_EQ(world.all_agree(pays), !world.all_agree(!pays)) << "ranks differ at step " << step;
    if (pays) return step;
  }
  return 0;
}

class Watch : public testing::Test {
 protected:
  void SetUp() override {
    if (Communicator::world().size() == 1) GTEST_SKIP() << "alone, nothing is to balance";
  }
  // of `ranks` ranks of which one has t times the work, the imbalance is t ranks / (t + ranks - 1):
  // from 4/3 (2 ranks) for t = 2, from 1.05 (2 ranks) to 1.1 for t = 1.1
  const BalanceRules rules_{1.1, 1.5, 10, 40};
};

TEST_F(Watch, SaysNothingWhereWorkIsEven) {
  BalanceWatch watch(rules_);
  EXPECT_EQ(steps_until_balance(watch, 1.0, 200), 0);
  EXPECT_EQ(watch.last_imbalance(), 1.0);
  EXPECT_EQ(steps_until_balance(watch, 1.1, 200), 0);
}

TEST_F(Watch, WaitsForTheLeastNumberOfSteps) {
  BalanceWatch watch(rules_);
  EXPECT_EQ(steps_until_balance(watch, 1.4, 200), 40);
  const int ranks = Communicator::world().size();
  EXPECT_NEAR(watch.last_imbalance(), 1.4 * ranks / (1.4 + ranks - 1), 1e-12);
}

TEST_F(Watch, DoesNotWaitWhereTheImbalanceIsLarge) {
  BalanceWatch watch(rules_);
  EXPECT_EQ(steps_until_balance(watch, 10.0, 200), 10);
}

TEST_F(Watch, DoesNotSeeWhatPasses) {
  const Communicator world = Communicator::world();
  BalanceWatch watch(rules_);
  // one step in ten is uneven: 1.4 in that step, at most 1.04 in the window
  for (int step = 0; step < 200; ++step)
    EXPECT_FALSE(watch.step_done(world, work(step % 10 == 3 ? 1.4 : 1.0)));
}

TEST_F(Watch, AsksWhatTheLastBalanceHasCost) {
  // for t = 1.4 the largest is 140, the mean 100 + 40 / ranks: 40 steps would gain 40 * 40 *
  // (1 - 1 / ranks); one rank alone has paid
  const double gain = 1600.0 * (1.0 - 1.0 / Communicator::world().size());
  for (const double share : {0.98, 1.02}) {
    BalanceWatch watch(rules_);
    const auto cost = static_cast<std::int64_t>(share * gain);
    watch.balanced(Communicator::world().rank() == 0 ? cost : 0);
    // an even window first, or what comes would be what the balance has left
    EXPECT_EQ(steps_until_balance(watch, 1.0, 10), 0);
    EXPECT_EQ(steps_until_balance(watch, 1.4, 200), share < 1.0 ? 30 : 0);
  }
}

TEST_F(Watch, DoesNotAskAgainForWhatABalanceDidNotBetter) {
  BalanceWatch watch(rules_);
  ASSERT_GT(steps_until_balance(watch, 2.0, 200), 0);
  watch.balanced(1);
  // still 2: it will be tried again, but after a while
  const int again = steps_until_balance(watch, 2.0, 1000);
  EXPECT_GE(again, 80);
  EXPECT_LE(again, 400);
  // and more work than that is seen as soon as any
  watch.balanced(1);
  EXPECT_EQ(steps_until_balance(watch, 2.0, 10), 0);
  EXPECT_GT(steps_until_balance(watch, 40.0, 200), 0);
}

TEST(WatchAlone, NeverSaysSo) {
  const Communicator self = Communicator::self();
  BalanceWatch watch({1.1, 1.5, 2, 4});
  for (int step = 0; step < 20; ++step) EXPECT_FALSE(watch.step_done(self, 1000 * step));
}

}  // namespace
}  // namespace talus
