// One contact with N = 2 I (g = 2 / kg) and mu = 0.5, solved by hand for each law. The first
// component is the normal.

#include "talus/metrics/measures.hpp"

#include "support/dense_problem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

constexpr double rounding = 1e-15;  // a few roundings of numbers of order 1

const std::array<Law, 3> all_laws{Law::Coulomb, Law::Associated, Law::Box};
const std::array<Measure, 8> all_measures{Measure::Natural,         Measure::NaturalRelative,
                                          Measure::NaturalVelocity, Measure::NaturalTau,
                                          Measure::Energy,          Measure::FischerBurmeister,
                                          Measure::Siconos,         Measure::SiconosInvariant};

/// The contact in space (world frame, axis z) for three components, in the plane for two.
ConeProblem contact_with(const Plain& free_velocity) {
  const ConeSet cones = free_velocity.size() == 3 ? support::one_spatial_contact(0.5)
                                                  : support::one_planar_contact(0.5);
  return support::dense_problem(
      cones, support::plain_diagonal_matrix(Plain(free_velocity.size(), 2.0)), free_velocity);
}

void expect_solved(const Plain& free_velocity, const Plain& x, Law law) {
  const Judged judged(contact_with(free_velocity), law, x);
  for (const Measure measure : all_measures)
    EXPECT_LE(judged.measure(measure, law), rounding) << name_of(measure) << " " << name_of(law);
  const ErrorReport report = judged.report(law);
  EXPECT_LE(report.natural_velocity_max, rounding);
  EXPECT_NEAR(report.duality_gap, 0.0, 8 * rounding);  // sum of products of order 4
  EXPECT_LE(report.dual_violation, 2 * rounding);
}

void expect_unsolved(const Plain& free_velocity, const Plain& x, Law law) {
  const Judged judged(contact_with(free_velocity), law, x);
  for (const Measure measure : all_measures)
    EXPECT_GT(judged.measure(measure, law), 1e-3) << name_of(measure) << " " << name_of(law);
}

TEST(Laws, StickingContactSolvesAllThree) {
  for (const Law law : all_laws) {
    expect_solved({-4.0, 1.0, 0.0}, {2.0, -0.5, 0.0}, law);  // w = 0, |x_t| = 0.5 < 1
    expect_solved({-4.0, 1.0}, {2.0, -0.5}, law);
  }
}

TEST(Laws, OpenContactSolvesAllThree) {
  for (const Law law : all_laws) {
    expect_solved({1.0, 0.3, -0.2}, {0.0, 0.0, 0.0}, law);  // mu |w_t| = 0.18 < w_n
    expect_solved({1.0, 0.3}, {0.0, 0.0}, law);
  }
}

// x = (2, -1), w = (0, 3): on the cone's boundary, opposite to the slip, no velocity along the
// normal.
TEST(Laws, CoulombSlideSolvesCoulombAndBoxOnly) {
  for (const Law law : {Law::Coulomb, Law::Box}) {
    expect_solved({-4.0, 5.0, 0.0}, {2.0, -1.0, 0.0}, law);
    expect_solved({-4.0, 5.0}, {2.0, -1.0}, law);
  }
  expect_unsolved({-4.0, 5.0, 0.0}, {2.0, -1.0, 0.0}, Law::Associated);
  expect_unsolved({-4.0, 5.0}, {2.0, -1.0}, Law::Associated);
}

// x = (2, -1), w = (1.5, 3): the convex law lifts a sliding contact with w_n = mu |w_t|.
TEST(Laws, AssociatedSlideSolvesAssociatedOnly) {
  expect_solved({-2.5, 5.0, 0.0}, {2.0, -1.0, 0.0}, Law::Associated);
  expect_solved({-2.5, 5.0}, {2.0, -1.0}, Law::Associated);
  for (const Law law : {Law::Coulomb, Law::Box})
    expect_unsolved({-2.5, 5.0, 0.0}, {2.0, -1.0, 0.0}, law);
}

// x = (2, -1, 1), w = (0, 3, -4): both tangents at their own bound, |x_t| > mu x_n.
TEST(Laws, BoxSlideAlongBothTangentsSolvesBoxOnly) {
  const Plain free_velocity{-4.0, 5.0, -6.0}, x{2.0, -1.0, 1.0};
  expect_solved(free_velocity, x, Law::Box);
  expect_unsolved(free_velocity, x, Law::Coulomb);
  expect_unsolved(free_velocity, x, Law::Associated);
}

// The Coulomb slide judged by the associated law. g = 2: y = x - w/2 = (2, -2.5), P(y) = (2.6,
// -1.3), x - P(y) = (-0.6, 0.3), |.|^2 = 0.45. rho = 1: y = (2, -4), P(y) = (3.2, -1.6), |x -
// P(y)|^2 = 1.8.
TEST(Laws, EveryMeasureOfTheCoulombSlideUnderTheAssociatedLawIsAsByHand) {
  for (const bool in_space : {true, false}) {
    const Judged judged =
        in_space ? Judged(contact_with({-4.0, 5.0, 0.0}), Law::Associated, {2.0, -1.0, 0.0})
                 : Judged(contact_with({-4.0, 5.0}), Law::Associated, {2.0, -1.0});

    const ErrorReport report = judged.report(Law::Associated);

    EXPECT_NEAR(report.natural, std::sqrt(2.0 * 0.45), rounding);
    EXPECT_NEAR(report.natural_velocity, 2.0 * std::sqrt(0.45), rounding);
    EXPECT_NEAR(report.natural_velocity_max, 2.0 * std::sqrt(0.45), rounding);
    // at x = 0: y = (2, -2.5) again, P(y) = (2.6, -1.3)
    EXPECT_NEAR(report.natural_relative, std::sqrt(0.45 / 8.45), rounding);
    EXPECT_NEAR(report.natural_tau, std::sqrt(0.45 / 8.45), rounding);
    EXPECT_NEAR(report.energy, 0.45, rounding);
    EXPECT_NEAR(report.siconos, std::sqrt(1.8 / 41.0), rounding);
    EXPECT_NEAR(report.siconos_invariant, std::sqrt(0.45 / (41.0 / 4.0)), rounding);
    // in the plane the Jordan algebra is that of two numbers, x_0 +- x_1 = (0, 2 2^1/2) and
    // w_0 +- w_1 = (3, -3) / 2^1/2: phi = 0 and 2 2^1/2, |Phi|^2 = 8 / 2
    EXPECT_NEAR(report.fischer_burmeister, 2.0, 4 * rounding);
    EXPECT_NEAR(report.objective, 0.5 * 2.0 * 5.0 - 8.0 - 5.0, 8 * rounding);
    // nearest to (0, 3) in K* = {0.5 |w_t| <= w_n}: (1.2, 2.4)
    EXPECT_NEAR(report.dual_violation, std::sqrt(1.8), 2 * rounding);
    EXPECT_NEAR(report.duality_gap, 2.0 * 1.2 - 2.4, 8 * rounding);
    EXPECT_EQ(report.bilateral, 0.0);
  }
}

// The associated slide judged by Coulomb: w^ = (1.5 + 0.5 * 3, 3) = (3, 3), y = (0.5, -2.5), P(y) =
// (1.4, -0.7).
TEST(Laws, AssociatedSlideUnderCoulombIsAsByHand) {
  const Judged judged(contact_with({-2.5, 5.0, 0.0}), Law::Coulomb, {2.0, -1.0, 0.0});

  const ErrorReport report = judged.report(Law::Coulomb);

  EXPECT_NEAR(report.natural, std::sqrt(2.0 * 0.45), rounding);
  EXPECT_NEAR(report.energy, 0.45, rounding);
  EXPECT_NEAR(report.duality_gap, 2.0 * 3.0 - 3.0, 8 * rounding);  // x . w^, w^ lies in K*
  EXPECT_EQ(report.dual_violation, 0.0);
}

// The same judged by box friction: only w_n = 1.5 is wrong, it moves x_n by 0.75.
TEST(Laws, AssociatedSlideUnderBoxIsAsByHand) {
  const Judged judged(contact_with({-2.5, 5.0, 0.0}), Law::Box, {2.0, -1.0, 0.0});

  const ErrorReport report = judged.report(Law::Box);

  EXPECT_NEAR(report.natural, std::sqrt(2.0) * 0.75, rounding);
  EXPECT_NEAR(report.energy, 0.75 * 0.75, rounding);
  // g^1/2 x_n = 2 2^1/2 and w_n / g^1/2 = 0.75 2^1/2: phi = 2^1/2 ((4 + 0.5625)^1/2 - 2.75)
  const double phi = std::sqrt(2.0) * (std::sqrt(4.5625) - 2.75);
  EXPECT_NEAR(report.fischer_burmeister, 0.5 * phi * phi, rounding);
  EXPECT_NEAR(report.siconos, 1.5 / std::hypot(2.5, 5.0), rounding);  // rho = 1 moves x_n by 1.5
  EXPECT_NEAR(report.duality_gap, 2.0 * 1.5, 8 * rounding);
}

TEST(Laws, BoxBoundsFollowTheCurrentNormalImpulse) {
  // x_n = 2 admits |x_t| <= 1: x_t = 1.5 is 0.5 too much; x_n = -1 admits no x_t at all
  const Judged above(contact_with({-4.0, -3.0, 0.0}), Law::Box, {2.0, 1.5, 0.0});
  const Judged below(contact_with({2.0, -3.0, 0.0}), Law::Box, {-1.0, 1.5, 0.0});

  EXPECT_NEAR(above.measure(Measure::Natural, Law::Box), std::sqrt(2.0) * 0.5, rounding);
  EXPECT_NEAR(below.measure(Measure::Natural, Law::Box), std::sqrt(2.0 * (1.0 + 2.25)), rounding);
}

TEST(Laws, FrictionlessContactIsTheSameUnderAllThree) {
  for (const Law law : all_laws) {
    const ConeProblem problem =
        support::dense_problem(support::one_spatial_contact(0.0),
                               support::plain_diagonal_matrix({2.0, 2.0, 2.0}), {-4.0, 5.0, 0.0});
    const Judged solved(problem, law, {2.0, 0.0, 0.0});
    const Judged not_solved(problem, law, {2.0, 0.25, 0.0});
    for (const Measure measure : all_measures) {
      EXPECT_LE(solved.measure(measure, law), rounding) << name_of(measure) << name_of(law);
      EXPECT_GT(not_solved.measure(measure, law), 1e-3) << name_of(measure) << name_of(law);
    }
  }
}

// Infinite friction: K is the half space x_n >= 0, and a closed contact cannot slide.
TEST(Laws, InfiniteFrictionForbidsSlip) {
  for (const Law law : all_laws) {
    const ConeProblem problem =
        support::dense_problem(support::one_spatial_contact(infinity),
                               support::plain_diagonal_matrix({2.0, 2.0, 2.0}), {-4.0, 50.0, 0.0});
    const Judged solved(problem, law, {2.0, -25.0, 0.0});
    const Judged not_solved(problem, law, {2.0, -24.0, 0.0});
    for (const Measure measure : all_measures) {
      EXPECT_LE(solved.measure(measure, law), rounding) << name_of(measure) << name_of(law);
      EXPECT_GT(not_solved.measure(measure, law), 1e-3) << name_of(measure) << name_of(law);
    }
  }
}

}  // namespace
}  // namespace talus
