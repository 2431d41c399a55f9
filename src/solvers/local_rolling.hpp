#pragma once
// One rolling cone's own problem: find x in the cone with w = A x + b, everything else held still,
// where A is the cone's diagonal block in the contact frame (n, t1, t2 | s, r1, r2), torque rows in
// the units of force rows, and b the gap velocity that its own zero impulse would leave. There is
// no closed form: a few digits are gained per call, and an x that is right already stays as it is.
// docs/algorithms/psor.md.

#include "talus/cones/cone_set.hpp"

namespace talus {

struct LocalRolling {
  /// Symmetric part of A. Whoever takes b = w - A x takes it with this block: the rest of A then
  /// lags behind by one sweep.
  Mat6 block{};
  RollingFriction friction;
  double scale = 0.0;  ///< power of two that bounds the largest entry; 0 where A is zero
  double largest_eigenvalue = 0.0;  ///< not smaller than that of the block
};

LocalRolling prepare_rolling(const Mat6& block, const RollingFriction& friction);

/// Towards the minimum of x A x / 2 + b x over the cone, by accelerated projected steps from x.
SixRows improve_associated(const LocalRolling& cone, const SixRows& b, const SixRows& x);

/// Towards the answer of the Coulomb law: w_N + mu |w_T| + mu_r |w_R| + mu_s |w_S| for w_N. With
/// this sum s frozen the law is the associated one, and s - s(answer) has a root between 0 and the
/// s that opens the contact: bracketed secant steps.
SixRows improve_coulomb(const LocalRolling& cone, const SixRows& b, const SixRows& x);

/// n, then every other row within +- its coefficient times that x_N. [Lacoursiere13, eq. 36]
SixRows sweep_rolling_box(const LocalRolling& cone, const SixRows& b, const SixRows& x,
                          double omega);

/// One step of omega / lambda_max from x, as bound_step_associated and bound_step_coulomb.
SixRows rolling_bound_step(const LocalRolling& cone, bool coulomb, const SixRows& b,
                           const SixRows& x, double omega);

/// x A x / 2 + b x: what the associated law makes least.
double local_objective(const LocalRolling& cone, const SixRows& b, const SixRows& x);

/// Nearest point of the cone, contact frame.
SixRows projected(const RollingFriction& friction, const SixRows& x);

SixRows times(const Mat6& a, const SixRows& x);

inline SixRows operator+(const SixRows& a, const SixRows& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
inline SixRows operator-(const SixRows& a, const SixRows& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}
inline SixRows operator*(double s, const SixRows& a) {
  return {s * a.linear, s * a.angular};
}
inline double dot(const SixRows& a, const SixRows& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

}  // namespace talus
