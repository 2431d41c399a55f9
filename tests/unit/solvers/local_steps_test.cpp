// The steps that do not solve a cone exactly: box friction, scalar rows, one step of 1 /
// lambda_max.
#include "talus/cones/cone_set.hpp"

#include "support/random_block.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using namespace support;

TEST(BoxSweep, IsTheHandCalculation) {
  const Mat3 a{2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 4.0};
  const LocalCone cone = prepare_cone(a, angle_of(0.5));
  constexpr double rounding = 1e-13;  // 1e-15 of the block's size was added to it

  const Vec3 first = sweep_box(cone, {-4.0, 3.0, -2.0}, {}, 1.0);
  const Vec3 second = sweep_box(cone, {-1.0, 3.0, -2.0}, {2.0, -1.0, 0.5}, 1.0);
  const Vec3 half = sweep_box(cone, {-4.0, 3.0, -2.0}, {}, 0.5);

  // n: 4 / 2 = 2; bound 1; t1: -(0.5 * 2 + 3) / 1 = -4 -> -1; t2: 2 / 4 = 0.5
  EXPECT_LT(length_of(first - Vec3{2.0, -1.0, 0.5}), rounding);
  // n: 2 - (4 - 0.5 - 1) / 2 = 0.75, and the tangents obey the new bound 0.375 at once
  EXPECT_LT(length_of(second - Vec3{0.75, -0.375, 0.375}), rounding);
  // n: 1; bound 0.5; t1: -(0.5 + 3) / 2 -> -0.5; t2: 2 / 4 / 2 = 0.25
  EXPECT_LT(length_of(half - Vec3{1.0, -0.5, 0.25}), rounding);
}

TEST(ScalarStep, ClipsAndLeavesWhatItCannotMove) {
  EXPECT_EQ(scalar_step(1.0, 3.0, 2.0, {-infinity, infinity}, 1.0), -0.5);
  EXPECT_EQ(scalar_step(1.0, 3.0, 2.0, {0.0, infinity}, 1.0), 0.0);
  EXPECT_EQ(scalar_step(1.0, -3.0, 2.0, {0.0, 2.0}, 1.0), 2.0);
  EXPECT_EQ(scalar_step(1.0, -3.0, 0.0, {0.0, 2.0}, 1.0), 1.0);
}

TEST(BoundStep, IsBelowNoEigenvalue) {
  for (int i = 0; i < 1000; ++i) {
    KeyedRandom random(23, static_cast<std::uint64_t>(i), 0);
    const Mat3 a = random_block(i % 2 == 0 ? Kind::Good : Kind::Singular, random);

    const double bound = prepare_cone(a, angle_of(0.5)).largest_eigenvalue;

    // power iteration on A, started off every axis, 200 steps: from below, to a part in 1000 or
    // better
    Vec3 v{0.3, 0.5, 0.7};
    double rayleigh = 0.0;
    for (int step = 0; step < 200 && length_of(v) > 0.0; ++step) {
      v = (1.0 / length_of(v)) * v;
      rayleigh = dot(v, times(a, v));
      v = times(a, v);
    }
    EXPECT_GE(bound, rayleigh);
    EXPECT_LE(bound, 1.01 * rayleigh + 1e-300);
  }
}

TEST(BoundStep, GoesToTheExactAnswerStepByStep) {
  for (int i = 0; i < 100; ++i) {
    KeyedRandom random(29, static_cast<std::uint64_t>(i), 0);
    const Mat3 a = random_block(Kind::Good, random);
    const double mu = random.uniform(0.1, 0.7);
    const LocalCone cone = prepare_cone(a, angle_of(mu));
    const Vec3 b = random_vector(random);
    Vec3 convex, coulomb;

    for (int step = 0; step < 2000; ++step) {
      convex = bound_step_associated(cone, b, convex, 1.0);
      coulomb = bound_step_coulomb(cone, b, coulomb, 1.0);
    }

    // (1 - 1 / 15)^2000: nothing but rounding is left
    EXPECT_LT(fault(false, mu, a, b, convex), 1e-12);
    EXPECT_LT(fault(true, mu, a, b, coulomb), 1e-12);
    EXPECT_LT(length_of(convex - solve_associated(cone, b).impulse), 1e-11);
  }
}

TEST(BoundStep, WithTheMeanDiagonalWouldDiverge) {
  // every row the same: lambda_max is three times the mean, more than the factor 2 that a step can
  // bear
  const Mat3 a{1.0, 0.99, 0.99, 0.99, 1.0, 0.99, 0.99, 0.99, 1.0};
  LocalCone cone = prepare_cone(a, angle_of(100.0));
  const Vec3 b{-1.0, -0.5, -0.2};
  Vec3 good;
  Vec3 bad{1.0, 1.0, 1.0};

  for (int step = 0; step < 10000; ++step) good = bound_step_associated(cone, b, good, 1.0);
  cone.largest_eigenvalue = 1.0;
  for (int step = 0; step < 2000; ++step) bad = bound_step_associated(cone, b, bad, 1.0);

  EXPECT_LT(fault(false, 100.0, a, b, good), 1e-9);     // (1 - 0.01 / 2.98)^10000 = 3e-15
  EXPECT_FALSE(fault(false, 100.0, a, b, bad) < 1e-2);  // by now not even finite
}

}  // namespace
}  // namespace talus
