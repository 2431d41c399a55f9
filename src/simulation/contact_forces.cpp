#include "talus/simulation/contact_forces.hpp"

#include "talus/assembly/contact_rows.hpp"
#include "talus/model/row_homes.hpp"
#include "talus/model/ways.hpp"

#include "model/body_traits.hpp"

namespace talus {
namespace {

/// Methods project on the friction cone, which rounds. What pulls counts as pressed against.
ContactState state_of(const World& world, std::size_t c, double h) {
  const Vec3 &impulse = world.contacts.impulse[c], &normal = world.contacts.normal[c];
  const double pulled = dot(impulse, normal);
  const double pressed = pulled + cohesion_pull(world, static_cast<Index>(c), h);
  if (!(pressed > 0.0)) return ContactState::Open;
  constexpr double hair = 1e-6;
  const double tangential = length(impulse - pulled * normal);
  return tangential < (1.0 - hair) * pair_of(world, c).friction * pressed ? ContactState::Stick
                                                                          : ContactState::Slide;
}

}  // namespace

Vec3 lever(const World& world, double h, Index body, const Vec3& point) {
  const auto b = static_cast<std::size_t>(body);
  const BodySet& bodies = world.bodies;
  const Vec3 moved = bodies.motion[b] == Motion::Fixed ? Vec3{} : h * bodies.velocity[b];
  return shortest_way(world.periodicity(), bodies.position[b] - moved, point);
}

ContactForces contact_forces(const World& world, double h) {
  const ContactSet& contacts = world.contacts;
  const std::size_t count = contacts.gap.size();
  ContactForces forces;
  forces.h = h;
  forces.force.resize(count);
  forces.state.resize(count);
  forces.owned.resize(count);
  forces.torque.resize(contacts.angular_impulse.size());
  for (std::size_t c = 0; c < count; ++c) {
    forces.force[c] = (1.0 / h) * contacts.impulse[c];
    forces.state[c] = state_of(world, c, h);
    forces.owned[c] = speaks_for(world.bodies, contacts.body_a[c], contacts.body_b[c]) ? 1 : 0;
    if (!forces.torque.empty()) forces.torque[c] = (1.0 / h) * contacts.angular_impulse[c];
  }
  return forces;
}

}  // namespace talus
