// What a joint carries from step to step.

#include "talus/assembly/joint_rows.hpp"
#include "talus/core/error.hpp"

#include "assembly/joint_frames.hpp"

namespace talus {
namespace {

/// What the row does to body B, about the origin of frame B. A row with a force acts through that
/// point, or along a line through it, so it has no torque there; the others are torques.
void add_reaction(Joint& joint, const JointRow& row, double force) {
  const Vec3 linear{row.block_b[0], row.block_b[1], row.block_b[2]};
  const Vec3 angular{row.block_b[3], row.block_b[4], row.block_b[5]};
  if (dot(linear, linear) > 0.0)
    joint.reaction_force = joint.reaction_force + force * linear;
  else
    joint.reaction_torque = joint.reaction_torque + force * angular;
}

void count_angle(const World& world, double h, Joint& joint) {
  if (!turns_about_axis(joint.type)) return;
  const std::optional<JointFrames> frames = frames_of(world, joint);
  if (!frames) return;
  // how far the step has turned, from its velocities: else more than half a turn would count as
  // less than half a turn back
  const double turned = h * rate_of(turn_about_axis(*frames), *frames, world.bodies);
  joint.angle = turn_about_axis(*frames, joint.angle + turned).value;
}

}  // namespace

void update_joints(World& world, double h, const std::vector<JointRow>& rows,
                   const std::vector<double>& impulse) {
  TALUS_ASSERT(impulse.size() == rows.size());
  for (Joint& joint : world.joints) {
    joint.impulse.fill(0.0);
    joint.reaction_force = joint.reaction_torque = {};
    count_angle(world, h, joint);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Joint& joint = world.joints[rows[i].joint];
    joint.impulse[rows[i].place] = impulse[i];
    add_reaction(joint, rows[i], impulse[i] / h);
  }
}

}  // namespace talus
