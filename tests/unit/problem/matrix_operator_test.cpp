// Operators given by matrices, W itself or J M^-1 J^T, against dense products.
#include "problem/matrix_operator.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "problem/sparse_operator.hpp"
#include "support/machine.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace talus {
namespace {

Eigen::MatrixXd dense(const SparseMatrix& a) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows, a.columns);
  for (Index i = 0; i < a.rows; ++i)
    for (auto k = a.row_start[static_cast<std::size_t>(i)];
         k < a.row_start[static_cast<std::size_t>(i) + 1]; ++k)
      result(i, a.column[static_cast<std::size_t>(k)]) += a.value[static_cast<std::size_t>(k)];
  return result;
}

Eigen::VectorXd eigen(const RowVector& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

/// Stored rows that mean something.
std::vector<Index> meant_rows(const ConeSet& cones) {
  std::vector<Index> rows;
  for (Index i = 0; i < cones.scalar_count; ++i) rows.push_back(i);
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k) rows.push_back(cones.planar_row(c, k));
  for (Index c = 0; c < cones.spatial_count; ++c)
    for (Index k = 0; k < 3; ++k) rows.push_back(cones.spatial_row(c, k));
  return rows;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double number() { return uniform_(engine_); }
  Index below(Index count) {
    return static_cast<Index>(engine_() % static_cast<std::uint64_t>(count));
  }
  RowVector rows(Index count) {
    RowVector x(static_cast<std::size_t>(count));
    for (double& value : x) value = number();
    return x;
  }

 private:
  std::mt19937_64 engine_;
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// About `per_row` random entries in every row that means something, and a diagonal.
SparseMatrix random_rows(const ConeSet& cones, Index per_row) {
  Random random(5);
  const std::vector<Index> rows = meant_rows(cones);
  std::vector<Triplet> entries;
  for (const Index i : rows) {
    entries.push_back({i, i, 4.0});
    for (Index k = 0; k < per_row; ++k)
      entries.push_back(
          {i, rows[static_cast<std::size_t>(random.below(static_cast<Index>(rows.size())))],
           random.number()});
  }
  return from_triplets(cones.stored_rows(), cones.stored_rows(), std::move(entries));
}

struct Shape {
  const char* name;
  Index scalar, planar, spatial;
};

/// What holds for both kinds of operators, against a dense N on stored rows.
void expect_as_dense(const LinearOperator& a, const Eigen::MatrixXd& n, const ConeSet& cones) {
  constexpr double rounding = 1e-12;  // sums of some ten products of numbers up to 10
  Random random(9);
  RowVector diagonal, y(static_cast<std::size_t>(cones.stored_rows()), 1e99);
  const RowVector x = random.rows(cones.stored_rows());

  a.apply(x, y);
  a.diagonal(diagonal);

  const Eigen::VectorXd expected = n * eigen(x);
  ASSERT_EQ(static_cast<Index>(diagonal.size()), cones.stored_rows());
  for (Index i = 0; i < cones.stored_rows(); ++i) {
    EXPECT_NEAR(y[static_cast<std::size_t>(i)], expected[i], rounding) << i;
    EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], n(i, i), rounding) << i;
  }
  for (Index c = 0; c < cones.planar_count; ++c) {
    const Index row = cones.planar_row(c, 0), next = cones.planar_row(c, 1);
    const auto [nn, nt, tt] = a.planar_block(c);
    EXPECT_NEAR(nn, n(row, row), rounding);
    EXPECT_NEAR(nt, n(row, next), rounding);
    EXPECT_NEAR(tt, n(next, next), rounding);
  }
  for (Index c = 0; c < cones.spatial_count; ++c) {
    const Mat3 block = a.spatial_block(c);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(block[static_cast<std::size_t>(3 * i + j)],
                    n(cones.spatial_row(c, i), cones.spatial_row(c, j)), rounding);
  }
  EXPECT_EQ(a.products(), 1);
}

void expect_same_bits_for_threads(const LinearOperator& a, Index rows) {
  const RowVector x = Random(1).rows(rows);
  std::vector<std::vector<std::uint64_t>> bits;
  for (int threads = 1; threads <= 4; ++threads) {
    const support::ForcedThreads forced(threads);
    RowVector y(x.size());
    a.apply(x, y);
    bits.push_back(support::bits_of_all(y));
  }
  for (const auto& other : bits) EXPECT_EQ(other, bits.front());
}

class MatrixOperators : public testing::TestWithParam<Shape> {
 protected:
  ConeSet cones_ = make_cone_set(GetParam().scalar, GetParam().planar, GetParam().spatial);
};

TEST_P(MatrixOperators, MultiplyAndShowBlocksAsTheDenseMatrix) {
  const SparseMatrix w = random_rows(cones_, 5);
  expect_as_dense(MatrixOperator(w, cones_), dense(w), cones_);
}

TEST_P(MatrixOperators, ShowTheirEntries) {
  const SparseMatrix w = random_rows(cones_, 2);
  const Eigen::MatrixXd expected = dense(w);
  const MatrixOperator a(w, cones_);
  for (Index i = 0; i < w.rows; ++i)
    for (Index j = 0; j < w.columns; ++j) EXPECT_EQ(a.entry(i, j), expected(i, j));
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixOperators,
                         testing::Values(Shape{"planar", 3, 11, 0}, Shape{"spatial", 3, 0, 11},
                                         Shape{"rows_only", 9, 0, 0}, Shape{"all", 2, 8, 9},
                                         Shape{"nothing", 0, 0, 0}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(MatrixOperator, HasTheSameBitsForAnyNumberOfThreads) {
  const ConeSet cones = make_cone_set(5, 0, 600);
  expect_same_bits_for_threads(MatrixOperator(random_rows(cones, 8), cones), cones.stored_rows());
}

TEST(MatrixOperator, OfAnotherLengthIsABug) {
  EXPECT_THROW(MatrixOperator(from_triplets(8, 8, {}), make_cone_set(9, 0, 0)), std::logic_error);
  EXPECT_THROW(MatrixOperator(from_triplets(8, 16, {}), make_cone_set(8, 0, 0)), std::logic_error);
}

enum class Kind { Bodies, Chain, UnsymmetricBodies, UnsymmetricChain };

/// 60 degrees of freedom in blocks of six, or a chain that is one block.
SparseMatrix mass_of(Kind kind) {
  const bool chain = kind == Kind::Chain || kind == Kind::UnsymmetricChain;
  const double skew = kind == Kind::Bodies || kind == Kind::Chain ? 0.0 : 1e-2;
  std::vector<Triplet> entries;
  for (Index i = 0; i < 60; ++i) {
    entries.push_back({i, i, 2.0 + 0.05 * i});
    if (i > 0 && (chain || i % 6 != 0)) {
      entries.push_back({i, i - 1, -0.7 + skew});
      entries.push_back({i - 1, i, -0.7 - skew});
    }
  }
  return from_triplets(60, 60, std::move(entries));
}

/// Six entries in every row that means something.
SparseMatrix random_jacobian(const ConeSet& cones) {
  Random random(11);
  std::vector<Triplet> entries;
  for (const Index i : meant_rows(cones))
    for (Index k = 0; k < 6; ++k) entries.push_back({i, random.below(60), random.number()});
  return from_triplets(cones.stored_rows(), 60, std::move(entries));
}

class SparseOperators : public testing::TestWithParam<std::tuple<Shape, Kind>> {
 protected:
  SparseOperators() {
    inverse_ = dense(mass_of(std::get<1>(GetParam()))).inverse();
    j_ = dense(random_jacobian(cones_));
    n_ = j_ * inverse_ * j_.transpose();
  }

  ConeSet cones_ = make_cone_set(std::get<0>(GetParam()).scalar, std::get<0>(GetParam()).planar,
                                 std::get<0>(GetParam()).spatial);
  SparseOperator operator_{random_jacobian(cones_),
                           std::make_shared<MassInverse>(mass_of(std::get<1>(GetParam()))), cones_};
  Eigen::MatrixXd inverse_, j_, n_;
};

TEST_P(SparseOperators, MultiplyAndShowBlocksAsTheDenseMatrix) {
  expect_as_dense(operator_, n_, cones_);
}

TEST_P(SparseOperators, AreWrittenOutAsTheDenseMatrix) {
  const Eigen::MatrixXd written = dense(operator_.assemble());

  ASSERT_EQ(written.rows(), n_.rows());
  if (written.size() > 0) {
    EXPECT_LT((written - n_).cwiseAbs().maxCoeff(), 1e-12);  // entries up to 10
  }
}

TEST_P(SparseOperators, VelocitiesAreThoseOfTheEquationOfMotion) {
  Random random(13);
  const RowVector x = random.rows(cones_.stored_rows()), force = random.rows(60);

  const std::vector<double> v =
      operator_.velocities(x, std::vector<double>(force.begin(), force.end()));
  RowVector rows(x.size(), 1e99);
  operator_.relative_velocities(v, rows);

  const Eigen::VectorXd expected = inverse_ * (eigen(force) + j_.transpose() * eigen(x));
  const Eigen::VectorXd gap = j_ * expected;
  for (Index i = 0; i < 60; ++i) EXPECT_NEAR(v[static_cast<std::size_t>(i)], expected[i], 1e-12);
  for (Index i = 0; i < cones_.stored_rows(); ++i)
    EXPECT_NEAR(rows[static_cast<std::size_t>(i)], gap[i], 1e-12);
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<Shape, Kind>>& instance) {
  const char* kinds[] = {"bodies", "chain", "unsymmetric_bodies", "unsymmetric_chain"};
  return std::string(std::get<0>(instance.param).name) + "_" +
         kinds[static_cast<int>(std::get<1>(instance.param))];
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SparseOperators,
    testing::Combine(testing::Values(Shape{"planar", 3, 11, 0}, Shape{"spatial", 3, 0, 11},
                                     Shape{"nothing", 0, 0, 0}),
                     testing::Values(Kind::Bodies, Kind::Chain, Kind::UnsymmetricBodies,
                                     Kind::UnsymmetricChain)),
    name_of_case);

TEST(SparseOperator, HasTheSameBitsForAnyNumberOfThreads) {
  const ConeSet cones = make_cone_set(5, 0, 300);
  const SparseOperator a(random_jacobian(cones),
                         std::make_shared<MassInverse>(mass_of(Kind::Chain)), cones);
  expect_same_bits_for_threads(a, cones.stored_rows());
}

TEST(SparseOperator, OfBodiesIsWrittenOutWithoutZerosBetweenStrangers) {
  // rows on different bodies share nothing: N is the diagonal
  const ConeSet cones = make_cone_set(10, 0, 0);
  std::vector<Triplet> entries;
  for (Index i = 0; i < 10; ++i) entries.push_back({i, 6 * i, 1.0});
  const SparseOperator a(from_triplets(cones.stored_rows(), 60, std::move(entries)),
                         std::make_shared<MassInverse>(mass_of(Kind::Bodies)), cones);

  EXPECT_EQ(a.assemble().nonzeros(), 10);
}

TEST(SparseOperator, IsNotWrittenOutBeyondTheMostEntriesAllowed) {
  const ConeSet cones = make_cone_set(0, 0, 4);
  const SparseOperator a(random_jacobian(cones),
                         std::make_shared<MassInverse>(mass_of(Kind::Chain)), cones);

  EXPECT_EQ(a.assemble(144).nonzeros(), 144);  // a chain ties all 12 rows together
  try {
    a.assemble(143);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("more than 143 non-zeros"));
  }
  RowVector diagonal;
  a.diagonal(diagonal);  // the attempt has left nothing behind
  EXPECT_NEAR(diagonal[0], a.assemble().value[0], 1e-14);
}

TEST(SparseOperator, OfAnotherLengthIsABug) {
  const auto mass = std::make_shared<MassInverse>(mass_of(Kind::Bodies));

  EXPECT_THROW(SparseOperator(from_triplets(8, 59, {}), mass, make_cone_set(8, 0, 0)),
               std::logic_error);
  EXPECT_THROW(SparseOperator(from_triplets(8, 60, {}), mass, make_cone_set(9, 0, 0)),
               std::logic_error);
}

}  // namespace
}  // namespace talus
