#pragma once
// Joints, springs and motors as data. Which rows they become: assembly/joint_rows.hpp.

#include "talus/core/expression.hpp"
#include "talus/core/rotation.hpp"
#include "talus/core/types.hpp"

#include <array>
#include <optional>
#include <string>

namespace talus {

inline constexpr GlobalId world_id = -1;  ///< the immovable world as the partner of a joint

/// Rows that a joint has at most: a cylindrical joint's four, and for each of its two freedoms a
/// lower limit, an upper limit and a motor.
inline constexpr int joint_places = 10;

/// The axis of a joint is the x axis of its frames.
enum class JointType : std::uint8_t {
  Fixed,        ///< nothing moves
  Spherical,    ///< turns about a point
  Revolute,     ///< turns about the axis
  Prismatic,    ///< slides along the axis
  Cylindrical,  ///< turns about and slides along the axis
  Universal,    ///< turns about the x axis of frame A and the y axis of frame B, which stay normal
  Distance,     ///< the origins of the frames keep their distance, or stay between two
  Spring        ///< a force along the line between the origins: stiffness, damping, rest length
};
const char* name_of(JointType type);

enum class MotorType : std::uint8_t {
  None,
  Position,  ///< follows `value` (rad or m)
  Speed,     ///< follows `value` (rad/s or m/s)
  Force      ///< applies `value` (N m or N), in the direction in which angle or way grow
};

struct Motor {
  MotorType type = MotorType::None;
  Expression value;  ///< of time
  /// N m or N: what it can do at most. Infinite: it follows whatever it costs.
  double limit = infinity;
  bool on = true;
};

struct Joint {
  std::string name;
  JointType type = JointType::Fixed;
  /// Ids; world_id is the world. w is the velocity of B relative to A.
  GlobalId body_a = world_id, body_b = world_id;
  /// The joint's frames in the frames of the bodies (about their centres; of the world: the world).
  /// They coincide at the start, except for distances and springs.
  Pose frame_a, frame_b;
  /// Limits of the angle about the axis (rad) and of the way along it (m); a distance joint's
  /// least and largest distance are limits of the way.
  std::array<double, 2> angle_limits{-infinity, infinity};
  std::array<double, 2> way_limits{-infinity, infinity};
  Motor angle_motor, way_motor;  ///< about and along the axis, where the joint has that freedom
  double length = 0.0;           ///< m: distance joint without limits, or rest length of a spring
  double stiffness = 0.0;        ///< N/m, springs
  double damping = 0.0;          ///< N s/m, springs
  double compliance = 0.0;       ///< m/N of every row but a speed motor's: scheme spook
  bool on = true;
  /// Whether its two bodies touch each other while it is on. Not given: those of distances and
  /// springs do, which are like ropes.
  std::optional<bool> collide;

  // State, written by integration and travelling with the joint.
  double angle = 0.0;  ///< rad, counted through full turns
  /// Of its rows in the last step, by place, N s or N m s: warm start.
  std::array<double, joint_places> impulse{};
  /// On B at the origin of frame B, world frame; N, N m. Of rows: not what a force motor applies.
  Vec3 reaction_force, reaction_torque;
};

/// Whether the two bodies of a joint touch each other.
bool lets_touch(const Joint& joint);

// Which of the ranks that have a joint speaks for it.

struct World;
/// The owner of the first of its bodies that impulses move.
bool owns(const World& world, const Joint& joint);

}  // namespace talus
