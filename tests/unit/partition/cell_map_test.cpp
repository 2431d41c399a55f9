// Maps of places to ranks against a search through all cuts; the cube around bodies.

#include "partition/cell_map.hpp"

#include "curve_cuts.hpp"
#include "generate/random.hpp"
#include "space_of_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

constexpr std::uint32_t last_cell = (1U << hilbert_bits) - 1;

Vec3 random_place(std::uint64_t i, double width) {
  KeyedRandom random(3, i, 0);
  return {random.uniform(0.0, width), random.uniform(0.0, width), random.uniform(0.0, width)};
}

TEST(CellCube, GivesTheKeyOfTheCell) {
  const CellCube cube{{-1.0, 2.0, 0.0}, 0x1.0p10};  // cells of 2^-10
  EXPECT_EQ(cube.key({-1.0, 2.0, 0.0}), hilbert_key({0, 0, 0}));
  EXPECT_EQ(cube.key({-1.0 + 0x1.8p-10, 3.0, 10.0}), hilbert_key({1, 1024, 10240}));
  // up to the upper face, which is no cell's
  EXPECT_EQ(cube.key({1023.0, 1026.0, 1024.0}), hilbert_key({last_cell, last_cell, last_cell}));
}

TEST(CellCube, GivesPlacesOutsideToTheNearestCell) {
  const CellCube cube{{0.0, 0.0, 0.0}, 1.0};
  EXPECT_EQ(cube.key({-5.0, 0.0, 1e300}), hilbert_key({0, 0, last_cell}));
  EXPECT_EQ(cube.key({infinite, -infinite, 0.0}), hilbert_key({last_cell, 0, 0}));
  EXPECT_EQ(cube.key({no_number, 2.0, 0.0}), hilbert_key({0, last_cell, 0}));
}

TEST(CellCube, OfNoWidthIsOneCell) {
  EXPECT_EQ(CellCube{}.key({1.0, 2.0, 3.0}), 0U);
}

TEST(CellMap, AsMadeGivesEverythingToTheFirstRank) {
  const CellMap map;
  EXPECT_EQ(map.owner_of(5, {1e9, 0.0, infinite}), 0);
  EXPECT_EQ(map.piece_count(), 1);
}

TEST(CellMap, FindsThePieceOfTheKey) {
  const CellCube cube{{0.0, 0.0, 0.0}, 10.0};
  std::vector<std::uint64_t> cuts;
  for (std::uint64_t i = 0; i < 40; ++i)
    cuts.push_back(KeyedRandom(4, i, 0).below(std::uint64_t{1} << 60));
  std::sort(cuts.begin(), cuts.end());
  std::vector<int> owner;
  for (int i = 0; i <= 40; ++i) owner.push_back(i * 7 % 5);
  const CellMap map(OwnerKind::Metis, cube, cuts, owner);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Vec3 place = random_place(i, 10.0);
    std::size_t piece = 0;
    for (const std::uint64_t cut : cuts) piece += cut <= cube.key(place) ? 1 : 0;
    EXPECT_EQ(map.owner_of(static_cast<GlobalId>(i), place), owner[piece]);
  }
  EXPECT_EQ(map.owner_of(1, {no_number, 0.0, 0.0}), 0);
}

TEST(CellMap, OfRandomOwnersLooksAtTheIdAlone) {
  const CellMap map = CellMap::random(9, 4), other = CellMap::random(10, 4);
  std::vector<int> count(4, 0);
  int differ = 0;
  for (GlobalId id = 0; id < 4000; ++id) {
    const int owner = map.owner_of(id, {1.0, 2.0, 3.0});
    EXPECT_EQ(map.owner_of(id, {no_number, 0.0, 1e9}), owner);
    ++count[static_cast<std::size_t>(owner)];
    differ += owner != other.owner_of(id, {}) ? 1 : 0;
  }
  for (const int bodies : count) EXPECT_NEAR(bodies, 1000, 120);  // four deviations
  EXPECT_NEAR(differ, 3000, 120);
}

TEST(CellMap, IsEqualToItselfOnly) {
  const CellMap map(OwnerKind::Hilbert, {{0.0, 0.0, 0.0}, 1.0}, {5}, {0, 1});
  EXPECT_TRUE(map == CellMap(OwnerKind::Hilbert, {{0.0, 0.0, 0.0}, 1.0}, {5}, {0, 1}));
  EXPECT_FALSE(map == CellMap(OwnerKind::Metis, {{0.0, 0.0, 0.0}, 1.0}, {5}, {0, 1}));
  EXPECT_FALSE(map == CellMap(OwnerKind::Hilbert, {{0.0, 1.0, 0.0}, 1.0}, {5}, {0, 1}));
  EXPECT_FALSE(map == CellMap(OwnerKind::Hilbert, {{0.0, 0.0, 0.0}, 2.0}, {5}, {0, 1}));
  EXPECT_FALSE(map == CellMap(OwnerKind::Hilbert, {{0.0, 0.0, 0.0}, 1.0}, {6}, {0, 1}));
  EXPECT_FALSE(map == CellMap(OwnerKind::Hilbert, {{0.0, 0.0, 0.0}, 1.0}, {5}, {1, 0}));
  EXPECT_FALSE(CellMap::random(1, 4) == CellMap::random(2, 4));
  EXPECT_FALSE(CellMap::random(1, 4) == CellMap::random(1, 5));
}

CellCube space_of(const std::vector<Vec3>& places, const CellCube* before = nullptr) {
  return space_of_bodies(Communicator::self(), places, std::vector<std::int64_t>(places.size(), 1),
                         before);
}

bool same(const CellCube& a, const CellCube& b) {
  return a.width == b.width && a.low.x == b.low.x && a.low.y == b.low.y && a.low.z == b.low.z;
}

TEST(SpaceOfBodies, IsTwiceAsWideAsTheyAreAndInTheirMiddle) {
  const CellCube cube = space_of({{-1.0, 0.0, 2.0}, {3.0, 1.0, 2.0}, {0.0, 0.5, 2.0}});
  EXPECT_EQ(cube.width, 8.0);
  EXPECT_EQ(cube.low.x, -3.0);
  EXPECT_EQ(cube.low.y, -3.5);
  EXPECT_EQ(cube.low.z, -2.0);
}

TEST(SpaceOfBodies, StaysWhereItStillServes) {
  const std::vector<Vec3> now{{0.0, 0.0, 0.0}, {4.0, 4.0, 4.0}};
  const CellCube cube = space_of(now);
  EXPECT_TRUE(same(space_of({{-1.0, 0.0, 0.0}, {5.5, 5.9, 3.0}}, &cube), cube));
  EXPECT_TRUE(same(space_of({{2.0, 2.0, 2.0}, {3.0, 2.5, 2.0}}, &cube), cube));
  // out of it, or in a small corner of it
  EXPECT_FALSE(same(space_of({{0.0, 0.0, 0.0}, {6.5, 0.0, 0.0}}, &cube), cube));
  EXPECT_FALSE(same(space_of({{2.0, 2.0, 2.0}, {2.5, 2.5, 2.0}}, &cube), cube));
  EXPECT_TRUE(same(space_of({}, &cube), cube));
}

TEST(SpaceOfBodies, FarOffDoNotCoarsenTheCellsOfTheOthers) {
  std::vector<Vec3> places;
  for (std::uint64_t i = 0; i < 1000; ++i) places.push_back(random_place(i, 1.0));
  places.push_back({1e15, 0.0, 0.0});
  places.push_back({0.0, -1e308, 0.0});
  places.push_back({0.0, no_number, 0.0});
  places.push_back({0.0, 0.0, infinite});

  const CellCube cube = space_of(places);

  // where 7 of 8 of them are is 0.875 wide
  EXPECT_NEAR(cube.width, 4096 * 0.875, 4096 * 0.05);
  std::set<std::uint64_t> cells;
  for (std::size_t i = 0; i < 1000; ++i) cells.insert(cube.key(places[i]));
  EXPECT_EQ(cells.size(), 1000U);
}

TEST(SpaceOfBodies, OfBodiesThatSpreadFarKeepsAllOfThem) {
  // most at one point, the others along a line: 7 of 8 are in no width at all
  std::vector<Vec3> places(1000, Vec3{1.0, 1.0, 1.0});
  for (int i = 0; i < 50; ++i) places.push_back({1.0 + i, 1.0, 1.0});
  EXPECT_EQ(space_of(places).width, 98.0);
}

TEST(SpaceOfBodies, OfOnePointOrOfNothingIsThere) {
  const CellCube point = space_of({{5.0, 5.0, 5.0}, {5.0, 5.0, 5.0}});
  EXPECT_GT(point.width, 0.0);
  EXPECT_NE(point.key({5.0, 5.0, 5.0}), point.key({5.1, 5.0, 5.0}));
  EXPECT_EQ(space_of({}).width, 0.0);
  EXPECT_EQ(space_of({{no_number, 0.0, 0.0}}).width, 0.0);
}

}  // namespace
}  // namespace talus
