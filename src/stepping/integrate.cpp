#include "stepping/integrate.hpp"

#include "core/arithmetic.hpp"
#include "core/elementary.hpp"
#include "core/in_parallel.hpp"
#include "model/body_traits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {
namespace {

/// Where the motion has its body at time t, when its integrals have the given values.
Pose pose_at(const KinematicMotion& motion, double angle, const Vec3& way) {
  const Quaternion turn = rotation_by(angle * motion.axis);
  return {motion.through + rotate(turn, motion.start.position - motion.through) + way,
          turn * motion.start.orientation};
}

double angle_at(const KinematicMotion& motion, double t) {
  return motion.angle.at(t) - motion.angle.at(0.0);
}
Vec3 way_at(const KinematicMotion& motion, double t) {
  return value_at(motion.way, t) - value_at(motion.way, 0.0);
}

/// What rates add over the step: midpoint rule.
double angle_step(const KinematicMotion& motion, double t, double h) {
  return h * motion.rate.at(t + 0.5 * h);
}
Vec3 way_step(const KinematicMotion& motion, double t, double h) {
  return h * value_at(motion.velocity, t + 0.5 * h);
}

Pose next_pose(const KinematicMotion& motion, double t, double h) {
  return pose_at(motion, angle_at(motion, t + h) + motion.angle_so_far + angle_step(motion, t, h),
                 way_at(motion, t + h) + motion.way_so_far + way_step(motion, t, h));
}

/// The turn of a body over a step with the angular velocity of the solve, which is that of half the
/// step, and its angular velocity after it: the angular momentum stays, the velocity follows the
/// axes.
void turn(BodySet& bodies, std::size_t b, double h, const Vec3& w) {
  Quaternion& q = bodies.orientation[b];
  const Sym3& inertia = bodies.inertia[b];
  const Quaternion turned = normalised(rotation_by(h * w) * q);
  if (is_isotropic(inertia)) {
    bodies.angular_velocity[b] = w;
  } else {
    const HalfTurn half = half_turn(inertia, q, bodies.angular_velocity[b], h);
    // What it had, and what impulses have added; and a velocity that has this momentum to the last
    // bit: inertia times its inverse is not quite 1, by the same share in every step.
    const Vec3 momentum = rotated(q, inertia) * bodies.angular_velocity[b] +
                          rotated(half.orientation, inertia) * (w - half.angular_velocity);
    const Sym3 after = rotated(turned, inertia), lightness = rotated(turned, inverse(inertia));
    const Vec3 first = lightness * momentum;
    bodies.angular_velocity[b] = first + lightness * (momentum - after * first);
  }
  q = turned;
}

/// A body that is further out is lost, or no number: told of after the step.
constexpr double most_periods = 63.0;

double shift_of(double x, double low, double period) {
  return std::floor((x - low) / period);
}

/// Prescribed motions go on from where their bodies have been brought back to.
void shift_motions(World& world, const std::vector<Shift>& shifts) {
  const Vec3 period = world.periodicity().period;
  for (KinematicMotion& motion : world.motions) {
    const Index b = world.bodies.find(motion.body);
    if (b < 0) continue;
    const Shift& shift = shifts[b];
    const Vec3 back{shift[0] * period.x, shift[1] * period.y, shift[2] * period.z};
    motion.start.position = motion.start.position - back;
    motion.through = motion.through - back;
  }
}

/// Contacts in canonical order again after their images have changed.
void sort_contacts(ContactSet& contacts) {
  if (std::is_sorted(contacts.name.begin(), contacts.name.end())) return;
  std::vector<std::size_t> order(contacts.name.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return contacts.name[i] < contacts.name[j]; });
  const auto apply = [&](auto& values) {
    auto sorted = values;
    for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = values[order[i]];
    values = std::move(sorted);
  };
  apply(contacts.name);
  apply(contacts.body_a);
  apply(contacts.body_b);
  apply(contacts.point);
  apply(contacts.normal);
  apply(contacts.gap);
  apply(contacts.impulse);
  apply(contacts.angular_impulse);
}

/// This rank moves it: it owns it, or its motion is prescribed, which all ranks can follow.
bool is_led_here(const BodySet& bodies, std::size_t b) {
  return bodies.motion[b] == Motion::Kinematic ||
         (bodies.motion[b] == Motion::Dynamic && bodies.is_owned(static_cast<Index>(b)));
}

}  // namespace

void set_kinematic_velocities(World& world, double h) {
  for (const KinematicMotion& motion : world.motions) {
    const Index found = world.bodies.find(motion.body);
    if (found < 0) continue;
    const auto b = static_cast<std::size_t>(found);
    if (world.bodies.motion[b] != Motion::Kinematic) continue;
    const Pose next = next_pose(motion, world.time, h);
    world.bodies.velocity[b] = (1.0 / h) * (next.position - world.bodies.position[b]);
    const double angle = angle_at(motion, world.time + h) - angle_at(motion, world.time) +
                         angle_step(motion, world.time, h);
    world.bodies.angular_velocity[b] = (angle / h) * motion.axis;
  }
}

void integrate(World& world, const StepSettings& settings, const std::vector<Vec6>& velocities) {
  const double h = settings.h;
  BodySet& bodies = world.bodies;
  const auto count = static_cast<std::size_t>(bodies.owned);
  in_parallel(count, [&](std::size_t b) {
    if (bodies.motion[b] != Motion::Dynamic) return;
    const Vec6& u = velocities[b];
    bodies.velocity[b] = {u[0], u[1], u[2]};
    bodies.position[b] = bodies.position[b] + h * bodies.velocity[b];
    turn(bodies, b, h, {u[3], u[4], u[5]});
  });
  for (KinematicMotion& motion : world.motions) {
    const Index found = bodies.find(motion.body);
    if (found < 0) continue;
    const auto b = static_cast<std::size_t>(found);
    if (bodies.motion[b] != Motion::Kinematic) continue;
    const Pose next = next_pose(motion, world.time, h);
    motion.angle_so_far += angle_step(motion, world.time, h);
    motion.way_so_far = motion.way_so_far + way_step(motion, world.time, h);
    bodies.position[b] = next.position;
    bodies.orientation[b] = next.orientation;
  }
  ++world.step;
  world.ticks += settings.ticks;
  world.time = static_cast<double>(world.ticks) * settings.tick;
}

std::vector<Shift> wrap(World& world) {
  const Periodicity periodicity = world.periodicity();
  BodySet& bodies = world.bodies;
  std::vector<Shift> shifts(bodies.id.size(), Shift{});
  if (!periodicity.any()) return shifts;
  bool moved = false;
  const auto bring_back = [&](double& x, double low, double period, std::int8_t& shift) {
    const double periods = shift_of(x, low, period);
    if (periods == 0.0 || !(std::abs(periods) <= most_periods)) return;
    x -= periods * period;
    shift = static_cast<std::int8_t>(periods);
    moved = true;
  };
  for (std::size_t b = 0; b < shifts.size(); ++b) {
    // A plane is everywhere: it needs not be brought back.
    if (!is_led_here(bodies, b) || !std::isfinite(bodies.reach[b])) continue;
    Vec3& x = bodies.position[b];
    if (periodicity.axis[0]) bring_back(x.x, periodicity.low.x, periodicity.period.x, shifts[b][0]);
    if (periodicity.axis[1]) bring_back(x.y, periodicity.low.y, periodicity.period.y, shifts[b][1]);
    if (periodicity.axis[2]) bring_back(x.z, periodicity.low.z, periodicity.period.z, shifts[b][2]);
  }
  if (moved) shift_motions(world, shifts);
  return shifts;
}

Vec3 brought_back(const Domain& domain, const Vec3& place) {
  const auto along = [](bool is_periodic, double x, double low, double high) {
    if (!is_periodic || (low <= x && x <= high)) return x;
    const double period = high - low;
    return std::clamp(x - shift_of(x, low, period) * period, low, high);
  };
  const Vec3 &low = domain.low, &high = domain.high;
  return {along(domain.periodic[0], place.x, low.x, high.x),
          along(domain.periodic[1], place.y, low.y, high.y),
          along(domain.periodic[2], place.z, low.z, high.z)};
}

void shift_images(World& world, const std::vector<Shift>& shifts) {
  if (!world.periodicity().any()) return;
  const BodySet& bodies = world.bodies;
  const Vec3 period = world.periodicity().period;
  // x_b + image * period - x_a stays what it was, and so does the way from A to its point
  ContactSet& contacts = world.contacts;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    // A plane is everywhere: it has no images, and is touched where the other body is.
    const auto a = static_cast<std::size_t>(contacts.body_a[c]),
               b = static_cast<std::size_t>(contacts.body_b[c]);
    const bool a_is_plane = !std::isfinite(bodies.reach[a]);
    const Shift& of_point = shifts[a_is_plane ? b : a];
    contacts.point[c] = contacts.point[c] - Vec3{of_point[0] * period.x, of_point[1] * period.y,
                                                 of_point[2] * period.z};
    if (a_is_plane || !std::isfinite(bodies.reach[b])) continue;
    for (std::size_t k = 0; k < 3; ++k)
      contacts.name[c].image[k] =
          static_cast<std::int8_t>(contacts.name[c].image[k] + shifts[b][k] - shifts[a][k]);
  }
  sort_contacts(contacts);
}

}  // namespace talus
