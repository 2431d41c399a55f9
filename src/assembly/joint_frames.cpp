#include "assembly/joint_frames.hpp"

#include "core/elementary.hpp"

#include <cmath>

namespace talus {
namespace {

constexpr Vec3 x_axis{1.0, 0.0, 0.0}, y_axis{0.0, 1.0, 0.0}, z_axis{0.0, 0.0, 1.0};

Vec6 joined(const Vec3& v, const Vec3& w) {
  return {v.x, v.y, v.z, w.x, w.y, w.z};
}

/// A value whose rate is u . (w_b - w_a).
Measured of_rotation(double value, const Vec3& u) {
  return {value, joined({}, -u), joined({}, u)};
}

/// Component of (origin of b - origin of a) along a direction that turns with a: that it turns is
/// the same as taking the velocity of a where b is.
Measured of_translation(const JointFrames& frames, const Vec3& direction) {
  const Vec3& at = frames.b.position;
  return {dot(direction, at - frames.a.position),
          joined(-direction, -cross(at - frames.centre_a, direction)),
          joined(direction, cross(at - frames.centre_b, direction))};
}

/// b's axes in those of a.
Quaternion relative(const JointFrames& frames) {
  return conjugate(frames.a.orientation) * frames.b.orientation;
}

void lock_point(const JointFrames& frames, Locked& locked) {
  for (const Vec3& axis : {x_axis, y_axis, z_axis})
    locked.add(of_translation(frames, rotate(frames.a.orientation, axis)));
}

void lock_to_line(const JointFrames& frames, Locked& locked) {
  for (const Vec3& axis : {y_axis, z_axis})
    locked.add(of_translation(frames, rotate(frames.a.orientation, axis)));
}

/// The two x axes: their cross product, along y and z of a. Its torque is normal to the axis of b,
/// which it never spins.
void lock_axes(const JointFrames& frames, Locked& locked) {
  const Vec3 axis = rotate(frames.b.orientation, x_axis);
  const Vec3 y = rotate(frames.a.orientation, y_axis), z = rotate(frames.a.orientation, z_axis);
  locked.add(of_rotation(-dot(axis, z), cross(z, axis)));
  locked.add(of_rotation(dot(axis, y), cross(axis, y)));
}

/// All axes: twice the vector part p of the relative quaternion (s, p), of its two signs the one of
/// the shorter turn. Since q' = w q / 2, its rate is s w + w x p, in the axes of a.
void lock_turn(const JointFrames& frames, Locked& locked) {
  const Quaternion q = relative(frames);
  const double sign = q.w < 0.0 ? -1.0 : 1.0, s = sign * q.w;
  const Vec3 p = sign * Vec3{q.x, q.y, q.z};
  for (const Vec3& axis : {x_axis, y_axis, z_axis})
    locked.add(
        of_rotation(2.0 * dot(axis, p), rotate(frames.a.orientation, s * axis + cross(p, axis))));
}

/// x of a and y of b stay normal; positive where b is turned about its z axis.
void lock_cross(const JointFrames& frames, Locked& locked) {
  const Vec3 x = rotate(frames.a.orientation, x_axis), y = rotate(frames.b.orientation, y_axis);
  locked.add(of_rotation(-dot(x, y), cross(x, y)));
}

/// Bodies that move on through a periodic domain come back in on the other side, each by itself: of
/// b's images the one whose frame is nearest to that of a is meant.
void take_nearest_image(const Periodicity& periodicity, JointFrames& frames) {
  const Vec3 d = frames.b.position - frames.a.position;
  const auto periods = [](bool periodic, double way, double period) {
    return periodic ? period * std::nearbyint(way / period) : 0.0;
  };
  const Vec3 shift{periods(periodicity.axis[0], d.x, periodicity.period.x),
                   periods(periodicity.axis[1], d.y, periodicity.period.y),
                   periods(periodicity.axis[2], d.z, periodicity.period.z)};
  frames.b.position = frames.b.position - shift;
  frames.centre_b = frames.centre_b - shift;
}

}  // namespace

std::optional<JointFrames> frames_of(const World& world, const Joint& joint) {
  JointFrames frames;
  frames.a = joint.frame_a;
  frames.b = joint.frame_b;
  const auto attach = [&](GlobalId id, Index& body, Vec3& centre, Pose& frame) {
    if (id == world_id) return true;
    body = world.bodies.find(id);
    if (body < 0) return false;
    const auto i = static_cast<std::size_t>(body);
    centre = world.bodies.position[i];
    frame = Pose{centre, world.bodies.orientation[i]} * frame;
    return true;
  };
  if (!attach(joint.body_a, frames.body_a, frames.centre_a, frames.a)) return std::nullopt;
  if (!attach(joint.body_b, frames.body_b, frames.centre_b, frames.b)) return std::nullopt;
  const Periodicity periodicity = world.periodicity();
  if (periodicity.any()) take_nearest_image(periodicity, frames);
  return frames;
}

JointFrames moved_on(const JointFrames& frames, const BodySet& bodies, double h) {
  JointFrames moved = frames;
  const auto move = [&](Index body, Vec3& centre, Pose& frame) {
    if (body == no_body) return;
    const auto i = static_cast<std::size_t>(body);
    const Quaternion turn = rotation_by(h * bodies.angular_velocity[i]);
    const Vec3 arm = frame.position - centre;
    centre = centre + h * bodies.velocity[i];
    frame = {centre + rotate(turn, arm), turn * frame.orientation};
  };
  move(frames.body_a, moved.centre_a, moved.a);
  move(frames.body_b, moved.centre_b, moved.b);
  return moved;
}

double fastest_spin(const JointFrames& frames, const BodySet& bodies) {
  const auto spin = [&](Index body) {
    if (body == no_body) return 0.0;
    const Vec3& w = bodies.angular_velocity[body];
    return dot(w, w);
  };
  return std::fmax(spin(frames.body_a), spin(frames.body_b));
}

Measured negated(const Measured& m) {
  Measured n{-m.value, m.block_a, m.block_b};
  for (double& x : n.block_a) x = -x;
  for (double& x : n.block_b) x = -x;
  return n;
}

double rate_of(const Measured& m, const JointFrames& frames, const BodySet& bodies) {
  const auto part = [&](Index body, const Vec6& block) {
    if (body == no_body) return 0.0;
    const auto i = static_cast<std::size_t>(body);
    return dot({block[0], block[1], block[2]}, bodies.velocity[i]) +
           dot({block[3], block[4], block[5]}, bodies.angular_velocity[i]);
  };
  return part(frames.body_a, m.block_a) + part(frames.body_b, m.block_b);
}

bool turns_about_axis(JointType type) {
  return type == JointType::Revolute || type == JointType::Cylindrical;
}

bool slides_along_axis(JointType type) {
  return type == JointType::Prismatic || type == JointType::Cylindrical;
}

Locked locked_by(JointType type, const JointFrames& frames) {
  Locked locked;
  switch (type) {
    case JointType::Fixed:
      lock_point(frames, locked);
      lock_turn(frames, locked);
      break;
    case JointType::Spherical:
      lock_point(frames, locked);
      break;
    case JointType::Revolute:
      lock_point(frames, locked);
      lock_axes(frames, locked);
      break;
    case JointType::Prismatic:
      lock_to_line(frames, locked);
      lock_turn(frames, locked);
      break;
    case JointType::Cylindrical:
      lock_to_line(frames, locked);
      lock_axes(frames, locked);
      break;
    case JointType::Universal:
      lock_point(frames, locked);
      lock_cross(frames, locked);
      break;
    case JointType::Distance:
    case JointType::Spring:
      break;
  }
  return locked;
}

Measured turn_about_axis(const JointFrames& frames) {
  const Quaternion q = relative(frames);
  // The twist of q, 2 atan(x / w), in terms that do not change with the sign of q. Its rate is that
  // about the middle of the two x axes: w . (x_a + x_b) / (1 + x_a . x_b).
  const double angle = arc_tangent(2.0 * q.w * q.x, q.w * q.w - q.x * q.x);
  const Vec3 x_a = rotate(frames.a.orientation, x_axis);
  const Vec3 sum = x_a + rotate(frames.b.orientation, x_axis);
  // of axes that point against each other nothing can be said; a joint that is on keeps them far
  // from that
  constexpr double least = 1e-3;
  return of_rotation(angle, (1.0 / std::fmax(dot(x_a, sum), least)) * sum);
}

Measured turn_about_axis(const JointFrames& frames, double near) {
  Measured turn = turn_about_axis(frames);
  turn.value += 2.0 * pi * std::nearbyint((near - turn.value) / (2.0 * pi));
  return turn;
}

Measured way_along_axis(const JointFrames& frames) {
  return of_translation(frames, rotate(frames.a.orientation, x_axis));
}

Measured distance_of(const JointFrames& frames) {
  const Vec3 between = frames.b.position - frames.a.position;
  const double distance = length(between);
  const Vec3 direction =
      distance > 0.0 ? (1.0 / distance) * between : rotate(frames.a.orientation, x_axis);
  return {distance, joined(-direction, -cross(frames.a.position - frames.centre_a, direction)),
          joined(direction, cross(frames.b.position - frames.centre_b, direction))};
}

}  // namespace talus
