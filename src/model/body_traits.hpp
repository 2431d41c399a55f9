#pragma once
// What several rooms ask of a body.

#include "talus/model/world.hpp"

namespace talus {

/// The same inertia about every axis, as a sphere has: nothing to be turned into the world frame.
inline bool is_isotropic(const Sym3& i) {
  return i.xx == i.yy && i.yy == i.zz && i.xy == 0.0 && i.xz == 0.0 && i.yz == 0.0;
}

/// As messages and tolerances mean it: see size_of().
inline double size_of_body(const World& world, std::size_t body) {
  return size_of(world.shapes[static_cast<std::size_t>(world.bodies.shape[body])],
                 world.bodies.scale[body]);
}

}  // namespace talus
