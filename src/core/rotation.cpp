#include "talus/core/rotation.hpp"

#include "core/elementary.hpp"

#include <cmath>

namespace talus {
namespace {

/// A unit vector across unit vector a: that of the axis it is farthest from.
Vec3 across(const Vec3& a) {
  const double x = std::fabs(a.x), y = std::fabs(a.y), z = std::fabs(a.z);
  if (x <= y && x <= z) return unit(cross(a, {1.0, 0.0, 0.0}));
  return y <= z ? unit(cross(a, {0.0, 1.0, 0.0})) : unit(cross(a, {0.0, 0.0, 1.0}));
}

}  // namespace

Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Quaternion conjugate(const Quaternion& q) {
  return {q.w, -q.x, -q.y, -q.z};
}

Quaternion normalised(const Quaternion& q) {
  const double size = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (size == 0.0) return {};
  return {q.w / size, q.x / size, q.y / size, q.z / size};
}

Vec3 rotate(const Quaternion& q, const Vec3& v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 twice = 2.0 * cross(axis, v);
  return v + q.w * twice + cross(axis, twice);
}

Vec3 rotate_back(const Quaternion& q, const Vec3& v) {
  return rotate(conjugate(q), v);
}

Mat3 matrix_of(const Quaternion& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz),       2.0 * (xz + wy),
          2.0 * (xy + wz),       1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx),
          2.0 * (xz - wy),       2.0 * (yz + wx),       1.0 - 2.0 * (xx + yy)};
}

Quaternion quaternion_of(const Mat3& r) {
  // Four times the square of each component; the root of the largest loses nothing.
  const double w = 1.0 + r[0] + r[4] + r[8], x = 1.0 + r[0] - r[4] - r[8];
  const double y = 1.0 - r[0] + r[4] - r[8], z = 1.0 - r[0] - r[4] + r[8];
  if (w >= x && w >= y && w >= z) return normalised({w, r[7] - r[5], r[2] - r[6], r[3] - r[1]});
  if (x >= y && x >= z) return normalised({r[7] - r[5], x, r[1] + r[3], r[2] + r[6]});
  if (y >= z) return normalised({r[2] - r[6], r[1] + r[3], y, r[5] + r[7]});
  return normalised({r[3] - r[1], r[2] + r[6], r[5] + r[7], z});
}

Quaternion rotation_by(const Vec3& turn) {
  const double square = dot(turn, turn);
  if (square < 1e-6) {  // the next terms are below 1e-19
    const double h = 0.25 * square;
    const Vec3 part = (0.5 * (1.0 - h * (1.0 / 6.0) + h * h * (1.0 / 120.0))) * turn;
    return {1.0 - 0.5 * h + h * h * (1.0 / 24.0), part.x, part.y, part.z};
  }
  const double angle = std::sqrt(square);
  const Vec3 part = (sine(0.5 * angle) / angle) * turn;
  return {cosine(0.5 * angle), part.x, part.y, part.z};
}

Vec3 turn_of(const Quaternion& q) {
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  const double w = sign * q.w;
  const Vec3 axis = sign * Vec3{q.x, q.y, q.z};
  const double square = dot(axis, axis);
  if (square < 1e-12) {  // arctan(t) = t - t^3 / 3, the next term below 1e-24
    return (2.0 / w * (1.0 - square / (3.0 * w * w))) * axis;
  }
  const double size = std::sqrt(square);
  return (2.0 * arc_tangent(size, w) / size) * axis;
}

Quaternion rotation_between(const Vec3& from, const Vec3& to) {
  const double cosine_between = dot(from, to);
  if (cosine_between >= 0.0) {
    const Vec3 axis = cross(from, to);
    return normalised({1.0 + cosine_between, axis.x, axis.y, axis.z});
  }
  // Towards opposite vectors the axis would get lost: a rotation is a reflection of `from` about
  // the vector halfway, and that is kept at right angles to from - to, as it must be.
  const Vec3 apart = unit(from - to);
  Vec3 halfway = from + to;
  halfway = halfway - dot(halfway, apart) * apart;
  halfway = length(halfway) < 1e-15 ? across(apart) : unit(halfway);
  const Vec3 axis = cross(from, halfway);
  return normalised({dot(from, halfway), axis.x, axis.y, axis.z});
}

Sym3 rotated(const Quaternion& q, const Sym3& s) {
  const Mat3 r = matrix_of(q);
  const Vec3 rows[3] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
  const Vec3 x = s * rows[0], y = s * rows[1], z = s * rows[2];
  return {dot(rows[0], x), dot(rows[0], y), dot(rows[0], z),
          dot(rows[1], y), dot(rows[1], z), dot(rows[2], z)};
}

Sym3 inverse(const Sym3& s) {
  const double scale = s.xx + s.yy + s.zz;
  if (scale == 0.0) return {};
  // of s / scale, so that no product underflows
  const double xx = s.xx / scale, xy = s.xy / scale, xz = s.xz / scale;
  const double yy = s.yy / scale, yz = s.yz / scale, zz = s.zz / scale;
  const Sym3 cofactors{yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy,
                       xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy};
  const double determinant = xx * cofactors.xx + xy * cofactors.xy + xz * cofactors.xz;
  const double factor = 1.0 / (determinant * scale);
  return {factor * cofactors.xx, factor * cofactors.xy, factor * cofactors.xz,
          factor * cofactors.yy, factor * cofactors.yz, factor * cofactors.zz};
}

Vec3 unit(const Vec3& v) {
  const double size = length(v);
  if (size == 0.0) return v;
  return {v.x / size, v.y / size, v.z / size};
}

Vec3 to_world(const Pose& pose, const Vec3& local) {
  return pose.position + rotate(pose.orientation, local);
}

Vec3 to_local(const Pose& pose, const Vec3& world) {
  return rotate_back(pose.orientation, world - pose.position);
}

Pose operator*(const Pose& outer, const Pose& inner) {
  return {to_world(outer, inner.position), outer.orientation * inner.orientation};
}

Pose inverse(const Pose& pose) {
  return {-rotate_back(pose.orientation, pose.position), conjugate(pose.orientation)};
}

}  // namespace talus
