#pragma once
// Rotations and poses. Quaternions are (w, x, y, z), unit, and turn body axes into world axes.

#include "talus/core/types.hpp"

#include <cmath>

namespace talus {

struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;
};

/// First turn by b, then by a.
Quaternion operator*(const Quaternion& a, const Quaternion& b);
Quaternion conjugate(const Quaternion& q);
/// q / |q|; the identity where q is zero.
Quaternion normalised(const Quaternion& q);
Vec3 rotate(const Quaternion& q, const Vec3& v);
/// The inverse of rotate().
Vec3 rotate_back(const Quaternion& q, const Vec3& v);
/// R of the rotation, row-major.
Mat3 matrix_of(const Quaternion& q);
/// Of a proper rotation matrix.
Quaternion quaternion_of(const Mat3& rotation);
/// Turn by |turn| radians about turn: the exponential map, exact for any length.
Quaternion rotation_by(const Vec3& turn);
/// The shortest vector with rotation_by(turn) = +-q.
Vec3 turn_of(const Quaternion& q);
/// A shortest rotation that takes unit vector `from` to unit vector `to`.
Quaternion rotation_between(const Vec3& from, const Vec3& to);
/// R S R^T.
Sym3 rotated(const Quaternion& q, const Sym3& s);
/// Of a positive definite matrix; zero of the zero matrix.
Sym3 inverse(const Sym3& s);

inline double length(const Vec3& v) {
  return std::sqrt(dot(v, v));
}
/// v / |v|; the zero vector stays.
Vec3 unit(const Vec3& v);

/// Where a frame is: its origin, and how its axes are turned.
struct Pose {
  Vec3 position;
  Quaternion orientation;
};
Vec3 to_world(const Pose& pose, const Vec3& local);
Vec3 to_local(const Pose& pose, const Vec3& world);
/// The pose of `inner`, which is given in the frame of `outer`, in the frame that `outer` is given
/// in.
Pose operator*(const Pose& outer, const Pose& inner);
Pose inverse(const Pose& pose);

}  // namespace talus
