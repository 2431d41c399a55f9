// Measures of rolling contacts: one contact by hand, all of them against formulas in plain arrays,
// and what changes with units.

#include "talus/core/error.hpp"
#include "talus/metrics/measures.hpp"

#include "metrics/cone_terms.hpp"
#include "metrics/definitions.hpp"
#include "support/dense_problem.hpp"
#include "support/rolling_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

constexpr double rounding = 2e-15;  // a few roundings of numbers of order 1 to 10

const std::array<Measure, 7> all_measures{
    Measure::Natural, Measure::NaturalRelative, Measure::NaturalVelocity, Measure::NaturalTau,
    Measure::Energy,  Measure::Siconos,         Measure::SiconosInvariant};

/// One contact with N = 2 I (g = 2 / kg): mu 0.5, mu_r 0.25, mu_s 0.125; rows n, t1, t2, r1, r2, s.
ConeProblem contact_with(const Plain& free_velocity) {
  ConeSet cones = make_cone_set({0, 0, 0, 1});
  set_rolling_friction(cones, 0, {0.5, 0.25, 0.125}, {0.0, 0.0, 1.0}, {0.0, 1.0, 0.0});
  return support::dense_problem(cones, support::plain_diagonal_matrix(Plain(6, 2.0)),
                                free_velocity);
}

void expect_solved(const Plain& free_velocity, const Plain& x, Law law) {
  const Judged judged(contact_with(free_velocity), law, x);
  for (const Measure measure : all_measures)
    EXPECT_LE(judged.measure(measure, law), rounding) << name_of(measure) << " " << name_of(law);
  const ErrorReport report = judged.report(law);
  EXPECT_NEAR(report.duality_gap, 0.0, 8 * rounding);
  EXPECT_LE(report.dual_violation, 2 * rounding);
  EXPECT_LE(report.natural_velocity_max, rounding);
}

void expect_unsolved(const Plain& free_velocity, const Plain& x, Law law) {
  const Judged judged(contact_with(free_velocity), law, x);
  for (const Measure measure : all_measures)
    EXPECT_GT(judged.measure(measure, law), 1e-3) << name_of(measure) << " " << name_of(law);
}

TEST(RollingLaws, AContactAtRestSolvesAllThree) {
  // w = 0; |t| = 0.5 < 1, |m_R| = 0.3 < 0.5, |m_S| = 0.2 < 0.25
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box})
    expect_solved({-4.0, 1.0, 0.0, -0.6, 0.0, 0.4}, {2.0, -0.5, 0.0, 0.3, 0.0, -0.2}, law);
}

TEST(RollingLaws, AnOpenContactSolvesAllThree) {
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box})
    expect_solved({1.0, 0.3, -0.2, 0.5, 0.1, 0.4}, Plain(6, 0.0), law);
}

// x = (2; -1, 0; 0.3, 0.4; 0.25), w = (w_n; 3, 0; -1.2, -1.6; -1): all three at their bounds.
// Coulomb: w_n = 0. Associated: w_n = 0.5 * 3 + 0.25 * 2 + 0.125 * 1 = 2.125.
TEST(RollingLaws, ASlidingRollingSpinningContactSolvesItsOwnLaw) {
  const Plain x{2.0, -1.0, 0.0, 0.3, 0.4, 0.25};
  const Plain coulomb{-4.0, 5.0, 0.0, -1.8, -2.4, -1.5};
  Plain associated = coulomb;
  associated[0] += 2.125;

  expect_solved(coulomb, x, Law::Coulomb);
  expect_unsolved(coulomb, x, Law::Associated);
  expect_solved(associated, x, Law::Associated);
  expect_unsolved(associated, x, Law::Coulomb);
}

// Each torque at its own bound: |m_R| = 0.5 sqrt(2) is too much for a disc.
TEST(RollingLaws, ABoxHasCorners) {
  const Plain x{2.0, -1.0, 1.0, 0.5, -0.5, 0.25}, free_velocity{-4.0, 5.0, -6.0, -2.0, 2.0, -1.0};
  expect_solved(free_velocity, x, Law::Box);
  expect_unsolved(free_velocity, x, Law::Coulomb);
  expect_unsolved(free_velocity, x, Law::Associated);
}

TEST(RollingLaws, BoundsOfABoxVanishWithTheNormalImpulse) {
  // x_n < 0: a defect of its own; the torque must be 0, whatever w says
  const Judged judged(contact_with({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}), Law::Box,
                      {-1.0, 0.0, 0.0, 0.0, 1.0, 0.0});
  EXPECT_NEAR(judged.measure(Measure::Natural, Law::Box), std::sqrt(2.0 * 2.0), rounding);
}

// x = 0, w = (-1; 0, 0; 4, 0; 0): y = -w / 2 = (0.5; -2). |m_R| is cut: n = (0.5 + 0.25 * 2) / (1 +
// 0.0625) = 16/17, m_R = 4/17.
TEST(RollingMeasures, AreAsByHandFarFromASolution) {
  const Judged judged(contact_with({-1.0, 0.0, 0.0, 4.0, 0.0, 0.0}), Law::Associated,
                      Plain(6, 0.0));
  const double square = (256.0 + 16.0) / 289.0;

  EXPECT_NEAR(judged.measure(Measure::Natural, Law::Associated), std::sqrt(2.0 * square), rounding);
  EXPECT_NEAR(judged.measure(Measure::Energy, Law::Associated), square, rounding);
  EXPECT_NEAR(judged.measure(Measure::NaturalVelocity, Law::Associated), 2.0 * std::sqrt(square),
              rounding);
  EXPECT_EQ(judged.measure(Measure::NaturalRelative, Law::Associated), 1.0);
  // distance of w from K*: the projection of -w on K, n = (1 + 0.25 * 4) / 1.0625 = 32/17
  EXPECT_NEAR(judged.report(Law::Associated).dual_violation,
              std::sqrt(32.0 * 32.0 + 8.0 * 8.0) / 17.0, rounding);
  // Coulomb adds 0.25 * 4 = 1 to w_n: y = (0; -2), n = 8/17, m_R = 2/17
  EXPECT_NEAR(judged.measure(Measure::Natural, Law::Coulomb), std::sqrt(2.0 * 68.0) / 17.0,
              rounding);
}

TEST(RollingMeasures, HaveNoFischerBurmeisterMerit) {
  const Judged judged(contact_with({-1.0, 0.0, 0.0, 4.0, 0.0, 0.0}), Law::Coulomb, Plain(6, 0.0));
  EXPECT_TRUE(std::isnan(judged.report(Law::Coulomb).fischer_burmeister));
  EXPECT_TRUE(std::isnan(judged.measure(Measure::FischerBurmeister, Law::Coulomb)));
}

TEST(RollingMeasures, ASpinThatNothingHoldsIsNoError) {
  ConeSet cones = make_cone_set({0, 0, 0, 1});
  set_rolling_friction(cones, 0, {0.5, 0.25, 0.0}, {0.0, 0.0, 1.0}, {});
  const ConeProblem problem = support::dense_problem(
      cones, support::plain_diagonal_matrix(Plain(6, 2.0)), {-4.0, 0.0, 0.0, 0.0, 0.0, 100.0});
  const Judged judged(problem, Law::Coulomb, {2.0, 0.0, 0.0, 0.0, 0.0, 0.0});

  for (const Measure measure : all_measures)
    EXPECT_LE(judged.measure(measure, Law::Coulomb), rounding) << name_of(measure);
  // nor does it make the others small: x_n = 1, w_n = -2, so 1 - P(3) = -2, and |q| = 4 without it
  const Judged half(problem, Law::Coulomb, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0});
  EXPECT_NEAR(half.measure(Measure::Siconos, Law::Coulomb), 0.5, rounding);
}

TEST(DeSaxce, AddsTheSpeedsTimesTheirCoefficients) {
  const SixRows gap{{100.0, 3.0, -4.0}, {16.0, 0.0, -8.0}};  // contact frame: n first

  EXPECT_DOUBLE_EQ(de_saxce_term({0.5, 0.25, 0.125}, gap), 2.5 + 2.0 + 2.0);
  EXPECT_DOUBLE_EQ(de_saxce_term({0.5, infinity, 0.125}, gap), 2.5 + 2.0);
}

// ---- many contacts, in plain arrays of given units

double square_of(const std::vector<double>& v, std::size_t from, std::size_t count) {
  double sum = 0.0;
  for (std::size_t k = from; k < from + count; ++k) sum += v[k] * v[k];
  return sum;
}

/// |r - P(r - u^ / lam)|^2 of one contact with rows (n, parts), by searching n as in a projection
/// of several discs: all subsets of cut discs are tried.
double defect_square(const std::vector<double>& y, const std::vector<double>& r,
                     const std::vector<double>& mu, std::size_t part) {
  const std::size_t parts = mu.size();
  std::vector<double> length(parts);
  for (std::size_t i = 0; i < parts; ++i) length[i] = std::sqrt(square_of(y, 1 + i * part, part));
  double n = 0.0;
  for (std::size_t subset = 0; subset < (1U << parts); ++subset) {
    double above = y[0], below = 1.0;
    for (std::size_t i = 0; i < parts; ++i)
      if ((subset >> i & 1U) != 0) {
        above += mu[i] * length[i];
        below += mu[i] * mu[i];
      }
    n = std::max(n, above / below);  // a minimum of rising lines has the largest of their roots
  }
  double sum = (r[0] - n) * (r[0] - n);
  for (std::size_t i = 0; i < parts; ++i) {
    const double shrink = length[i] > mu[i] * n ? mu[i] * n / length[i] : 1.0;
    for (std::size_t k = 1 + i * part; k < 1 + (i + 1) * part; ++k) {
      const double gap = r[k] - shrink * y[k];
      sum += gap * gap;
    }
  }
  return sum;
}

struct PlainErrors {
  double e1 = 0.0, e2 = 0.0;
};

PlainErrors plain_errors(const LocalProblem& data, Law law, const std::vector<double>& r) {
  const std::vector<double> product = times(data.W, r);
  const auto d = static_cast<std::size_t>(data.rows_per_contact());
  const std::size_t part = d / 2;
  std::vector<double> u = data.q;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] += product[i];
  double lam = 0.0;
  for (Index i = 0; i < data.contact_count(); ++i) {
    double largest = 0.0;
    for (Index k = 0; k < data.rows_per_contact(); ++k) {
      const auto row = static_cast<std::size_t>(data.rows_per_contact() * i + k);
      double sum = 0.0;
      for (auto e = data.W.row_start[row]; e < data.W.row_start[row + 1]; ++e)
        if (data.W.column[static_cast<std::size_t>(e)] / data.rows_per_contact() == i)
          sum += std::abs(data.W.value[static_cast<std::size_t>(e)]);
      largest = std::max(largest, sum);
    }
    lam += largest / data.contact_count();
  }
  const auto error = [&](double rho) {
    double defect = 0.0;
    for (std::size_t c = 0; c < data.friction.size(); ++c) {
      const std::vector<double> mu{data.friction[c], data.rolling_friction[c]};
      std::vector<double> y(d), own(d);
      for (std::size_t k = 0; k < d; ++k) {
        own[k] = r[d * c + k];
        y[k] = own[k] - u[d * c + k] / rho;
      }
      if (law == Law::Coulomb)
        for (std::size_t i = 0; i < 2; ++i)
          y[0] -= mu[i] * std::sqrt(square_of(u, d * c + 1 + i * part, part)) / rho;
      defect += defect_square(y, own, mu, part);
    }
    const double q = std::sqrt(square_of(data.q, 0, data.q.size()));
    return std::sqrt(defect) / std::max({q / rho, std::sqrt(square_of(r, 0, r.size())),
                                         std::sqrt(square_of(u, 0, u.size())) / rho});
  };
  return {error(1.0), error(lam)};
}

TEST(RollingSiconosErrors, AreThoseOfTheProblemAsGiven) {
  for (const int dimension : {2, 3})
    for (const Law law : {Law::Coulomb, Law::Associated}) {
      const support::Manufactured made = support::manufacture_rolling_local(
          {.law = law, .contacts = 9, .free_rows = 0, .dimension = dimension});
      const auto& data = std::get<LocalProblem>(made.data);
      const ConeProblem problem = make_cone_problem(made.data);
      Solution off = made.exact;
      for (std::size_t i = 0; i < off.r.size(); ++i)
        off.r[i] *= 1.0 + 0.1 * static_cast<double>(i % 7);
      const RowVector x = impulses_from(problem, off);
      RowVector gap;
      evaluate_gap(problem, law, x, gap);

      const ErrorReport report = evaluate_all(problem, law, x, gap, Communicator::self());

      const PlainErrors plain = plain_errors(data, law, off.r);
      EXPECT_NEAR(report.siconos, plain.e1, 1e-12);
      EXPECT_NEAR(report.siconos_invariant, plain.e2, 1e-12);
      EXPECT_GT(plain.e1, 1e-3);
    }
}

TEST(RollingSiconosErrors, HaveTheWholeOfAMatrixThatIsNotSymmetric) {
  const support::Manufactured made = support::manufacture_rolling_local(
      {.law = Law::Coulomb, .contacts = 9, .free_rows = 0, .asymmetry = 1e-2});
  const auto& data = std::get<LocalProblem>(made.data);
  const ConeProblem problem = make_cone_problem(made.data);
  ASSERT_NE(problem.skew, nullptr);
  Solution off = made.exact;
  for (double& value : off.r) value *= 1.3;
  const RowVector x = impulses_from(problem, off);
  RowVector gap;
  evaluate_gap(problem, Law::Coulomb, x, gap);

  const ErrorReport report = evaluate_all(problem, Law::Coulomb, x, gap, Communicator::self());

  const PlainErrors plain = plain_errors(data, Law::Coulomb, off.r);
  EXPECT_NEAR(report.siconos, plain.e1, 1e-12);
  EXPECT_NEAR(report.siconos_invariant, plain.e2, 1e-12);
}

// Metres or millimetres: torques and mu_r change by 1000, angular velocities do not; nothing but e1
// and e2 (which add rows as they are given) may notice beyond rounding.
TEST(RollingMeasures, DoNotChangeWithTheUnitOfLengthOfTorques) {
  const support::Manufactured made =
      support::manufacture_rolling_local({.law = Law::Coulomb, .contacts = 9, .free_rows = 0});
  LocalProblem scaled = std::get<LocalProblem>(made.data);
  const double unit = 1024.0;  // r' = unit r of torque rows, u' = u / unit
  const auto factor = [](Index row) { return row % 5 >= 3 ? 1024.0 : 1.0; };
  for (Index i = 0; i < scaled.W.rows; ++i) {
    scaled.q[static_cast<std::size_t>(i)] /= factor(i);
    for (auto e = scaled.W.row_start[static_cast<std::size_t>(i)];
         e < scaled.W.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      scaled.W.value[static_cast<std::size_t>(e)] /=
          factor(i) * factor(scaled.W.column[static_cast<std::size_t>(e)]);
  }
  for (double& mu : scaled.rolling_friction) mu *= unit;
  Solution off = made.exact;
  for (double& value : off.r) value *= 1.3;
  const auto report_of = [&](const ProblemData& data, bool in_other_unit) {
    const ConeProblem problem = make_cone_problem(data);
    Solution start = off;
    for (std::size_t i = 0; i < start.r.size(); ++i)
      if (in_other_unit) start.r[i] *= factor(static_cast<Index>(i));
    const RowVector x = impulses_from(problem, start);
    RowVector gap;
    evaluate_gap(problem, Law::Coulomb, x, gap);
    return evaluate_all(problem, Law::Coulomb, x, gap, Communicator::self());
  };

  const ErrorReport one = report_of(made.data, false), other = report_of(scaled, true);

  const auto expect_same = [](double a, double b) { EXPECT_NEAR(a, b, 1e-12 * std::abs(a)); };
  expect_same(one.natural, other.natural);
  expect_same(one.natural_relative, other.natural_relative);
  expect_same(one.natural_velocity, other.natural_velocity);
  expect_same(one.natural_tau, other.natural_tau);
  expect_same(one.energy, other.energy);
  expect_same(one.duality_gap, other.duality_gap);
  expect_same(one.objective, other.objective);
  EXPECT_GT(std::abs(one.siconos - other.siconos), 1e-6);
}

// f(x) - f* <= duality gap, once x is in K and w in K*: a certificate by another way.
TEST(RollingMeasures, DualityGapBoundsTheObjective) {
  const support::Manufactured made = support::manufacture_rolling_bodies({.contacts = 12});
  const ConeProblem problem = make_cone_problem(made.data);
  const auto report_of = [&](const Solution& s) {
    const RowVector x = impulses_from(problem, s);
    RowVector gap;
    evaluate_gap(problem, Law::Associated, x, gap);
    return evaluate_all(problem, Law::Associated, x, gap, Communicator::self());
  };
  Solution off = made.exact;
  for (double& value : off.r) value *= 1.1;  // still in K

  const ErrorReport best = report_of(made.exact), there = report_of(off);

  EXPECT_NEAR(best.duality_gap, 0.0, 1e-12);
  EXPECT_LE(best.dual_violation, 1e-12);
  EXPECT_GT(there.objective, best.objective);
  RowVector x = impulses_from(problem, off), gap;
  evaluate_gap(problem, Law::Associated, x, gap);
  EXPECT_GE(penalised_gap({problem, Law::Associated, x, gap, Communicator::self()}),
            0.5 * (there.objective - best.objective));
}

}  // namespace
}  // namespace talus
