#pragma once
// Convex shapes where they are, scaled: what the functions of pairs work on.

#include "talus/core/rotation.hpp"
#include "talus/geometry/shape.hpp"

#include "geometry/narrow_phase.hpp"

#include <array>
#include <vector>

namespace talus {

struct PlacedSphere {
  Vec3 centre;
  double radius = 0.0;
};

struct PlacedBox {
  Vec3 centre;
  std::array<Vec3, 3> axis;      ///< unit, world frame
  std::array<double, 3> half{};  ///< along each axis
};

/// Solid where normal . (x - point) < 0.
struct PlacedPlane {
  Vec3 point, normal;
};

PlacedSphere placed(const Sphere& sphere, double scale, const Pose& pose);
PlacedBox placed(const Box& box, double scale, const Pose& pose);
PlacedPlane placed(const Plane& plane, double scale, const Pose& pose);

/// Of a part of a compound whose body is at `pose`.
Pose pose_of(const Compound::Part& part, double scale, const Pose& pose);

Bounds bounds_of(const PlacedSphere& sphere);
Bounds bounds_of(const PlacedBox& box);
Bounds bounds_of(const PlacedPlane& plane);
/// What holds both.
Bounds joined(const Bounds& a, const Bounds& b);

/// Bit k of `number` says on which side of axis k it lies.
Vec3 corner(const PlacedBox& box, unsigned number);

// Contacts of spheres, boxes and planes. Each appends those with gap <= margin, normals from the
// first to the second.

/// Whatever the gap. Where the centres are one point the normal is (0, 0, 1).
ContactPoint sphere_contact(const PlacedSphere& a, const PlacedSphere& b);

void collide_spheres(const PlacedSphere& a, const PlacedSphere& b, double margin,
                     std::vector<ContactPoint>& contacts);
void collide_sphere_plane(const PlacedSphere& sphere, const PlacedPlane& plane, double margin,
                          std::vector<ContactPoint>& contacts);
/// With the centre inside the box: through the nearest face.
void collide_sphere_box(const PlacedSphere& sphere, const PlacedBox& box, double margin,
                        std::vector<ContactPoint>& contacts);
/// One contact for each corner; its feature is the corner's number.
void collide_box_plane(const PlacedBox& box, const PlacedPlane& plane, double margin,
                       std::vector<ContactPoint>& contacts);

}  // namespace talus
