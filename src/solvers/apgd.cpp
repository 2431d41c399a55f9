// Accelerated projected gradient descent in the metric of the averaged diagonal P, after [Heyn13],
// with three changes (docs/algorithms/apgd.md): the step is tested by (z-y).N(z-y) <= L
// (z-y).P(z-y), never by differences of f; N y comes from N x by linearity, so a trial costs one
// product; the restart looks at the gradient mapping. Letters: x accepted, y extrapolated, z trial,
// d = z - y, q = N d, g* the gradient at *, L the step's inverse, t and beta of Nesterov's
// sequence.

#include "talus/parallel/exact_sum.hpp"

#include "solvers/de_saxce.hpp"
#include "solvers/methods.hpp"
#include "solvers/row_passes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace talus {
namespace {

/// Under the Coulomb and box laws the set moves with x: no minimisation, and a long momentum may
/// then feed an oscillation instead of carrying x along. When the error has long not fallen, the
/// momentum is cut off and its sequence limited to a quarter of what it was; below the least limit
/// there is none again. docs/algorithms/coulomb.md
class MomentumLimit {
 public:
  explicit MomentumLimit(Law law) : applies_(law != Law::Associated) {}

  double limited(double t) const { return std::min(t, limit_); }

  enum class Verdict { GoOn, CutOff, BackToTheBest };

  /// What to do after iteration k with its error and t.
  Verdict watch(std::int64_t k, double error, double t) {
    // Patience, because errors stand still for long in slow but sound progress too; and ripple.
    constexpr std::int64_t patience = 3000;  // iterations, and a tenth of all so far
    constexpr double gain = 0.9, blown_up = 1e3, share = 0.25, least = 8.0;
    if (!applies_) return Verdict::GoOn;
    longest_ = std::max(longest_, t);
    lowest_ = std::min(lowest_, error);
    if (error < gain * mark_error_) {
      mark_error_ = error;
      mark_ = k;
      longest_ = t;
    }
    const bool blows_up = error > blown_up * lowest_;
    if (!blows_up && k - mark_ <= std::max(patience, k / 10)) return Verdict::GoOn;
    limit_ = share * std::min(limit_, longest_);
    if (limit_ < least) limit_ = infinity;
    mark_ = k;
    longest_ = 1.0;
    return blows_up ? Verdict::BackToTheBest : Verdict::CutOff;
  }

 private:
  bool applies_;
  double limit_ = infinity, longest_ = 1.0;
  double mark_error_ = infinity, lowest_ = infinity;
  std::int64_t mark_ = 0;
};

class Apgd {
 public:
  /// `law`: whose step is taken.
  Apgd(const MethodContext& context, Law law, RowVector& x)
      : problem_(context.problem),
        options_(context.options.apgd),
        comm_(context.comm),
        law_(law),
        tolerance_(context.options.tolerance),
        asks_for_gaps_(context.options.keep_history && context.options.history_all_measures),
        kernels_(pass_kernels(law_)),
        measure_(context.problem, context.options, context.comm),
        preconditioner_(make_preconditioner(context.problem, context.options.apgd.precondition)),
        x_(x),
        x_previous_(x),
        z_(x.size()),
        gx_(x.size()),
        gx_previous_(x.size()),
        gz_(x.size()),
        gy_(x.size()),
        d_(x.size()),
        q_(x.size()),
        sums_(4) {}

  void run(IterateKeeper& keeper) {
    evaluate_gap(problem_, law_, x_, gx_);
    gx_previous_ = gx_;
    if (keeper.record(0, measure_.finish(residual_sum(), x_, gx_), x_, gx_)) return;
    double t = 1.0,
           lipschitz = 1.0;  // P makes the mean diagonal 1; too small an L is found out at once
    MomentumLimit momentum(law_);
    for (std::int64_t k = 1;; ++k) {
      const double t_next = momentum.limited(0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t)));
      const double beta = std::max(0.0, (t - 1.0) / t_next);
      const auto [residual, against] = accepted_trial(beta, lipschitz);
      shift();
      t = options_.restart && against < 0.0 ? 1.0 : t_next;
      lipschitz *= options_.shrink;
      if (k % options_.refresh_every == 0) refresh();
      const double error = measure_.finish(residual, x_, gx_);
      if (keeper.record(k, error, x_, gx_)) return;
      const MomentumLimit::Verdict verdict = momentum.watch(k, error, t);
      if (verdict == MomentumLimit::Verdict::GoOn) continue;
      t = 1.0;
      keeper.note_damping();
      if (verdict == MomentumLimit::Verdict::BackToTheBest) {
        x_ = x_previous_ = keeper.best();
        refresh();
      }
    }
  }

  /// The Coulomb law with De Saxce's term, which is frozen until the residual of the minimisation
  /// that it makes has fallen by half; the momentum lives on. The set of a step is then the cone
  /// itself, and the test of its length holds. docs/algorithms/apgd.md, "Frozen terms"
  void run_frozen(IterateKeeper& keeper, bool stretches) {
    constexpr double renewal = 0.5;
    stretches = stretches && problem_.total_bounded == 0;  // an interval holds no multiples
    constexpr std::int64_t stretch_every = 20;
    DeSaxceTerm term(problem_);
    evaluate_gap(problem_, law_, x_, gx_);
    gx_previous_ = gx_;
    double sum = renewed(term), error = measure_.finish(sum, x_, term.gap());
    if (keeper.record(0, error, x_, term.gap())) return;
    if (stretches) {
      // the start may hold what stopped a heavy body in the step before
      stretch(term.term());
      sum = renewed(term);
    }
    double t = 1.0, lipschitz = 1.0;
    for (std::int64_t k = 1;; ++k) {
      const double t_next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
      const auto [residual, against] = accepted_trial(std::max(0.0, (t - 1.0) / t_next), lipschitz);
      shift();
      t = options_.restart && against < 0.0 ? 1.0 : t_next;
      lipschitz *= options_.shrink;
      if (k % options_.refresh_every == 0) {
        refresh();
        term.add_to(gx_, gx_previous_);
      }
      if (stretches && k % stretch_every == 0) stretch(term.term());
      // Not a number must get through to the keeper. Between renewals the error is the last one
      // that is known, which is no better than the best.
      const double share = std::sqrt(residual / sum);
      const bool may_end = tolerance_ < error && error * share <= tolerance_;
      const bool renews = !(share > renewal) || may_end;
      if (renews) {
        sum = renewed(term);
        error = measure_.finish(sum, x_, term.gap());
      } else if (asks_for_gaps_) {
        term.read_gap(x_, gx_);
      }
      // where more is asked for than this error (natural_local), the keeper looks at x and its gap:
      // they belong together only where the term has been renewed
      constexpr double hair = 1.0 + 1e-9;
      const double told = renews ? error : std::max(error, hair * tolerance_);
      if (keeper.record(k, told, x_, term.gap())) return;
    }
  }

 private:
  /// The multiple of x that makes f least: cones hold every multiple of what they hold, and 0. What
  /// stops a heavy body is known in its pattern long before it is in its size. Two reductions.
  void stretch(const RowVector& term) {
    std::vector<double> along, across;
    each_owned_row(problem_.cones, [&](Index row, Index) {
      const auto i = static_cast<std::size_t>(row);
      const double constant = problem_.free_velocity[i] + term[i];
      along.push_back(x_[i] * constant);
      across.push_back(x_[i] * (gx_[i] - constant));
    });
    const double slope = exact_sum(comm_, along), curvature = exact_sum(comm_, across);
    if (!(curvature > 0.0)) return;
    const double factor = std::max(0.0, -slope / curvature);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double constant = problem_.free_velocity[i] + term[i];
      x_[i] *= factor;
      x_previous_[i] *= factor;
      gx_[i] = constant + factor * (gx_[i] - constant);
      gx_previous_[i] = constant + factor * (gx_previous_[i] - constant);
    }
  }

  struct Trial {
    double residual;  ///< sum of residual terms of z
    double against;   ///< d.P(z - x): negative when the momentum carries x against the descent
                      ///< (restart)
  };

  /// The buffers trade places from iteration to iteration, so the pointers are taken anew.
  PassParts<ApgdPass> parts() {
    return {problem_.cones,
            {{},
             x_.data(),
             gx_.data(),
             x_previous_.data(),
             gx_previous_.data(),
             z_.data(),
             gz_.data(),
             d_.data(),
             gy_.data(),
             q_.data(),
             preconditioner_.scale.data(),
             preconditioner_.inverse_scale.data(),
             measure_.weights()}};
  }

  /// Sum of residual terms of x.
  double residual_sum() {
    FusedSums sums(1);
    return sums.reduce(comm_, [&](const double* scales, LocalSums& local) {
      sum_over_rows(parts(), 0, 1, Mirrors::LeftOut, local,
                    [&](const ApgdPass& p, Index from, Index to, LaneTotals& totals) {
                      kernels_.residual(p.cones, p.x, p.gx, p.residual, from, to, scales, totals);
                    });
    })[0];
  }

  /// Takes the term of x as it is now; returns the residual sum of the Coulomb law, which is that
  /// of the new minimisation.
  double renewed(DeSaxceTerm& term) {
    term.renew(x_, gx_, gx_previous_);
    return residual_sum();
  }

  /// Trials with growing L until one passes; leaves z and its gradient.
  Trial accepted_trial(double beta, double& lipschitz) {
    const PassParts<ApgdPass> both = parts();
    for (;;) {
      for (const ApgdPass* p : {&both.owned, &both.mirrored})
        for_tile_ranges(p->cones.tiles(), [&](Index begin, Index end) {
          kernels_.apgd_trial(*p, beta, 1.0 / lipschitz, begin, end);
        });
      apply(problem_, law_, d_, q_);
      const auto totals = sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
        sum_over_rows(both, 0, 4, Mirrors::Updated, local,
                      [&](const ApgdPass& p, Index from, Index to, LaneTotals& lane) {
                        kernels_.apgd_sums(p, from, to, scales, lane);
                      });
      });
      const double dq = totals[0], dd = totals[1];
      // also leaves on NaN, which the keeper reports
      if (!(dq > lipschitz * dd)) return {totals[3], totals[2]};
      lipschitz = std::max(options_.grow * lipschitz, dq / dd);
    }
  }

  void shift() {
    x_previous_.swap(x_);
    x_.swap(z_);
    gx_previous_.swap(gx_);
    gx_.swap(gz_);
  }

  void refresh() {
    evaluate_gap(problem_, law_, x_, gx_);
    evaluate_gap(problem_, law_, x_previous_, gx_previous_);
  }

  const ConeProblem& problem_;
  const ApgdOptions& options_;
  const Communicator& comm_;
  Law law_;
  double tolerance_;
  bool asks_for_gaps_;  ///< of each iterate, for the history
  const PassKernels& kernels_;
  FusedMeasure measure_;
  Preconditioner preconditioner_;
  RowVector& x_;
  RowVector x_previous_, z_, gx_, gx_previous_, gz_, gy_, d_, q_;
  FusedSums sums_;
};

}  // namespace

void run_apgd(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  Apgd(context, iterated_law(context.problem, context.options.law), x).run(keeper);
}

void run_frozen_apgd(const MethodContext& context, RowVector& x, IterateKeeper& keeper,
                     bool stretches) {
  Apgd(context, Law::Associated, x).run_frozen(keeper, stretches);
}

}  // namespace talus
