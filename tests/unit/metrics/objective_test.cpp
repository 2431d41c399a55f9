#include "talus/metrics/measures.hpp"

#include "support/dense_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

double energy_function(const Plain& matrix, const Plain& r, const Plain& x) {
  const Plain image = support::plain_product(matrix, x);
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * (0.5 * image[i] + r[i]);
  return sum;
}

ConeSet mixed_cones() {
  ConeSet cones = make_cone_set(2, 1, 1);
  set_interval(cones, 1, -0.25, 0.5);
  set_planar_friction(cones, 0, 0.5);
  set_spatial_friction(cones, 0, 0.75, {0.6, 0.0, 0.8}, {0.0, 1.0, 0.0});
  return cones;
}

constexpr std::size_t mixed_rows = 2 + 2 + 3;

TEST(Objective, IsTheEnergyFunction) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Plain matrix = support::plain_random_matrix(mixed_rows, 0.5, random);
    const Plain r = support::plain_random_vector(mixed_rows, random);
    const Plain x = support::plain_random_vector(mixed_rows, random);

    const Judged judged(support::dense_problem(mixed_cones(), matrix, r), Law::Associated, x);

    // sums of 49 products of order 1
    EXPECT_NEAR(judged.report(Law::Associated).objective, energy_function(matrix, r, x), 1e-13);
  }
}

// A skew part of W does no work: x . S x = 0.
TEST(Objective, LeavesTheSkewPartOut) {
  const Plain matrix = support::plain_diagonal_matrix({2.0, 2.0, 2.0});
  const Plain skew{0.0, 0.5, 0.0, -0.5, 0.0, 0.25, 0.0, -0.25, 0.0};
  const Plain r{-4.0, 1.0, 0.5}, x{1.5, 0.25, -0.5};
  const ConeProblem problem =
      support::dense_problem(support::one_spatial_contact(0.5), matrix, r, skew);

  const Judged judged(problem, Law::Coulomb, x);

  EXPECT_NEAR(judged.report(Law::Coulomb).objective, energy_function(matrix, r, x), 1e-15);
}

// Weak duality, with an exact solution by construction: x* in K, w* in K* complementary, r = w* - N
// x*. Any feasible x whose w also lies in K* then satisfies f(x) - f* <= gap. Strict w* keeps w in
// K* near x*.
TEST(DualityGap, BoundsTheDistanceFromTheMinimum) {
  std::mt19937_64 random(2);
  int bounded = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Plain matrix = support::plain_random_matrix(3, 0.1, random);
    const Plain solution{0.0, 0.0, 0.0}, w{1.0, 0.2, -0.1};  // an open contact: w* = r
    const ConeProblem problem =
        support::dense_problem(support::one_spatial_contact(0.5), matrix, w);
    Plain x = support::plain_random_vector(3, random);
    x[0] = std::hypot(x[1], x[2]) / 0.5 + 0.1;  // inside of K
    for (double& value : x) value *= 0.1;

    const ErrorReport report = Judged(problem, Law::Associated, x).report(Law::Associated);

    if (report.dual_violation > 0.0) continue;
    ++bounded;
    EXPECT_LE(report.objective - 0.0, report.duality_gap);
  }
  EXPECT_GT(bounded, 100);
}

TEST(DualityGap, OfRowsMeasuresTheWayToTheBoundThatTheGapPressesTo) {
  ConeSet cones = make_cone_set(5, 0, 0);  // row 0 is free
  set_interval(cones, 1, 0.0, infinity);
  set_interval(cones, 2, -1.0, 3.0);
  set_interval(cones, 3, -1.0, 3.0);
  set_interval(cones, 4, -infinity, 2.0);
  // N = I, w = r + x = (5, 7, 4, -4, -6)
  const ConeProblem problem = support::dense_problem(
      cones, support::plain_diagonal_matrix(Plain(5, 1.0)), {4.0, 5.0, 3.0, -5.0, -7.0});

  const ErrorReport report =
      Judged(problem, Law::Associated, {1.0, 2.0, 1.0, 1.0, 1.0}).report(Law::Associated);

  // free: w is no part of the gap; 2 * 7; (1 + 1) * 4; (1 - 3) * -4; (1 - 2) * -6
  EXPECT_DOUBLE_EQ(report.duality_gap, 14.0 + 8.0 + 8.0 + 6.0);
  EXPECT_EQ(report.dual_violation, 5.0);  // the free row's velocity
  EXPECT_EQ(report.bilateral, 5.0);
}

TEST(DualViolation, IsTheSignThatAnInfiniteBoundForbids) {
  ConeSet cones = make_cone_set(2, 0, 0);
  set_interval(cones, 0, 0.0, infinity);
  set_interval(cones, 1, -infinity, 0.0);
  const ConeProblem problem =
      support::dense_problem(cones, support::plain_diagonal_matrix({1.0, 1.0}), {-3.0, 4.0});

  const ErrorReport report = Judged(problem, Law::Associated, {0.0, 0.0}).report(Law::Associated);

  EXPECT_EQ(report.dual_violation, 4.0);
  EXPECT_EQ(report.duality_gap, 0.0);
  EXPECT_EQ(report.bilateral, 0.0);
}

TEST(BilateralViolation, IsTheLargestOfFreeRowsOnly) {
  ConeSet cones = make_cone_set(3, 1, 0);
  set_interval(cones, 2, 0.0, infinity);
  const ConeProblem problem = support::dense_problem(
      cones, support::plain_diagonal_matrix(Plain(5, 1.0)), {0.5, -0.75, -9.0, -9.0, 9.0});

  EXPECT_EQ(Judged(problem, Law::Coulomb, Plain(5, 0.0)).report(Law::Coulomb).bilateral, 0.75);
}

}  // namespace
}  // namespace talus
