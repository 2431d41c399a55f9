#pragma once
// The scalar rows of joints, motors, limits and springs, before a scheme turns errors into biases.

#include "talus/model/world.hpp"

#include <vector>

namespace talus {

/// w = block_a . (v_a, w_a) + block_b . (v_b, w_b) is the rate of `error` where there is one.
struct JointRow {
  enum class Kind : std::uint8_t {
    Position,  ///< error = 0
    AtLeast,   ///< error >= 0, impulse >= 0: a limit
    Velocity,  ///< w = target, as far as the force limit allows: a speed motor
  };
  Kind kind = Kind::Position;
  Index joint = 0;  ///< of World::joints
  int place = 0;    ///< 0 to 7 in the joint: the row keeps its place from step to step
  Index body_a = no_body, body_b = no_body;  ///< of World::bodies; no_body: the world
  Vec6 block_a{}, block_b{};
  double error = 0.0;   ///< m or rad
  double target = 0.0;  ///< m/s or rad/s, Velocity; of a Position row that follows a motor, the
                        ///< rate of the value that it follows
  double largest_force = 0.0;  ///< N or N m; infinite: none (both directions; of AtLeast, upwards)
  double compliance = 0.0;     ///< m/N or rad/(N m)
  double damping_time = -1.0;  ///< s: of springs damping/stiffness; negative: the scheme's own
};

/// Rows of all joints that are on, in the order of (joint, place), for a step of length h from the
/// world's time. Limits whose error is more than a step of the present velocity away have no row.
/// Adds the wrenches of force motors (N and N m about the centres) to `wrench`, one Vec6 per body.
void joint_rows(const World& world, double h, std::vector<JointRow>& rows,
                std::vector<Vec6>& wrench);

/// After a step: counts angles on through full turns, and keeps impulses (by row) and reactions of
/// joints. `impulse`: of each row, N s.
void update_joints(World& world, double h, const std::vector<JointRow>& rows,
                   const std::vector<double>& impulse);

/// InputError with all joints whose frames do not coincide at the start as their type wants, whose
/// limits or motors do not fit the type, whose bodies cannot move, ... `place` of each for
/// messages.
void validate_joints(const World& world, const std::vector<std::string>& places);

}  // namespace talus
