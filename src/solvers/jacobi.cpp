// Projected Jacobi: x := P(x - B (N x + r)) with B = omega / g_c per cone [Tasora07, eq. 3-5]. The
// paper's proof needs the spectral radius of B N below 2, which the inverse diagonal alone does not
// give (every row repeated k times multiplies it by k): omega is divided by an estimate of
// lambda_max. docs/algorithms/jacobi.md.

#include "core/key_order.hpp"
#include "solvers/methods.hpp"
#include "solvers/row_passes.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

class Jacobi {
 public:
  Jacobi(const MethodContext& context, RowVector& x)
      : problem_(context.problem),
        options_(context.options.jacobi),
        comm_(context.comm),
        law_(iterated_law(context.problem, context.options.law)),
        kernels_(pass_kernels(law_)),
        measure_(context.problem, context.options, context.comm),
        preconditioner_(make_preconditioner(context.problem, true)),
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
                                measure_.weights()}) {}

  void run(IterateKeeper& keeper, std::int64_t refresh_every) {
    double step =
        options_.relaxation / std::max(1.0, options_.lambda_margin * largest_eigenvalue());
    std::fill(d_.begin(), d_.end(), 0.0);
    std::fill(q_.begin(), q_.end(), 0.0);
    evaluate_gap(problem_, law_, x_, g_);
    FusedSums sums(4), residual_sum(1);
    for (std::int64_t j = 0;; ++j) {
      const double residual = advance(residual_sum, j == 0 ? 0.0 : 1.0, step);
      if (keeper.record(j, measure_.finish(residual, x_, g_), x_, g_)) return;
      apply(problem_, law_, d_, q_);
      if (j % refresh_every == refresh_every - 1) {
        step = checked_step(sums, step);
        evaluate_gap(problem_, law_, x_, g_);
      }
    }
  }

 private:
  /// x += lambda d, g += lambda q, next d; returns the sum of residual terms of the new x.
  double advance(FusedSums& sums, double lambda, double step) {
    bool first = true;
    return sums.reduce(comm_, [&](const double* scales, LocalSums& local) {
      // a redone reduction must not move x again
      const double move = first ? lambda : 0.0;
      first = false;
      sum_over_rows(parts_, 0, 1, Mirrors::Updated, local,
                    [&](const SpgPass& pass, Index from, Index to, LaneTotals& totals) {
                      kernels_.spg_advance(pass, move, step, from, to, scales, totals);
                    });
    })[0];
  }

  /// d.g, d.Nd, d.Pd, Nd.P^-1 Nd
  std::array<double, max_fused_sums> direction_sums(FusedSums& sums) {
    return sums.reduce(comm_, [&](const double* scales, LocalSums& local) {
      sum_over_rows(parts_, 0, 4, Mirrors::LeftOut, local,
                    [&](const SpgPass& pass, Index from, Index to, LaneTotals& totals) {
                      kernels_.spg_sums(pass, from, to, scales, totals);
                    });
    });
  }

  /// d from the keys of the cones: the same on any rank, and without symmetries.
  void irregular_start() {
    Index previous_slot = -1;
    std::uint64_t row_in_cone = 0;
    each_stored_row(problem_.cones, [&](Index row, Index slot) {
      row_in_cone = slot == previous_slot ? row_in_cone + 1 : 0;
      previous_slot = slot;
      const auto i = static_cast<std::size_t>(slot);
      const std::uint64_t key =
          problem_.key.empty() ? i : static_cast<std::uint64_t>(problem_.key[i]);
      // keys of joint rows and of contacts are numbered apart
      const std::uint64_t group = slot < problem_.cones.scalar_slots() ? 0 : 1;
      const std::uint64_t number = mixed_bits(mixed_bits(2 * key + group) + row_in_cone);
      d_[row] =
          static_cast<double>(static_cast<std::int64_t>(number >> 12) - (1LL << 51)) * 0x1p-51;
    });
  }

  /// Power iteration on P^-1 N from a start without symmetries; a lower bound that the margin is
  /// put on.
  double largest_eigenvalue() {
    irregular_start();
    FusedSums sums(4);
    double estimate = 0.0;
    for (int k = 0; k < options_.lambda_iterations; ++k) {
      apply(problem_, law_, d_, q_);
      const auto [dg, dq, dd, qq, rest0, rest1, rest2, rest3] = direction_sums(sums);
      if (!(dd > 0.0) || !(qq > 0.0)) return estimate;
      estimate = std::max(estimate, std::sqrt(qq / dd));
      const double shrink = 1.0 / std::sqrt(qq);
      precondition(shrink);
    }
    return estimate;
  }

  /// d := shrink P^-1 q
  void precondition(double shrink) {
    each_stored_row(problem_.cones, [&](Index row, Index slot) {
      d_[row] = shrink * preconditioner_.inverse_scale[slot] * q_[row];
    });
  }

  /// The iteration itself shows where lambda_max was underestimated: its steps then align with that
  /// eigenvector.
  double checked_step(FusedSums& sums, double step) {
    const auto [dg, dq, dd, qq, rest0, rest1, rest2, rest3] = direction_sums(sums);
    if (!(dd > 0.0) || !(qq > 0.0)) return step;
    const double seen = options_.lambda_margin * std::sqrt(qq / dd);
    return std::min(step, options_.relaxation / std::max(1.0, seen));
  }

  const ConeProblem& problem_;
  const JacobiOptions& options_;
  const Communicator& comm_;
  Law law_;
  const PassKernels& kernels_;
  FusedMeasure measure_;
  Preconditioner preconditioner_;
  RowVector& x_;
  RowVector g_, d_, q_;
  PassParts<SpgPass> parts_;
};

}  // namespace

void run_jacobi(const MethodContext& context, RowVector& x, IterateKeeper& keeper) {
  constexpr std::int64_t refresh_every = 200;  // as in the other methods: recursion drift
  Jacobi(context, x).run(keeper, refresh_every);
}

}  // namespace talus
