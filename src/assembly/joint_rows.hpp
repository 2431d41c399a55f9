#pragma once
// The scalar rows of joints, motors, limits and springs, before a scheme turns errors into biases.

#include "talus/model/world.hpp"

#include <string>
#include <vector>

namespace talus {

/// w = block_a . (v_a, w_a) + block_b . (v_b, w_b) is the rate of `error` where there is one.
struct JointRow {
  enum class Kind : std::uint8_t {
    Position,  ///< error = 0
    AtLeast,   ///< error >= 0, impulse >= 0: a limit
    Velocity,  ///< w = target, as far as the force limit allows: a speed motor; no error
  };
  Kind kind = Kind::Position;
  Index joint = 0;      ///< of World::joints
  int place = 0;        ///< below joint_places: the row keeps its place from step to step
  bool drives = false;  ///< of a motor
  Index body_a = no_body, body_b = no_body;  ///< of World::bodies; no_body: the world
  Vec6 block_a{}, block_b{};
  /// m or rad, at the beginning of the step; of a motor that follows a position, from where it is
  /// to be at the end: w = -error/h brings it there.
  double error = 0.0;
  /// m/s or rad/s, mean over the step: of a speed motor its value; of a motor that follows a
  /// position the rate of that, so that error + h target is how far it is behind already.
  double target = 0.0;
  /// m/s or rad/s, mean over the step: what the error gains beyond its rate at the begin, because
  /// bodies that turn go along arcs. Of rows that are no motor, limit or spring.
  double carried = 0.0;
  /// N or N m; infinite: none (both directions; of AtLeast, upwards).
  double largest_force = infinity;
  double compliance = 0.0;     ///< m/N or rad/(N m)
  double damping_time = -1.0;  ///< s: of springs damping/stiffness; negative: the scheme's own
};

/// Tells the row from all others, for BodyProblem::joint_key. Joints keep their number, so rows
/// keep their key from step to step.
inline GlobalId key_of(const JointRow& row) {
  return static_cast<GlobalId>(row.joint) * joint_places + row.place;
}

/// Overwrites `rows` with those of all joints that are on, have their bodies here and can move one
/// that this rank owns, in the order of (joint, place), for a step of length h from the world's
/// time. A limit has a row where its error is no more than two steps of the present velocity and a
/// small reserve (0.01 rad; 0.01 of the larger body's reach); others are too far to matter in this
/// step. Adds the wrenches of force motors (N and N m about the centres, mean over the step) to
/// `wrench`, one Vec6 per body.
void joint_rows(const World& world, double h, std::vector<JointRow>& rows,
                std::vector<Vec6>& wrench);

/// After a step, when bodies have their new positions and the velocities that brought them there:
/// counts angles on through full turns (more than half a turn per step too), and keeps impulses (by
/// place) and reactions of joints, zero where a joint has no rows. `rows` as before the step;
/// `impulse`: of each row, N s.
void update_joints(World& world, double h, const std::vector<JointRow>& rows,
                   const std::vector<double>& impulse);

/// InputError with all joints whose frames do not coincide at the start as their type wants, whose
/// limits or motors do not fit the type, whose bodies cannot move, ... `place` of each for
/// messages.
void validate_joints(const World& world, const std::vector<std::string>& places);
/// The same of what does not depend on the start: numbers, frames, limits and motors.
void validate_moved_joints(const World& world, const std::vector<std::string>& places);

}  // namespace talus
