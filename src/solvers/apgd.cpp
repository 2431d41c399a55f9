// Accelerated projected gradient descent in the metric of the averaged diagonal P, after [Heyn13],
// with three changes (docs/algorithms/apgd.md): the step is tested by (z-y).N(z-y) <= L
// (z-y).P(z-y), never by differences of f; N y comes from N x by linearity, so a trial costs one
// product; the restart looks at the gradient mapping. Letters: x accepted, y extrapolated, z trial,
// d = z - y, q = N d, g* the gradient at *, L the step's inverse, t and beta of Nesterov's
// sequence.

#include "solvers/methods.hpp"
#include "solvers/row_passes.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

class Apgd {
 public:
  Apgd(const MethodContext& context, RowVector& x)
      : problem_(context.problem),
        options_(context.options.apgd),
        comm_(context.comm),
        measure_(context.problem, context.options.measure, context.comm),
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
    fresh_gradient(problem_, x_, gx_);
    gx_previous_ = gx_;
    if (keeper.record(0, start_error(), x_, gx_)) return;
    double t = 1.0,
           lipschitz = 1.0;  // P makes the mean diagonal 1; too small an L is found out at once
    for (std::int64_t k = 1;; ++k) {
      const double t_next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
      const double beta = (t - 1.0) / t_next;
      const auto [residual, against] = accepted_trial(beta, lipschitz);
      shift();
      t = options_.restart && against < 0.0 ? 1.0 : t_next;
      lipschitz *= options_.shrink;
      if (k % options_.refresh_every == 0) refresh();
      if (keeper.record(k, measure_.finish(residual, x_, gx_), x_, gx_)) return;
    }
  }

 private:
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

  double start_error() {
    FusedSums sums(1);
    const double sum = sums.reduce(comm_, [&](const double* scales, LocalSums& local) {
      sum_over_rows(parts(), 0, 1, Mirrors::LeftOut, local,
                    [&](const ApgdPass& p, Index from, Index to, LaneTotals& totals) {
                      pass_kernels().residual(p.cones, p.x, p.gx, p.residual, from, to, scales,
                                              totals);
                    });
    })[0];
    return measure_.finish(sum, x_, gx_);
  }

  /// Trials with growing L until one passes; leaves z and its gradient.
  Trial accepted_trial(double beta, double& lipschitz) {
    const PassParts<ApgdPass> both = parts();
    for (;;) {
      for (const ApgdPass* p : {&both.owned, &both.mirrored})
        for_tile_ranges(p->cones.tiles(), [&](Index begin, Index end) {
          pass_kernels().apgd_trial(*p, beta, 1.0 / lipschitz, begin, end);
        });
      problem_.delassus->apply(d_, q_);
      const auto totals = sums_.reduce(comm_, [&](const double* scales, LocalSums& local) {
        sum_over_rows(both, 0, 4, Mirrors::Updated, local,
                      [&](const ApgdPass& p, Index from, Index to, LaneTotals& lane) {
                        pass_kernels().apgd_sums(p, from, to, scales, lane);
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
    fresh_gradient(problem_, x_, gx_);
    fresh_gradient(problem_, x_previous_, gx_previous_);
  }

  const ConeProblem& problem_;
  const ApgdOptions& options_;
  const Communicator& comm_;
  FusedMeasure measure_;
  Preconditioner preconditioner_;
  RowVector& x_;
  RowVector x_previous_, z_, gx_, gx_previous_, gz_, gy_, d_, q_;
  FusedSums sums_;
};

}  // namespace

void run_apgd(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  Apgd(context, x).run(keeper);
}

}  // namespace talus
