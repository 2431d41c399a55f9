// e1 and e2 against the formulas of the FCLib notes (fc3d_compute_error of Siconos 4.4), written
// out again in plain dense form.

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

double norm(const Plain& v) {
  double sum = 0.0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

/// P_K contact by contact, as printed: rows (n, t1[, t2]) of `dimension`.
Plain project_plain(Plain y, const Plain& friction, std::size_t dimension) {
  for (std::size_t c = 0; c < friction.size(); ++c) {
    double* const value = y.data() + c * dimension;
    const double n = value[0], mu = friction[c];
    const double t = dimension == 2 ? std::abs(value[1]) : std::hypot(value[1], value[2]);
    if (mu * t <= -n) {
      std::fill_n(value, dimension, 0.0);
    } else if (t > mu * n) {
      value[0] = (mu * t + n) / (1.0 + mu * mu);
      for (std::size_t k = 1; k < dimension; ++k) value[k] *= mu * value[0] / t;
    }
  }
  return y;
}

struct PlainContacts {
  std::size_t dimension;
  Plain friction, q, r, u;

  double error(Law law, double lam) const {
    Plain u_hat = u, y = r;
    for (std::size_t c = 0; c < friction.size() && law == Law::Coulomb; ++c) {
      const double* const value = u.data() + c * dimension;
      const double slip = dimension == 2 ? std::abs(value[1]) : std::hypot(value[1], value[2]);
      u_hat[c * dimension] += friction[c] * slip;
    }
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= u_hat[i] / lam;
    const Plain nearest = project_plain(y, friction, dimension);
    Plain defect = r;
    for (std::size_t i = 0; i < y.size(); ++i) defect[i] -= nearest[i];
    return norm(defect) / std::max({norm(q) / lam, norm(r), norm(u) / lam});
  }
};

/// `rows` bilateral rows, then contacts; all random, in the frame given.
struct RandomCase {
  RandomCase(std::size_t dimension, Index rows, Index contacts, std::mt19937_64& random)
      : plain{dimension, {}, {}, {}, {}} {
    cones = dimension == 2 ? make_cone_set(rows, contacts, 0) : make_cone_set(rows, 0, contacts);
    std::uniform_real_distribution<double> uniform(0.0, 1.5);
    for (Index c = 0; c < contacts; ++c) {
      plain.friction.push_back(c == 0 ? 0.0 : uniform(random));
      if (dimension == 2)
        set_planar_friction(cones, c, plain.friction.back());
      else
        set_spatial_friction(cones, c, plain.friction.back(), {0.48, 0.64, 0.6}, {0.0, 0.0, 1.0});
    }
    const auto size = static_cast<std::size_t>(rows) + dimension * plain.friction.size();
    matrix = support::plain_random_matrix(size, 0.5, random);
    free_gap = support::plain_random_vector(size, random);
    x = support::plain_random_vector(size, random);
    const Plain image = support::plain_product(matrix, x);
    for (std::size_t i = static_cast<std::size_t>(rows); i < size; ++i) {
      plain.q.push_back(free_gap[i]);
      plain.r.push_back(x[i]);
      plain.u.push_back(image[i] + free_gap[i]);
    }
  }

  /// Mean over contacts of the infinity norm of the diagonal block.
  double lam() const {
    const std::size_t size = x.size(), rows = size - plain.q.size();
    double sum = 0.0;
    for (std::size_t begin = rows; begin < size; begin += plain.dimension) {
      double largest = 0.0;
      for (std::size_t i = begin; i < begin + plain.dimension; ++i) {
        double row = 0.0;
        for (std::size_t j = begin; j < begin + plain.dimension; ++j)
          row += std::abs(matrix[i * size + j]);
        largest = std::max(largest, row);
      }
      sum += largest;
    }
    return sum / static_cast<double>(plain.friction.size());
  }

  ConeSet cones;
  PlainContacts plain;
  Plain matrix, free_gap, x;
};

// 30 cases of 20 contacts: enough contacts for every branch of the projection, sums of 60 terms of
// order 1.
TEST(SiconosError, AgreesWithTheFormulasInPlainForm) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 30; ++trial)
    for (const std::size_t dimension : {2UL, 3UL})
      for (const Law law : {Law::Coulomb, Law::Associated}) {
        const RandomCase sample(dimension, 3, 20, random);
        const Judged judged(support::dense_problem(sample.cones, sample.matrix, sample.free_gap),
                            law, sample.x);

        const double e1 = judged.measure(Measure::Siconos, law);
        const double e2 = judged.measure(Measure::SiconosInvariant, law);

        EXPECT_NEAR(e1, sample.plain.error(law, 1.0), 1e-13);
        EXPECT_NEAR(e2, sample.plain.error(law, sample.lam()), 1e-13);
        EXPECT_GT(e1, 1e-3);
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
