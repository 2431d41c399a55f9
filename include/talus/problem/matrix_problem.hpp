#pragma once
// Contact problems given by matrices, in FCLib's own terms: rows of a contact are (N, T1[, T2]),
// normal first; with rolling friction (N, T1, R1) or (N, T1, T2, R1, R2).

#include "talus/cones/cone_set.hpp"
#include "talus/core/types.hpp"
#include "talus/parallel/halo.hpp"
#include "talus/problem/linear_operator.hpp"

#include <memory>
#include <string>
#include <vector>

namespace talus {

/// Compressed sparse rows; columns ascend within a row, no duplicates.
struct SparseMatrix {
  Index rows = 0, columns = 0;
  std::vector<std::int64_t> row_start{0};
  std::vector<Index> column;
  std::vector<double> value;

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(value.size()); }
};

struct Triplet {
  Index row = 0, column = 0;
  double value = 0.0;
};

/// Sorts by row and column; duplicates are added in the order given.
SparseMatrix from_triplets(Index rows, Index columns, std::vector<Triplet> entries);
SparseMatrix transposed(const SparseMatrix& a);
/// y = A x, rows in order.
std::vector<double> times(const SparseMatrix& a, const std::vector<double>& x);

/// A plane has one direction of sliding and one of rolling, space two of each.
constexpr Index rows_per_contact(int dimension, bool rolling) {
  return rolling ? 2 * dimension - 1 : dimension;
}

/// u = W r + q + V l,  0 = V^T r + R l + s,  r in K.   W need not be symmetric.
struct LocalProblem {
  int dimension = 3;  ///< of space: 2 or 3
  SparseMatrix W, V, R;
  std::vector<double> q, s, friction;
  std::vector<double> rolling_friction;  ///< m, >= 0: |r_R| <= rolling_friction r_N; empty: none
  std::string title;

  Index rows_per_contact() const { return talus::rows_per_contact(dimension, has_rolling()); }
  bool has_rolling() const { return !rolling_friction.empty(); }
  Index contact_count() const { return static_cast<Index>(friction.size()); }
  Index bilateral_count() const { return static_cast<Index>(s.size()); }
};

/// M v = H r + G l + f,  u = H^T v + w,  0 = G^T v + b,  r in K.   M symmetric positive definite.
struct GlobalProblem {
  int dimension = 3;  ///< of space: 2 or 3
  SparseMatrix M, H, G;
  std::vector<double> f, w, b, friction;
  std::vector<double> rolling_friction;  ///< as in LocalProblem
  std::vector<Vec3> body_centre;         ///< optional (our extension): one per 6 rows of M
  double time_step = 0.0;                ///< s; 0 where unknown
  std::string title;

  Index rows_per_contact() const { return talus::rows_per_contact(dimension, has_rolling()); }
  bool has_rolling() const { return !rolling_friction.empty(); }
  Index contact_count() const { return static_cast<Index>(friction.size()); }
  Index bilateral_count() const { return static_cast<Index>(b.size()); }
};

/// All faults at once (InputError): sizes, how matrices are stored, NaN, mu < 0, M not symmetric or
/// without a positive diagonal. make_cone_problem looks at the sizes and the storage only. `name`
/// begins every message (a file name, or "problem").
void validate(const LocalProblem& problem, const std::string& name);
void validate(const GlobalProblem& problem, const std::string& name);

// An explicitly given sparse W: rows and columns are stored rows. On many ranks each has the rows
// of the cones it owns; a product takes one message to and from every neighbour, which carries the
// x that the other's rows need, and there are no mirrors.

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
