#include "geometry/placed.hpp"

#include <cmath>

namespace talus {

PlacedSphere placed(const Sphere& sphere, double scale, const Pose& pose) {
  return {pose.position, scale * sphere.radius};
}

PlacedBox placed(const Box& box, double scale, const Pose& pose) {
  const Mat3 r = matrix_of(pose.orientation);
  return {pose.position,
          {{{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}}},
          {scale * box.half.x, scale * box.half.y, scale * box.half.z}};
}

PlacedPlane placed(const Plane& plane, double /*scale*/, const Pose& pose) {
  return {pose.position, rotate(pose.orientation, plane.normal)};
}

Pose pose_of(const Compound::Part& part, double scale, const Pose& pose) {
  return pose * Pose{scale * part.pose.position, part.pose.orientation};
}

Bounds bounds_of(const PlacedSphere& sphere) {
  const Vec3 reach{sphere.radius, sphere.radius, sphere.radius};
  return {sphere.centre - reach, sphere.centre + reach};
}

Bounds bounds_of(const PlacedBox& box) {
  Vec3 reach;
  for (std::size_t k = 0; k < 3; ++k)
    reach = reach + box.half[k] * Vec3{std::fabs(box.axis[k].x), std::fabs(box.axis[k].y),
                                       std::fabs(box.axis[k].z)};
  return {box.centre - reach, box.centre + reach};
}

Bounds bounds_of(const PlacedPlane& /*plane*/) {
  return {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
}

Bounds joined(const Bounds& a, const Bounds& b) {
  return {{std::fmin(a.low.x, b.low.x), std::fmin(a.low.y, b.low.y), std::fmin(a.low.z, b.low.z)},
          {std::fmax(a.high.x, b.high.x), std::fmax(a.high.y, b.high.y),
           std::fmax(a.high.z, b.high.z)}};
}

Vec3 corner(const PlacedBox& box, unsigned number) {
  Vec3 at = box.centre;
  for (std::size_t k = 0; k < 3; ++k)
    at = at + ((number >> k & 1U) != 0U ? box.half[k] : -box.half[k]) * box.axis[k];
  return at;
}

}  // namespace talus
