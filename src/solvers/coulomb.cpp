// The true Coulomb law by a fixed point around a convex method: with s_c = mu_c |w_T,c| frozen, r_N
// + s is the free gap of a convex problem [AcaryBremond18, De Saxce's change of variable]; solve
// it, renew s, repeat. The antisymmetric part of a W that is not symmetric is frozen in the same
// way. Inner tolerances are tied to the outer residual, inner solves start from the last answer,
// and the change of s is damped when the outer residual rises. docs/algorithms/coulomb.md.

#include "solvers/methods.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double inner_share =
    0.1;  // of the outer residual: looser wastes outer steps, tighter inner ones
constexpr double least_damping = 0.05;  // below it the fixed point would stand still
constexpr double risen = 1.2;           // growth of the outer residual that counts as rising

class CoulombFixedPoint {
 public:
  CoulombFixedPoint(const MethodContext& context, RowVector& x, IterateKeeper& keeper)
      : context_(context),
        problem_(context.problem),
        keeper_(keeper),
        x_(x),
        gap_(x.size(), 0.0),
        shift_(static_cast<std::size_t>(problem_.cones.slots()), 0.0),
        frozen_(problem_) {
    frozen_.skew = nullptr;
  }

  std::int64_t run() {
    const SolveOptions& options = context_.options;
    const double reference = reference_of(options.measure, problem_, Law::Coulomb, context_.comm);
    double damping = 1.0, last = infinity;
    std::int64_t inner_iterations = 0;
    for (std::int64_t outer = 0;; ++outer) {
      evaluate_gap(problem_, Law::Coulomb, x_, gap_);
      const double residual = natural();
      const double error = options.measure == Measure::Natural
                               ? residual
                               : evaluate(options.measure, problem_, Law::Coulomb, x_, gap_,
                                          reference, context_.comm);
      if (keeper_.record(inner_iterations, error, x_, gap_)) return outer;
      if (residual > risen * last) damping = std::max(least_damping, 0.5 * damping);
      last = residual;
      freeze(outer == 0 ? 1.0 : damping);
      const std::int64_t done = solve_frozen(residual, inner_iterations);
      inner_iterations += done;
      // An inner solve without an iteration is one whose start was good enough already: ask it for
      // more.
      share_ = done > 0 ? inner_share : 0.1 * share_;
      if (share_ < 1e-12) {
        keeper_.cannot_move();
        return outer;
      }
    }
  }

 private:
  double natural() const {
    return evaluate(Measure::Natural, problem_, Law::Coulomb, x_, gap_, 1.0, context_.comm);
  }

  double tangential_speed(Index slot) const {
    const ConeSet& cones = problem_.cones;
    if (slot < cones.spatial_first_slot())
      return std::abs(
          gap_[static_cast<std::size_t>(cones.planar_row(slot - cones.planar_first_slot(), 1))]);
    const Index c = slot - cones.spatial_first_slot();
    const Vec3 w = spatial_value(cones, gap_, c), n = cones.axis_of(c);
    const Vec3 t = w - dot(n, w) * n;
    return std::sqrt(dot(t, t));
  }

  /// free gap of the convex problem: r + skew x + s n, with s moved by `damping` towards mu |w_T|.
  void freeze(double damping) {
    const ConeSet& cones = problem_.cones;
    RowVector& r = frozen_.free_gap;
    r = problem_.free_gap;
    if (problem_.skew != nullptr) {
      RowVector image(x_.size());
      problem_.skew->apply(x_, image);
      for (std::size_t i = 0; i < r.size(); ++i) r[i] += image[i];
    }
    const auto moved = [&](Index slot) {
      double& s = shift_[static_cast<std::size_t>(slot)];
      const double target = cones.friction[static_cast<std::size_t>(slot)] * tangential_speed(slot);
      s += damping * (target - s);
      return s;
    };
    for (Index c = 0; c < cones.planar_count; ++c)
      r[static_cast<std::size_t>(cones.planar_row(c, 0))] += moved(cones.planar_slot(c));
    for (Index c = 0; c < cones.spatial_count; ++c)
      set_spatial_value(
          cones, r, c,
          spatial_value(cones, r, c) + moved(cones.spatial_slot(c)) * cones.axis_of(c));
  }

  /// Convex solve from x_ to a share of the outer residual; returns its iterations.
  std::int64_t solve_frozen(double residual, std::int64_t done) {
    SolveOptions inner = context_.options;
    inner.law = Law::Associated;
    inner.measure = Measure::Natural;
    inner.tolerance = share_ * residual;
    inner.max_iterations = std::max<std::int64_t>(1, context_.options.max_iterations - done);
    inner.time_limit = keeper_.seconds_left();
    inner.keep_history = false;
    if (const auto& show =
            context_.options.progress)  // the count goes on, the error is the outer one
      inner.progress = [&show, done, residual, this](const IterateStatus& status) {
        show({done + status.iteration, residual, keeper_.seconds()});
      };
    IterateKeeper inner_keeper(frozen_, inner, context_.comm, IterateKeeper::Clock::now());
    run_convex({frozen_, inner, context_.comm}, x_, inner_keeper);
    keeper_.absorb(inner_keeper);
    x_ = inner_keeper.best();
    return inner_keeper.last_iteration();
  }

  const MethodContext& context_;
  const ConeProblem& problem_;
  IterateKeeper& keeper_;
  RowVector& x_;
  RowVector gap_;
  std::vector<double> shift_;  // s, per slot, m/s
  ConeProblem frozen_;
  double share_ = inner_share;
};

}  // namespace

std::int64_t run_coulomb(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  return CoulombFixedPoint(context, x, keeper).run();
}

}  // namespace talus
