#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "problem/sparse_operator.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace talus {

/// LDL^T proves that the symmetric part is positive definite; LU solves with an M that is not
/// symmetric.
struct MassInverse::Factor {
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

namespace {

constexpr std::size_t largest_block = 48;  // rows: beyond it a sparse factor is the better inverse

/// Rows that hang together through entries of M, by union of neighbours.
std::vector<std::vector<Index>> connected_blocks(const SparseMatrix& m) {
  std::vector<Index> root(static_cast<std::size_t>(m.rows));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](Index i) {
    while (root[i] != i) {
      Index& r = root[i];
      r = root[r];
      i = r;
    }
    return i;
  };
  for (Index i = 0; i < m.rows; ++i)
    for (std::int64_t e = m.row_start[i]; e < m.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      if (m.value[e] == 0.0) continue;
      const Index a = find(i), b = find(m.column[e]);
      root[std::max(a, b)] = std::min(a, b);
    }
  std::vector<Index> number(static_cast<std::size_t>(m.rows), -1);
  std::vector<std::vector<Index>> blocks;
  for (Index i = 0; i < m.rows; ++i) {
    Index& block = number[find(i)];
    if (block < 0) {
      block = static_cast<Index>(blocks.size());
      blocks.emplace_back();
    }
    blocks[block].push_back(i);
  }
  return blocks;
}

[[noreturn]] void not_positive_definite(Index row) {
  throw InputError(fmt::format(
      "M is not positive definite: the pivot of row {} is not positive beyond rounding; masses and "
      "moments of inertia must be > 0",
      row));
}

/// Of a singular M, rounding leaves a last pivot of either sign and an inverse of noise.
bool is_sound_pivot(double pivot, double diagonal) {
  constexpr double rounding = 4e-15;
  return pivot > rounding * diagonal;
}

/// The row at which elimination in the order of rows meets one, or the number of rows.
Eigen::Index first_unsound_pivot(Eigen::MatrixXd a) {
  const Eigen::VectorXd diagonal = a.diagonal();
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    if (!is_sound_pivot(a(k, k), diagonal[k])) return k;
    const Eigen::Index rest = a.rows() - k - 1;
    const Eigen::VectorXd column = a.col(k).tail(rest) / a(k, k);
    a.bottomRightCorner(rest, rest) -= column * a.row(k).tail(rest);
  }
  return a.rows();
}

Eigen::MatrixXd dense_block(const SparseMatrix& m, const std::vector<Index>& rows) {
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd block = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index a = 0; a < size; ++a) {
    const auto row = static_cast<std::size_t>(rows[a]);
    for (std::int64_t e = m.row_start[row]; e < m.row_start[row + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      if (m.value[k] == 0.0) continue;
      const auto place = std::lower_bound(rows.begin(), rows.end(), m.column[k]);
      block(a, place - rows.begin()) += m.value[k];
    }
  }
  return block;
}

/// max |M - M^T| / max |M|
double asymmetry_of(const SparseMatrix& m) {
  const SparseMatrix t = transposed(m);
  std::vector<double> row(static_cast<std::size_t>(m.columns), 0.0);
  double largest = 0.0, difference = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.rows); ++i) {
    const auto each = [&](const SparseMatrix& a, double sign) {
      for (std::int64_t e = a.row_start[i]; e < a.row_start[i + 1]; ++e)
        row[a.column[e]] += sign * a.value[e];
    };
    const auto look = [&](const SparseMatrix& a) {
      for (std::int64_t e = a.row_start[i]; e < a.row_start[i + 1]; ++e) {
        double& r = row[a.column[e]];
        difference = std::max(difference, std::abs(r));
        largest = std::max(largest, std::abs(a.value[e]));
        r = 0.0;
      }
    };
    each(m, 1.0);
    each(t, -1.0);
    look(m);
    look(t);
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

}  // namespace

MassInverse::MassInverse(const SparseMatrix& mass) : size_(mass.rows) {
  symmetric_ = asymmetry_of(mass) <= 1e-12;  // rounding of a file's last digits is not asymmetry
  block_ = connected_blocks(mass);
  block_of_row_.resize(static_cast<std::size_t>(size_));
  for (std::size_t b = 0; b < block_.size(); ++b)
    for (const Index row : block_[b]) block_of_row_[row] = static_cast<Index>(b);
  const bool small = std::all_of(block_.begin(), block_.end(),
                                 [](const auto& rows) { return rows.size() <= largest_block; });
  if (small) {
    invert_blocks(mass);
    return;
  }
  block_.clear();
  factor_ = std::make_unique<Factor>();
  std::vector<Eigen::Triplet<double>> entries, given;
  for (Index i = 0; i < mass.rows; ++i)
    for (std::int64_t e = mass.row_start[i]; e < mass.row_start[static_cast<std::size_t>(i) + 1];
         ++e) {
      const auto k = static_cast<std::size_t>(e);
      given.emplace_back(i, mass.column[k], mass.value[k]);
      entries.emplace_back(i, mass.column[k], 0.5 * mass.value[k]);
      entries.emplace_back(mass.column[k], i, 0.5 * mass.value[k]);
    }
  Eigen::SparseMatrix<double> matrix(size_, size_);
  matrix.setFromTriplets(entries.begin(), entries.end());
  factor_->ldlt.compute(matrix);
  const auto pivots = factor_->ldlt.vectorD();
  const Eigen::VectorXd diagonal = matrix.diagonal();
  for (Index i = 0; i < size_; ++i) {
    const Index row = factor_->ldlt.permutationPinv().indices()[i];
    if (!is_sound_pivot(pivots[i], diagonal[row])) not_positive_definite(row);
  }
  if (symmetric_) return;
  matrix.setFromTriplets(given.begin(), given.end());
  factor_->lu.compute(matrix);
  if (factor_->lu.info() != Eigen::Success)
    throw InputError("M cannot be inverted: it is singular");
}

MassInverse::~MassInverse() = default;

void MassInverse::invert_blocks(const SparseMatrix& mass) {
  inverse_.resize(block_.size());
  for (std::size_t b = 0; b < block_.size(); ++b) {
    const Eigen::MatrixXd block = dense_block(mass, block_[b]);
    const Eigen::MatrixXd symmetric = 0.5 * (block + block.transpose());
    const Eigen::Index unsound = first_unsound_pivot(symmetric);
    if (unsound < block.rows()) not_positive_definite(block_[b][unsound]);
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(block.rows(), block.cols());
    const Eigen::MatrixXd inverse = symmetric_ ? Eigen::MatrixXd(symmetric.ldlt().solve(identity))
                                               : Eigen::MatrixXd(block.inverse());
    inverse_[b].resize(static_cast<std::size_t>(inverse.size()));
    for (Eigen::Index i = 0; i < inverse.rows(); ++i)
      for (Eigen::Index j = 0; j < inverse.cols(); ++j)
        inverse_[b][i * inverse.cols() + j] =
            symmetric_ ? 0.5 * (inverse(i, j) + inverse(j, i)) : inverse(i, j);
  }
}

void MassInverse::solve_block(std::size_t block, std::vector<double>& x) const {
  const std::vector<Index>& rows = block_[block];
  std::array<double, largest_block> in{};
  for (std::size_t i = 0; i < rows.size(); ++i) in[i] = x[rows[i]];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < rows.size(); ++j)
      sum += inverse_[block][i * rows.size() + j] * in[j];
    x[rows[i]] = sum;
  }
}

void MassInverse::solve(std::vector<double>& x) const {
  if (factor_ != nullptr) {
    const Eigen::VectorXd rhs = Eigen::Map<const Eigen::VectorXd>(x.data(), size_);
    const Eigen::VectorXd solution = symmetric_ ? Eigen::VectorXd(factor_->ldlt.solve(rhs))
                                                : Eigen::VectorXd(factor_->lu.solve(rhs));
    std::copy(solution.begin(), solution.end(), x.begin());
    return;
  }
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(x) if (block_.size() > 512)
  for (std::size_t b = 0; b < block_.size(); ++b) solve_block(b, x);
}

std::vector<Index> MassInverse::solve_touched(std::vector<double>& x,
                                              const std::vector<Index>& touched) const {
  std::vector<Index> rows;
  if (factor_ != nullptr) {
    solve(x);
    rows.resize(static_cast<std::size_t>(size_));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  std::vector<Index> blocks;
  for (const Index row : touched) blocks.push_back(block_of_row_[row]);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (const Index b : blocks) {
    solve_block(static_cast<std::size_t>(b), x);
    const std::vector<Index>& members = block_[b];
    rows.insert(rows.end(), members.begin(), members.end());
  }
  return rows;
}

}  // namespace talus
