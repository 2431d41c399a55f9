#pragma once
// One sweep: row after row and cone after cone takes the impulse that its own problem asks for
// while all others stand still, and the next one sees it at once.
// [Tasora07, Alg. 4.1, eq. 6] corrected (docs/algorithms/psor.md): the velocity e_i stands inside
// the factor omega / g_i, the bodies follow the change of the impulse, g_i contains the compliance.
// Letters: x impulses, w gap velocity, A the cone's diagonal block, b = w - A x.

#include "talus/solvers/solve.hpp"

#include "solvers/local_cone.hpp"
#include "solvers/local_rolling.hpp"
#include "solvers/sweep_rows.hpp"

#include <utility>

namespace talus {

inline bool same(const Vec3& a, const Vec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

inline bool same(const SixRows& a, const SixRows& b) {
  return same(a.linear, b.linear) && same(a.angular, b.angular);
}

/// `Rows` is BodySweep or MatrixSweep.
template <class Rows>
class Sweeper {
 public:
  Sweeper(const ConeProblem& problem, Law law, const PsorOptions& options, Rows& rows, RowVector& x)
      : cones_(problem.cones),
        law_(law),
        options_(options),
        rows_(rows),
        x_(x),
        row_order_(rows.row_order()),
        cone_order_(rows.cone_order()),
        rolling_order_(rows.rolling_order()),
        exact_(options.exact_local) {
    cone_.reserve(cone_order_.size());
    for (const Index c : cone_order_) cone_.push_back(prepare_cone(rows_.block(c), angle_of(c)));
    for (const Index c : rolling_order_)
      rolling_.push_back(prepare_rolling(rows_.rolling_block(c), cones_.rolling_friction_of(c)));
  }

  /// The next sweep is a forward one.
  void begin_forward() { forward_ = true; }

  /// Forward; with options.symmetric forward and backward in turn.
  void sweep() {
    const std::size_t rows = row_order_.size(), cones = cone_order_.size(),
                      rolling = rolling_order_.size();
    if (forward_) {
      for (std::size_t k = 0; k < rows; ++k) update_row(row_order_[k]);
      for (std::size_t k = 0; k < cones; ++k) update_cone(k);
      for (std::size_t k = 0; k < rolling; ++k) update_rolling(k);
    } else {
      for (std::size_t k = rolling; k-- > 0;) update_rolling(k);
      for (std::size_t k = cones; k-- > 0;) update_cone(k);
      for (std::size_t k = rows; k-- > 0;) update_row(row_order_[k]);
    }
    if (options_.symmetric) forward_ = !forward_;
  }

  /// Has any impulse changed since the last question?
  bool has_moved() { return std::exchange(moved_, false); }

  /// From now on cones take steps of 1 / lambda_max instead of exact answers.
  void give_up_exact_answers() { exact_ = false; }

 private:
  FrictionAngle angle_of(Index cone) const {
    const auto slot = static_cast<std::size_t>(
        cone < cones_.planar_count ? cones_.planar_slot(cone)
                                   : cones_.spatial_slot(cone - cones_.planar_count));
    return {cones_.friction[slot], cones_.cosine[slot], cones_.sine[slot]};
  }

  void update_row(Index row) {
    const auto i = static_cast<std::size_t>(row);
    const double next = scalar_step(x_[i], rows_.row_gap(row, x_), rows_.diagonal(row),
                                    {cones_.lower[i], cones_.upper[i]}, options_.relaxation);
    const double change = next - x_[i];
    if (change == 0.0) return;
    x_[i] = next;
    rows_.change_row(row, change);
    moved_ = true;
  }

  void update_cone(std::size_t k) {
    const Index c = cone_order_[k];
    const LocalCone& cone = cone_[k];
    const Vec3 x = cone_impulse(cones_, x_, c);
    const Vec3 b = rows_.cone_gap(c, x, x_) - times(cone.block, x);
    const Vec3 next = law_ == Law::Box       ? sweep_box(cone, b, x, options_.relaxation)
                      : law_ == Law::Coulomb ? coulomb_step(cone, b, x)
                                             : convex_step(cone, b, x);
    if (same(next, x)) return;
    set_cone_impulse(cones_, x_, c, next);
    rows_.change_cone(c, next - x);
    moved_ = true;
  }

  void update_rolling(std::size_t k) {
    const Index c = rolling_order_[k];
    const LocalRolling& cone = rolling_[k];
    const SixRows x = rolling_impulse(cones_, x_, c);
    const SixRows b = rows_.rolling_gap(c, x, x_) - times(cone.block, x);
    const SixRows next = rolling_step(cone, b, x);
    if (same(next, x)) return;
    set_rolling_impulse(cones_, x_, c, next);
    rows_.change_rolling(c, next - x);
    moved_ = true;
  }

  SixRows rolling_step(const LocalRolling& cone, const SixRows& b, const SixRows& x) const {
    if (law_ == Law::Box) return sweep_rolling_box(cone, b, x, options_.relaxation);
    const bool coulomb = law_ == Law::Coulomb;
    if (!exact_) return rolling_bound_step(cone, coulomb, b, x, options_.relaxation);
    return stretched(cone, b, x,
                     coulomb ? improve_coulomb(cone, b, x) : improve_associated(cone, b, x));
  }

  Vec3 convex_step(const LocalCone& cone, const Vec3& b, const Vec3& x) const {
    if (exact_) {
      const LocalAnswer answer = solve_associated(cone, b);
      if (answer.state != LocalState::Unsolvable) return stretched(cone, b, x, answer.impulse);
    }
    return bound_step_associated(cone, b, x, options_.relaxation);
  }

  Vec3 coulomb_step(const LocalCone& cone, const Vec3& b, const Vec3& x) const {
    if (exact_) {
      const LocalAnswer answer = solve_coulomb(cone, b);
      if (answer.state != LocalState::Unsolvable) return stretched(cone, b, x, answer.impulse);
    }
    return bound_step_coulomb(cone, b, x, options_.relaxation);
  }

  /// x + omega (answer - x), back in the cone. The projection is not the one of the block's metric,
  /// so that for omega > 1 the convex law could rise; then the answer itself is taken.
  template <class Cone, class Impulse>
  Impulse stretched(const Cone& cone, const Impulse& b, const Impulse& x,
                    const Impulse& answer) const {
    if (options_.relaxation == 1.0) return answer;
    const Impulse next = projected(cone.friction, x + options_.relaxation * (answer - x));
    const bool rises = law_ == Law::Associated && options_.relaxation > 1.0 &&
                       local_objective(cone, b, next) > local_objective(cone, b, x);
    return rises ? answer : next;
  }

  const ConeSet& cones_;
  Law law_;
  const PsorOptions& options_;
  Rows& rows_;
  RowVector& x_;
  std::vector<Index> row_order_, cone_order_, rolling_order_;
  std::vector<LocalCone> cone_;        // in the order of cone_order_
  std::vector<LocalRolling> rolling_;  // in the order of rolling_order_
  bool exact_;                         // cones are solved exactly; else bound steps
  bool forward_ = true, moved_ = false;
};

}  // namespace talus
