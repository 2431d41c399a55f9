// Tiles hold every contact once, and no two at the same body that moves.
#include "generate/random.hpp"
#include "solvers/cone_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace talus {
namespace {

RowBlocks in_blocks_of(std::size_t rows, std::size_t block) {
  RowBlocks blocks;
  blocks.order.resize(rows);
  std::iota(blocks.order.begin(), blocks.order.end(), 0);
  for (std::size_t end = block; end < rows; end += block) blocks.block_end.push_back(end);
  blocks.block_end.push_back(rows);
  blocks.colour_end = {blocks.block_end.size()};
  return blocks;
}

std::vector<MovedBodies> random_pairs(std::size_t count, Index bodies, std::uint64_t seed) {
  std::vector<MovedBodies> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    KeyedRandom random(seed, k, 0);
    const auto body = [&] {
      return static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies)));
    };
    const Index a = body();
    Index b = body();
    while (b == a) b = body();
    pairs.push_back({a, random.chance(0.2) ? no_body : b});
  }
  return pairs;
}

std::vector<std::size_t> places_of(const TileOrder& order, std::size_t block) {
  std::vector<std::size_t> places;
  for (std::size_t t = order.tile_begin(block); t < order.tile_end[block]; ++t)
    for (const std::size_t place : order.tiles[t])
      if (place != no_place) places.push_back(place);
  std::sort(places.begin(), places.end());
  return places;
}

/// Every lane before the first empty one is used, and no body is there twice.
bool is_sound(const TileOrder::Tile& tile, const std::vector<MovedBodies>& pairs) {
  const auto end = std::find(tile.begin(), tile.end(), no_place);
  std::set<Index> seen;
  for (auto place = tile.begin(); place != end; ++place)
    for (const Index body : pairs[*place])
      if (body != no_body && !seen.insert(body).second) return false;
  return end != tile.begin() &&
         std::all_of(end, tile.end(), [](std::size_t place) { return place == no_place; });
}

TileOrder tiles_of(const RowBlocks& blocks, const std::vector<MovedBodies>& pairs, Index bodies) {
  return talus::tiles_of(blocks, pairs, std::vector<std::uint8_t>(pairs.size(), true), bodies);
}

TEST(TileOrder, HoldsEveryContactOnceAndIndependent) {
  for (const Index bodies : {20, 60, 400}) {
    const std::vector<MovedBodies> pairs = random_pairs(1000, bodies, 1);
    const RowBlocks blocks = in_blocks_of(pairs.size(), 130);

    const TileOrder order = tiles_of(blocks, pairs, bodies);

    ASSERT_EQ(order.tile_end.size(), blocks.block_end.size());
    for (std::size_t block = 0; block < blocks.block_end.size(); ++block) {
      if (!order.has_tiles(block)) continue;
      std::vector<std::size_t> expected(blocks.block_end[block] - blocks.block_begin(block));
      std::iota(expected.begin(), expected.end(), blocks.block_begin(block));
      EXPECT_EQ(places_of(order, block), expected);
      EXPECT_GE(8 * expected.size(), 32 * (order.tile_end[block] - order.tile_begin(block)));
    }
    EXPECT_TRUE(order.has_tiles(0)) << bodies;
    for (const TileOrder::Tile& tile : order.tiles) EXPECT_TRUE(is_sound(tile, pairs));
  }
}

TEST(TileOrder, KeepsTheOrderWhereNothingIsInTheWay) {
  std::vector<MovedBodies> pairs;
  for (Index k = 0; k < 20; ++k) pairs.push_back({2 * k, 2 * k + 1});

  const TileOrder order = tiles_of(in_blocks_of(20, 20), pairs, 40);

  ASSERT_EQ(order.tiles.size(), 3U);
  EXPECT_EQ(order.tiles[0], (TileOrder::Tile{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(order.tiles[2],
            (TileOrder::Tile{16, 17, 18, 19, no_place, no_place, no_place, no_place}));
}

TEST(TileOrder, FillsTilesThatWereLeftOpen) {
  // pairs of bricks with four contacts each: every contact of a pair in a tile of its own
  std::vector<MovedBodies> pairs;
  for (Index pair = 0; pair < 8; ++pair)
    for (int k = 0; k < 4; ++k) pairs.push_back({2 * pair, 2 * pair + 1});

  const TileOrder order = tiles_of(in_blocks_of(32, 32), pairs, 16);

  ASSERT_EQ(order.tiles.size(), 4U);
  EXPECT_EQ(order.tiles[1], (TileOrder::Tile{1, 5, 9, 13, 17, 21, 25, 29}));
}

TEST(TileOrder, ForgetsTilesThatHaveLongBeenOpen) {
  // forty contacts of one body open forty tiles; only the last thirty-two are still filled up
  std::vector<MovedBodies> pairs;
  for (Index k = 0; k < 40; ++k) pairs.push_back({0, 1 + k});
  for (Index k = 0; k < 300; ++k) pairs.push_back({41 + k, no_body});
  const TileOrder order = tiles_of(in_blocks_of(340, 340), pairs, 341);

  ASSERT_TRUE(order.has_tiles(0));
  for (const TileOrder::Tile& tile : order.tiles) EXPECT_TRUE(is_sound(tile, pairs));
  for (std::size_t t = 0; t < 8; ++t) EXPECT_EQ(order.tiles[t][1], no_place);
  EXPECT_EQ(order.tiles[8][7], 46U) << "the oldest that is open";
}

TEST(TileOrder, HasNoTilesWhereTheyWouldBeHalfEmpty) {
  std::vector<MovedBodies> drum;
  for (Index k = 0; k < 64; ++k) drum.push_back({0, 1 + k});
  EXPECT_FALSE(tiles_of(in_blocks_of(64, 64), drum, 65).has_tiles(0));

  const std::vector<MovedBodies> few{{0, 1}, {2, 3}, {4, 5}};
  EXPECT_FALSE(tiles_of(in_blocks_of(3, 3), few, 6).has_tiles(0));
  const std::vector<MovedBodies> half{{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  EXPECT_TRUE(tiles_of(in_blocks_of(4, 4), half, 8).has_tiles(0));
  EXPECT_FALSE(TileOrder{}.has_tiles(0));
}

TEST(TileOrder, HasNoTilesInBlocksWithAContactThatDoesNotFit) {
  std::vector<MovedBodies> pairs;
  for (Index k = 0; k < 16; ++k) pairs.push_back({2 * k, 2 * k + 1});
  std::vector<std::uint8_t> fits(16, true);
  fits[11] = false;

  const TileOrder order = talus::tiles_of(in_blocks_of(16, 8), pairs, fits, 32);

  EXPECT_TRUE(order.has_tiles(0));
  EXPECT_FALSE(order.has_tiles(1));
}

TEST(TileOrder, HasNoTilesWhereABodyTouchesItself) {
  std::vector<MovedBodies> pairs;
  for (Index k = 0; k < 8; ++k) pairs.push_back({2 * k, 2 * k + 1});
  pairs[3] = {6, 6};
  EXPECT_FALSE(tiles_of(in_blocks_of(8, 8), pairs, 16).has_tiles(0));
  pairs[3] = {no_body, no_body};
  EXPECT_TRUE(tiles_of(in_blocks_of(8, 8), pairs, 16).has_tiles(0));
}

}  // namespace
}  // namespace talus
