#pragma once
// Contacts of spheres, boxes and planes. Each appends those with gap <= margin, normals from the
// first to the second.

#include "talus/geometry/narrow_phase.hpp"

#include "geometry/placed.hpp"

#include <vector>

namespace talus {

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
