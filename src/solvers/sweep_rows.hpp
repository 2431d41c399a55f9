#pragma once
// What a sweep solver sees: the gap velocity of one row or cone at the present impulses, and a way
// to say that an impulse has changed. Two kinds without a common base, chosen once per solve:
// bodies keep their velocities u = M^-1 D^T x up to date, matrices read the row. Friction cones
// count planar ones first, then spatial ones, and speak the contact frame (n, t1, t2); a planar
// cone has t2 = 0. Rolling cones are counted apart: (n, t1, t2 | s, r1, r2), torques in the units
// of forces.

#include "talus/metrics/measures.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/problem/matrix_problem.hpp"

#include <variant>
#include <vector>

namespace talus {

/// The impulse of a friction cone in its contact frame, and back into the stored rows.
Vec3 cone_impulse(const ConeSet& cones, const RowVector& x, Index cone);
void set_cone_impulse(const ConeSet& cones, RowVector& x, Index cone, const Vec3& impulse);

SixRows rolling_impulse(const ConeSet& cones, const RowVector& x, Index cone);
void set_rolling_impulse(const ConeSet& cones, RowVector& x, Index cone, const SixRows& impulse);

/// The start of box friction, whose bounds cut off and add corners of the cones: x_N >= 0 and every
/// tangent within +-mu x_N. `clipped` holds the projection on the cones and keeps its scalar rows.
void clip_to_boxes(const ConeSet& cones, const RowVector& start, RowVector& clipped);

/// [Tasora07, Alg. 4.1]: the bodies' velocities follow every change of an impulse, by M^-1 D^T
/// times the change (the printed algorithm has the whole impulse there).
class BodySweep {
 public:
  BodySweep(const ConeProblem& problem, const BodyOperator& bodies);

  std::vector<Index> row_order() const;      ///< joint rows by key
  std::vector<Index> cone_order() const;     ///< contacts by key, if they do not roll
  std::vector<Index> rolling_order() const;  ///< contacts by key, if they roll
  Mat3 block(Index cone) const;  ///< diagonal block in the contact frame, with compliance
  Mat6 rolling_block(Index cone) const;

  /// Velocities afresh from x: takes away the rounding that the changes have piled up.
  void refresh(const RowVector& x);
  double row_gap(Index row, const RowVector& x) const;
  void change_row(Index row, double change);
  Vec3 cone_gap(Index cone, const Vec3& impulse, const RowVector& x) const;
  void change_cone(Index cone, const Vec3& change);
  SixRows rolling_gap(Index cone, const SixRows& impulse, const RowVector& x) const;
  void change_rolling(Index cone, const SixRows& change);

 private:
  /// The last body is the world: no inverse mass, at rest.
  struct Body {
    Vec3 velocity, spin;
    double inverse_mass = 0.0;
    Sym3 inverse_inertia;
  };
  struct Contact {
    Vec3 normal, tangent1, tangent2;
    Vec3 lever_a, lever_b;  ///< from the body's centre to where it is touched
    Vec3 free_gap;          ///< contact frame
    double normal_compliance = 0.0, tangent_compliance = 0.0;
    Index body_a = 0, body_b = 0;
    Vec3 free_turn;       ///< of rolling contacts, contact frame, times `length`
    double length = 1.0;  ///< of the rolling cone
  };
  Index movable(Index body) const;
  static Vec3 velocity_at(const Body& body, const Vec3& lever);
  static void push(Body& body, const Vec3& force, const Vec3& torque);

  const BodyOperator& operator_;
  const BodyProblem& data_;
  const ConeSet& cones_;
  const RowVector& free_gap_;
  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
};

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

  void refresh(const RowVector& /*x*/) {}
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
/// Throws InputError where N would have to be written out and is too large.
SweepRows make_sweep_rows(const ConeProblem& problem, Law law);

}  // namespace talus
