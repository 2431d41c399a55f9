// Maps of space to ranks: the same whoever owns the bodies, balanced, with few rows that cross, and
// with few bodies that move; for no bodies, one, all in one place, and positions that are no place.

#include "mpi/moving_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

int ranks() {
  return Communicator::world().size();
}

int dealt_out(std::size_t i) {
  return static_cast<int>(i % static_cast<std::size_t>(ranks()));
}

CellMap map_of(const MovingScene& scene, const BalanceOptions& options = {},
               const CellMap* before = nullptr, const OwnerOfPlace& owner = dealt_out) {
  const Communicator world = Communicator::world();
  return make_cell_map(world, share_of(scene, world.rank(), owner).load(), options, before);
}

BalanceOptions of_kind(OwnerKind kind) {
  BalanceOptions options;
  options.kind = kind;
  return options;
}

const MovingScene& block() {
  static const MovingScene made = block_of_spheres(20, 16, 10);
  return made;
}

/// Every body up to `far` from where it was, with its contacts: what a few steps do.
MovingScene drifted(const MovingScene& scene, double far, std::uint64_t turn) {
  MovingScene moved = scene;
  for (std::size_t i = 0; i < moved.position.size(); ++i) {
    KeyedRandom random(turn, i, 1);
    moved.position[i] = moved.position[i] + random.uniform(0.0, far) * random.direction();
  }
  return moved;
}

void expect_same_on_all_ranks(const std::vector<int>& owners) {
  const Communicator world = Communicator::world();
  for (const Bytes& theirs :
       world.all_to_all(std::vector<Bytes>(static_cast<std::size_t>(ranks()), to_bytes(owners))))
    EXPECT_EQ(from_bytes<int>(theirs), owners);
}

void expect_ranks(const std::vector<int>& owners) {
  for (const int owner : owners) {
    EXPECT_GE(owner, 0);
    EXPECT_LT(owner, ranks());
  }
}

class AnyCellMap : public testing::TestWithParam<OwnerKind> {};

TEST_P(AnyCellMap, IsTheSameOnAllRanksWhoeverOwnsTheBodies) {
  const CellMap map = map_of(block(), of_kind(GetParam()));
  const MovingScene later = drifted(block(), 0.3, 1);
  const CellMap next = map_of(later, of_kind(GetParam()), &map);
  expect_same_on_all_ranks(owners_by(map, block()));
  expect_same_on_all_ranks(owners_by(next, later));

  const OwnerOfPlace first = [](std::size_t) { return 0; };
  const OwnerOfPlace last = [](std::size_t) { return ranks() - 1; };
  const OwnerOfPlace any = [](std::size_t i) {
    return static_cast<int>(KeyedRandom(5, i, 0).below(static_cast<std::uint64_t>(ranks())));
  };
  const OwnerOfPlace by_map = [&](std::size_t i) {
    return map.owner_of(static_cast<GlobalId>(i), later.position[i]);
  };
  for (const OwnerOfPlace& owner : {first, last, any, by_map}) {
    EXPECT_TRUE(map_of(block(), of_kind(GetParam()), nullptr, owner) == map);
    EXPECT_TRUE(map_of(later, of_kind(GetParam()), &map, owner) == next);
  }
}

TEST_P(AnyCellMap, BalancesBodies) {
  const CellMap map = map_of(block(), of_kind(GetParam()));
  const std::vector<int> owners = owners_by(map, block());
  expect_ranks(owners);
  // METIS: 1 % and a piece; Hilbert: a body; by the id: three deviations of 3200 / ranks bodies
  const double bound = GetParam() == OwnerKind::Random ? 1.25 : 1.05;
  EXPECT_LE(largest_over_mean(loads_of_ranks(block(), owners, ranks())), bound);
}

TEST_P(AnyCellMap, GivesAllSpaceAnOwner) {
  const CellMap map = map_of(block(), of_kind(GetParam()));
  std::vector<Vec3> places{{infinite, 0, 0},   {-infinite, infinite, -infinite}, {1e308, -1e308, 0},
                           {no_number, 0, 0},  {0, no_number, infinite},         {0, 0, no_number},
                           {-1e-308, 0.0, 0.0}};
  for (std::uint64_t i = 0; i < 300; ++i) {
    KeyedRandom random(7, i, 0);
    const double far = std::pow(10.0, random.uniform(-2.0, 9.0));
    places.push_back(far * random.direction());
  }
  expect_ranks(owners_by(map, loose_bodies(places)));
  expect_same_on_all_ranks(owners_by(map, loose_bodies(places)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyCellMap,
                         testing::Values(OwnerKind::Metis, OwnerKind::Hilbert, OwnerKind::Random));

TEST(CellMap, ByMetisCutsNoMoreThanByHilbert) {
  const CellMap metis = map_of(block()), hilbert = map_of(block(), of_kind(OwnerKind::Hilbert));
  const std::int64_t cut = rows_that_cross(block(), owners_by(metis, block()));
  const std::int64_t plain = rows_that_cross(block(), owners_by(hilbert, block()));
  // the pieces of the one are a little coarser than those of the other
  EXPECT_LE(static_cast<double>(cut), 1.05 * static_cast<double>(plain));
}

TEST(CellMap, ByHilbertIsOnePieceOfTheCurvePerRank) {
  const CellMap map = map_of(block(), of_kind(OwnerKind::Hilbert));
  std::vector<std::pair<std::uint64_t, int>> along;
  for (const Vec3& place : block().position)
    along.emplace_back(map.cube().key(place), map.owner_of(0, place));
  std::sort(along.begin(), along.end());
  int changes = 0;
  for (std::size_t i = 1; i < along.size(); ++i)
    changes += along[i].second != along[i - 1].second ? 1 : 0;

  EXPECT_EQ(changes, ranks() - 1);
  EXPECT_EQ(map.piece_count(), ranks());
}

TEST(CellMap, AboveTheLimitOfTheGraphIsThatOfHilbert) {
  BalanceOptions options;
  options.most_cells_in_graph = options.cells_per_rank * ranks() - 1;
  EXPECT_TRUE(map_of(block(), options) == map_of(block(), of_kind(OwnerKind::Hilbert)));
}

TEST(CellMap, WithoutContactsIsBalancedToo) {
  MovingScene gas = block();
  gas.contacts.clear();
  const std::vector<int> owners = owners_by(map_of(gas), gas);
  EXPECT_LE(largest_over_mean(loads_of_ranks(gas, owners, ranks())), 1.05);
}

TEST(CellMap, OfBodiesThatDriftMovesFew) {
  MovingScene scene = block();
  CellMap map = map_of(scene);
  for (std::uint64_t turn = 1; turn <= 4; ++turn) {
    SCOPED_TRACE(turn);
    scene = drifted(scene, 0.1, turn);
    const std::vector<int> before = owners_by(map, scene);

    map = map_of(scene, {}, &map);

    const std::vector<int> after = owners_by(map, scene);
    EXPECT_LE(moved_share(before, after), 0.05);
    EXPECT_LE(largest_over_mean(loads_of_ranks(scene, after, ranks())), 1.05);
  }
}

TEST(CellMap, OfTheSameBodiesAgainMovesFew) {
  const CellMap map = map_of(block());
  const std::vector<int> before = owners_by(map, block());
  const std::vector<int> after = owners_by(map_of(block(), {}, &map), block());
  EXPECT_LE(moved_share(before, after), 0.05);
}

TEST(CellMap, FollowsBodiesThatFlow) {
  MovingScene scene = block();
  const CellMap map = map_of(scene);
  // a dam that has broken: flat, and five times as long
  for (Vec3& place : scene.position) place = {5.0 * place.x, place.y, 0.2 * place.z};

  const std::vector<int> after = owners_by(map_of(scene, {}, &map), scene);

  EXPECT_LE(largest_over_mean(loads_of_ranks(scene, after, ranks())), 1.05);
}

TEST(CellMap, OfBodiesFarOffStillPartsTheOthers) {
  MovingScene scene = block();
  scene.position[0] = {1e12, 0.0, 0.0};
  scene.position[1] = {0.0, -1e300, infinite};
  scene.position[2] = {no_number, 0.0, 0.0};
  for (const OwnerKind kind : {OwnerKind::Metis, OwnerKind::Hilbert}) {
    const std::vector<int> owners = owners_by(map_of(scene, of_kind(kind)), scene);
    EXPECT_LE(largest_over_mean(loads_of_ranks(scene, owners, ranks())), 1.05);
    EXPECT_EQ(owners[2], 0);
  }
}

TEST(CellMap, OfNothingIsThereAndOfThePlacesThatCome) {
  for (const OwnerKind kind : {OwnerKind::Metis, OwnerKind::Hilbert}) {
    const CellMap map = map_of({}, of_kind(kind));
    EXPECT_EQ(owners_by(map, block()),
              std::vector<int>(block().position.size(), map.owner_of(0, {})));
    // and a map with bodies may follow one without, and the other way round
    const CellMap next = map_of(block(), of_kind(kind), &map);
    EXPECT_LE(largest_over_mean(loads_of_ranks(block(), owners_by(next, block()), ranks())), 1.05);
    expect_ranks(owners_by(map_of({}, of_kind(kind), &next), block()));
  }
}

TEST(CellMap, OfFewBodiesGivesNoRankTwo) {
  for (const int count : {1, (ranks() + 1) / 2, ranks()}) {
    std::vector<Vec3> places;
    for (int i = 0; i < count; ++i) places.push_back({1.5 * i, 0.3 * i, 7.0});
    for (const OwnerKind kind : {OwnerKind::Metis, OwnerKind::Hilbert}) {
      std::vector<int> owners =
          owners_by(map_of(loose_bodies(places), of_kind(kind)), loose_bodies(places));
      expect_ranks(owners);
      std::sort(owners.begin(), owners.end());
      EXPECT_EQ(std::unique(owners.begin(), owners.end()), owners.end()) << count;
    }
  }
}

TEST(CellMap, OfBodiesInOnePlaceGivesThemToOneRank) {
  MovingScene heap = block();
  std::fill(heap.position.begin(), heap.position.end(), Vec3{1.0, 2.0, 3.0});
  for (const OwnerKind kind : {OwnerKind::Metis, OwnerKind::Hilbert}) {
    const CellMap map = map_of(heap, of_kind(kind));
    const std::vector<int> owners = owners_by(map, heap);
    EXPECT_EQ(owners, std::vector<int>(owners.size(), owners.front()));
    // they stay where they are
    EXPECT_EQ(owners_by(map_of(heap, of_kind(kind), &map), heap), owners);
  }
}

TEST(CellMap, OfPositionsThatAreNoPlaceIsThere) {
  const MovingScene scene = loose_bodies({{no_number, 0.0, 0.0},
                                          {no_number, no_number, no_number},
                                          {infinite, 0.0, 0.0},
                                          {-infinite, infinite, 0.0}});
  for (const OwnerKind kind : {OwnerKind::Metis, OwnerKind::Hilbert}) {
    const std::vector<int> owners = owners_by(map_of(scene, of_kind(kind)), scene);
    expect_ranks(owners);
    EXPECT_EQ(owners[0], 0);
    EXPECT_EQ(owners[1], 0);
  }
}

TEST(CellMap, AfterRandomOwnersMatchesThose) {
  const CellMap random = map_of(block(), of_kind(OwnerKind::Random));

  const CellMap map = map_of(block(), {}, &random);

  EXPECT_LE(largest_over_mean(loads_of_ranks(block(), owners_by(map, block()), ranks())), 1.05);
}

}  // namespace
}  // namespace talus
