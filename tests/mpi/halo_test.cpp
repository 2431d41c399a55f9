// The halo exchange against what each rank can compute of the others.

#include "parallel/halo.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

/// Item i of rank r holds these six numbers.
double value_of(int rank, Index item, int k) {
  return 1000.0 * rank + 10.0 * item + k;
}

TEST(HaloExchange, BringsTheItemsOfEveryNeighbour) {
  const Communicator world = Communicator::world();
  constexpr Index own = 5;
  // items 0 .. own-1 are owned; from each other rank r the items r % own and 4
  std::vector<HaloNeighbour> neighbours;
  Index items = own;
  for (int r = 0; r < world.size(); ++r) {
    if (r == world.rank()) continue;
    neighbours.push_back({r, {world.rank() % (own - 1), own - 1}, {items, items + 1}});
    items += 2;
  }
  std::vector<double> values(8 * static_cast<std::size_t>(items), -1.0);
  const HaloLayout lines{8, {0, 1, 2, 4, 5, 6}};
  Halo halo(world, neighbours, lines);

  for (int round = 0; round < 3; ++round) {  // persistent requests are started again and again
    for (Index i = 0; i < own; ++i)
      for (const Index k : lines.offsets)
        values[static_cast<std::size_t>(8 * i + k)] = value_of(world.rank(), i, k) + 0.5 * round;
    halo.start(values.data());
    halo.poll();
    halo.finish(values.data());
    for (const HaloNeighbour& n : neighbours)
      for (std::size_t j = 0; j < 2; ++j)
        for (const Index k : lines.offsets)
          EXPECT_EQ(values[static_cast<std::size_t>(8 * n.receive[j] + k)],
                    value_of(n.rank, j == 0 ? n.rank % (own - 1) : own - 1, k) + 0.5 * round);
  }
  EXPECT_EQ(world.traffic().messages, 3 * (world.size() - 1));
  EXPECT_EQ(world.traffic().bytes, 3 * 48 * 2 * (world.size() - 1));
}

TEST(HaloExchange, WithoutNeighboursSendsNothing) {
  const Communicator world = Communicator::world();
  Halo halo(world, {}, {});
  double value = 1.0;

  halo.start(&value);
  halo.poll();
  halo.finish(&value);

  EXPECT_EQ(value, 1.0);
}

}  // namespace
}  // namespace talus
