#pragma once
// An explicitly given sparse W: rows and columns are stored rows. On many ranks each has the rows
// of the cones it owns; a product takes one message to and from every neighbour, which carries the
// x that the other's rows need, and there are no mirrors.

#include "talus/cones/cone_set.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "parallel/halo.hpp"
#include "problem/linear_operator.hpp"

#include <memory>
#include <vector>

namespace talus {

class MatrixOperator final : public LinearOperator {
 public:
  /// `rows`: square, of stored length; filling rows are empty. Sums run in the order of a row's
  /// entries.
  MatrixOperator(SparseMatrix rows, const ConeSet& cones);
  /// This rank's share: behind the columns of its own stored rows come those that the neighbours
  /// send (`neighbours`: items are columns).
  MatrixOperator(SparseMatrix rows, const ConeSet& cones, const Communicator& comm,
                 std::vector<HaloNeighbour> neighbours);

  /// True of one of several ranks: rows() has columns of other ranks.
  bool is_share() const { return halo_ != nullptr; }
  const SparseMatrix& rows() const { return rows_; }
  double entry(Index row, Index column) const;

  void diagonal(RowVector& d) const override;
  std::array<double, 3> planar_block(Index cone) const override;
  Mat3 spatial_block(Index cone) const override;
  Mat6 rolling_block(Index cone) const override;

  /// Around each row: the rows that it meets in W, and those that they meet.
  std::vector<double> neighbourhood_means(const std::vector<double>& of_slot) const override;

 private:
  void multiply(const double* x, double* y) const override;
  void multiply_rows(const std::vector<Index>& rows, std::size_t begin, std::size_t end,
                     const double* x, double* y) const;

  /// y = P x, where P has a 1 wherever W has an entry that is not 0. Collective.
  void add_met(const RowVector& x, RowVector& y) const;

  SparseMatrix rows_;
  std::vector<Index> slot_of_row_;          ///< stored rows; -1 of rows without entries
  std::vector<Index> interior_, boundary_;  ///< rows without and with columns of other ranks
  std::shared_ptr<Halo> halo_;              ///< of all_; null on one rank
  mutable RowVector all_;  ///< x of all columns; on several ranks: workspace of a product
  Index planar_first_row_, spatial_first_row_, rolling_first_row_;
};

}  // namespace talus
