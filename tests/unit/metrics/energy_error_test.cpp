#include "metrics/energy_error.hpp"

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

// ---- the box law: each row with its own a_ii [Enzenhoefer15, eq. 5], numbers made by hand

/// One contact of a body with the floor, whose normal is z and whose first tangent is x; the
/// contact point is at `arm` from the centre of a body of mass m and inertia I about each axis.
BodyProblem on_the_floor(double m, double inertia, const Vec3& arm, double mu) {
  BodyProblem data;
  data.add_body({}, 1.0 / m, {1.0 / inertia, 0.0, 0.0, 1.0 / inertia, 0.0, 1.0 / inertia}, {});
  data.add_contact(no_body, 0, {0, 0, 1}, arm, mu, {});
  data.tangent.back() = {1, 0, 0};
  return data;
}

/// Energy error under the box law of impulse x and gap velocity w, both (n, t1, t2).
double box_energy(const ConeProblem& problem, const Vec3& x, const Vec3& w) {
  RowVector impulses(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap = impulses;
  set_spatial_value(problem.cones, impulses, 0, from_contact_frame(problem.cones, 0, x));
  set_spatial_value(problem.cones, gap, 0, from_contact_frame(problem.cones, 0, w));
  return evaluate(Measure::Energy, problem, Law::Box, impulses, gap, 1.0, Communicator::self());
}

// A sphere of 3 kg and 0.5 m: a_nn = 1/m; a_tt = 1/m + r^2/I = 3.5/m.
TEST(BoxEnergyError, OfASphereOnAFloorTakesEachRowsOwnDiagonal) {
  const double m = 3.0, r = 0.5, inertia = 0.4 * m * r * r;
  const ConeProblem problem = make_cone_problem(on_the_floor(m, inertia, {0, 0, -r}, 0.5));

  // falling at 1 m/s: to stop it costs m/2
  EXPECT_NEAR(box_energy(problem, {0, 0, 0}, {-1, 0, 0}), 1.5, 1e-14);
  // a pull: half a x^2
  EXPECT_NEAR(box_energy(problem, {-2, 0, 0}, {5, 0, 0}), 0.5 / m * 4.0, 1e-14);
  // slides along t1 at 0.1 m/s with nothing against it: w^2 / 2a, as the bound of 6 N s is far
  EXPECT_NEAR(box_energy(problem, {12, 0, 0}, {0, 0.1, 0}), 0.5 * 0.01 * m / 3.5, 1e-14);
  // at 100 m/s the bound is nearer: a/2 of the way to -6
  EXPECT_NEAR(box_energy(problem, {12, 0, 0}, {0, 100, 0}), 0.5 * 3.5 / m * 36.0, 1e-12);
  // t2 is 1 N s beyond its bound of 6, at rest
  EXPECT_NEAR(box_energy(problem, {12, 0, 7}, {0, 0, 0}), 0.5 * 3.5 / m, 1e-14);
  // rows add
  EXPECT_NEAR(box_energy(problem, {12, 0, 0}, {-0.3, 0.1, 0.2}),
              0.5 * 0.09 * m + 0.5 * (0.01 + 0.04) * m / 3.5, 1e-14);
}

// Spheres of 1 and 2 kg, 0.1 and 0.2 m, about a normal that is no axis of the world: a_nn = 1/m1 +
// 1/m2 = 1.5 and a_tt = 3.5 * 1.5.
TEST(BoxEnergyError, OfTwoSpheresDoesNotDependOnTheNormal) {
  for (const Vec3& n : {Vec3{0, 0, 1}, Vec3{0.6, 0, 0.8}, Vec3{2.0 / 3, -1.0 / 3, 2.0 / 3}}) {
    BodyProblem data;
    const auto sphere = [&](double m, double r, const Vec3& centre) {
      const double turning = 1.0 / (0.4 * m * r * r);
      data.add_body(centre, 1.0 / m, {turning, 0.0, 0.0, turning, 0.0, turning}, {});
    };
    sphere(1.0, 0.1, -0.1 * n);
    sphere(2.0, 0.2, 0.2 * n);
    data.add_contact(0, 1, n, {}, 0.5, {});
    const ConeProblem problem = make_cone_problem(data);

    EXPECT_NEAR(box_energy(problem, {0, 0, 0}, {-1, 0, 0}), 0.5 / 1.5, 1e-14);
    EXPECT_NEAR(box_energy(problem, {9, 0, 0}, {0, 1, 0}), 0.5 / 5.25, 1e-14);
    EXPECT_NEAR(box_energy(problem, {9, 0, 0}, {0, 0, -1}), 0.5 / 5.25, 1e-14);
  }
}

// A body of 2 kg and 0.5 kg m2, touched at (0.3, 0, -0.4) from its centre: a_nn = 1/2 + 0.09 / 0.5,
// a_xx = 1/2 + 0.16 / 0.5, a_yy = 1/2 + 0.25 / 0.5.
TEST(BoxEnergyError, OfAnOffCentreContactHasThreeDifferentDiagonals) {
  const ConeProblem problem = make_cone_problem(on_the_floor(2.0, 0.5, {0.3, 0.0, -0.4}, 1.0));

  EXPECT_NEAR(box_energy(problem, {0, 0, 0}, {-1, 0, 0}), 0.5 / 0.68, 1e-14);
  EXPECT_NEAR(box_energy(problem, {9, 0, 0}, {0, 1, 0}), 0.5 / 0.82, 1e-14);
  EXPECT_NEAR(box_energy(problem, {9, 0, 0}, {0, 0, 1}), 0.5 / 1.0, 1e-14);
}

// Rows of a given W: planar and spatial, each with the entry of its own row.
TEST(BoxEnergyError, OfAGivenMatrixTakesItsDiagonal) {
  ConeSet cones = make_cone_set(0, 1, 1);
  set_planar_friction(cones, 0, 0.5);
  set_spatial_friction(cones, 0, 0.5, {0.0, 0.6, 0.8}, {1.0, 0.0, 0.0});
  const ConeProblem problem = support::dense_problem(
      cones, support::plain_diagonal_matrix({2, 4, 8, 16, 32}), {-1, 1, -1, 1, 1});

  // x = 0: the tangents have bounds of 0 and no error, the normals w^2 / 2a
  EXPECT_NEAR(Judged(problem, Law::Box, {0, 0, 0, 0, 0}).measure(Measure::Energy, Law::Box),
              0.25 + 1.0 / 16.0, 1e-15);
  // x_n = 1: w = (1, 1 | 7, 1, 1); bounds 0.5. Rows: min(1/4, 1), min(1/8, 4/2 * 0.25),
  // min(49/16, 4), min(1/32, 2), min(1/64, 4)
  EXPECT_NEAR(Judged(problem, Law::Box, {1, 0, 1, 0, 0}).measure(Measure::Energy, Law::Box),
              0.25 + 0.125 + 49.0 / 16.0 + 1.0 / 32.0 + 1.0 / 64.0, 1e-14);
}

TEST(EnergyError, IsHalfTheSquaredNaturalResidualOfCones) {
  std::mt19937_64 random(4);
  ConeSet cones = make_cone_set(3, 2, 2);
  set_interval(cones, 1, 0.0, infinity);
  set_interval(cones, 2, -0.5, 0.25);
  for (Index c = 0; c < 2; ++c) {
    set_planar_friction(cones, c, 0.3 + c);
    set_spatial_friction(cones, c, 0.7 * c, {0.0, 0.6, 0.8}, {1.0, 0.0, 0.0});
  }
  for (const Law law : {Law::Coulomb, Law::Associated}) {
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
