#include "geometry/mesh_contacts.hpp"

#include "talus/core/error.hpp"

#include "geometry/mesh_features.hpp"

#include <algorithm>
#include <variant>

namespace talus {

void collide_mesh(const PlacedShape& convex, const PlacedShape& mesh, double margin,
                  std::vector<ContactPoint>& contacts) {
  const auto* surface = std::get_if<Mesh>(mesh.shape);
  TALUS_ASSERT(surface != nullptr && surface->triangles != nullptr);
  const TriangleMesh& triangles = *surface->triangles;
  const Vec3 centre = (1.0 / mesh.scale) * to_local(mesh.pose, convex.pose.position);
  const double size = convex.scale / mesh.scale, reach = margin / mesh.scale;
  const auto first = static_cast<std::ptrdiff_t>(contacts.size());
  if (const auto* sphere = std::get_if<Sphere>(convex.shape)) {
    touch_sphere(triangles, centre, size * sphere->radius, reach, contacts);
  } else {
    const auto* box = std::get_if<Box>(convex.shape);
    TALUS_ASSERT(box != nullptr);
    const Mat3 turn = matrix_of(conjugate(mesh.pose.orientation) * convex.pose.orientation);
    touch_box(triangles,
              {centre,
               {Vec3{turn[0], turn[3], turn[6]}, Vec3{turn[1], turn[4], turn[7]},
                Vec3{turn[2], turn[5], turn[8]}},
               {size * box->half.x, size * box->half.y, size * box->half.z}},
              reach, contacts);
  }
  std::sort(contacts.begin() + first, contacts.end(),
            [](const ContactPoint& a, const ContactPoint& b) { return a.feature < b.feature; });
  for (auto c = contacts.begin() + first; c != contacts.end(); ++c) {
    c->point = to_world(mesh.pose, mesh.scale * c->point);
    c->normal = rotate(mesh.pose.orientation, c->normal);
    c->gap *= mesh.scale;
  }
}

}  // namespace talus
