// Collectives of the communicator on the ranks that mpirun started.

#include "talus/parallel/communicator.hpp"

#include "talus/parallel/exact_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace talus {
namespace {

TEST(RanksTogether, ExactSumsHaveTheBitsOfOneRank) {
  const Communicator world = Communicator::world();
  // terms over sixty powers of two, both signs: any other order of plain additions would differ
  std::vector<double> all, mine;
  for (int i = 0; i < 1000; ++i)
    all.push_back(std::ldexp(1.0 + i * 1e-3, i % 60 - 30) * (i % 2 == 0 ? 1.0 : -1.0));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(i * i % 7) % world.size() == world.rank()) mine.push_back(all[i]);

  const double together = exact_sum(world, mine);

  std::vector<double> everything;
  for (int r = 0; r < world.size(); ++r)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (static_cast<int>(i * i % 7) % world.size() == r) everything.push_back(all[i]);
  EXPECT_EQ(together, exact_sum(Communicator::self(), everything));
}

TEST(RanksTogether, OneRankWithAnInfiniteTermSpoilsTheSumOnAll) {
  const Communicator world = Communicator::world();
  const std::vector<double> mine{world.rank() == world.size() - 1 ? INFINITY : 1.0};
  FusedSums sums(1);

  sums.reduce(world, [&](const double* scales, LocalSums& local) {
    add_exact_term(local, 0, mine[0], scales[0]);
  });

  EXPECT_FALSE(sums.finite());
}

TEST(RanksTogether, AgreeOnlyWhenAllDo) {
  const Communicator world = Communicator::world();

  EXPECT_TRUE(world.all_agree(true));
  EXPECT_FALSE(world.all_agree(world.rank() != world.size() - 1));
}

TEST(RanksTogether, SumsMaximaAndMinima) {
  const Communicator world = Communicator::world();
  std::vector<std::int64_t> counts{1, 1LL << 40};
  std::vector<double> high{static_cast<double>(world.rank())},
      low{static_cast<double>(world.rank())};

  world.sum(counts);
  world.largest(high);
  world.smallest(low);

  EXPECT_EQ(counts[0], world.size());
  EXPECT_EQ(counts[1], (1LL << 40) * world.size());
  EXPECT_EQ(high[0], world.size() - 1);
  EXPECT_EQ(low[0], 0.0);
}

TEST(RanksTogether, EveryRankGetsWhatEachSentToIt) {
  const Communicator world = Communicator::world();
  std::vector<Bytes> to_each;
  for (int r = 0; r < world.size(); ++r)  // r numbers to rank r: nothing to rank 0
    to_each.push_back(to_bytes(std::vector<int>(static_cast<std::size_t>(r), world.rank())));

  const std::vector<Bytes> from_each = world.all_to_all(to_each);

  for (int r = 0; r < world.size(); ++r)
    EXPECT_EQ(from_bytes<int>(from_each[static_cast<std::size_t>(r)]),
              std::vector<int>(static_cast<std::size_t>(world.rank()), r));
}

TEST(RanksTogether, BroadcastAndGatherKeepOrderAndLength) {
  const Communicator world = Communicator::world();
  Bytes bytes;
  if (world.rank() == 0) bytes = to_bytes(std::vector<double>{1.0, 2.5});

  world.broadcast(bytes, 0);
  const auto gathered = world.gather(to_bytes(std::vector<int>{world.rank()}), 0);

  EXPECT_EQ(from_bytes<double>(bytes), (std::vector<double>{1.0, 2.5}));
  ASSERT_EQ(gathered.size(), world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0U);
  for (std::size_t r = 0; r < gathered.size(); ++r)
    EXPECT_EQ(from_bytes<int>(gathered[r]), std::vector<int>{static_cast<int>(r)});
}

}  // namespace
}  // namespace talus
