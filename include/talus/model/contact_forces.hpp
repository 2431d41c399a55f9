#pragma once
// Contacts of the last step as output looks at them: forces in place of impulses.

#include "talus/core/types.hpp"

#include <cstdint>
#include <vector>

namespace talus {

enum class ContactState : std::uint8_t {
  Open,   ///< nothing presses: no force but what cohesion pulls
  Stick,  ///< the tangential force is inside the friction cone
  Slide   ///< it is at its limit
};

/// By the places of World::contacts.
struct ContactForces {
  double h = 0.0;            ///< s: the step that they are of
  std::vector<Vec3> force;   ///< N: on B, mean over the step
  std::vector<Vec3> torque;  ///< N m: of rolling friction; empty where nothing rolls
  std::vector<ContactState> state;
  std::vector<std::uint8_t> owned;  ///< 1 on exactly one of the ranks that have the contact

  bool carries(std::size_t contact) const { return dot(force[contact], force[contact]) > 0.0; }
};

}  // namespace talus
