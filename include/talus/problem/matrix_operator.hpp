#pragma once
// An explicitly given sparse W: rows and columns are stored rows.

#include "talus/cones/cone_set.hpp"
#include "talus/problem/linear_operator.hpp"
#include "talus/problem/matrix_problem.hpp"

namespace talus {

class MatrixOperator final : public LinearOperator {
 public:
  /// `rows`: square, of stored length; filling rows are empty. Sums run in the order of a row's
  /// entries.
  MatrixOperator(SparseMatrix rows, const ConeSet& cones);

  const SparseMatrix& rows() const { return rows_; }
  double entry(Index row, Index column) const;

  void diagonal(RowVector& d) const override;
  std::array<double, 3> planar_block(Index cone) const override;
  Mat3 spatial_block(Index cone) const override;
  Mat6 rolling_block(Index cone) const override;

 private:
  void multiply(const double* x, double* y) const override;

  SparseMatrix rows_;
  Index planar_first_row_, spatial_first_row_, rolling_first_row_;
};

}  // namespace talus
