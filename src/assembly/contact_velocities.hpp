#pragma once
// What the bodies of all contacts do where they touch, at the begin of a step.

#include "talus/cones/cone_set.hpp"
#include "talus/model/world.hpp"

namespace talus {

/// m/s, of B relative to A, in tiles of eight contacts: 8 x, 8 y, 8 z. contact_velocity() and
/// prescribed_contact_velocity() of contact_rows.hpp.
struct ContactVelocities {
  RowVector all;         ///< with the velocities of the world
  RowVector prescribed;  ///< with those of kinematic bodies alone; empty where there are none
  static Vec3 at(const RowVector& tiles, std::size_t contact);
};
/// `point_b`: where B is touched; empty: where A is.
ContactVelocities contact_velocities(const World& world, const std::vector<Vec3>& point_b);

inline Vec3 ContactVelocities::at(const RowVector& tiles, std::size_t contact) {
  const std::size_t first = contact / lanes * 3 * lanes + contact % lanes;
  return {tiles[first], tiles[first + lanes], tiles[first + 2 * lanes]};
}

}  // namespace talus
