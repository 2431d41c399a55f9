#pragma once
// Where a body that turns freely is half way through a step: its inertia there is that of the step.

#include "talus/core/rotation.hpp"

namespace talus {

struct HalfTurn {
  Quaternion orientation;
  Vec3 angular_velocity;  ///< there, world frame
};

/// The body half way through a step of length h by the implicit midpoint rule: turned by h/2 times
/// the angular velocity that it has there itself, I(q half)^-1 L with L = I(q) w of the begin. The
/// rule is symmetric, so that the energy does not drift, and L is kept by construction [Hairer06,
/// V and VII.5]. From the body's own state alone: ghosts have the same bits. Of inertias that are
/// positive definite and finite.
HalfTurn half_turn(const Sym3& inertia, const Quaternion& q, const Vec3& w, double h);

}  // namespace talus
