// M^-1 of any symmetric positive definite M, against Eigen's dense factors.
#include "talus/core/error.hpp"

#include "problem/sparse_operator.hpp"
#include "support/machine.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace talus {
namespace {

using testing::HasSubstr;

Eigen::MatrixXd dense(const SparseMatrix& a) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows, a.columns);
  for (Index i = 0; i < a.rows; ++i)
    for (auto k = a.row_start[static_cast<std::size_t>(i)];
         k < a.row_start[static_cast<std::size_t>(i) + 1]; ++k)
      result(i, a.column[static_cast<std::size_t>(k)]) += a.value[static_cast<std::size_t>(k)];
  return result;
}

/// Blocks of the given sizes, symmetric positive definite, their rows distributed in turn so that
/// no block is contiguous.
SparseMatrix mixed_blocks(const std::vector<Index>& sizes, double asymmetry = 0.0) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<std::vector<Index>> rows(sizes.size());
  Index next = 0;
  for (bool dealt = true; dealt;) {
    dealt = false;
    for (std::size_t b = 0; b < sizes.size(); ++b)
      if (static_cast<Index>(rows[b].size()) < sizes[b]) {
        rows[b].push_back(next++);
        dealt = true;
      }
  }
  std::vector<Triplet> entries;
  for (const auto& block : rows) {
    const auto size = static_cast<Eigen::Index>(block.size());
    Eigen::MatrixXd a(size, size);
    for (double& x : a.reshaped()) x = uniform(random);
    const Eigen::MatrixXd m = a * a.transpose() + 0.5 * Eigen::MatrixXd::Identity(size, size) +
                              asymmetry * (a - a.transpose());
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = 0; j < size; ++j)
        entries.push_back(
            {block[static_cast<std::size_t>(i)], block[static_cast<std::size_t>(j)], m(i, j)});
  }
  return from_triplets(next, next, std::move(entries));
}

SparseMatrix tridiagonal(Index size, double above = -1.0, double below = -1.0) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < size; ++i) {
    entries.push_back({i, i, 2.5 + 0.01 * i});
    if (i > 0) entries.push_back({i, i - 1, below});
    if (i + 1 < size) entries.push_back({i, i + 1, above});
  }
  return from_triplets(size, size, std::move(entries));
}

std::vector<double> random_vector(Index size) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> x(static_cast<std::size_t>(size));
  for (double& value : x) value = uniform(random);
  return x;
}

/// Made when a test runs, not when the program starts.
struct Mass {
  const char* situation;
  SparseMatrix (*make)();
  bool block_diagonal, symmetric;
};

class MassInverses : public testing::TestWithParam<Mass> {};

TEST_P(MassInverses, SolveAsDenseFactorsDo) {
  const SparseMatrix m = GetParam().make();
  const std::vector<double> b = random_vector(m.rows);
  const MassInverse inverse(m);

  std::vector<double> x = b;
  inverse.solve(x);

  EXPECT_EQ(inverse.size(), m.rows);
  EXPECT_EQ(inverse.block_diagonal(), GetParam().block_diagonal);
  EXPECT_EQ(inverse.symmetric(), GetParam().symmetric);
  const Eigen::VectorXd expected =
      dense(m).lu().solve(Eigen::Map<const Eigen::VectorXd>(b.data(), m.rows));
  for (Index i = 0; i < m.rows; ++i)
    EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected[i], 1e-13);  // conditions up to 100
}

TEST_P(MassInverses, SolveOnlyWhatIsTouched) {
  const SparseMatrix m = GetParam().make();
  const MassInverse inverse(m);
  if (m.rows < 6) return;
  const std::vector<Index> touched{5, 1, 5};
  std::vector<double> b(static_cast<std::size_t>(m.rows), 0.0);
  b[1] = 0.5;
  b[5] = -2.0;

  std::vector<double> all = b, some = b;
  inverse.solve(all);
  const std::vector<Index> rows = inverse.solve_touched(some, touched);

  EXPECT_EQ(support::bits_of_all(some), support::bits_of_all(all));
  std::vector<bool> named(b.size(), false);
  for (const Index row : rows) {
    EXPECT_FALSE(named[static_cast<std::size_t>(row)]);  // each once
    named[static_cast<std::size_t>(row)] = true;
  }
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i] != 0.0) {
      EXPECT_TRUE(named[i]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MassInverses,
    testing::Values(Mass{"blocks",
                         [] {
                           return mixed_blocks({3, 1, 6, 1, 3, 6});
                         },
                         true, true},
                    Mass{"one_large_block", [] { return mixed_blocks({48}); }, true, true},
                    Mass{"chain_of_48", [] { return tridiagonal(48); }, true, true},
                    Mass{"chain_of_49", [] { return tridiagonal(49); }, false, true},
                    Mass{"chain_of_200", [] { return tridiagonal(200); }, false, true},
                    Mass{"unsymmetric_blocks",
                         [] {
                           return mixed_blocks({6, 6, 3}, 1e-3);
                         },
                         true, false},
                    Mass{"unsymmetric_chain", [] { return tridiagonal(100, -1.0, -0.9); }, false,
                         false},
                    Mass{"rounding_in_blocks",
                         [] {
                           return mixed_blocks({6, 6, 3}, 1e-14);
                         },
                         true, true},
                    Mass{"rounding_in_a_chain", [] { return tridiagonal(100, -1.0, -1.0 - 1e-14); },
                         false, true},
                    Mass{"nothing", [] { return SparseMatrix{}; }, true, true}),
    [](const auto& instance) { return std::string(instance.param.situation); });

TEST(MassInverse, OfASymmetricBlockIsExactlySymmetric) {
  const MassInverse inverse(mixed_blocks({6}));
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < 6; ++j) {
    columns.emplace_back(6, 0.0);
    columns.back()[j] = 1.0;
    inverse.solve(columns.back());
  }

  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(columns[i][j], columns[j][i]);
}

TEST(MassInverse, WrittenZerosTieNoBlocksTogether) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < 60; ++i) {
    entries.push_back({i, i, 2.0});
    if (i > 0) entries.push_back({i, i - 1, 0.0});
  }
  const MassInverse inverse(from_triplets(60, 60, std::move(entries)));
  std::vector<double> x(60, 0.0);
  x[10] = 1.0;

  EXPECT_TRUE(inverse.block_diagonal());
  EXPECT_EQ(inverse.solve_touched(x, {10}), std::vector<Index>{10});
  EXPECT_EQ(x[10], 0.5);
}

TEST(MassInverse, HasTheSameBitsForAnyNumberOfThreads) {
  const MassInverse inverse(mixed_blocks(std::vector<Index>(700, 3)));
  std::vector<std::vector<std::uint64_t>> bits;
  for (int threads = 1; threads <= 4; ++threads) {
    const support::ForcedThreads forced(threads);
    std::vector<double> x = random_vector(inverse.size());
    inverse.solve(x);
    bits.push_back(support::bits_of_all(x));
  }
  for (const auto& other : bits) EXPECT_EQ(other, bits.front());
}

std::string refusal(const SparseMatrix& m) {
  try {
    const MassInverse inverse(m);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Two bodies of six rows, connected inside; `place` of the second gets another value.
SparseMatrix two_bodies(Index place, double value) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < 12; ++i)
    for (Index j = i / 6 * 6; j < i / 6 * 6 + 6; ++j)
      entries.push_back({i, j, i == j ? (i == 6 + place ? value : 3.0) : 0.1});
  return from_triplets(12, 12, std::move(entries));
}

TEST(MassInverse, NamesTheRowOfABlockThatIsNotPositiveDefinite) {
  EXPECT_EQ(refusal(two_bodies(0, 3.0)), "accepted");
  EXPECT_THAT(refusal(two_bodies(0, -1.0)), HasSubstr("row 6 "));
  EXPECT_THAT(refusal(two_bodies(4, -1.0)), HasSubstr("row 10 "));
  EXPECT_THAT(refusal(two_bodies(5, 0.0)), HasSubstr("row 11 "));
  EXPECT_THAT(refusal(two_bodies(5, 0.0)), HasSubstr("must be > 0"));
}

TEST(MassInverse, NamesARowWithoutMass) {
  EXPECT_THAT(refusal(from_triplets(3, 3, {{0, 0, 1.0}, {2, 2, 1.0}})), HasSubstr("row 1 "));
}

// In exact arithmetic the last pivot is 0; rounding leaves 1e-17 of either sign, and an inverse of
// noise.
TEST(MassInverse, RefusesWhatIsSingularButForRounding) {
  for (const double a : {0.1, 0.3, 0.7, 1.1})
    for (const double b : {0.3, 1.3, 1.7}) {
      const std::string message = refusal(
          from_triplets(2, 2, {{0, 0, a * a}, {0, 1, a * b}, {1, 0, a * b}, {1, 1, b * b}}));
      EXPECT_THAT(message, HasSubstr("row 1 ")) << a << ' ' << b;
    }
}

TEST(MassInverse, TakesMassesOfVeryDifferentSize) {
  EXPECT_EQ(refusal(from_triplets(2, 2, {{0, 0, 1e-12}, {0, 1, 1e-7}, {1, 0, 1e-7}, {1, 1, 1e6}})),
            "accepted");
}

TEST(MassInverse, NamesTheRowOfALargeMatrixThatIsNotPositiveDefinite) {
  SparseMatrix m = tridiagonal(200);
  for (std::size_t k = 0; k < m.value.size(); ++k)
    if (m.column[k] == 77 && m.value[k] > 0.0) m.value[k] = -5.0;

  EXPECT_THAT(refusal(m), HasSubstr("row 77 "));
}

TEST(MassInverse, RefusesALargeMatrixThatIsSingular) {
  // the Laplacian of a chain with free ends: constant vectors vanish
  std::vector<Triplet> entries;
  for (Index i = 0; i < 100; ++i) {
    entries.push_back({i, i, i == 0 || i == 99 ? 1.0 : 2.0});
    if (i > 0) entries.push_back({i, i - 1, -1.0});
    if (i < 99) entries.push_back({i, i + 1, -1.0});
  }

  EXPECT_THAT(refusal(from_triplets(100, 100, std::move(entries))),
              HasSubstr("M is not positive definite"));
}

}  // namespace
}  // namespace talus
