#include "assembly/carried_points.hpp"

#include "assembly/contact_rows.hpp"

namespace talus {
namespace {

/// The chord of a point's arc over the step, less the tangent.
Vec3 beyond_tangent(const Vec3& w, const Vec3& arm, double h) {
  return (1.0 / h) * (rotate(rotation_by(h * w), arm) - arm) - cross(w, arm);
}

}  // namespace

Vec3 carried_velocity(const World& world, Index contact, double h) {
  const BodySet& bodies = world.bodies;
  const auto c = static_cast<std::size_t>(contact);
  const auto a = static_cast<std::size_t>(world.contacts.body_a[c]),
             b = static_cast<std::size_t>(world.contacts.body_b[c]);
  const auto is_sphere = [&](std::size_t body) {
    const auto shape = static_cast<std::size_t>(bodies.shape[body]);
    return std::holds_alternative<Sphere>(world.shapes[shape]);
  };
  const auto part = [&](std::size_t body, std::size_t other, const Vec3& point,
                        const Vec3& other_point) {
    const Vec3& w = bodies.angular_velocity[body];
    if (dot(w, w) == 0.0 || is_sphere(body)) return Vec3{};
    // what a prescribed motion will be is known
    const bool known = bodies.motion[body] == Motion::Kinematic;
    const double trust = known ? 1.0 : trust_in_turn(h * h * dot(w, w));
    Vec3 beyond = beyond_tangent(w, point - bodies.position[body], h);
    if (is_sphere(other)) {  // its way over the surface, by the midpoint rule
      const Vec3 rolls =
          cross(bodies.angular_velocity[other] - w, bodies.position[other] - other_point);
      beyond = beyond + 0.5 * h * cross(w, rolls);
    }
    return trust * beyond;
  };
  const Vec3 &on_a = world.contacts.point[c], on_b = contact_point_on_b(world, contact);
  return part(b, a, on_b, on_a) - part(a, b, on_a, on_b);
}

}  // namespace talus
