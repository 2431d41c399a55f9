// e1 and e2 against the formulas of the FCLib notes (fc3d_compute_error of Siconos 4.4), written
// out again in plain dense form.

#include "talus/metrics/measures.hpp"

#include "support/dense_problem.hpp"
#include "support/plain_contacts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace talus {
namespace {

using support::Judged;
using support::Plain;

/// `rows` bilateral rows, then contacts; all random, in the frame given.
struct RandomCase {
  RandomCase(std::size_t dimension, Index rows, Index contacts, const Vec3& axis,
             std::mt19937_64& random) {
    plain.dimension = dimension;
    cones = dimension == 2 ? make_cone_set(rows, contacts, 0) : make_cone_set(rows, 0, contacts);
    std::uniform_real_distribution<double> uniform(0.0, 1.5);
    for (Index c = 0; c < contacts; ++c) {
      plain.friction.push_back(c == 0 ? 0.0 : uniform(random));
      if (dimension == 2)
        set_planar_friction(cones, c, plain.friction.back());
      else
        set_spatial_friction(cones, c, plain.friction.back(), axis, {0.0, 1.0, 0.0});
    }
    const auto size = static_cast<std::size_t>(cones.row_count());
    matrix = support::plain_random_matrix(size, 0.5, random);
    free_velocity = support::plain_random_vector(size, random);
    x = support::plain_random_vector(size, random);
    set_contacts(matrix);
  }

  void set_contacts(const Plain& whole) {
    const Plain image = support::plain_product(whole, x);
    plain.q = plain.r = plain.u = {};
    for (std::size_t i = first(); i < x.size(); ++i) {
      plain.q.push_back(free_velocity[i]);
      plain.r.push_back(x[i]);
      plain.u.push_back(image[i] + free_velocity[i]);
    }
  }

  std::size_t first() const { return static_cast<std::size_t>(cones.scalar_count); }
  double lam(const Plain& whole) const {
    return support::plain_lam(plain.friction.size(), plain.dimension,
                              [&](std::size_t i, std::size_t j) {
                                return whole[(first() + i) * x.size() + first() + j];
                              });
  }

  ConeSet cones;
  support::PlainContacts plain;
  Plain matrix, free_velocity, x;
};

// 30 cases of 20 contacts: enough contacts for every branch of the projection, sums of 60 terms of
// order 1.
TEST(SiconosError, AgreesWithTheFormulasInPlainForm) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 30; ++trial)
    for (const std::size_t dimension : {2UL, 3UL})
      for (const Law law : {Law::Coulomb, Law::Associated}) {
        const RandomCase sample(dimension, 3, 20, {0.48, 0.64, 0.6}, random);
        const Judged judged(
            support::dense_problem(sample.cones, sample.matrix, sample.free_velocity), law,
            sample.x);

        const double e1 = judged.measure(Measure::Siconos, law);
        const double e2 = judged.measure(Measure::SiconosInvariant, law);

        const bool coulomb = law == Law::Coulomb;
        EXPECT_NEAR(e1, sample.plain.e1(coulomb), 1e-13);
        EXPECT_NEAR(e2, sample.plain.e2(coulomb, sample.lam(sample.matrix)), 1e-13);
        EXPECT_GT(e1, 1e-3);
      }
}

// A W that is not symmetric: e2 divides by the blocks of the W that was given.
TEST(SiconosError, UsesTheWholeOfAnUnsymmetricMatrix) {
  std::mt19937_64 random(2);
  for (const std::size_t dimension : {2UL, 3UL}) {
    RandomCase sample(dimension, 0, 5, {1.0, 0.0, 0.0}, random);
    const std::size_t size = sample.x.size();
    Plain skew(size * size, 0.0), whole = sample.matrix;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        skew[i * size + j] = support::plain_random_vector(1, random)[0];
        skew[j * size + i] = -skew[i * size + j];
      }
    for (std::size_t k = 0; k < whole.size(); ++k) whole[k] += skew[k];
    const ConeProblem problem =
        support::dense_problem(sample.cones, sample.matrix, sample.free_velocity, skew);

    const double associated = Judged(problem, Law::Associated, sample.x)
                                  .measure(Measure::SiconosInvariant, Law::Associated);
    const double before = sample.plain.e2(false, sample.lam(sample.matrix));
    sample.set_contacts(whole);
    const double coulomb =
        Judged(problem, Law::Coulomb, sample.x).measure(Measure::SiconosInvariant, Law::Coulomb);

    EXPECT_NEAR(associated, before, 1e-14);
    EXPECT_NEAR(coulomb, sample.plain.e2(true, sample.lam(whole)), 1e-14);
  }
}

TEST(SiconosError, WithoutContactsIsZero) {
  const Judged judged(
      support::dense_problem(make_cone_set(2, 0, 0), support::plain_diagonal_matrix({1.0, 1.0}),
                             {3.0, 4.0}),
      Law::Coulomb, {1.0, 1.0});

  EXPECT_EQ(judged.measure(Measure::Siconos, Law::Coulomb), 0.0);
  EXPECT_EQ(judged.measure(Measure::SiconosInvariant, Law::Coulomb), 0.0);
}

// Siconos divides only by a scale above the rounding unit: an infeasible 1e-17 counts as it is.
TEST(SiconosError, OfNextToNothingIsNotDivided) {
  const Judged judged(
      support::dense_problem(support::one_planar_contact(0.5),
                             support::plain_diagonal_matrix({1.0, 1.0}), {0.0, 0.0}),
      Law::Associated, {-1e-17, 0.0});

  // y = r - u = 2 r in magnitude but towards the cone: r - N r = 0, so that the defect is |r|
  EXPECT_DOUBLE_EQ(judged.measure(Measure::Siconos, Law::Associated), 1e-17);
  EXPECT_DOUBLE_EQ(judged.measure(Measure::SiconosInvariant, Law::Associated), 1.0);
}

TEST(SiconosError, OfNothingIsZero) {
  const Judged judged(
      support::dense_problem(support::one_planar_contact(0.5),
                             support::plain_diagonal_matrix({1.0, 1.0}), {0.0, 0.0}),
      Law::Associated, {0.0, 0.0});

  EXPECT_EQ(judged.measure(Measure::Siconos, Law::Associated), 0.0);
  EXPECT_EQ(judged.measure(Measure::SiconosInvariant, Law::Associated), 0.0);
}

}  // namespace
}  // namespace talus
