#include "talus/metrics/measures.hpp"

#include "metrics/definitions.hpp"
#include "support/dense_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

double squared(const Vec3& a) {
  return dot(a, a);
}

/// Jordan product of the second-order cone.
Vec3 jordan(const Vec3& a, const Vec3& b) {
  return {dot(a, b), a.x * b.y + b.x * a.y, a.x * b.z + b.x * a.z};
}

Vec3 random_vector(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return {uniform(random), uniform(random), uniform(random)};
}

/// A complementary pair on the boundary or inside of the cone {x >= |(y, z)|}.
std::array<Vec3, 2> complementary_pair(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  const Vec3 direction = random_vector(random);
  const double size = std::hypot(direction.y, direction.z);
  const double c = direction.y / size, s = direction.z / size;
  const double p = uniform(random), q = uniform(random);
  switch (random() % 3) {
    case 0:
      return {Vec3{p, p * c, p * s}, Vec3{q, -q * c, -q * s}};
    case 1:
      return {Vec3{p, 0.5 * p * c, 0.5 * p * s}, Vec3{}};
    default:
      return {Vec3{}, Vec3{q, q * c, q * s}};
  }
}

TEST(Complementarity, IsZeroOnTheTwoAxesOnly) {
  EXPECT_EQ(complementarity(0.0, 0.0), 0.0);
  EXPECT_EQ(complementarity(3.0, 0.0), 0.0);
  EXPECT_EQ(complementarity(0.0, 3.0), 0.0);
  EXPECT_DOUBLE_EQ(complementarity(3.0, 4.0), -2.0);
  EXPECT_DOUBLE_EQ(complementarity(-3.0, 4.0), 4.0);
  EXPECT_DOUBLE_EQ(complementarity(-3.0, -4.0), 12.0);
  EXPECT_DOUBLE_EQ(complementarity(0.0, -4.0), 8.0);
}

// The textbook form gives 0 here: 1e-20 is lost beside 1.
TEST(Complementarity, KeepsItsDigitsWhereTheTextbookFormCancels) {
  EXPECT_DOUBLE_EQ(complementarity(1.0, 1e-20), -1e-20);
  EXPECT_DOUBLE_EQ(complementarity(1e-20, 1.0), -1e-20);
  EXPECT_DOUBLE_EQ(complementarity(1.0, -1e-20), 1e-20);
}

TEST(Complementarity, AgreesWithExtendedPrecisionWhereThatIsAccurate) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 20000; ++trial) {
    const double a = uniform(random), b = uniform(random);
    const long double la = a, lb = b;
    const auto expected = static_cast<double>(std::sqrt(la * la + lb * lb) - la - lb);
    EXPECT_NEAR(complementarity(a, b), expected, 1e-15 * std::abs(expected) + 1e-18);
  }
}

TEST(Complementarity, HoldsFromTheSmallestToTheLargestNumbers) {
  EXPECT_DOUBLE_EQ(complementarity(1e300, 1e-300), -1e-300);
  EXPECT_DOUBLE_EQ(complementarity(3e300, 4e300), -2e300);
  EXPECT_DOUBLE_EQ(complementarity(-3e-300, -4e-300), 12e-300);
  EXPECT_EQ(complementarity(infinity, 2.0), -2.0);
}

TEST(IntervalComplementarity, IsZeroExactlyAtSolutions) {
  EXPECT_EQ(interval_complementarity(-1.0, 5.0, -1.0, 1.0), 0.0);
  EXPECT_EQ(interval_complementarity(1.0, -5.0, -1.0, 1.0), 0.0);
  EXPECT_EQ(interval_complementarity(0.5, 0.0, -1.0, 1.0), 0.0);
  EXPECT_EQ(interval_complementarity(2.0, -7.0, 2.0, 2.0), 0.0);  // a fixed impulse admits any w
  EXPECT_EQ(interval_complementarity(2.0, 7.0, 2.0, 2.0), 0.0);
  EXPECT_GT(std::abs(interval_complementarity(-1.0, -5.0, -1.0, 1.0)), 0.1);
  EXPECT_GT(std::abs(interval_complementarity(1.0, 5.0, -1.0, 1.0)), 0.1);
  EXPECT_GT(std::abs(interval_complementarity(0.5, 0.1, -1.0, 1.0)), 0.01);
  EXPECT_GT(std::abs(interval_complementarity(1.5, 0.0, -1.0, 1.0)), 0.1);
}

TEST(IntervalComplementarity, OfUnboundedSidesIsTheSimplerFunction) {
  EXPECT_EQ(interval_complementarity(5.0, 0.3, -infinity, infinity), -0.3);
  EXPECT_EQ(interval_complementarity(2.0, 0.3, 0.0, infinity), complementarity(2.0, 0.3));
  EXPECT_EQ(interval_complementarity(-2.0, -0.3, -infinity, 0.0), -complementarity(2.0, 0.3));
}

TEST(ConeComplementarity, VanishesOnComplementaryPairs) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 20000; ++trial) {
    const auto [x, y] = complementary_pair(random);
    EXPECT_LE(squared(cone_complementarity(x, y)), 1e-30);  // rounding of vectors of order 1
  }
}

// Without the sum-of-squares eigenvalues this would be 1e-8, the root of a rounding error.
TEST(ConeComplementarity, IsAccurateOnTheBoundaryWithoutSlip) {
  const Vec3 boundary{std::hypot(0.3, 0.4), 0.3, 0.4};
  EXPECT_LE(squared(cone_complementarity(boundary, {})), 1e-31);
  EXPECT_LE(squared(cone_complementarity({}, boundary)), 1e-31);
}

// (Phi + x + y)^2 = x^2 + y^2, and Phi + x + y lies in the cone: the definition of the square root.
TEST(ConeComplementarity, IsTheJordanSquareRootLessBothArguments) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const Vec3 x = random_vector(random), y = random_vector(random);
    const Vec3 root = cone_complementarity(x, y) + x + y;
    const Vec3 error = jordan(root, root) - (jordan(x, x) + jordan(y, y));
    EXPECT_GE(root.x - std::hypot(root.y, root.z), -1e-14);
    EXPECT_LE(std::sqrt(squared(error)), 1e-14);  // squares of order 3
  }
}

// In the plane the algebra is that of the two numbers x_0 + x_1 and x_0 - x_1.
TEST(ConeComplementarity, InThePlaneIsThatOfTwoNumbers) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 20000; ++trial) {
    Vec3 x = random_vector(random), y = random_vector(random);
    x.z = y.z = 0.0;
    const double plus = complementarity(x.x + x.y, y.x + y.y);
    const double minus = complementarity(x.x - x.y, y.x - y.y);
    const Vec3 phi = cone_complementarity(x, y);
    EXPECT_NEAR(phi.x, 0.5 * (plus + minus), 1e-14);
    EXPECT_NEAR(phi.y, 0.5 * (plus - minus), 1e-14);
    EXPECT_EQ(phi.z, 0.0);
  }
}

TEST(ConeComplementarity, IsNeverNotANumber) {
  const std::array<Vec3, 5> corners{Vec3{}, Vec3{1e-300, 0.0, 1e-300}, Vec3{1e300, -1e300, 0.0},
                                    Vec3{0.0, 1e300, 1e-300}, Vec3{-1.0, 0.0, 0.0}};
  for (const Vec3& x : corners)
    for (const Vec3& y : corners) {
      const Vec3 phi = cone_complementarity(x, y);
      EXPECT_TRUE(std::isfinite(phi.x) && std::isfinite(phi.y) && std::isfinite(phi.z));
    }
}

TEST(FischerBurmeisterMerit, SumsRowsInJoules) {
  ConeSet cones = make_cone_set(2, 0, 0);
  set_interval(cones, 1, 0.0, infinity);
  const ConeProblem problem =
      support::dense_problem(cones, support::plain_diagonal_matrix({2.0, 4.0}), {3.0, 0.0});

  const Judged judged(problem, Law::Associated, {0.0, 1.5});  // w = (3, 6)

  // free: w^2 / 2g = 9 / 4; non-negative: g^1/2 x = w / g^1/2 = 3, phi = 3 (2^1/2 - 2)
  const double phi = 3.0 * (std::sqrt(2.0) - 2.0);
  EXPECT_NEAR(judged.measure(Measure::FischerBurmeister, Law::Associated), 2.25 + 0.5 * phi * phi,
              1e-14);
}

TEST(FischerBurmeisterMerit, WithoutFrictionCountsTheTangentialImpulse) {
  const ConeProblem problem =
      support::dense_problem(support::one_spatial_contact(0.0),
                             support::plain_diagonal_matrix({2.0, 2.0, 2.0}), {-4.0, 0.0, 0.0});

  const Judged judged(problem, Law::Coulomb, {2.0, 0.3, 0.4});

  EXPECT_NEAR(judged.measure(Measure::FischerBurmeister, Law::Coulomb), 0.5 * 2.0 * 0.25, 1e-15);
}

TEST(FischerBurmeisterMerit, WithInfiniteFrictionCountsTheSlip) {
  const ConeProblem problem =
      support::dense_problem(support::one_spatial_contact(infinity),
                             support::plain_diagonal_matrix({2.0, 2.0, 2.0}), {-4.0, 0.3, 0.4});

  const Judged judged(problem, Law::Coulomb, {2.0, 0.0, 0.0});

  EXPECT_NEAR(judged.measure(Measure::FischerBurmeister, Law::Coulomb), 0.5 * 0.25 / 2.0, 1e-15);
}

}  // namespace
}  // namespace talus
