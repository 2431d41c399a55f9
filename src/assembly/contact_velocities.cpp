#include "assembly/contact_velocities.hpp"

#include "core/vector_numbers.hpp"
#include "parallel/tile_ranges.hpp"
#include "problem/body_kernels.hpp"

#include <algorithm>

namespace talus {

ContactVelocities contact_velocities(const World& world, const std::vector<Vec3>& point_b) {
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  SetUpPass pass{};
  pass.body_a = contacts.body_a.data();
  pass.body_b = contacts.body_b.data();
  pass.world = bodies.count();
  pass.centre = {numbers_of(bodies.position), 3};
  pass.point_a = numbers_of(contacts.point);
  pass.point_b = numbers_of(point_b.empty() ? contacts.point : point_b);
  pass.contacts = contacts.count();
  const Index tiles = padded(contacts.count()) / lanes;
  const auto fill = [&](RowVector& rows, const std::vector<Vec3>& velocity,
                        const std::vector<Vec3>& spin) {
    rows.assign(static_cast<std::size_t>(3 * lanes * tiles), 0.0);
    pass.velocity = {numbers_of(velocity), 3};
    pass.spin = {numbers_of(spin), 3};
    pass.rows = rows.data();
    for_tile_ranges(tiles, [&](Index begin, Index end) {
      body_kernels().relative_velocities(pass, begin, end);
    });
  };
  ContactVelocities velocities;
  fill(velocities.all, bodies.velocity, bodies.angular_velocity);
  const auto is_kinematic = [](Motion motion) { return motion == Motion::Kinematic; };
  if (std::none_of(bodies.motion.begin(), bodies.motion.end(), is_kinematic)) return velocities;
  std::vector<Vec3> velocity(bodies.id.size()), spin(bodies.id.size());
  for (std::size_t b = 0; b < velocity.size(); ++b) {
    if (!is_kinematic(bodies.motion[b])) continue;
    velocity[b] = bodies.velocity[b];
    spin[b] = bodies.angular_velocity[b];
  }
  fill(velocities.prescribed, velocity, spin);
  return velocities;
}

}  // namespace talus
