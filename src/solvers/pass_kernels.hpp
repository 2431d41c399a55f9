#pragma once
// The passes over rows of the gradient solvers, eight cones at a time. Plain pointers: included by
// the kernel file.

#include "cones/cone_view.hpp"
#include "parallel/lane_totals_data.hpp"

namespace talus {

/// How a natural-map residual is weighed: sum of weight |x - P(x - g inverse_scale)|^2 (per slot).
struct ResidualWeights {
  const double *inverse_scale, *weight;
};

struct SpgPass {
  ConeView cones;
  double *x, *g, *d;    ///< iterate, its gradient, direction
  const double* q;      ///< N d
  const double* scale;  ///< P, per slot
  const double* inverse_scale;
  ResidualWeights residual;
};

struct ApgdPass {
  ConeView cones;
  const double *x, *gx;  ///< accepted iterate and its gradient
  const double *x_previous, *gx_previous;
  double *z, *gz;   ///< trial iterate and its gradient
  double *d, *gy;   ///< z - y and the gradient at y
  const double* q;  ///< N d
  const double* scale;
  const double* inverse_scale;
  ResidualWeights residual;
};

/// Of cg and minres: free rows only.
struct KrylovPass {
  ConeView cones;
  double *x, *g;        ///< iterate, its gradient
  double *p, *q;        ///< last direction and N p
  double* z;            ///< P^-1 g
  const double* v;      ///< N z
  const double* scale;  ///< P, per slot
  const double* inverse_scale;
  ResidualWeights residual;
};

/// Of psor with momentum: a step went from `y`, made of `x_previous` and the one before, to `x`.
struct MomentumPass {
  ConeView cones;
  const double *x, *y, *x_previous;
  const double *gap, *free_velocity;
  const double* scale;  ///< per slot
};

struct PassKernels {
  /// x += lambda d, g += lambda q; residual term of x; d = P(x - alpha P^-1 g) - x, P of the law.
  void (*spg_advance)(const SpgPass&, double lambda, double alpha, int begin, int end,
                      const double* scales, LaneTotals&);
  /// d.g, d.q, d.P d, q.P^-1 q
  void (*spg_sums)(const SpgPass&, int begin, int end, const double* scales, LaneTotals&);
  /// The residual term of (x, g) alone.
  void (*residual)(const ConeView&, const double* x, const double* g, const ResidualWeights&,
                   int begin, int end, const double* scales, LaneTotals&);
  /// y = x + beta (x - x_previous), gy likewise; z = P(y - step P^-1 gy); d = z - y.
  void (*apgd_trial)(const ApgdPass&, double beta, double step, int begin, int end);
  /// gz = gy + q; d.q, d.P d, d.P (z - x), residual term of z.
  void (*apgd_sums)(const ApgdPass&, int begin, int end, const double* scales, LaneTotals&);
  /// p = z + beta p, q = v + beta q; x -= alpha p, g -= alpha q; z = P^-1 g.
  void (*krylov_advance)(const KrylovPass&, double alpha, double beta, int begin, int end);
  /// The residual term; z.g, z.v, z.q, p.q, g.p; z.P z.
  void (*cg_sums)(const KrylovPass&, int begin, int end, const double* scales, LaneTotals&);
  /// The residual term; z.v, v.P^-1 v, v.P^-1 q, q.P^-1 q, z.q; z.P z.
  void (*minres_sums)(const KrylovPass&, int begin, int end, const double* scales, LaneTotals&);
  /// (y - x) . (x - x_previous) with the cones' scales; x . (gap + free gap) / 2.
  void (*momentum_sums)(const MomentumPass&, int begin, int end, const double* scales, LaneTotals&);
};

/// The same for each law: what "P" and "residual" mean above (cones/law_lanes.hpp).
struct LawKernels {
  PassKernels coulomb, associated, box;
};

/// The kernels of the level in use (core/simd.hpp).
const LawKernels& law_kernels();
/// Those of the associated law, and what depends on no law.
const PassKernels& pass_kernels();

}  // namespace talus
