#include "talus/metrics/energy_error.hpp"

#include "talus/metrics/measures.hpp"

#include "support/dense_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

struct Row {
  double x, w, a, lower, upper;
};

/// Rows with every kind of interval; x lies inside, on or outside of it.
Row random_row(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-3.0, 3.0), positive(0.1, 10.0);
  Row row{uniform(random), uniform(random), positive(random), uniform(random), uniform(random)};
  if (row.lower > row.upper) std::swap(row.lower, row.upper);
  switch (random() % 5) {
    case 0:
      row.lower = -infinity;
      break;
    case 1:
      row.upper = infinity;
      break;
    case 2:
      row.lower = -infinity, row.upper = infinity;
      break;
    case 3:
      row.upper = row.lower;
      break;
    default:
      break;
  }
  if (random() % 4 == 0) row.x = std::clamp(row.x, row.lower, row.upper);
  return row;
}

double energy_of(const Row& row) {
  return energy_error_row(row.x, row.w, row.a, row.lower, row.upper);
}

constexpr int trials = 20000;
constexpr double rounding = 1e-12;  // energies up to 0.5 * 10 * 6^2; a few roundings of the largest

TEST(EnergyErrorRow, IsHalfTheSquaredNaturalMapForFeasibleAndInfeasibleImpulses) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < trials; ++trial) {
    const Row row = random_row(random);
    const double moved = row.x - std::clamp(row.x - row.w / row.a, row.lower, row.upper);
    EXPECT_NEAR(energy_of(row), 0.5 * row.a * moved * moved, rounding);
  }
}

// What the printed sign of sigma_u breaks: turning the axis round changes nothing.
TEST(EnergyErrorRow, IsMirrorSymmetric) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < trials; ++trial) {
    const Row row = random_row(random);
    EXPECT_EQ(energy_of(row), energy_of({-row.x, -row.w, row.a, -row.upper, -row.lower}));
  }
}

TEST(EnergyErrorRow, KeepsItsJoulesInOtherUnits) {
  std::mt19937_64 random(3);
  const double s = 8.0;  // a power of two, so that nothing is rounded
  for (int trial = 0; trial < trials; ++trial) {
    const Row row = random_row(random);
    EXPECT_EQ(energy_of(row),
              energy_of({row.x * s, row.w / s, row.a / (s * s), row.lower * s, row.upper * s}));
  }
}

TEST(EnergyErrorRow, VanishesOnComplementaryPairsOnly) {
  EXPECT_EQ(energy_error_row(0.0, 2.0, 1.0, 0.0, infinity), 0.0);   // open
  EXPECT_EQ(energy_error_row(2.0, 0.0, 1.0, 0.0, infinity), 0.0);   // closed
  EXPECT_EQ(energy_error_row(-1.0, 5.0, 1.0, -1.0, 1.0), 0.0);      // at the lower bound
  EXPECT_EQ(energy_error_row(1.0, -5.0, 1.0, -1.0, 1.0), 0.0);      // at the upper bound
  EXPECT_EQ(energy_error_row(0.3, 0.0, 1.0, -1.0, 1.0), 0.0);       // between
  EXPECT_GT(energy_error_row(1.0, 5.0, 1.0, -1.0, 1.0), 0.0);       // driven out of the wrong bound
  EXPECT_GT(energy_error_row(0.0, -0.1, 1.0, 0.0, infinity), 0.0);  // penetrating
}

TEST(EnergyErrorRow, TakesTheCheaperWayBack) {
  EXPECT_EQ(energy_error_row(3.0, 1.0, 1.0, 0.0, infinity), 0.5);   // stop w
  EXPECT_EQ(energy_error_row(1.0, 3.0, 1.0, 0.0, infinity), 0.5);   // give up x
  EXPECT_EQ(energy_error_row(-2.0, 9.0, 1.0, 0.0, infinity), 2.0);  // infeasible x
}

TEST(EnergyErrorRow, FreeRowsCountTheKineticEnergyAtAnyImpulse) {
  EXPECT_EQ(energy_error_row(1e300, 3.0, 2.0, -infinity, infinity), 2.25);
  EXPECT_EQ(energy_error_row(0.0, -3.0, 2.0, -infinity, infinity), 2.25);
}

TEST(EnergyErrorRow, IsNeverNotANumber) {
  for (const double x : {0.0, 1e-300, -1e300})
    for (const double w : {0.0, -1e-300, 1e300})
      for (const double a : {1e-300, 1.0, 1e300})
        for (const double lower : {-infinity, 0.0})
          for (const double upper : {infinity, 1.0})
            EXPECT_FALSE(std::isnan(energy_error_row(x, w, a, lower, upper)));
}

// Compliance is part of N's diagonal: a softer row stores the same violation of w as less energy.
TEST(EnergyError, SumsRowsWithTheirOwnDiagonal) {
  ConeSet cones = make_cone_set(3, 0, 0);
  set_interval(cones, 1, 0.0, infinity);
  set_interval(cones, 2, -1.0, 1.0);
  const double compliance = 0.5;
  const ConeProblem problem = support::dense_problem(
      cones, support::plain_diagonal_matrix({2.0 + compliance, 4.0, 1.0}), {-5.0, -3.0, 2.0});

  // w = (-5 + 2.5 x_0, -3 + 4 x_1, 2 + x_2)
  const Judged judged(problem, Law::Associated, {1.0, 0.5, 0.0});

  // rows: 2.5^2 / (2 * 2.5); 1 / (2 * 4); w = 2 at x = 0: the bound -1 is nearer, 1 / 2
  EXPECT_DOUBLE_EQ(judged.measure(Measure::Energy, Law::Associated), 1.25 + 0.125 + 0.5);
}

TEST(EnergyError, IsHalfTheSquaredNaturalResidual) {
  std::mt19937_64 random(4);
  ConeSet cones = make_cone_set(3, 2, 2);
  set_interval(cones, 1, 0.0, infinity);
  set_interval(cones, 2, -0.5, 0.25);
  for (Index c = 0; c < 2; ++c) {
    set_planar_friction(cones, c, 0.3 + c);
    set_spatial_friction(cones, c, 0.7 * c, {0.0, 0.6, 0.8}, {1.0, 0.0, 0.0});
  }
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box}) {
    const Judged judged(support::dense_problem(cones, support::plain_random_matrix(13, 0.5, random),
                                               support::plain_random_vector(13, random)),
                        law, support::plain_random_vector(13, random));

    const ErrorReport report = judged.report(law);

    EXPECT_GT(report.energy, 0.0);
    // both are sums of 7 terms of the same size, each with a few roundings
    EXPECT_NEAR(report.energy, 0.5 * report.natural * report.natural, 1e-14 * report.energy);
  }
}

}  // namespace
}  // namespace talus
