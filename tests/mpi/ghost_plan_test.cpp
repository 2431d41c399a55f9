// Ghosts against the plain way: every rank knows all bodies and compares each of its own with each
// moving body of the others.

#include "partition/ghost_plan.hpp"

#include "generate/random.hpp"
#include "mpi/interposed.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

namespace talus {
namespace {

struct Bodies {
  std::vector<Bounds> bounds;
  std::vector<std::uint8_t> moves;
  void add(const Vec3& centre, const Vec3& half, bool moving = true) {
    bounds.push_back({centre - half, centre + half});
    moves.push_back(moving ? 1 : 0);
  }
  void add_sphere(const Vec3& centre, double radius, bool moving = true) {
    add(centre, {radius, radius, radius}, moving);
  }
};
using Owner = std::function<int(std::size_t)>;

/// Interval [a, b] meets [c, d] moved by some number of periods.
bool meets(double a, double b, double c, double d, bool periodic, double period) {
  const int most = periodic ? 8 : 0;
  for (int image = -most; image <= most; ++image)
    if (a <= d + image * period && c + image * period <= b) return true;
  return false;
}

bool meet(const Bounds& a, const Bounds& b, const Periodicity& world) {
  return meets(a.low.x, a.high.x, b.low.x, b.high.x, world.axis[0], world.period.x) &&
         meets(a.low.y, a.high.y, b.low.y, b.high.y, world.axis[1], world.period.y) &&
         meets(a.low.z, a.high.z, b.low.z, b.high.z, world.axis[2], world.period.z);
}

/// Places, in the list of all bodies, of this rank's bodies that each rank needs.
std::vector<std::vector<std::size_t>> plain_ghosts(const Bodies& all, const Owner& owner,
                                                   const Periodicity& world) {
  const Communicator comm = Communicator::world();
  std::vector<std::set<std::size_t>> needed(static_cast<std::size_t>(comm.size()));
  for (std::size_t b = 0; b < all.bounds.size(); ++b)
    for (std::size_t a = 0; owner(b) == comm.rank() && a < all.bounds.size(); ++a)
      if (owner(a) != comm.rank() && all.moves[a] != 0 && meet(all.bounds[a], all.bounds[b], world))
        needed[static_cast<std::size_t>(owner(a))].insert(b);
  std::vector<std::vector<std::size_t>> lists;
  for (const auto& places : needed) lists.emplace_back(places.begin(), places.end());
  return lists;
}

std::vector<std::vector<std::size_t>> ghosts_of(const Bodies& all, const Owner& owner,
                                                const Periodicity& world) {
  const Communicator comm = Communicator::world();
  Bodies mine;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < all.bounds.size(); ++i) {
    if (owner(i) != comm.rank()) continue;
    mine.bounds.push_back(all.bounds[i]);
    mine.moves.push_back(all.moves[i]);
    place.push_back(i);
  }
  std::vector<std::vector<std::size_t>> lists;
  for (const auto& ghosts : ghosts_for(comm, {mine.bounds, mine.moves, world})) {
    lists.emplace_back();
    for (const Index i : ghosts) lists.back().push_back(place[static_cast<std::size_t>(i)]);
  }
  return lists;
}

std::size_t count(const std::vector<std::vector<std::size_t>>& lists) {
  std::size_t sum = 0;
  for (const auto& list : lists) sum += list.size();
  return sum;
}

constexpr double cell = 10.0;

Periodicity periodic_along(int axes) {
  return {{axes > 0, axes > 1, axes > 2}, {-1.0, 2.0, 0.0}, {cell, cell, cell}};
}

/// `place` is in [0, 1) inside the slabs.
int slab_of(double place, int ranks) {
  return std::clamp(static_cast<int>(std::floor(place * ranks)), 0, ranks - 1);
}
/// Of the cell, along x.
int slab_of(const Bounds& bounds, int ranks) {
  return slab_of((0.5 * (bounds.low.x + bounds.high.x) + 1.0) / cell, ranks);
}

/// By every rank what the plain way finds, no more and no less, for many ways to own the bodies.
void expect_plain_ghosts(const Bodies& all, const Periodicity& world) {
  const int ranks = Communicator::world().size();
  const std::vector<std::pair<const char*, Owner>> owners{
      {"random",
       [&](std::size_t i) {
         return static_cast<int>(KeyedRandom(99, i, 0).below(static_cast<std::uint64_t>(ranks)));
       }},
      {"slabs", [&](std::size_t i) { return slab_of(all.bounds[i], ranks); }},
      {"one owner", [&](std::size_t) { return ranks / 2; }},
      {"two owners", [&](std::size_t i) { return i % 2 == 0 ? 0 : ranks - 1; }},
      {"one against all", [&](std::size_t i) { return i == 0 ? ranks - 1 : 0; }}};
  for (const auto& [name, owner] : owners) {
    SCOPED_TRACE(name);
    EXPECT_EQ(ghosts_of(all, owner, world), plain_ghosts(all, owner, world));
  }
}

/// Radii from `largest / ratio` to `largest`, as many of each decade; one in five does not move.
Bodies scattered(std::uint64_t seed, std::size_t bodies, double ratio, double largest) {
  Bodies all;
  for (std::uint64_t i = 0; i < bodies; ++i) {
    KeyedRandom random(seed, i, 0);
    const double radius = largest * std::pow(ratio, -random.uniform());
    all.add_sphere(
        {random.uniform(-1.0, 9.0), random.uniform(2.0, 12.0), random.uniform(0.0, 10.0)}, radius,
        !random.chance(0.2));
  }
  return all;
}

TEST(GhostPlan, FindsPlainOnesOfAnySizes) {
  for (const double ratio : {1.0, 10.0, 100.0})
    for (int axes = 0; axes <= 3; ++axes) {
      SCOPED_TRACE(testing::Message() << ratio << ", periodic axes: " << axes);
      expect_plain_ghosts(scattered(1, 500, ratio, ratio > 1.0 ? 1.5 : 0.5), periodic_along(axes));
    }
}

TEST(GhostPlan, FindsPlainOnesInClusters) {
  Bodies all;
  for (std::uint64_t i = 0; i < 600; ++i) {
    KeyedRandom random(2, i, 0), of_cluster(3, i % 6, 0);
    const Vec3 centre{of_cluster.uniform(-1.0, 9.0), of_cluster.uniform(2.0, 12.0),
                      of_cluster.uniform(0.0, 10.0)};
    const double width = i % 6 == 0 ? 1e-3 : 0.5;
    const double size = width * std::pow(100.0, -random.uniform());
    all.add_sphere(centre + width * random.uniform() * random.direction(), size);
  }
  for (int axes = 0; axes <= 3; ++axes) expect_plain_ghosts(all, periodic_along(axes));
}

TEST(GhostPlan, FindsPlainOnesThatAreLongerThanThePeriod) {
  Bodies all = scattered(4, 200, 10.0, 0.4);
  for (std::uint64_t i = 0; i < 12; ++i) {
    KeyedRandom random(5, i, 0);
    Vec3 half{0.1, 0.1, 0.1};
    (i % 3 == 0 ? half.x : i % 3 == 1 ? half.y : half.z) = cell * random.uniform(0.4, 1.8);
    all.add({random.uniform(-11.0, 19.0), random.uniform(-8.0, 22.0), random.uniform(-10.0, 20.0)},
            half, i % 2 == 0);
  }
  for (int axes = 0; axes <= 3; ++axes) expect_plain_ghosts(all, periodic_along(axes));
}

TEST(GhostPlan, FindsPlainOnesFarOutsideTheCell) {
  Bodies all = scattered(6, 300, 10.0, 0.6);
  for (std::size_t i = 0; i < all.bounds.size(); ++i) {
    KeyedRandom random(7, i, 0);
    const auto periods = [&] { return cell * (static_cast<double>(random.below(5)) - 2.0); };
    const Vec3 way{periods(), periods(), periods()};
    all.bounds[i] = {all.bounds[i].low + way, all.bounds[i].high + way};
  }
  for (int axes = 1; axes <= 3; ++axes) expect_plain_ghosts(all, periodic_along(axes));
}

// Faces that coincide, points on them and images that touch: all numbers are exact in binary.
TEST(GhostPlan, CountsWhatTouches) {
  Bodies all;
  Periodicity world{{true, false, true}, {}, {8.0, 8.0, 4.0}};
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < 4; ++z) all.add({x + 0.5, y + 0.5, z + 0.5}, {0.5, 0.5, 0.5});
  for (int x = 0; x <= 8; ++x) all.add({static_cast<double>(x), 4.0, 2.0}, {});
  expect_plain_ghosts(all, world);
}

TEST(GhostPlan, OfFewerBodiesThanRanks) {
  expect_plain_ghosts({}, periodic_along(3));
  Bodies all;
  all.add_sphere({0.0, 3.0, 1.0}, 0.5);
  expect_plain_ghosts(all, periodic_along(3));
  all.add_sphere({8.9, 3.0, 1.0}, 0.5);
  expect_plain_ghosts(all, periodic_along(3));
  expect_plain_ghosts(all, periodic_along(0));
}

TEST(GhostPlan, OnlyMovingBodiesAttractGhosts) {
  Bodies all = scattered(8, 300, 10.0, 1.0);
  const int ranks = Communicator::world().size();
  // those of even ranks move
  const Owner owner = [&](std::size_t i) { return slab_of(all.bounds[i], ranks); };
  for (std::size_t i = 0; i < all.bounds.size(); ++i) all.moves[i] = owner(i) % 2 == 0 ? 1 : 0;
  const auto ghosts = ghosts_of(all, owner, periodic_along(1));
  EXPECT_EQ(ghosts, plain_ghosts(all, owner, periodic_along(1)));
  for (std::size_t rank = 1; rank < ghosts.size(); rank += 2) EXPECT_TRUE(ghosts[rank].empty());
}

TEST(GhostPlan, IsTheSameForAnyThreads) {
  const Bodies all = scattered(9, 3000, 100.0, 2.0);
  const Owner owner = [](std::size_t i) {
    return static_cast<int>(i) % Communicator::world().size();
  };
  std::vector<std::vector<std::size_t>> first;
  for (const int threads : {1, 2, 3}) {
    const support::ForcedThreads forced(threads);
    const auto ghosts = ghosts_of(all, owner, periodic_along(2));
    if (threads == 1) first = ghosts;
    EXPECT_EQ(ghosts, first);
  }
}

/// Spheres side by side, a little out of order, so many along each axis.
Bodies packing(const std::array<int, 3>& along, double width, const Vec3& low) {
  Bodies all;
  for (int k = 0; k < along[0] * along[1] * along[2]; ++k) {
    KeyedRandom random(10, static_cast<std::uint64_t>(k), 0);
    const auto place = [&](int number) {
      return width * (number + 0.5 + 0.2 * random.uniform(-1.0, 1.0));
    };
    const Vec3 centre{place(k % along[0]), place(k / along[0] % along[1]),
                      place(k / along[0] / along[1])};
    all.add_sphere(low + centre, 0.5 * width);
  }
  return all;
}

struct Found {
  std::vector<std::vector<std::size_t>> ghosts;
  std::int64_t bytes = 0;  ///< sent for it by this rank
};

/// In slabs along x of equal width, from the lowest to the highest of the bodies' centres.
Found ghosts_of_slabs(const Bodies& all, double low, double width, const Periodicity& world) {
  const int ranks = Communicator::world().size();
  const Owner owner = [&](std::size_t i) {
    const double centre = 0.5 * (all.bounds[i].low.x + all.bounds[i].high.x);
    return slab_of((centre - low) / width, ranks);
  };
  reset_interposed();
  Found found;
  found.ghosts = ghosts_of(all, owner, world);
  found.bytes = interposed().single_bytes;
  return found;
}

// Who is a ghost is told by the tests above; what it takes to find them must be little too. A body
// that is needed costs 52 bytes, its bounds and its number. Boxes of groups, and bodies that meet
// these but no body of theirs, may cost as much again.
TEST(GhostPlan, CostsLittleMoreThanTheBoundsOfGhosts) {
  const Bodies all = packing({32, 32, 32}, cell / 32, periodic_along(3).low);
  const Found found = ghosts_of_slabs(all, -1.0, cell, periodic_along(3));
  const auto ghosts = static_cast<std::int64_t>(count(found.ghosts));
  if (Communicator::world().size() == 1) {
    EXPECT_EQ(found.bytes, 0);
    return;
  }
  EXPECT_GE(ghosts, 32 * 32);  // from a layer on each side of the slab
  EXPECT_LE(ghosts, 2 * 2 * 32 * 32);
  EXPECT_LE(found.bytes, 2 * 52 * ghosts + 1000);
}

// One body of a hundred times the size of the others lies on a long bar of them, across the border
// of two ranks. What is added to the ghosts is this body and the bodies of the top layer that meet
// it, not a part of the bar as long as the body.
TEST(GhostPlan, DoesNotGrowWithTheLargestBody) {
  const int ranks = Communicator::world().size();
  Bodies all = packing({400, 6, 6}, 0.1, {});
  const Found before = ghosts_of_slabs(all, 0.0, 40.0, {});
  all.add_sphere({40.0 / ranks + 0.01, 5.57, 0.3}, 5.0);
  const Bounds large = all.bounds.back();
  const Found after = ghosts_of_slabs(all, 0.0, 40.0, {});

  std::size_t added = 0;
  for (std::size_t rank = 0; rank < after.ghosts.size(); ++rank)
    for (const std::size_t body : after.ghosts[rank]) {
      const auto& known = before.ghosts[rank];
      if (std::binary_search(known.begin(), known.end(), body)) continue;
      EXPECT_TRUE(overlap(all.bounds[body], large));
      ++added;
    }
  EXPECT_EQ(count(after.ghosts), count(before.ghosts) + added);
  std::array<std::int64_t, 2> of_all{static_cast<std::int64_t>(added), after.bytes - before.bytes};
  Communicator::world().sum(of_all);
  EXPECT_GE(of_all[0], ranks > 1 ? 250 : 0);  // else nothing was tested
  EXPECT_LE(of_all[1], 2 * 52 * of_all[0]);
}

}  // namespace
}  // namespace talus
