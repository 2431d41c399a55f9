// Cuts of a curve through bodies against the plain way: all keys in one list, cut by weight.

#include "curve_cuts.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <map>

namespace talus {
namespace {

struct Body {
  std::uint64_t key = 0;
  std::int64_t weight = 1;
};

/// The piece of every key: that in which the middle of its weight lies.
std::map<std::uint64_t, int> plain_pieces(const std::vector<Body>& bodies, int pieces) {
  std::map<std::uint64_t, std::int64_t> weight_of;
  std::int64_t total = 0;
  for (const Body& body : bodies) {
    weight_of[body.key] += body.weight;
    total += body.weight;
  }
  std::map<std::uint64_t, int> piece;
  std::int64_t before = 0;
  for (const auto& [key, weight] : weight_of) {
    piece[key] = static_cast<int>((2 * before + weight) * pieces / (2 * total));
    before += weight;
  }
  return piece;
}

/// Body i is on rank (i * step) modulo the ranks.
std::vector<std::uint64_t> cuts_of(const std::vector<Body>& bodies, int pieces, std::size_t step) {
  const Communicator world = Communicator::world();
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> weights;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i * step % static_cast<std::size_t>(world.size()) != static_cast<std::size_t>(world.rank()))
      continue;
    keys.push_back(bodies[i].key);
    weights.push_back(bodies[i].weight);
  }
  return curve_cuts(world, keys, weights, pieces);
}

void expect_plain_pieces(const std::vector<Body>& bodies) {
  for (const int pieces : {1, 2, 7, 100}) {
    SCOPED_TRACE(pieces);
    const std::vector<std::uint64_t> cuts = cuts_of(bodies, pieces, 1);
    ASSERT_EQ(cuts.size(), static_cast<std::size_t>(pieces - 1));
    for (const auto& [key, piece] : plain_pieces(bodies, pieces))
      EXPECT_EQ(piece_of(cuts, key), piece) << key;
    // the same from all bodies on the first rank, and from another order
    EXPECT_EQ(cuts_of(bodies, pieces, 0), cuts);
    EXPECT_EQ(cuts_of({bodies.rbegin(), bodies.rend()}, pieces, 1), cuts);
  }
}

TEST(CurveCuts, ArePlainOnes) {
  std::vector<Body> bodies;
  for (std::uint64_t i = 0; i < 500; ++i) {
    KeyedRandom random(1, i, 0);
    bodies.push_back(
        {random.below(std::uint64_t{1} << 60), 1 + static_cast<std::int64_t>(random.below(50))});
  }
  expect_plain_pieces(bodies);
}

TEST(CurveCuts, NeverPartBodiesOfOneKey) {
  std::vector<Body> bodies;
  for (std::uint64_t i = 0; i < 300; ++i)
    bodies.push_back({KeyedRandom(2, i, 0).below(12), static_cast<std::int64_t>(1 + i % 5)});
  expect_plain_pieces(bodies);
}

TEST(CurveCuts, OfWeightsThatDifferByMuch) {
  std::vector<Body> bodies;
  for (std::uint64_t i = 0; i < 100; ++i)
    bodies.push_back({i * i, i % 30 == 0 ? 1000000000000 : 1});
  expect_plain_pieces(bodies);
}

TEST(CurveCuts, OfTheFirstAndTheLastKeyAlone) {
  expect_plain_pieces({{0, 5}});
  expect_plain_pieces({{0, 5}, {(std::uint64_t{1} << 62) - 1, 6}});
}

TEST(CurveCuts, OfNothingAreThere) {
  EXPECT_EQ(cuts_of({}, 4, 1), std::vector<std::uint64_t>(3, 0));
}

}  // namespace
}  // namespace talus
