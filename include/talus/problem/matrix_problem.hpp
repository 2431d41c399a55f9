#pragma once
// Contact problems given by matrices, in FCLib's own terms: rows of a contact are (N, T1[, T2]),
// normal first; with rolling friction (N, T1, R1) or (N, T1, T2, R1, R2).

#include "talus/cones/cone_set.hpp"
#include "talus/core/types.hpp"

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

}  // namespace talus
