#include "talus/problem/matrix_operator.hpp"

#include "talus/core/error.hpp"

#include <algorithm>

namespace talus {

MatrixOperator::MatrixOperator(SparseMatrix rows, const ConeSet& cones)
    : rows_(std::move(rows)),
      planar_first_row_(cones.planar_first_row()),
      spatial_first_row_(cones.spatial_first_row()),
      rolling_first_row_(cones.rolling_first_row()) {
  TALUS_ASSERT(rows_.rows == cones.stored_rows() && rows_.columns == cones.stored_rows());
}

void MatrixOperator::multiply(const double* x, double* y) const {
  const SparseMatrix& a = rows_;
#pragma omp parallel for schedule(static) default(none) shared(a, x, y) if (a.value.size() > 4096)
  for (Index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double sum = 0.0;
    for (std::int64_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      sum += a.value[k] * x[a.column[k]];
    }
    y[i] = sum;
  }
}

double MatrixOperator::entry(Index row, Index column) const {
  const auto r = static_cast<std::size_t>(row);
  for (std::int64_t e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
    if (rows_.column[static_cast<std::size_t>(e)] == column)
      return rows_.value[static_cast<std::size_t>(e)];
  return 0.0;
}

void MatrixOperator::diagonal(RowVector& d) const {
  d.resize(static_cast<std::size_t>(rows_.rows));
  for (Index i = 0; i < rows_.rows; ++i) d[static_cast<std::size_t>(i)] = entry(i, i);
}

std::array<double, 3> MatrixOperator::planar_block(Index cone) const {
  const Index n = planar_first_row_ + cone / lanes * 2 * lanes + cone % lanes;
  const Index t = n + lanes;
  return {entry(n, n), entry(n, t), entry(t, t)};
}

Mat3 MatrixOperator::spatial_block(Index cone) const {
  const Index first = spatial_first_row_ + cone / lanes * 3 * lanes + cone % lanes;
  Mat3 block{};
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      block[static_cast<std::size_t>(3 * i + j)] = entry(first + i * lanes, first + j * lanes);
  return block;
}

Mat6 MatrixOperator::rolling_block(Index cone) const {
  const Index first = rolling_first_row_ + cone / lanes * 6 * lanes + cone % lanes;
  Mat6 block{};
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j)
      block[static_cast<std::size_t>(6 * i + j)] = entry(first + i * lanes, first + j * lanes);
  return block;
}

}  // namespace talus
