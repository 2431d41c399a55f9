// One product and one reduction per iteration, after [ChronopoulosGear89]: v = N z is formed before
// the direction p = z + beta p is known, and q = N p follows from it by linearity. Both
// coefficients come from sums of that one reduction: beta makes q orthogonal to the last q as it
// is, not as it would be without rounding, and alpha minimises along p. Letters: x, g = N x + r, z
// = P^-1 g.

#include "solvers/krylov.hpp"

#include "talus/parallel/exact_sum.hpp"

#include "problem/linear_operator.hpp"

#include <algorithm>

namespace talus {
namespace {

/// z.N z below so much of z.P z is rounding: z lies in the null space of N, so that no impulses
/// change what is left of g. P makes the mean eigenvalue 1.
constexpr double flat = 1e-14;
constexpr double a_gain = 0.99;

class Krylov {
 public:
  Krylov(const MethodContext& context, const KrylovOptions& options, const KrylovForm& form,
         RowVector& x)
      : problem_(context.problem),
        options_(options),
        form_(form),
        comm_(context.comm),
        measure_(context.problem, context.options, context.comm),
        preconditioner_(make_preconditioner(context.problem, true)),
        x_(x),
        g_(x.size()),
        p_(x.size()),
        q_(x.size()),
        z_(x.size()),
        v_(x.size()),
        parts_(problem_.cones, {{},
                                x_.data(),
                                g_.data(),
                                p_.data(),
                                q_.data(),
                                z_.data(),
                                v_.data(),
                                preconditioner_.scale.data(),
                                preconditioner_.inverse_scale.data(),
                                measure_.weights()}),
        sums_(7) {}

  void run(IterateKeeper& keeper) {
    const double rows = problem_.cones.row_count();
    // as many steps as rows would find the answer if there were no rounding: no verdict before
    const auto patience = std::max<std::int64_t>(
        options_.restart_after, static_cast<std::int64_t>(exact_sum(comm_, {&rows, 1})));
    double mark = infinity;
    std::int64_t mark_iteration = 0, restarts_without_gain = 0;
    start_anew();
    for (std::int64_t j = 0;; ++j) {
      advance();
      if (j > 0 && j % options_.refresh_every == 0) refresh();
      problem_.delassus->apply(z_, v_);
      const auto sums = reduce();
      const double error = measure_.finish(sums[0], x_, g_);
      if (keeper.record(j, error, x_, g_)) return;
      if (error < a_gain * mark) {
        mark = error;
        mark_iteration = j;
        restarts_without_gain = 0;
      }
      const bool is_flat = sums[curvature()] <= flat * sums[6];
      if (is_flat && at_start_) return contradiction(keeper);
      const bool is_late = j - mark_iteration >= patience;
      if (is_late && ++restarts_without_gain > 1) return keeper.cannot_move();
      if (is_flat || is_late) {
        if (is_late) mark_iteration = j;
        x_ = keeper.best();
        start_anew();
      } else {
        choose_step(sums);
      }
    }
  }

 private:
  using Sums = std::array<double, max_fused_sums>;

  std::size_t curvature() const { return static_cast<std::size_t>(form_.curvature); }

  /// No direction is remembered: the next step is one of steepest descent from a fresh gradient.
  void start_anew() {
    evaluate_gap(problem_, Law::Associated, x_, g_);
    std::fill(z_.begin(), z_.end(), 0.0);
    std::fill(v_.begin(), v_.end(), 0.0);
    std::fill(p_.begin(), p_.end(), 0.0);
    std::fill(q_.begin(), q_.end(), 0.0);
    alpha_ = beta_ = 0.0;
    at_start_ = true;
  }

  /// Every row is a free one, hence a slot of its own.
  void refresh() {
    evaluate_gap(problem_, Law::Associated, x_, g_);
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = preconditioner_.inverse_scale[i] * g_[i];
  }

  void advance() {
    for (const KrylovPass* pass : {&parts_.owned, &parts_.mirrored})
      for_tile_ranges(pass->cones.tiles(), [&](Index begin, Index end) {
        pass_kernels().krylov_advance(*pass, alpha_, beta_, begin, end);
      });
  }

  Sums reduce() {
    return sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
      sum_over_rows(parts_, 0, 7, Mirrors::LeftOut, local,
                    [&](const KrylovPass& pass, Index from, Index to, LaneTotals& totals) {
                      form_.sums(pass, from, to, scales, totals);
                    });
    });
  }

  void choose_step(const Sums& sums) {
    const auto [residual, gv, vv, vq, qq, gq, zz, rest] = sums;
    beta_ = qq > 0.0 ? -vq / qq : 0.0;
    double length = vv + beta_ * vq;  // <q, q> of the new q
    if (!(length > 0.0)) {            // v and the old q are parallel but for rounding
      beta_ = 0.0;
      length = vv;
    }
    alpha_ = (gv + beta_ * gq) / length;
    at_start_ = false;
  }

  static void contradiction(IterateKeeper& keeper) {
    keeper.remark(
        "the rows contradict each other: no impulses remove the error that is left; the answer is "
        "the best that was found");
    keeper.cannot_move();
  }

  const ConeProblem& problem_;
  const KrylovOptions& options_;
  const KrylovForm form_;
  const Communicator& comm_;
  FusedMeasure measure_;
  Preconditioner preconditioner_;
  RowVector& x_;
  RowVector g_, p_, q_, z_, v_;
  PassParts<KrylovPass> parts_;
  FusedSums sums_;
  double alpha_ = 0.0, beta_ = 0.0;
  bool at_start_ = true;
};

}  // namespace

void run_krylov(const MethodContext& context, const KrylovOptions& options, const KrylovForm& form,
                RowVector& x, IterateKeeper& keeper) {
  Krylov(context, options, form, x).run(keeper);
}

// Conjugate gradients [HestenesStiefel52] with the diagonal as preconditioner: x minimises
// 1/2 x.N x + r.x over the directions so far. docs/algorithms/cg.md.

void run_cg(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  run_krylov(context, context.options.cg, {pass_kernels().cg_sums, 2}, x, keeper);
}

// Minimal residuals [PaigeSaunders75] in the form of conjugate residuals [Stiefel55], with the
// diagonal as preconditioner: |N x + r| in the norm of P^-1, which is the natural residual, is
// least over the directions so far. docs/algorithms/minres.md.

void run_minres(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  run_krylov(context, context.options.minres, {pass_kernels().minres_sums, 1}, x, keeper);
}

}  // namespace talus
