#include "geometry/primitive_contacts.hpp"

#include <cmath>

namespace talus {

// Operation for operation that of sphere_pairs_kernels.cpp.
ContactPoint sphere_contact(const PlacedSphere& a, const PlacedSphere& b) {
  const Vec3 between = b.centre - a.centre;
  const double distance =
      std::sqrt(between.x * between.x + between.y * between.y + between.z * between.z);
  const Vec3 normal = distance > 0.0
                          ? Vec3{between.x / distance, between.y / distance, between.z / distance}
                          : Vec3{0.0, 0.0, 1.0};
  const double gap = distance - (a.radius + b.radius);
  return {a.centre + (a.radius + 0.5 * gap) * normal, normal, gap, 0};
}

void collide_spheres(const PlacedSphere& a, const PlacedSphere& b, double margin,
                     std::vector<ContactPoint>& contacts) {
  const ContactPoint contact = sphere_contact(a, b);
  if (contact.gap <= margin) contacts.push_back(contact);
}

void collide_sphere_plane(const PlacedSphere& sphere, const PlacedPlane& plane, double margin,
                          std::vector<ContactPoint>& contacts) {
  const double gap = dot(sphere.centre - plane.point, plane.normal) - sphere.radius;
  if (gap <= margin)
    contacts.push_back(
        {sphere.centre - (sphere.radius + 0.5 * gap) * plane.normal, -plane.normal, gap, 0});
}

void collide_sphere_box(const PlacedSphere& sphere, const PlacedBox& box, double margin,
                        std::vector<ContactPoint>& contacts) {
  const Vec3 from_box = sphere.centre - box.centre;
  Vec3 outside;  // from the nearest point of the box to the centre
  std::size_t nearest_axis = 0;
  double nearest_depth = 0.0, side = 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double along = dot(from_box, box.axis[k]);
    const double depth = box.half[k] - std::fabs(along), sign = along < 0.0 ? -1.0 : 1.0;
    if (depth < 0.0) outside = outside + (-depth * sign) * box.axis[k];
    if (k == 0 || depth < nearest_depth) {
      nearest_axis = k;
      nearest_depth = depth;
      side = sign;
    }
  }
  const double distance = length(outside);
  const bool inside = distance == 0.0;
  const Vec3 out = inside ? side * box.axis[nearest_axis] : unit(outside);  // of the box
  const double gap = (inside ? -nearest_depth : distance) - sphere.radius;
  if (gap <= margin)
    contacts.push_back({sphere.centre - (sphere.radius + 0.5 * gap) * out, -out, gap, 0});
}

void collide_box_plane(const PlacedBox& box, const PlacedPlane& plane, double margin,
                       std::vector<ContactPoint>& contacts) {
  for (unsigned k = 0; k < 8; ++k) {
    const Vec3 at = corner(box, k);
    const double gap = dot(at - plane.point, plane.normal);
    if (gap <= margin) contacts.push_back({at - (0.5 * gap) * plane.normal, -plane.normal, gap, k});
  }
}

}  // namespace talus
