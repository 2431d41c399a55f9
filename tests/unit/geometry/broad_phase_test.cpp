#include "geometry/broad_phase.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Bodies {
  std::vector<GlobalId> id;
  std::vector<Bounds> bounds;
  std::vector<std::uint8_t> moves;
  Periodicity periodicity;
  std::vector<HalfSpace> half_spaces;

  void add(const Bounds& b, bool moving = true) {
    id.push_back(static_cast<GlobalId>(3 * id.size() + 5));
    bounds.push_back(b);
    moves.push_back(moving ? 1 : 0);
  }
  BroadPhaseInput input() const { return {&id, &bounds, &moves, periodicity, &half_spaces}; }
};

Bounds around(const Vec3& centre, double half) {
  const Vec3 corner{half, half, half};
  return {centre - corner, centre + corner};
}

bool is_infinite(const Bounds& b) {
  return std::isinf(b.low.x);
}

/// Every pair, every image up to `most` periods away.
std::vector<CandidatePair> brute_force(const Bodies& bodies, int most = 1) {
  std::vector<CandidatePair> pairs;
  const auto n = static_cast<Index>(bodies.id.size());
  std::array<int, 3> k{};
  for (std::size_t d = 0; d < 3; ++d) k[d] = bodies.periodicity.axis[d] ? most : 0;
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      if (bodies.id[i] >= bodies.id[j]) continue;
      if (bodies.moves[i] == 0 && bodies.moves[j] == 0) continue;
      for (int x = -k[0]; x <= k[0]; ++x)
        for (int y = -k[1]; y <= k[1]; ++y)
          for (int z = -k[2]; z <= k[2]; ++z) {
            const Vec3& p = bodies.periodicity.period;
            const Vec3 way{x * p.x, y * p.y, z * p.z};
            const Bounds moved{bodies.bounds[j].low + way, bodies.bounds[j].high + way};
            const bool any_infinite = is_infinite(bodies.bounds[i]) || is_infinite(moved);
            if (any_infinite && (x != 0 || y != 0 || z != 0)) continue;
            if (overlap(bodies.bounds[i], moved))
              pairs.push_back({a, b, {std::int8_t(x), std::int8_t(y), std::int8_t(z)}});
          }
    }
  const auto key = [&](const CandidatePair& p) {
    return std::tuple(bodies.id[static_cast<std::size_t>(p.a)],
                      bodies.id[static_cast<std::size_t>(p.b)], p.image);
  };
  std::sort(pairs.begin(), pairs.end(),
            [&](const CandidatePair& p, const CandidatePair& q) { return key(p) < key(q); });
  return pairs;
}

std::vector<CandidatePair> found(const Bodies& bodies) {
  std::vector<CandidatePair> pairs{{7, 7, {}}};  // is overwritten
  BroadPhase search;
  search.find(bodies.input(), pairs);
  return pairs;
}

/// Sizes over a factor `ratio`, evenly by logarithm; some fixed.
Bodies cloud(std::uint64_t seed, int count, const Vec3& room, double size, double ratio) {
  Bodies bodies;
  for (int i = 0; i < count; ++i) {
    KeyedRandom random(seed, static_cast<std::uint64_t>(i), 0);
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    const double half = 0.5 * size * std::pow(ratio, random.uniform());
    const double flat = random.uniform(0.3, 1.0);
    const Vec3 c{room.x * x, room.y * y, room.z * z};
    bodies.add({c - Vec3{half, half * flat, half}, c + Vec3{half, half, half * flat}},
               random.uniform() > 0.2);
  }
  return bodies;
}

void make_periodic(Bodies& bodies, int axes, const Vec3& low, const Vec3& period) {
  bodies.periodicity.axis = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
  bodies.periodicity.low = low;
  bodies.periodicity.period = period;
}

TEST(BroadPhase, FindsNothingAmongNoneAndOne) {
  Bodies bodies;
  EXPECT_TRUE(found(bodies).empty());

  bodies.add(around({}, 1.0));
  EXPECT_TRUE(found(bodies).empty());

  make_periodic(bodies, 7, {}, {1.5, 1.5, 1.5});
  EXPECT_TRUE(found(bodies).empty());  // its own images are not partners
}

TEST(BroadPhase, FindsWhatBruteForceFindsAtEachDensityAndRatioOfSizes) {
  for (const double ratio : {1.0, 1.3, 3.0, 100.0})
    for (const double size : {0.002, 0.05, 0.2, 1.0}) {
      const Bodies bodies = cloud(11, 300, {1.0, 1.0, 0.5}, size, ratio);
      EXPECT_EQ(found(bodies), brute_force(bodies)) << "ratio " << ratio << ", size " << size;
    }
}

TEST(BroadPhase, FindsWhatBruteForceFindsAlongAnyPeriodicAxes) {
  for (int axes = 1; axes < 8; ++axes)
    for (const double size : {0.03, 0.2, 0.45})
      for (const double ratio : {1.0, 20.0}) {
        const double largest = std::min(size * ratio, 0.9);
        const Vec3 period{1.0, 0.77, 1.31};  // no multiple of any size
        Bodies bodies = cloud(12, 150, period, largest / ratio, ratio);
        make_periodic(bodies, axes, {}, period);
        EXPECT_EQ(found(bodies), brute_force(bodies, 2)) << "axes " << axes << ", size " << size;
      }
}

TEST(BroadPhase, FindsSeveralImagesWherePeriodsAreShorterThanBodies) {
  Bodies bodies = cloud(13, 40, {0.1, 0.1, 2.0}, 0.3, 2.0);
  make_periodic(bodies, 3, {}, {0.1, 0.1, 0.0});

  const auto pairs = found(bodies);

  EXPECT_EQ(pairs, brute_force(bodies, 9));
  EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(),
                          [](const CandidatePair& p) { return p.image[0] <= -3; }));
}

TEST(BroadPhase, TakesBodiesOutsideTheCell) {
  Bodies bodies = cloud(14, 150, {1.0, 1.0, 1.0}, 0.1, 2.0);
  for (std::size_t i = 0; i < bodies.bounds.size(); i += 3) {
    const Vec3 way{static_cast<double>(i % 2) - 0.4, -0.7, 0.0};
    bodies.bounds[i] = {bodies.bounds[i].low + way, bodies.bounds[i].high + way};
  }
  make_periodic(bodies, 3, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});

  EXPECT_EQ(found(bodies), brute_force(bodies, 3));
}

TEST(BroadPhase, TouchingBoundsOverlapAlsoOnBoundariesOfCells) {
  Bodies bodies;
  for (int i = 0; i < 216; ++i) {  // cubes of side 1 that fill space: 26 neighbours inside
    const int x = i % 6, y = i / 6 % 6, z = i / 36;
    bodies.add(around({x + 0.5, y + 0.5, z + 0.5}, 0.5));
  }
  EXPECT_EQ(found(bodies), brute_force(bodies));

  make_periodic(bodies, 7, {}, {6.0, 6.0, 6.0});
  const auto pairs = found(bodies);
  EXPECT_EQ(pairs, brute_force(bodies));
  EXPECT_EQ(pairs.size(), 216U * 26 / 2);
}

TEST(BroadPhase, TouchingImagesAreDecidedAsIfTheHigherIdHadMoved) {
  // 0.1 is no sum of powers of 2: moving a by -period or b by +period rounds in different ways.
  Bodies bodies;
  for (int i = 0; i < 60; ++i) {
    const double x = 0.1 * i;
    bodies.add({{x, 0.0, 0.0}, {x + 0.1, 0.1, 0.1}});
  }
  std::swap(bodies.bounds[0], bodies.bounds[59]);
  for (const double period : {6.0, 0.1 * 60, 0.1 * 59 + 0.1, 3.0, 1.5}) {
    make_periodic(bodies, 1, {}, {period, 0.0, 0.0});
    EXPECT_EQ(found(bodies), brute_force(bodies, 6)) << period;
  }
}

TEST(BroadPhase, PairsInWhichNeitherMovesAreLeftOut) {
  Bodies bodies;
  bodies.add(around({}, 1.0), false);
  bodies.add(around({}, 1.0), false);
  bodies.add(around({}, 0.1), true);

  EXPECT_EQ(found(bodies), (std::vector<CandidatePair>{{0, 2, {}}, {1, 2, {}}}));
}

TEST(BroadPhase, OrderIsThatOfIdsNotOfIndices) {
  Bodies bodies = cloud(15, 200, {1.0, 1.0, 1.0}, 0.2, 3.0);
  for (std::size_t i = 0; i < bodies.id.size(); ++i)
    bodies.id[i] = static_cast<GlobalId>((i * 77) % 200) * 1000000007;
  make_periodic(bodies, 1, {}, {1.0, 0.0, 0.0});

  EXPECT_EQ(found(bodies), brute_force(bodies, 2));
}

TEST(BroadPhase, InfiniteBoundsMeetEveryMoverAndEachOther) {
  const Bounds everywhere{{-infinite, -infinite, -infinite}, {infinite, infinite, infinite}};
  Bodies bodies = cloud(16, 50, {1.0, 1.0, 1.0}, 0.1, 2.0);
  bodies.add(everywhere, false);
  bodies.add(everywhere, true);
  bodies.add(everywhere, false);
  make_periodic(bodies, 1, {}, {1.0, 0.0, 0.0});

  const auto pairs = found(bodies);

  EXPECT_EQ(pairs, brute_force(bodies));
  EXPECT_EQ(std::count_if(pairs.begin(), pairs.end(),
                          [](const CandidatePair& p) { return p.a >= 50 || p.b == 51; }),
            52);  // the one that moves: all 50 and both of its kind
}

TEST(BroadPhase, HalfSpacesLeaveOutWhatLiesOutside) {
  const Bounds everywhere{{-infinite, -infinite, -infinite}, {infinite, infinite, infinite}};
  const double oblique = 1.0 / std::sqrt(3.0);
  const Vec3 normal{-oblique, oblique, oblique};
  Bodies bodies;
  bodies.add(everywhere, false);
  bodies.half_spaces.push_back({0, normal, 0.5});
  for (int i = 0; i < 100; ++i) {
    KeyedRandom random(17, static_cast<std::uint64_t>(i), 0);
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    bodies.add(around({x, y, z}, 0.02));
  }

  std::vector<CandidatePair> expected;
  for (const CandidatePair& pair : brute_force(bodies)) {
    const Bounds& b = bodies.bounds[static_cast<std::size_t>(pair.b)];
    bool inside = pair.a != 0;
    for (int corner = 0; corner < 8; ++corner)
      inside = inside || dot(normal, {(corner & 1) != 0 ? b.low.x : b.high.x,
                                      (corner & 2) != 0 ? b.low.y : b.high.y,
                                      (corner & 4) != 0 ? b.low.z : b.high.z}) <= 0.5;
    if (inside) expected.push_back(pair);
  }
  EXPECT_EQ(found(bodies), expected);
  EXPECT_GT(expected.size(), 20U);
  EXPECT_LT(expected.size(), 95U);
}

TEST(BroadPhase, WhatIsNotANumberMeetsNothing) {
  Bodies bodies;
  bodies.add(around({}, 1.0));
  bodies.add(around({std::nan(""), 0.0, 0.0}, 1.0));
  bodies.add(around({0.5, 0.0, 0.0}, 1.0));

  EXPECT_EQ(found(bodies), (std::vector<CandidatePair>{{0, 2, {}}}));
}

TEST(BroadPhase, FarAwayAndFlatBoundsAreFound) {
  Bodies bodies = cloud(18, 100, {1.0, 1.0, 1.0}, 0.1, 2.0);
  bodies.add(around({1e12, -1e12, 1e12}, 0.1));
  bodies.add(around({1e12, -1e12, 1e12}, 0.05));
  bodies.add(around({1e200, 0.0, 0.0}, 0.05));  // loses its size by rounding
  bodies.add(around({1e200, 0.0, 0.0}, 0.05));
  bodies.add({{-1e6, -1e6, 0.5}, {1e6, 1e6, 0.5}});  // a floor
  bodies.add({{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}});    // a point
  bodies.add({{0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}});

  EXPECT_EQ(found(bodies), brute_force(bodies));
}

TEST(BroadPhase, ManyInOnePlace) {
  Bodies bodies;
  for (int i = 0; i < 150; ++i) bodies.add(around({1.0, 2.0, 3.0}, 0.5));

  EXPECT_EQ(found(bodies).size(), 150U * 149 / 2);
  EXPECT_EQ(found(bodies), brute_force(bodies));
}

TEST(BroadPhase, SameForAnyThreadsAndWhateverWasSearchedBefore) {
  Bodies bodies = cloud(19, 3000, {1.0, 1.0, 1.0}, 0.02, 10.0);
  make_periodic(bodies, 5, {}, {1.0, 1.0, 1.0});
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto expected = found(bodies);
  BroadPhase used;
  std::vector<CandidatePair> pairs;
  for (const int count : {2, 4, 1}) {
    omp_set_num_threads(count);
    used.find(cloud(20, 700, {1.0, 2.0, 3.0}, 0.01, 30.0).input(), pairs);
    used.find(bodies.input(), pairs);
    EXPECT_EQ(pairs, expected) << count;
  }
  omp_set_num_threads(threads);
  EXPECT_EQ(expected, brute_force(bodies));
}

TEST(BroadPhase, BodiesManyPeriodsApartAreNamed) {
  Bodies bodies;
  bodies.add(around({}, 0.1));
  bodies.add(around({130.0, 0.0, 0.0}, 0.1));
  make_periodic(bodies, 1, {}, {1.0, 0.0, 0.0});

  try {
    found(bodies);
    FAIL() << "accepted";
  } catch (const std::logic_error& error) {
    FAIL() << error.what();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("body 8 "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("along x"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace talus
