#pragma once
// One cone's own problem: find x in the cone with w = A x + b, everything else held still, where A
// is the cone's diagonal block in the contact frame (n, t1, t2) and b the gap velocity that its own
// zero impulse would leave. A planar cone is a spatial one whose second tangent is decoupled.
// docs/algorithms/psor.md.

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
