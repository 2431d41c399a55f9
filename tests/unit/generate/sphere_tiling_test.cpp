#include "generate/tiled_packing.hpp"

#include <gtest/gtest.h>

#include <map>

namespace talus {
namespace {

/// Centres at the given places; what else a cell has does not matter here.
PeriodicCell cell_of(double side, std::vector<Vec3> centre) {
  PeriodicCell cell{side, std::move(centre), {}};
  cell.radius.assign(cell.centre.size(), 1.0);
  return cell;
}

PeriodicCell five() {
  return cell_of(
      4.0, {{1.0, 3.5, 0.2}, {3.0, 1.0, 0.9}, {0.5, 0.5, 1.7}, {3.9, 3.9, 2.5}, {2.0, 2.5, 3.6}});
}

struct Found {
  Vec3 centre;
  Tile tile;
  Index sphere;
};

/// All bodies by looking at every copy in a generous range.
std::map<GlobalId, Found> bodies_of(const SphereTiling& tiling, Index range) {
  std::map<GlobalId, Found> found;
  const PeriodicCell& cell = tiling.cell();
  for (Index z = -1; z < range; ++z)
    for (Index y = -1; y < range; ++y)
      for (Index x = -1; x < range; ++x)
        for (Index i = 0; i < cell.count(); ++i) {
          const Tile tile{x, y, z};
          if (!tiling.is_body(tile, i)) continue;
          EXPECT_TRUE(tiling.in_box(tile, i));
          const Vec3 centre = cell.centre[static_cast<std::size_t>(i)] +
                              cell.side * Vec3{1.0 * x, 1.0 * y, 1.0 * z};
          const bool is_new = found.insert({tiling.body(tile, i), Found{centre, tile, i}}).second;
          EXPECT_TRUE(is_new) << "two bodies with one number";
        }
  return found;
}

TEST(SphereTiling, AsManyBodiesAsAskedForEachWithANumberOfItsOwn) {
  const PeriodicCell cell = five();
  for (GlobalId bodies = 1; bodies <= 300; ++bodies) {
    const SphereTiling tiling(cell, bodies);

    const auto found = bodies_of(tiling, 12);

    ASSERT_EQ(static_cast<GlobalId>(found.size()), bodies);
    EXPECT_EQ(found.begin()->first, 0);
    EXPECT_EQ(found.rbegin()->first, bodies - 1);
    for (const auto& [id, body] : found) {
      EXPECT_LT(std::max(body.centre.x, body.centre.y), tiling.width());
      EXPECT_GE(std::min({body.centre.x, body.centre.y, body.centre.z}), 0.0);
    }
  }
}

TEST(SphereTiling, NumbersRunTileByTileAndFromTheLowestUp) {
  const PeriodicCell cell = five();
  for (const GlobalId bodies : {7, 64, 99, 250}) {
    const SphereTiling tiling(cell, bodies);
    std::int64_t last_tile = 0;
    Index last_sphere = -1;
    for (const auto& [id, body] : bodies_of(tiling, 12)) {
      const std::int64_t number = tiling.number(body.tile);
      const Tile again = tiling.tile(number);
      EXPECT_EQ(again.x, body.tile.x);
      EXPECT_EQ(again.y, body.tile.y);
      EXPECT_EQ(again.z, body.tile.z);
      EXPECT_GE(id, tiling.first_body(number));
      EXPECT_LT(id, tiling.first_body(number + 1));
      EXPECT_GE(number, last_tile);
      if (number == last_tile) {
        EXPECT_GT(body.sphere, last_sphere);
      }
      last_tile = number;
      last_sphere = body.sphere;
    }
    EXPECT_LT(last_tile, tiling.tiles());
    EXPECT_EQ(tiling.first_body(0), 0);
    EXPECT_EQ(tiling.first_body(tiling.tiles()), bodies);
  }
}

TEST(SphereTiling, OnlyTheTopIsCutAndFlat) {
  const PeriodicCell cell = five();
  for (const GlobalId bodies : {8, 50, 121, 300}) {
    const SphereTiling tiling(cell, bodies);

    double highest_body = 0.0;
    for (const auto& [id, body] : bodies_of(tiling, 12))
      highest_body = std::max(highest_body, body.centre.z);
    for (Index z = 0; z < 12; ++z)
      for (Index y = 0; y < 12; ++y)
        for (Index x = 0; x < 12; ++x)
          for (Index i = 0; i < cell.count(); ++i) {
            const Tile tile{x, y, z};
            if (!tiling.in_box(tile, i) || tiling.is_body(tile, i)) continue;
            EXPECT_GE(cell.centre[static_cast<std::size_t>(i)].z + cell.side * z, highest_body);
          }
  }
}

TEST(SphereTiling, WallsAreWhatIsBesideOrBelowTheBox) {
  const PeriodicCell cell = five();
  const SphereTiling tiling(cell, 40);  // two cells wide: 8 m

  EXPECT_DOUBLE_EQ(tiling.width(), 8.0);
  EXPECT_TRUE(tiling.in_box({1, 1, 5}, 3));
  EXPECT_FALSE(tiling.is_body({1, 1, 5}, 3)) << "above the top";
  EXPECT_FALSE(tiling.in_box({0, 0, -1}, 4));
  EXPECT_FALSE(tiling.in_box({-1, 0, 0}, 3));
  EXPECT_FALSE(tiling.in_box({0, -1, 0}, 0));
  EXPECT_FALSE(tiling.in_box({2, 0, 0}, 2));
  EXPECT_FALSE(tiling.in_box({0, 2, 0}, 2));
}

TEST(SphereTiling, ABoxTooNarrowForAnySphereIsWidened) {
  const PeriodicCell cell = cell_of(10.0, {{9.0, 9.0, 1.0}, {9.5, 9.0, 2.0}});

  const SphereTiling tiling(cell, 1);

  EXPECT_EQ(bodies_of(tiling, 3).size(), 1u);
  EXPECT_GT(tiling.width(), 9.0);
}

TEST(SphereTiling, TenMillionBodiesAreNumberedWithoutMakingThem) {
  const PeriodicCell cell = five();
  const GlobalId bodies = 10'000'000;
  const SphereTiling tiling(cell, bodies);

  EXPECT_EQ(tiling.first_body(tiling.tiles()), bodies);
  GlobalId before = 0;
  for (std::int64_t number = 0; number < tiling.tiles(); number += 997) {
    const GlobalId first = tiling.first_body(number);
    EXPECT_GE(first, before);
    EXPECT_LE(tiling.first_body(number + 1) - first, cell.count());
    before = first;
  }
}

}  // namespace
}  // namespace talus
