// The field of margins around bodies that are hit.

#include "simulation/impact_reach.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace talus {
namespace {

constexpr double size = 0.01, way = 0.004;
const Vec3 place{0.0053, -0.0021, 0.0307};

ImpactReach around(const std::vector<Mover>& movers, int round,
                   const Periodicity& periodicity = {}) {
  ImpactReach reach;
  reach.add(movers, round, periodicity);
  return reach;
}

TEST(ImpactReach, IsEmptyUntilSomethingMoves) {
  ImpactReach reach;
  EXPECT_TRUE(reach.empty());
  EXPECT_EQ(reach.at(place), 0.0);
  reach.add({{place, size, way}}, 0, {});
  EXPECT_FALSE(reach.empty());
  reach.clear();
  EXPECT_TRUE(reach.empty());
  EXPECT_EQ(reach.at(place), 0.0);
}

TEST(ImpactReach, IsTheWholeWayAtTheBodyAndLessFarther) {
  const ImpactReach reach = around({{place, size, way}}, 0);
  EXPECT_EQ(reach.at(place), way);
  double before = way;
  for (const double sizes : {1.0, 2.0}) {
    const double there = reach.at(place + Vec3{sizes * size, 0.0, 0.0});
    // cells are between half a size and a size
    EXPECT_LE(there, before);
    EXPECT_GE(there, way / (1.0 + 2.0 * sizes + 1.0)) << sizes;
    EXPECT_LE(there, way / (1.0 + std::max(0.0, sizes - 1.0))) << sizes;
    before = there;
  }
  EXPECT_EQ(reach.at(place + Vec3{0.0, 0.0, 5.0 * size}), 0.0);
}

// Each round looks twice as far, and no wider margins for what is near.
TEST(ImpactReach, DoublesWithEachRound) {
  for (const int round : {1, 2, 3, 4}) {
    const ImpactReach reach = around({{place, size, way}}, round);
    const double far = std::ldexp(size, round);
    EXPECT_EQ(reach.at(place), way);
    EXPECT_GT(reach.at(place + Vec3{far, 0.0, 0.0}), 0.0) << round;
    EXPECT_LE(reach.at(place + Vec3{0.0, far, 0.0}), way / (1.0 + 0.5 * std::ldexp(1.0, round)));
    EXPECT_EQ(reach.at(place + Vec3{0.0, 0.0, 5.0 * far}), 0.0) << round;
  }
}

// There is an end to it: 2^8 sizes.
TEST(ImpactReach, GoesNoFartherAfterManyRounds) {
  const ImpactReach reach = around({{place, size, way}}, 1000);
  EXPECT_GT(reach.at(place + Vec3{256.0 * size, 0.0, 0.0}), 0.0);
  EXPECT_EQ(reach.at(place + Vec3{1280.0 * size, 0.0, 0.0}), 0.0);
}

// What ranks gather has no order: the margins do not depend on it.
TEST(ImpactReach, IsTheSameInAnyOrder) {
  std::vector<Mover> movers;
  for (int k = 0; k < 40; ++k)
    movers.push_back({{0.003 * k, 0.001 * (k % 7), -0.002 * (k % 5)},
                      0.004 + 0.001 * (k % 9),
                      1e-4 * (1 + (k * 17) % 23)});
  const ImpactReach one = around(movers, 2);
  std::reverse(movers.begin(), movers.end());
  std::swap(movers[3], movers[20]);
  const ImpactReach other = around(movers, 2);
  for (int k = 0; k < 400; ++k) {
    const Vec3 x{0.0007 * k - 0.05, 0.0003 * (k % 31), 0.0005 * (k % 17) - 0.004};
    EXPECT_EQ(one.at(x), other.at(x)) << k;
  }
}

TEST(ImpactReach, GoesOnAcrossAPeriodicBoundary) {
  Periodicity periodic;
  periodic.axis = {true, false, true};
  periodic.low = {0.0, 0.0, 0.0};
  periodic.period = {0.2, 0.0, 0.3};
  const ImpactReach reach = around({{{0.001, 0.0, 0.001}, size, way}}, 0, periodic);
  EXPECT_GT(reach.at({0.199, 0.0, 0.001}), 0.0);
  EXPECT_GT(reach.at({0.199, 0.0, 0.299}), 0.0);
  EXPECT_EQ(reach.at({0.1, 0.0, 0.001}), 0.0);
  EXPECT_EQ(around({{{0.001, 0.0, 0.001}, size, way}}, 0).at({0.199, 0.0, 0.001}), 0.0);
}

// Planes have no size; a body that has gone astray is told elsewhere.
TEST(ImpactReach, LeavesOutWhatHasNoSizeOrNoPlace) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double endless = std::numeric_limits<double>::infinity();
  const ImpactReach reach = around({{place, endless, way},
                                    {place, 0.0, way},
                                    {{none, 0.0, 0.0}, size, way},
                                    {{1e200, 0.0, 0.0}, size, way}},
                                   1);
  EXPECT_EQ(reach.at(place), 0.0);
  EXPECT_EQ(around({{place, size, way}}, 1).at({none, 0.0, 0.0}), 0.0);
}

}  // namespace
}  // namespace talus
