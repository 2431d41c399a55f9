#pragma once
// The rows of rigid bodies as a sweep solver sees them: every change of an impulse changes the
// velocities of two bodies, which the next row sees. On several ranks each sweeps the rows that it
// owns, and a body that others sweep too has only a part of its mass here (docs/decisions/011).

#include "talus/problem/cone_problem.hpp"

#include "problem/body_operator.hpp"
#include "solvers/cone_tiles.hpp"
#include "solvers/momentum.hpp"
#include "solvers/row_blocks.hpp"
#include "solvers/sweep_exchange.hpp"

#include <memory>
#include <vector>

namespace talus {

/// [Tasora07, Alg. 4.1]: the bodies' velocities follow every change of an impulse, by M^-1 D^T
/// times the change (the printed algorithm has the whole impulse there).
class BodySweep {
 public:
  /// Body b sweeps with its inverse mass times multiplicity[b]: exchange->sharers(), or what a test
  /// wants instead.
  BodySweep(const ConeProblem& problem, const BodyOperator& bodies,
            std::unique_ptr<SweepExchange> exchange, const std::vector<double>& multiplicity);

  // Owned rows only, and in the order of a sweep: joint rows; contacts, if they do not roll; if
  // they do. Rows of two blocks of a colour may be changed by two threads at the same time.
  const RowBlocks& row_blocks() const { return row_blocks_; }
  const RowBlocks& cone_blocks() const { return cone_blocks_; }
  const RowBlocks& rolling_blocks() const { return rolling_blocks_; }
  // Of the operator that this rank sweeps, with split masses and compliance.
  double diagonal(Index row) const { return diagonal_[row]; }
  Mat3 block(Index cone) const;  ///< in the contact frame
  Mat6 rolling_block(Index cone) const;

  /// Brings mirrored rows of x from their owners and makes the velocities afresh from x: takes away
  /// the rounding that the changes have piled up. Collective.
  void refresh(RowVector& x);
  /// refresh() in two halves, for who makes the product with N x in between in any case: its
  /// velocities are those that sweeps go on from.
  void update_mirrors(RowVector& x) { exchange_->update_mirrors(x); }
  void take_product();
  /// u + factor (u - the u that the last call left behind), and so the impulses in tiles; see
  /// Momentum and ConeTiles.
  void extrapolate(double factor, bool look_follows);
  /// What follows changes the velocities of shared bodies here only ...
  void begin_sweeps();
  /// ... until the changes of all sharers are added up: the velocities are then those of the true
  /// masses again, u = M^-1 D^T x. Collective.
  void end_sweeps();

  double row_gap(Index row, const RowVector& x) const;
  void change_row(Index row, double change);
  /// Has what is read of a cone brought from memory: bodies are anywhere, and waiting for them
  /// would take a quarter of a sweep.
  void fetch_cone(Index cone, const RowVector& x) const;
  Vec3 impulse_of_cone(Index cone, const RowVector& x) const;
  void set_impulse_of_cone(Index cone, RowVector& x, const Vec3& impulse) const;
  Vec3 cone_gap(Index cone, const Vec3& impulse, const RowVector& x) const;
  void change_cone(Index cone, const Vec3& change);
  // Sweeps leave the impulses of contacts in tiles there: stored rows of x are asked for them.
  void take_impulses(const RowVector& x) { tiles_.take_impulses(x); }
  void give_impulses(RowVector& x) const { tiles_.give_impulses(x); }
  void give_trail(Momentum::Trail& trail) const { tiles_.give_trail(trail.before, trail.start); }
  bool has_all_in_tiles() const;
  /// From now on blocks of contacts are swept eight at a time where these are independent, and no
  /// diagonality() is less than this.
  void make_tiles(bool associated, double least_diagonality = 0.2);
  void drop_tiles() { tiles_ = {}; }
  bool has_tiles(std::size_t block) const { return tiles_.order().has_tiles(block); }
  /// Sweeps a block that has them; whether an impulse has changed.
  bool sweep_tiles(std::size_t block, bool forward, double relaxation);
  void end_sweep() { tiles_.end_sweep(); }
  SixRows rolling_gap(Index cone, const SixRows& impulse, const RowVector& x) const;
  void change_rolling(Index cone, const SixRows& change);

 private:
  /// The last body is the world: no inverse mass, at rest. What a sweep changes is one line of
  /// eight numbers, which tiles gather (tile_kernels.hpp).
  struct alignas(64) Body {
    Vec3 velocity, spin;
    double inverse_mass = 0.0;
    double inverse_moment = 0.0;  ///< where it is the same about all axes
  };
  struct alignas(64) Inertia {
    Sym3 inverse;
    bool is_movable = false;  ///< others are read by all threads and written by none
  };
  struct Contact {
    Vec3 normal, tangent1, tangent2;
    Vec3 lever_a, lever_b;  ///< from the body's centre to where it is touched
    Vec3 free_velocity;     ///< contact frame
    double normal_compliance = 0.0, tangent_compliance = 0.0;
    Index body_a = 0, body_b = 0;
    Index index = 0;      ///< in the problem
    Vec3 free_turn;       ///< of rolling contacts, contact frame, times `length`
    double length = 1.0;  ///< of the rolling cone
  };
  Contact contact_of(Index contact) const;
  Index movable(Index body) const;
  /// Of the first `count` rows; see rows_per_block() for `least`.
  RowBlocks blocks_of(const std::vector<GlobalId>& keys, Index count,
                      const std::vector<Index>& body_a, const std::vector<Index>& body_b,
                      Index least) const;
  static Vec3 velocity_at(const Body& body, const Vec3& lever);
  void push(Index body, const Vec3& force, const Vec3& torque);
  Index moved(Index body) const;
  TileContact tile_contact_of(const Contact& contact) const;
  TileMetric tile_metric_of(const Contact& contact) const;

  const BodyOperator& operator_;
  const BodyPart& part_;
  const BodyProblem& data_;
  const ConeSet& cones_;
  const RowVector& free_velocity_;
  std::unique_ptr<SweepExchange> exchange_;
  std::vector<double> share_;  ///< of a shared body's mass that sweeps here, in (0, 1]
  /// N with the masses as they sweep here; operator_ itself where nothing is shared.
  std::shared_ptr<const BodyOperator> split_;
  RowVector diagonal_;  ///< per joint row
  std::vector<Body> bodies_;
  std::vector<Inertia> inertia_;
  bool is_round_ = true;  ///< every body that moves has one moment about all axes
  RowBlocks row_blocks_, cone_blocks_, rolling_blocks_;
  std::vector<Contact> contacts_;  ///< in the order of a sweep
  ConeTiles tiles_;                ///< none before make_tiles()
  struct Twist {
    Vec3 velocity, spin;
  };
  RowVector before_;             ///< lines of the bodies that extrapolate() left behind
  std::vector<Twist> begin_;     ///< per shared body: before the sweeps
  std::vector<double> changes_;  ///< six per shared body
};

}  // namespace talus
