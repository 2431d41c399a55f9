#pragma once
// What several rooms ask of a body or of a contact of the world.

#include "talus/core/rotation.hpp"
#include "talus/model/world.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace talus {

/// The same inertia about every axis, as a sphere has: nothing to be turned into the world frame.
inline bool is_isotropic(const Sym3& i) {
  return i.xx == i.yy && i.yy == i.zz && i.xy == 0.0 && i.xz == 0.0 && i.yz == 0.0;
}

/// As messages and tolerances mean it: see size_of(), of which spheres have theirs here, inlined.
inline double size_of_body(const World& world, std::size_t body) {
  const Shape& shape = world.shapes[world.bodies.shape[body]];
  const double scale = world.bodies.scale[body];
  if (const Sphere* sphere = std::get_if<Sphere>(&shape)) return 2.0 * scale * sphere->radius;
  return size_of(shape, scale);
}

/// m: how far from its centre a body has what comes elsewhere as it turns. A sphere that turns
/// stays where it is; what has no end turns nowhere.
inline double turning_reach(const World& world, std::size_t body) {
  const double reach = world.bodies.reach[body];
  const auto shape = static_cast<std::size_t>(world.bodies.shape[body]);
  return std::isfinite(reach) && !std::holds_alternative<Sphere>(world.shapes[shape]) ? reach : 0.0;
}

/// What happens between the bodies of a contact.
inline const PairProperties& pair_of(const World& world, std::size_t contact) {
  const auto material = [&](Index body) { return world.bodies.material[body]; };
  return world.materials.pair(material(world.contacts.body_a[contact]),
                              material(world.contacts.body_b[contact]));
}

/// m: of the smaller one of two bodies.
inline double smaller_size(const World& world, Index a, Index b) {
  return std::min(size_of_body(world, static_cast<std::size_t>(a)),
                  size_of_body(world, static_cast<std::size_t>(b)));
}

// Where a body that turns freely is half way through a step: its inertia there is that of the step.

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
