#pragma once
// Forces and states of contacts from the impulses of the last step.

#include "talus/model/contact_forces.hpp"
#include "talus/model/world.hpp"

namespace talus {

/// `h`: the time step, s. Of this rank's contacts; not collective.
ContactForces contact_forces(const World& world, double h);

/// Of one of them. What pulls counts as pressed against.
ContactState state_of(const World& world, std::size_t contact, double h);

/// From the centre of a body to a point where it was touched in the last step: the body has moved
/// on since, and may have been brought back into a periodic domain.
Vec3 lever(const World& world, double h, Index body, const Vec3& point);

}  // namespace talus
