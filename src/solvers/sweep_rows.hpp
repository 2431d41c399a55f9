#pragma once
// What a sweep solver sees: the gap velocity of one row or cone at the present impulses, and a way
// to say that an impulse has changed. Two kinds without a common base, chosen once per solve:
// bodies keep their velocities u = M^-1 D^T x up to date, matrices read the row. Cones are named by
// their place in the order of a sweep, scalar rows by their index. Friction cones speak the contact
// frame (n, t1, t2); a planar cone has t2 = 0. Rolling cones are counted apart: (n, t1, t2 | s, r1,
// r2), torques in the units of forces.

#include "talus/metrics/measures.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "solvers/body_sweep.hpp"
#include "solvers/cone_tiles.hpp"
#include "solvers/row_blocks.hpp"

#include <variant>
#include <vector>

namespace talus {

/// Rows of an explicit matrix: nothing to keep up to date. The place of a cone is its index, planar
/// ones first.
class MatrixSweep {
 public:
  /// `rows` on stored rows.
  MatrixSweep(const ConeProblem& problem, SparseMatrix rows);

  // One after the other, by index: a row of a matrix reads impulses of any others.
  const RowBlocks& row_blocks() const { return row_blocks_; }
  const RowBlocks& cone_blocks() const { return cone_blocks_; }
  const RowBlocks& rolling_blocks() const { return rolling_blocks_; }
  Mat3 block(Index cone) const;
  Mat6 rolling_block(Index cone) const;

  double diagonal(Index row) const { return problem_.diagonal[row]; }
  void refresh(const RowVector& /*x*/) {}
  void update_mirrors(RowVector& /*x*/) {}
  void take_product() {}
  void extrapolate(double /*factor*/, bool /*look_follows*/) {}
  void begin_sweeps() {}
  void end_sweeps() {}
  double row_gap(Index row, const RowVector& x) const { return stored_gap(row, x); }
  void change_row(Index /*row*/, double /*change*/) {}
  void fetch_cone(Index /*cone*/, const RowVector& /*x*/) const {}
  Vec3 impulse_of_cone(Index cone, const RowVector& x) const {
    return cone_impulse(problem_.cones, x, cone);
  }
  void set_impulse_of_cone(Index cone, RowVector& x, const Vec3& impulse) const {
    set_cone_impulse(problem_.cones, x, cone, impulse);
  }
  Vec3 cone_gap(Index cone, const Vec3& impulse, const RowVector& x) const;
  void change_cone(Index /*cone*/, const Vec3& /*change*/) {}
  // Rows of a matrix read any others: no two are independent.
  void make_tiles(bool /*associated*/) {}
  void drop_tiles() {}
  bool has_tiles(std::size_t /*block*/) const { return false; }
  bool sweep_tiles(std::size_t /*block*/, bool /*forward*/, double /*omega*/) { return false; }
  bool has_all_in_tiles() const { return false; }
  void end_sweep() {}
  void take_impulses(const RowVector& /*x*/) {}
  void give_impulses(RowVector& /*x*/) const {}
  void give_trail(Momentum::Trail& /*trail*/) const {}
  SixRows rolling_gap(Index cone, const SixRows& impulse, const RowVector& x) const;
  void change_rolling(Index /*cone*/, const SixRows& /*change*/) {}

 private:
  double stored_gap(Index stored_row, const RowVector& x) const;
  double entry(Index stored_row, Index column) const;
  std::array<Index, 3> rows_of(Index cone) const;

  const ConeProblem& problem_;
  SparseMatrix rows_;
  RowBlocks row_blocks_, cone_blocks_, rolling_blocks_;
};

using SweepRows = std::variant<BodySweep, MatrixSweep>;

/// Bodies where N is made of bodies, else the matrix of the law: N, and for Law::Coulomb N + skew.
/// Throws InputError where N would have to be written out and is too large, or is given to several
/// ranks. Collective.
SweepRows make_sweep_rows(const ConeProblem& problem, Law law, const Communicator& comm);

}  // namespace talus
