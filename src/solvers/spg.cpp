// P-SPG-FB: spectral projected gradient with an averaged diagonal preconditioner and fallback to
// the best iterate; where bounds move with the iterate, watched by its residual. [Tasora13], with
// the corrections of docs/algorithms/pspgfb.md. Letters as in the paper: x, g, d, alpha (spectral
// step), lambda (line search); q = N d, P the preconditioner, j the iteration.

#include "solvers/methods.hpp"
#include "solvers/row_passes.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace talus {
namespace {

/// Line search by formula: f is quadratic, so f(x + lambda d) - f(x) is known for every lambda.
/// Only differences of f are kept: f itself would lose them to rounding near the solution.
class NonMonotoneSearch {
 public:
  explicit NonMonotoneSearch(const SpgOptions& options) : options_(options) {}

  /// Accepted lambda for slope d.g < 0 and curvature d.Nd. [GLL86], [Tasora13, line search].
  double accept(double slope, double curvature) {
    const auto change = [&](double t) { return t * slope + 0.5 * t * t * curvature; };
    // max over the last values f_(j-i) of f_(j-i) - f_j, from the changes made since
    double above = 0.0, since = 0.0;
    for (const double c : changes_) {
      since -= c;
      above = std::max(above, since);
    }
    double lambda = 1.0;
    while (change(lambda) > above + options_.armijo * lambda * slope) {
      // minimiser of the parabola, safeguarded; the paper leaves lambda_new unassigned
      lambda =
          std::clamp(-slope / curvature, options_.sigma_min * lambda, options_.sigma_max * lambda);
    }
    changes_.push_front(change(lambda));
    if (changes_.size() > static_cast<std::size_t>(options_.gll_history)) changes_.pop_back();
    return lambda;
  }

 private:
  const SpgOptions& options_;
  std::deque<double> changes_;  // f_(j+1) - f_j, newest first
};

/// Under moving bounds f is no merit: where a bound shrinks, d leads uphill, as it must. What is
/// watched there is the residual. It may rise inside a window of iterations, as spectral steps make
/// it do, but its least value must fall from window to window; else the next window takes the short
/// one of the two spectral steps only.
class ResidualWatch {
 public:
  /// After iteration j with its error.
  void look(std::int64_t j, double error) {
    constexpr std::int64_t window = 200;
    constexpr double gain = 0.9;
    least_ = std::min(least_, error);
    if (j < end_) return;
    const bool gained = least_ <= gain * before_;
    is_short_ = !gained && !is_short_;  // short ones that gain nothing either make way again
    before_ = least_;
    end_ = j + window;
  }
  bool is_short() const { return is_short_; }

 private:
  bool is_short_ = false;
  double least_ = infinity, before_ = infinity;
  std::int64_t end_ = 0;
};

/// Barzilai-Borwein steps in turn. [BB88], [Tasora13, eq. 10, 11]
double spectral_step(bool is_long, double dq, double dd, double qq, const SpgOptions& o) {
  constexpr double flat = 1e-15;            // along such a d, N does not see the step at all
  if (dq <= flat * dd) return o.alpha_max;  // BB2 would be 0/0
  const double alpha = is_long ? dd / dq : dq / qq;
  return std::clamp(alpha, o.alpha_min, o.alpha_max);
}

class Spg {
 public:
  Spg(const MethodContext& context, RowVector& x)
      : problem_(context.problem),
        options_(context.options.pspgfb),
        comm_(context.comm),
        law_(iterated_law(context.problem, context.options.law)),
        kernels_(pass_kernels(law_)),
        measure_(context.problem, context.options, context.comm),
        preconditioner_(make_preconditioner(context.problem, context.options.pspgfb.precondition)),
        x_(x),
        g_(x.size()),
        d_(x.size(), 0.0),
        q_(x.size(), 0.0),
        parts_(problem_.cones, {{},
                                x_.data(),
                                g_.data(),
                                d_.data(),
                                q_.data(),
                                preconditioner_.scale.data(),
                                preconditioner_.inverse_scale.data(),
                                measure_.weights()}),
        sums_(5) {}

  void run(IterateKeeper& keeper) {
    NonMonotoneSearch search(options_);
    ResidualWatch watch;
    const bool minimises = law_ == Law::Associated;
    evaluate_gap(problem_, law_, x_, g_);
    double alpha = first_step(), lambda = 0.0;
    for (std::int64_t j = 0;; ++j) {
      advance(lambda, alpha);
      if (j > 0 && j % options_.refresh_every == 0) {
        evaluate_gap(problem_, law_, x_, g_);
        advance(0.0, alpha);
      }
      apply(problem_, law_, d_, q_);
      const auto [residual, dg, dq, dd, qq] = reduce();
      const double error = measure_.finish(residual, x_, g_);
      if (keeper.record(j, error, x_, g_)) return;
      if (dd == 0.0) return keeper.cannot_move();  // a fixed point of the projected step
      if (minimises) {
        // With P scalar in each cone, d.g <= -d.P d / alpha: d always descends. At a sliding
        // contact both x and g are large and orthogonal, so the sum dg itself drowns in rounding
        // once |d| is 1e-8 of |x|: the bound does not.
        lambda = search.accept(std::min(dg, -dd / alpha), dq);
      } else {
        lambda = 1.0;
        watch.look(j, error);
      }
      alpha = spectral_step(j % 2 != 0 && !watch.is_short(), dq, dd, qq, options_);
    }
  }

 private:
  struct Sums {
    double residual, dg, dq, dd, qq;
  };

  /// The paper leaves the first step open. P makes the mean diagonal 1, so a trial direction of
  /// step 1 has the right size; its short spectral step (BB2) is then safe along it. One product.
  double first_step() {
    advance(0.0, 1.0);
    apply(problem_, law_, d_, q_);
    const Sums s = reduce();
    if (!(s.dq > 0.0) || !(s.qq > 0.0)) return 1.0;
    return std::clamp(s.dq / s.qq, options_.alpha_min, options_.alpha_max);
  }

  /// x += lambda d, g += lambda q, next d; the residual of x is summed on the way and reduced with
  /// the rest.
  void advance(double lambda, double alpha) {
    residual_.clear();
    sum_over_rows(parts_, 0, 1, Mirrors::Updated, residual_,
                  [&](const SpgPass& pass, Index from, Index to, LaneTotals& totals) {
                    kernels_.spg_advance(pass, lambda, alpha, from, to, sums_.scales(), totals);
                  });
  }

  Sums reduce() {
    bool first = true;
    const auto totals = sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
      sum_over_rows(parts_, 1, 4, Mirrors::LeftOut, local,
                    [&](const SpgPass& pass, Index from, Index to, LaneTotals& lane) {
                      kernels_.spg_sums(pass, from, to, scales + 1, lane);
                    });
      if (first) {
        local.merge(residual_);
      } else {  // a redone reduction has new scales: the residual terms are made once more
        sum_over_rows(parts_, 0, 1, Mirrors::LeftOut, local,
                      [&](const SpgPass& pass, Index from, Index to, LaneTotals& lane) {
                        kernels_.residual(pass.cones, pass.x, pass.g, pass.residual, from, to,
                                          scales, lane);
                      });
      }
      first = false;
    });
    return {totals[0], totals[1], totals[2], totals[3], totals[4]};
  }

  const ConeProblem& problem_;
  const SpgOptions& options_;
  const Communicator& comm_;
  Law law_;
  const PassKernels& kernels_;
  FusedMeasure measure_;
  Preconditioner preconditioner_;
  RowVector& x_;
  RowVector g_, d_, q_;
  PassParts<SpgPass> parts_;
  FusedSums sums_;
  LocalSums residual_{5};
};

}  // namespace

void run_spg(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  Spg(context, x).run(keeper);
}

}  // namespace talus
