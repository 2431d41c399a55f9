#pragma once
// What a sweep solver sees: the gap velocity of one row or cone at the present impulses, and a way
// to say that an impulse has changed. Two kinds without a common base, chosen once per solve:
// bodies keep their velocities u = M^-1 D^T x up to date, matrices read the row. Friction cones
// count planar ones first, then spatial ones, and speak the contact frame (n, t1, t2); a planar
// cone has t2 = 0. Rolling cones are counted apart: (n, t1, t2 | s, r1, r2), torques in the units
// of forces.

#include "talus/metrics/measures.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "solvers/body_sweep.hpp"
#include "solvers/cone_values.hpp"

#include <variant>
#include <vector>

namespace talus {

/// Rows of an explicit matrix: nothing to keep up to date.
class MatrixSweep {
 public:
  /// `rows` on stored rows.
  MatrixSweep(const ConeProblem& problem, SparseMatrix rows);

  std::vector<Index> row_order() const;
  std::vector<Index> cone_order() const;
  std::vector<Index> rolling_order() const;
  Mat3 block(Index cone) const;
  Mat6 rolling_block(Index cone) const;

  double diagonal(Index row) const { return problem_.diagonal[static_cast<std::size_t>(row)]; }
  void refresh(const RowVector& /*x*/) {}
  void extrapolate(double /*factor*/) {}
  void begin_sweeps() {}
  void end_sweeps() {}
  double row_gap(Index row, const RowVector& x) const { return stored_gap(row, x); }
  void change_row(Index /*row*/, double /*change*/) {}
  Vec3 cone_gap(Index cone, const Vec3& impulse, const RowVector& x) const;
  void change_cone(Index /*cone*/, const Vec3& /*change*/) {}
  SixRows rolling_gap(Index cone, const SixRows& impulse, const RowVector& x) const;
  void change_rolling(Index /*cone*/, const SixRows& /*change*/) {}

 private:
  double stored_gap(Index stored_row, const RowVector& x) const;
  double entry(Index stored_row, Index column) const;
  std::array<Index, 3> rows_of(Index cone) const;

  const ConeProblem& problem_;
  SparseMatrix rows_;
};

using SweepRows = std::variant<BodySweep, MatrixSweep>;

/// Bodies where N is made of bodies, else the matrix of the law: N, and for Law::Coulomb N + skew.
/// Throws InputError where N would have to be written out and is too large, or is given to several
/// ranks. Collective.
SweepRows make_sweep_rows(const ConeProblem& problem, Law law, const Communicator& comm);

}  // namespace talus
