#pragma once
// One cone's own problem: find x in the cone with w = A x + b, everything else held still, where A
// is the cone's diagonal block in the contact frame (n, t1, t2) and b the gap velocity that its own
// zero impulse would leave. A planar cone is a spatial one whose second tangent is decoupled.
// docs/algorithms/psor.md.

#include "talus/cones/cone_set.hpp"
#include "talus/core/types.hpp"

#include <array>
#include <utility>

namespace talus {

/// The cone {cosine |x_T| <= sine x_N}; mu = sine / cosine, 0 to infinity.
struct FrictionAngle {
  double mu = 0.0, cosine = 1.0, sine = 0.0;
};

/// A block seen from its tangent plane, in the frame where a symmetric 2 x 2 matrix is diagonal.
struct TangentFrame {
  double cosine = 1.0, sine = 0.0;        ///< of the rotation
  std::array<double, 2> eigenvalue{};     ///< >= 0
  std::array<double, 2> row{}, column{};  ///< A_nT and A_Tn in this frame
  double skew = 0.0;  ///< antisymmetric part, (A_21 - A_12) / 2: no rotation changes it
};

/// What does not change from sweep to sweep.
struct LocalCone {
  /// A, row-major, with a negligible multiple of 1 added so that it can be inverted. Whoever takes
  /// b = w - A x takes it with this block: then an x that is already right stays as it is.
  Mat3 block{};
  FrictionAngle friction;
  double scale = 0.0;      ///< power of two that bounds A's largest entry; 0 where A is zero
  Mat3 scaled{};           ///< block / scale
  TangentFrame schur;      ///< of S = A_TT - A_Tn A_nT / A_nn (Coulomb, sticking)
  TangentFrame tangent;    ///< of A_TT (associated, sliding)
  double alpha_max = 0.0;  ///< associated: A - alpha J is positive definite for smaller alpha
  double pole_norm =
      0.0;  ///< associated: v . J v of the null vector v = (1, ...) of A - alpha_max J
  double largest_eigenvalue = 0.0;  ///< not smaller than that of the symmetric part of `block`
};

/// `block` need not be symmetric (a given W); its symmetric part must be positive semi-definite.
LocalCone prepare_cone(const Mat3& block, const FrictionAngle& friction);

/// The block of a planar cone, (nn, nt; tn, tt), with a second tangent that nothing moves.
Mat3 planar_as_spatial(double nn, double nt, double tn, double tt);

enum class LocalState {
  Open,       ///< x = 0
  Stick,      ///< w = 0 (and the cone does not bind)
  Slide,      ///< on the boundary of the cone
  Unsolvable  ///< singular block that cannot answer b: x is not to be used
};

struct LocalAnswer {
  Vec3 impulse;  ///< (n, t1, t2)
  LocalState state = LocalState::Open;
};

/// Signorini and Coulomb, u = A x + b: u_N >= 0 with x_N u_N = 0, |x_T| <= mu x_N, and u_T = -alpha
/// x_T, alpha >= 0, where the bound is reached. An answer exists, but need not be unique; b_N >= 0
/// gives x = 0.
LocalAnswer solve_coulomb(const LocalCone& cone, const Vec3& b);

/// The minimum of x A x / 2 + b x over the cone, for a symmetric A.
LocalAnswer solve_associated(const LocalCone& cone, const Vec3& b);

/// n, t1, t2 in turn: x_N = max(0, x_N - omega w_N / a_NN), then each tangent within +-mu x_N of
/// that x_N. [Lacoursiere13, eq. 36]. Here `b` is as above and `x` the impulse of the last sweep.
Vec3 sweep_box(const LocalCone& cone, const Vec3& b, const Vec3& x, double omega);

/// One step of omega / lambda_max from x: x <- P(x - omega w / lambda_max), with w_N + mu |w_T| for
/// w_N under the Coulomb law. (The mean diagonal in the place of lambda_max diverges: a block may
/// have lambda_max = 3 times its mean.)
Vec3 bound_step_associated(const LocalCone& cone, const Vec3& b, const Vec3& x, double omega);
Vec3 bound_step_coulomb(const LocalCone& cone, const Vec3& b, const Vec3& x, double omega);

/// x A x / 2 + b x: what the associated law makes least.
double local_objective(const LocalCone& cone, const Vec3& b, const Vec3& x);

/// x_i <- clip(x_i - omega w / a_ii); `diagonal` contains the compliance. A row with a_ii = 0 stays
/// as it is.
double scalar_step(double x, double gap, double diagonal, const std::pair<double, double>& bounds,
                   double omega);

/// Nearest point of the cone, contact frame.
Vec3 projected(const FrictionAngle& friction, const Vec3& x);

/// A x with a row-major block.
Vec3 times(const Mat3& a, const Vec3& x);

}  // namespace talus

// What the two laws' exact local solvers share. Everything here is in scaled units: the block's
// largest entry lies in (1/2, 1], and so does b's, so that nothing overflows for inputs of 1e-150
// to 1e150.

namespace talus::local {

/// Added to the scaled diagonal: no more than the rounding of the block itself, and enough to make
/// it invertible.
inline constexpr double regularisation = 1e-15;
/// A part of b that a singular direction cannot answer counts as rounding up to this size.
inline constexpr double null_noise = 1e-14;
/// An impulse larger than this (in scaled units, where it is at most the condition number) means
/// that the block is singular and b outside its range: nothing answers it.
inline constexpr double largest_impulse = 1e13;
/// Smaller than any slope that matters; the square does not underflow.
inline constexpr double smallest_slope = 1e-100;

/// Newton's method squares its relative error: after a step as small as this nothing is left to do.
inline constexpr double last_newton_step = 1e-9;

using Pair = std::array<double, 2>;

/// Power of two not smaller than |x| (for finite x > 0).
double power_of_two_above(double x);
double largest_entry(const Vec3& b);

/// Scaled units: no square overflows, and one that vanishes may.
double length(const Pair& t);
Pair rotated(const TangentFrame& frame, double t1, double t2);
Pair rotated_back(const TangentFrame& frame, const Pair& t);

/// b reduced to the tangent plane: c = b_T - A_Tn b_N / A_nn, in the Schur frame; noise in null
/// directions removed.
Pair reduced_tangent(const LocalCone& cone, const Vec3& b);
/// -(S + alpha)^-1 c in the Schur frame.
Pair tangent_impulse(const LocalCone& cone, double alpha, const Pair& c);
/// The x_N with u_N = 0 for a given x_T (Schur frame).
double normal_impulse(const LocalCone& cone, double b_normal, const Pair& tangent);

/// True where every component is finite and below largest_impulse.
bool is_usable(const Vec3& x);

}  // namespace talus::local

// One rolling cone's own problem: find x in the cone with w = A x + b, everything else held still,
// where A is the cone's diagonal block in the contact frame (n, t1, t2 | s, r1, r2), torque rows in
// the units of force rows, and b the gap velocity that its own zero impulse would leave. There is
// no closed form: a few digits are gained per call, and an x that is right already stays as it is.
// docs/algorithms/psor.md.

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
