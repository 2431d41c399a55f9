#pragma once
// N = J M^-1 J^T for a sparse J and any symmetric positive definite M (FCLib global problems). M is
// inverted block by block where it is block diagonal (rigid bodies), else factorised once with a
// sparse LDL^T.

#include "talus/cones/cone_set.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "core/thread_workspace.hpp"
#include "parallel/halo.hpp"
#include "problem/linear_operator.hpp"

#include <memory>

namespace talus {

/// M^-1 as a function. An M that is not symmetric beyond rounding (real files have them) is
/// inverted as given.
class MassInverse {
 public:
  /// Throws InputError naming the row of M at which it is found not to be positive definite.
  explicit MassInverse(const SparseMatrix& mass);
  ~MassInverse();
  MassInverse(const MassInverse&) = delete;
  MassInverse& operator=(const MassInverse&) = delete;

  Index size() const { return size_; }
  bool block_diagonal() const { return factor_ == nullptr; }
  bool symmetric() const { return symmetric_; }
  /// x := M^-1 x. Threaded over blocks; a factorised M is solved by one thread.
  void solve(std::vector<double>& x) const;
  /// The same for an x that is zero outside the rows `touched`; returns the rows where the result
  /// may differ from zero. Costs only the blocks touched.
  std::vector<Index> solve_touched(std::vector<double>& x, const std::vector<Index>& touched) const;

 private:
  struct Factor;
  void invert_blocks(const SparseMatrix& mass);
  void solve_block(std::size_t block, std::vector<double>& x) const;

  Index size_;
  bool symmetric_ = true;
  std::vector<Index> block_of_row_;
  std::vector<std::vector<Index>> block_;     ///< rows of each block, ascending
  std::vector<std::vector<double>> inverse_;  ///< dense, row-major
  std::unique_ptr<Factor> factor_;
};

class SparseOperator final : public LinearOperator {
 public:
  /// `jacobian`: stored rows x degrees of freedom. Sums over a degree of freedom run in stored
  /// order.
  SparseOperator(SparseMatrix jacobian, std::shared_ptr<const MassInverse> mass,
                 const ConeSet& cones);
  /// One rank's share: the rows of J of its own cones. M^-1 couples all, so that every rank solves
  /// with the whole factor and x goes to all of them. `place[i]`: the stored row in `whole` of own
  /// stored row i, -1 of filling; `neighbours`: items are stored rows of the whole.
  SparseOperator(const SparseOperator& whole, const ConeSet& cones, std::vector<Index> place,
                 const Communicator& comm, std::vector<HaloNeighbour> neighbours);

  /// True of one of several ranks: it cannot be written out.
  bool is_share() const { return halo_ != nullptr; }

  void diagonal(RowVector& d) const override;
  std::array<double, 3> planar_block(Index cone) const override;
  Mat3 spatial_block(Index cone) const override;
  Mat6 rolling_block(Index cone) const override;

  /// Around each row: the rows that move a degree of freedom with it, and those that do with them.
  std::vector<double> neighbourhood_means(const std::vector<double>& of_slot) const override;

  /// M^-1 (f + J^T x). Collective.
  std::vector<double> velocities(const RowVector& x, const std::vector<double>& f) const;
  /// J v.
  void relative_velocities(const std::vector<double>& v, RowVector& rows) const;

  /// N written out, for sweeps. Throws InputError above `most_entries` non-zeros.
  SparseMatrix assemble(std::int64_t most_entries = 200'000'000) const;

 private:
  void multiply(const double* x, double* y) const override;
  /// y = P P^T x, where P has a 1 wherever J has an entry that is not 0. Collective.
  void add_met(const RowVector& x, RowVector& y) const;
  /// x of all ranks in the order of the whole. Collective.
  const double* gathered(const double* x) const;
  /// column := M^-1 J^T e_j; returns the rows where it may differ from zero.
  std::vector<Index> column_image(Index j) const;
  void clear_column(const std::vector<Index>& rows) const;
  double row_times(Index row, const std::vector<double>& column) const;
  /// Entries of N between the rows of one cone.
  std::vector<double> dense_block(const std::vector<Index>& rows) const;

  SparseMatrix jacobian_, transposed_;
  std::shared_ptr<const MassInverse> mass_;
  Index stored_rows_, planar_first_row_, spatial_first_row_, rolling_first_row_;
  std::vector<Index> slot_of_row_;  ///< stored rows; -1 of rows without entries
  std::vector<Index> place_;
  std::shared_ptr<Halo> halo_;  ///< of all_; null on one rank
  mutable RowVector all_;       ///< gathered x; on several ranks: workspace of a product
  struct Workspace {
    std::vector<double> velocity;  ///< of a product
    std::vector<double> column;    ///< of one column; zero between uses
  };
  Workspace& workspace() const;
  ThreadWorkspace<Workspace> workspaces_;
};

}  // namespace talus
