#include "talus/metrics/measures.hpp"

#include "talus/core/error.hpp"

#include "problem/linear_operator.hpp"
#include "support/dense_problem.hpp"
#include "support/fault_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

const std::array<Law, 3> all_laws{Law::Coulomb, Law::Associated, Law::Box};

ConeSet mixed_cones(Index contacts) {
  ConeSet cones = make_cone_set(3, contacts, contacts);
  set_interval(cones, 1, 0.0, infinity);
  set_interval(cones, 2, -0.5, 0.25);
  for (Index c = 0; c < contacts; ++c) {
    set_planar_friction(cones, c, 0.1 * (c % 8));
    set_spatial_friction(cones, c, 0.2 * (c % 6), {0.0, 0.6, 0.8}, {1.0, 0.0, 0.0});
  }
  return cones;
}

TEST(Names, GoThereAndBack) {
  for (const Law law : all_laws) EXPECT_EQ(law_named(name_of(law)), law);
  for (const std::string& name : measure_names()) EXPECT_EQ(name_of(measure_named(name)), name);
  EXPECT_EQ(measure_names().size(), 11U);
  EXPECT_EQ(name_of(Measure::SiconosInvariant), "siconos_invariant");
  EXPECT_EQ(name_of(Measure::NaturalTau), "natural_tau");
}

TEST(Names, UnknownOnesNameTheNearest) {
  EXPECT_EQ(support::fault_of([] { law_named("culomb"); }),
            "unknown law 'culomb': did you mean 'coulomb'? known are coulomb, associated, box");
  EXPECT_THAT(support::fault_of([] { measure_named("natural_vel"); }),
              testing::StartsWith("unknown measure 'natural_vel': did you mean 'natural_velocity'? "
                                  "known are natural, "));
  EXPECT_THAT(support::fault_of([] { measure_named("fisher_burmeister"); }),
              testing::StartsWith(
                  "unknown measure 'fisher_burmeister': did you mean 'fischer_burmeister'? "));
}

TEST(EvaluateGap, AddsTheSkewPartForCoulombOnly) {
  const Plain skew{0.0, 0.5, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0};
  const ConeProblem problem = support::dense_problem(
      support::one_spatial_contact(0.5), support::plain_diagonal_matrix({2.0, 2.0, 2.0}),
      {-4.0, 1.0, 0.0}, skew);
  const Plain x{3.0, 1.0, 0.5};

  const Judged coulomb(problem, Law::Coulomb, x);
  const Judged associated(problem, Law::Associated, x);
  const Judged box(problem, Law::Box, x);

  EXPECT_EQ(support::to_plain(problem.cones, coulomb.gap), (Plain{2.5, 1.5, 1.0}));
  EXPECT_EQ(support::to_plain(problem.cones, associated.gap), (Plain{2.0, 3.0, 1.0}));
  EXPECT_EQ(box.gap, associated.gap);
  EXPECT_EQ(problem.delassus->products(), 3);
  EXPECT_EQ(problem.skew->products(), 1);
}

TEST(ReferenceOf, RelativeMeasuresIsTheirValueAtZero) {
  std::mt19937_64 random(1);
  const ConeSet cones = mixed_cones(2);
  const ConeProblem problem =
      support::dense_problem(cones, support::plain_random_matrix(13, 0.5, random),
                             support::plain_random_vector(13, random));
  const Communicator comm = Communicator::self();
  const RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  for (const Law law : all_laws) {
    EXPECT_EQ(reference_of(Measure::NaturalRelative, problem, law, comm),
              evaluate(Measure::Natural, problem, law, zero, problem.free_velocity, 1.0, comm));
    EXPECT_EQ(Judged(problem, law, Plain(13, 0.0)).measure(Measure::NaturalRelative, law), 1.0);
    EXPECT_EQ(Judged(problem, law, Plain(13, 0.0)).measure(Measure::NaturalTau, law), 1.0);
    EXPECT_EQ(reference_of(Measure::Energy, problem, law, comm), 1.0);
  }
}

TEST(ReferenceOf, AProblemThatZeroSolvesIsOne) {
  const ConeProblem problem = support::dense_problem(
      support::one_planar_contact(0.5), support::plain_diagonal_matrix({1.0, 1.0}), {1.0, 0.0});

  const Judged judged(problem, Law::Associated, {0.0, 0.0});

  EXPECT_EQ(judged.measure(Measure::NaturalRelative, Law::Associated), 0.0);
  EXPECT_EQ(judged.measure(Measure::NaturalTau, Law::Associated), 0.0);
}

// x in [2, 3]: the start is 2, where w = 4 * 2 - 20 = -12. R = 2 |min(12 / 4, 1)|.
TEST(ReferenceOf, AnIntervalWithoutZeroStartsAtItsNearestPoint) {
  const ConeProblem problem = support::dense_problem(
      support::one_row(2.0, 3.0), support::plain_diagonal_matrix({4.0}), {-20.0});

  const double reference =
      reference_of(Measure::NaturalRelative, problem, Law::Associated, Communicator::self());

  EXPECT_EQ(reference, 2.0);
  EXPECT_EQ(problem.delassus->products(), 1);
}

TEST(NaturalResidual, DoesNotLoseASmallVelocityBesideALargeImpulse) {
  const ConeProblem row = support::dense_problem(support::one_row(-infinity, infinity),
                                                 support::plain_diagonal_matrix({1.0}), {0.0});
  const ConeProblem contact = support::dense_problem(
      support::one_planar_contact(0.5), support::plain_diagonal_matrix({1.0, 1.0}), {0.0, 0.0});
  const Communicator comm = Communicator::self();
  const RowVector row_x = support::to_stored(row.cones, {1e10});
  const RowVector row_w = support::to_stored(row.cones, {1e-8});
  const RowVector contact_x = support::to_stored(contact.cones, {1e10, 0.0});
  const RowVector contact_w = support::to_stored(contact.cones, {1e-8, 0.0});

  // x - (x - w) would be 0: 1e-8 is below the last digit of 1e10
  EXPECT_EQ(evaluate(Measure::Natural, row, Law::Associated, row_x, row_w, 1.0, comm), 1e-8);
  EXPECT_EQ(evaluate(Measure::Natural, contact, Law::Associated, contact_x, contact_w, 1.0, comm),
            1e-8);
}

TEST(NaturalVelocity, IsTheRootMeanSquareOverCones) {
  // free rows: g |d| = |w|
  const ConeProblem problem = support::dense_problem(
      make_cone_set(2, 0, 0), support::plain_diagonal_matrix({2.0, 8.0}), {3.0, 4.0});

  const ErrorReport report = Judged(problem, Law::Associated, {0.0, 0.0}).report(Law::Associated);

  EXPECT_DOUBLE_EQ(report.natural_velocity, std::sqrt(12.5));
  EXPECT_EQ(report.natural_velocity_max, 4.0);
  // as impulses |w| / g: 3 / 2 and 4 / 8
  EXPECT_DOUBLE_EQ(report.natural_impulse, std::sqrt(0.5 * (1.5 * 1.5 + 0.5 * 0.5)));
  EXPECT_EQ(report.natural_impulse_max, 1.5);
  EXPECT_DOUBLE_EQ(report.natural, std::sqrt(9.0 / 2.0 + 16.0 / 8.0));
}

TEST(Measures, WithoutRowsAreZero) {
  const ConeProblem problem = support::dense_problem(make_cone_set(0, 0, 0), {}, {});

  const ErrorReport report = Judged(problem, Law::Coulomb, {}).report(Law::Coulomb);

  EXPECT_EQ(report.natural_velocity, 0.0);
  EXPECT_EQ(report.natural_relative, 0.0);
  EXPECT_TRUE(std::isnan(report.siconos)) << "of contacts only";
  EXPECT_TRUE(std::isnan(report.siconos_invariant));
  EXPECT_EQ(report.duality_gap, 0.0);
  EXPECT_EQ(report.penalised_gap, 0.0);
}

TEST(Measures, OfAnIterateThatIsNotFiniteAreNotNumbers) {
  ConeSet cones = make_cone_set(3, 1, 1);
  set_interval(cones, 1, 0.0, infinity);
  set_interval(cones, 2, -1.0, 1.0);
  const ConeProblem problem =
      support::dense_problem(cones, support::plain_diagonal_matrix(Plain(8, 1.0)), Plain(8, 1.0));
  for (const double poison : {std::nan(""), infinity, -infinity})
    for (const std::size_t row : {0UL, 1UL, 2UL, 3UL, 4UL, 5UL, 7UL})
      for (const Law law : all_laws) {
        Judged judged(problem, law, Plain(8, 0.0));
        Plain x(8, 0.0), w(8, 1.0);
        x[row] = w[row] = poison;
        judged.x = support::to_stored(cones, x);
        judged.gap = support::to_stored(cones, w);

        const ErrorReport report = judged.report(law);

        for (const std::string& name : measure_names()) {
          const bool counted = name == "bilateral" ? row == 0  // the only free row
                                                   : row > 2 || name.rfind("siconos", 0) !=
                                                                    0;  // e1, e2: contacts only
          EXPECT_NE(std::isfinite(judged.measure(measure_named(name), law)), counted)
              << name << " " << name_of(law) << " row " << row << " " << poison;
        }
        EXPECT_FALSE(std::isfinite(report.natural_velocity_max));
        EXPECT_FALSE(std::isfinite(report.natural_impulse_max));
        EXPECT_FALSE(std::isfinite(report.objective));
        EXPECT_FALSE(std::isfinite(report.dual_violation) && std::isfinite(report.duality_gap));
      }
}

/// The same problem with impulses in units smaller by `s`: x -> s x, w -> w, N -> N / s, so that
/// energies are s times larger; s is a power of 4, so that nothing is rounded.
TEST(Measures, FollowAChangeOfUnits) {
  std::mt19937_64 random(2);
  const double s = 64.0;
  ConeSet cones = mixed_cones(3);
  ConeSet scaled_cones = cones;
  set_interval(scaled_cones, 2, -0.5 * s, 0.25 * s);
  const Plain matrix = support::plain_random_matrix(18, 0.5, random);
  const Plain r = support::plain_random_vector(18, random);
  const Plain x = support::plain_random_vector(18, random);
  Plain scaled_matrix = matrix, scaled_x = x;
  for (double& value : scaled_matrix) value /= s;
  for (double& value : scaled_x) value *= s;
  for (const Law law : all_laws) {
    const ErrorReport one = Judged(support::dense_problem(cones, matrix, r), law, x).report(law);
    const ErrorReport other =
        Judged(support::dense_problem(scaled_cones, scaled_matrix, r), law, scaled_x).report(law);

    EXPECT_EQ(other.natural, 8.0 * one.natural);  // the root of an energy
    EXPECT_EQ(other.natural_relative, one.natural_relative);
    EXPECT_EQ(other.natural_velocity, one.natural_velocity);
    EXPECT_EQ(other.natural_velocity_max, one.natural_velocity_max);
    EXPECT_EQ(other.natural_impulse, s * one.natural_impulse);
    EXPECT_EQ(other.natural_impulse_max, s * one.natural_impulse_max);
    EXPECT_EQ(other.natural_tau, one.natural_tau);
    EXPECT_EQ(other.energy, s * one.energy);
    EXPECT_EQ(other.fischer_burmeister, s * one.fischer_burmeister);
    EXPECT_EQ(other.siconos_invariant, one.siconos_invariant);
    EXPECT_NE(other.siconos, one.siconos);  // e1 adds an impulse to a velocity
    EXPECT_EQ(other.bilateral, one.bilateral);
    EXPECT_EQ(other.objective, s * one.objective);
    EXPECT_EQ(other.duality_gap, s * one.duality_gap);
    EXPECT_EQ(other.penalised_gap, s * one.penalised_gap);
    EXPECT_EQ(other.dual_violation, one.dual_violation);
  }
}

// 2000 contacts: enough that the threads are used.
TEST(Measures, HaveTheSameBitsForAnyNumberOfThreads) {
  const int threads_before = omp_get_max_threads();
  std::mt19937_64 random(3);
  const ConeSet cones = mixed_cones(1000);
  const auto size = static_cast<std::size_t>(cones.row_count());
  ConeProblem problem = support::dense_problem(
      mixed_cones(0), support::plain_random_matrix(3, 1.0, random), Plain(3, 0.0));
  problem.cones = cones;
  problem.scale.assign(static_cast<std::size_t>(cones.slots()), 1.25);
  problem.free_velocity = support::to_stored(cones, support::plain_random_vector(size, random));
  const RowVector x = support::to_stored(cones, support::plain_random_vector(size, random));
  const RowVector w = support::to_stored(cones, support::plain_random_vector(size, random));
  for (const std::string& name : measure_names()) {
    const Measure measure = measure_named(name);
    std::array<double, 4> values{};
    for (int threads = 1; threads <= 4; ++threads) {
      omp_set_num_threads(threads);
      values[static_cast<std::size_t>(threads - 1)] =
          evaluate(measure, problem, Law::Coulomb, x, w, 1.0, Communicator::self());
    }
    for (const double value : values) EXPECT_EQ(value, values[0]) << name;
    EXPECT_GT(values[0], 0.0);
  }
  omp_set_num_threads(threads_before);
}

}  // namespace
}  // namespace talus
