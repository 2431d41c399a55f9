#include "assembly/contact_velocities.hpp"

#include "core/in_parallel.hpp"
#include "core/vector_numbers.hpp"
#include "parallel/tile_ranges.hpp"
#include "problem/body_kernels.hpp"

#include <algorithm>

namespace talus {
namespace {

/// Eight numbers per body: v, 0, w, 0; of bodies that are not asked for zeros.
template <class IsAsked>
RowVector twists_of(const BodySet& bodies, const IsAsked& is_asked) {
  RowVector twists(8 * bodies.id.size());
  in_parallel(bodies.id.size(), [&](std::size_t b) {
    const Vec3 v = is_asked(b) ? bodies.velocity[b] : Vec3{},
               w = is_asked(b) ? bodies.angular_velocity[b] : Vec3{};
    const std::array<double, 8> twist{v.x, v.y, v.z, 0.0, w.x, w.y, w.z, 0.0};
    std::copy(twist.begin(), twist.end(), twists.begin() + 8 * static_cast<std::ptrdiff_t>(b));
  });
  return twists;
}

}  // namespace

ContactVelocities contact_velocities(const World& world, const std::vector<Vec3>& point_b) {
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  RowVector centres(4 * bodies.id.size());
  in_parallel(bodies.id.size(), [&](std::size_t b) {
    const Vec3& x = bodies.position[b];
    const std::array<double, 4> centre{x.x, x.y, x.z, 0.0};
    std::copy(centre.begin(), centre.end(), centres.begin() + 4 * static_cast<std::ptrdiff_t>(b));
  });
  SetUpPass pass{};
  pass.body_a = contacts.body_a.data();
  pass.body_b = contacts.body_b.data();
  pass.centre = centres.data();
  pass.point_a = numbers_of(contacts.point);
  pass.point_b = numbers_of(point_b.empty() ? contacts.point : point_b);
  pass.contacts = contacts.count();
  const auto fill = [&](RowVector& rows, const RowVector& twists) {
    rows.assign(static_cast<std::size_t>(3 * padded(contacts.count())), 0.0);
    pass.velocity = twists.data();
    pass.rows = rows.data();
    for_tile_ranges(padded(contacts.count()) / lanes, [&](Index begin, Index end) {
      body_kernels().relative_velocities(pass, begin, end);
    });
  };
  ContactVelocities velocities;
  fill(velocities.all, twists_of(bodies, [](std::size_t) { return true; }));
  const auto is_kinematic = [](Motion motion) { return motion == Motion::Kinematic; };
  if (std::any_of(bodies.motion.begin(), bodies.motion.end(), is_kinematic))
    fill(velocities.prescribed,
         twists_of(bodies, [&](std::size_t b) { return is_kinematic(bodies.motion[b]); }));
  return velocities;
}

}  // namespace talus
