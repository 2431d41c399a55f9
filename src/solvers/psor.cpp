// Projected successive over-relaxation: row after row and cone after cone, each takes the impulse
// that its own problem asks for while all others stand still, and the next one sees it at once.
// [Tasora07, Alg. 4.1, eq. 6] corrected (docs/algorithms/psor.md): the velocity e_i stands inside
// the factor omega / g_i, the bodies follow the change of the impulse, g_i contains the compliance.
// Letters: x impulses, w gap velocity, A the cone's diagonal block, b = w - A x.

#include "solvers/local_cone.hpp"
#include "solvers/local_rolling.hpp"
#include "solvers/methods.hpp"
#include "solvers/sweep_rows.hpp"

#include <algorithm>

namespace talus {
namespace {

bool same(const Vec3& a, const Vec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool same(const SixRows& a, const SixRows& b) {
  return same(a.linear, b.linear) && same(a.angular, b.angular);
}

template <class Rows>
class Psor {
 public:
  Psor(const MethodContext& context, Rows& rows, RowVector& x)
      : problem_(context.problem),
        cones_(context.problem.cones),
        law_(context.options.law),
        options_(context.options.psor),
        comm_(context.comm),
        reference_(reference_of(context.options.measure, problem_, law_, comm_)),
        measure_(context.options.measure),
        rows_(rows),
        x_(x),
        gap_(x.size(), 0.0),
        row_order_(rows.row_order()),
        cone_order_(rows.cone_order()),
        rolling_order_(rows.rolling_order()),
        exact_(context.options.psor.exact_local) {
    cone_.reserve(cone_order_.size());
    for (const Index c : cone_order_) cone_.push_back(prepare_cone(rows_.block(c), angle_of(c)));
    for (const Index c : rolling_order_)
      rolling_.push_back(prepare_rolling(rows_.rolling_block(c), cones_.rolling_friction_of(c)));
  }

  void run(IterateKeeper& keeper, std::int64_t max_sweeps) {
    bool forward = true;
    double sweep_seconds = 0.0;
    for (std::int64_t sweeps = 0;;) {
      const double check_begin = keeper.seconds();
      rows_.refresh(x_);
      evaluate_gap(problem_, law_, x_, gap_);
      const double error = evaluate(measure_, problem_, law_, x_, gap_, reference_, comm_);
      const double check_seconds = keeper.seconds() - check_begin;
      keeper.expect_step(sweep_seconds + check_seconds);
      if (keeper.record(sweeps, error, x_, gap_)) return;
      watch(sweeps, error);
      const std::int64_t begin = sweeps, until = std::min(max_sweeps, begin + options_.check_every);
      moved_ = false;
      do {  // at least one, after which a time limit or an interrupt may end the round early
        const double sweep_begin = keeper.seconds();
        sweep(forward);
        if (options_.symmetric) forward = !forward;
        sweep_seconds = keeper.seconds() - sweep_begin;
        keeper.expect_step(sweep_seconds + check_seconds);
      } while (++sweeps < until && !keeper.must_end());
      if (!moved_) return keeper.cannot_move();
    }
  }

 private:
  FrictionAngle angle_of(Index cone) const {
    const auto slot = static_cast<std::size_t>(
        cone < cones_.planar_count ? cones_.planar_slot(cone)
                                   : cones_.spatial_slot(cone - cones_.planar_count));
    return {cones_.friction[slot], cones_.cosine[slot], cones_.sine[slot]};
  }

  void sweep(bool forward) {
    const std::size_t rows = row_order_.size(), cones = cone_order_.size(),
                      rolling = rolling_order_.size();
    if (forward) {
      for (std::size_t k = 0; k < rows; ++k) update_row(row_order_[k]);
      for (std::size_t k = 0; k < cones; ++k) update_cone(k);
      for (std::size_t k = 0; k < rolling; ++k) update_rolling(k);
    } else {
      for (std::size_t k = rolling; k-- > 0;) update_rolling(k);
      for (std::size_t k = cones; k-- > 0;) update_cone(k);
      for (std::size_t k = rows; k-- > 0;) update_row(row_order_[k]);
    }
  }

  void update_row(Index row) {
    const auto i = static_cast<std::size_t>(row);
    const double next = scalar_step(x_[i], rows_.row_gap(row, x_), problem_.diagonal[i],
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

  /// The Coulomb law is no minimisation: where tangential impulses lift contacts, exact answers
  /// jump between branches or swing for ever. Steps of 1 / lambda_max are slower and settle: they
  /// take over when the error has long not fallen.
  void watch(std::int64_t sweeps, double error) {
    constexpr std::int64_t patience = 2000;  // sweeps; slow convergence gains 1 % in far fewer
    if (error < 0.99 * mark_error_) {
      mark_error_ = error;
      mark_sweep_ = sweeps;
    } else if (law_ == Law::Coulomb && sweeps - mark_sweep_ >= patience) {
      exact_ = false;
    }
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

  const ConeProblem& problem_;
  const ConeSet& cones_;
  Law law_;
  const PsorOptions& options_;
  const Communicator& comm_;
  double reference_;
  Measure measure_;
  Rows& rows_;
  RowVector& x_;
  RowVector gap_;
  std::vector<Index> row_order_, cone_order_, rolling_order_;
  std::vector<LocalCone> cone_;        // in the order of cone_order_
  std::vector<LocalRolling> rolling_;  // in the order of rolling_order_
  bool exact_;                         // cones are solved exactly; else bound steps
  double mark_error_ = infinity;       // the last error that was a gain
  std::int64_t mark_sweep_ = 0;
  bool moved_ = false;
};

}  // namespace

void run_psor(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  SweepRows rows = make_sweep_rows(context.problem, context.options.law);
  std::visit(
      [&](auto& chosen) { Psor(context, chosen, x).run(keeper, context.options.max_iterations); },
      rows);
}

}  // namespace talus
