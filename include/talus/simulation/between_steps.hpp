#pragma once
// What a caller asks of a simulation between two steps: docs/library.md.

#include "talus/core/rotation.hpp"
#include "talus/core/types.hpp"
#include "talus/model/contact_forces.hpp"

#include <cstdint>

namespace talus {

/// World axes.
struct BodyState {
  Vec3 position;           ///< of the centre of mass, m
  Quaternion orientation;  ///< body axes -> world axes
  Vec3 velocity;           ///< m/s
  Vec3 angular_velocity;   ///< rad/s
};

/// A contact of a body in the last step.
struct BodyContact {
  GlobalId other = 0;
  /// m: where the body was touched, at the begin of the step; along periodic axes beside where it
  /// is now.
  Vec3 point;
  Vec3 normal;         ///< unit, into the body
  double gap = 0.0;    ///< m, at the begin of the step; negative where they overlapped
  Vec3 force, torque;  ///< N, N m on the body, mean over the step; torque of rolling friction
  ContactState state = ContactState::Open;
};

/// A freedom that a joint leaves and a motor may drive.
enum class Freedom : std::uint8_t { Angle, Way };

struct JointState {
  bool on = false;  ///< false too where a body of it has gone: all else is then zero
  double angle = 0.0, angle_rate = 0.0;  ///< rad, rad/s about its axis, counted through full turns
  double way = 0.0, way_rate = 0.0;      ///< m, m/s along it; of distances and springs their length
  Vec3 reaction_force, reaction_torque;  ///< N, N m: of its rows on B, mean over the last step
};

}  // namespace talus
