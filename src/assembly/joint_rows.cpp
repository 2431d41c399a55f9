#include "assembly/joint_rows.hpp"

#include "talus/core/error.hpp"

#include "assembly/carried_points.hpp"
#include "assembly/joint_frames.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// How far a limit may be to have a row, beside what the velocity uses: forces of the step may add
// to the velocity.
constexpr double reserve_of_angle = 0.01;  // rad
constexpr double reserve_of_way = 0.01;    // of the larger reach

double larger_reach(const BodySet& bodies, const JointFrames& frames) {
  double larger = 0.0;
  for (const Index body : {frames.body_a, frames.body_b}) {
    const double reach = body == no_body ? 0.0 : bodies.reach[body];
    if (std::isfinite(reach)) larger = std::max(larger, reach);  // a plane has no size
  }
  return larger;
}

/// Writes the rows of one joint after another. Places are counted also where no row is written.
class RowWriter {
 public:
  RowWriter(const World& world, double h, std::vector<JointRow>& rows, std::vector<Vec6>& wrench)
      : world_(world), h_(h), rows_(rows), wrench_(wrench) {}

  void write(Index number) {
    const Joint& joint = world_.joints[number];
    if (!joint.on) return;
    const std::optional<JointFrames> frames = frames_of(world_, joint);
    if (!frames || !(movable(frames->body_a) || movable(frames->body_b))) return;
    number_ = number;
    joint_ = &joint;
    frames_ = *frames;
    place_ = 0;
    const double spin = fastest_spin(frames_, world_.bodies);
    carries_ = spin > 0.0;
    trust_ = trust_in_turn(h_ * h_ * spin);
    if (carries_) later_ = moved_on(frames_, world_.bodies, h_);
    if (joint.type == JointType::Spring)
      write_spring();
    else if (joint.type == JointType::Distance)
      write_distance();
    else
      write_axis_joint();
  }

 private:
  bool movable(Index body) const {
    return body != no_body && world_.bodies.is_owned(body) &&
           world_.bodies.motion[body] == Motion::Dynamic;
  }

  void write_axis_joint() {
    const Locked locked = locked_by(joint_->type, frames_);
    const Locked later = carries_ ? locked_by(joint_->type, later_) : locked;
    for (std::size_t k = 0; k < locked.count; ++k)
      add(JointRow::Kind::Position, locked.measures[k]).carried =
          carries_ ? carried(locked.measures[k], later.measures[k].value) : 0.0;
    if (turns_about_axis(joint_->type)) {
      const Measured turn = turn_about_axis(frames_, joint_->angle);
      write_limits(turn, joint_->angle_limits, reserve_of_angle);
      write_motor(turn, joint_->angle_motor);
    }
    if (slides_along_axis(joint_->type)) {
      const Measured way = way_along_axis(frames_);
      write_limits(way, joint_->way_limits, way_reserve());
      write_motor(way, joint_->way_motor);
    }
  }

  void write_distance() {
    Measured distance = distance_of(frames_);
    if (std::isfinite(joint_->way_limits[0]) || std::isfinite(joint_->way_limits[1])) {
      ++place_;
      write_limits(distance, joint_->way_limits, way_reserve());
      return;
    }
    // the line turns also where no body does
    const JointFrames later = moved_on(frames_, world_.bodies, h_);
    const auto line = [](const JointFrames& frames) {
      return frames.b.position - frames.a.position;
    };
    const Vec3 change = line(later) - line(frames_);
    const double squared = distance.value * distance.value;
    trust_ = squared > 0.0 ? std::min(trust_, trust_in_turn(dot(change, change) / squared)) : 0.0;
    const double gained = carried(distance, distance_of(later).value);
    distance.value -= joint_->length;
    add(JointRow::Kind::Position, distance).carried = gained;
  }

  void write_spring() {
    Measured stretch = distance_of(frames_);
    stretch.value -= joint_->length;
    JointRow& row = add(JointRow::Kind::Position, stretch);
    row.compliance = 1.0 / joint_->stiffness;
    row.damping_time = joint_->damping / joint_->stiffness;
  }

  /// Lower, then upper.
  void write_limits(const Measured& m, const std::array<double, 2>& limits, double reserve) {
    Measured above = m, below = negated(m);
    above.value = m.value - limits[0];
    below.value = limits[1] - m.value;
    for (const Measured& room : {above, below}) {
      const double closing = std::fmax(0.0, -rate_of(room, frames_, world_.bodies));
      // no limit is infinitely far: the comparison fails
      if (room.value <= 2.0 * h_ * closing + reserve)
        add(JointRow::Kind::AtLeast, room);
      else
        ++place_;
    }
  }

  void write_motor(const Measured& m, const Motor& motor) {
    if (motor.type == MotorType::None || !motor.on) {
      ++place_;
      return;
    }
    if (motor.type == MotorType::Force) {
      ++place_;
      push(frames_.body_a, m.block_a, force_of(motor, world_.time, h_));
      push(frames_.body_b, m.block_b, force_of(motor, world_.time, h_));
      return;
    }
    JointRow& row = add(JointRow::Kind::Position, m);
    row.drives = true;
    row.largest_force = motor.limit;
    if (motor.type == MotorType::Position) {
      const Followed followed = followed_by(motor, world_.time, h_);
      row.error = m.value - followed.value;
      row.target = followed.rate;
      return;
    }
    row.kind = JointRow::Kind::Velocity;
    row.error = 0.0;
    row.target = speed_of(motor, world_.time, h_);
    row.compliance = 0.0;  // of a position: a speed has none
  }

  /// What a measure will have gained beyond its present rate.
  double carried(const Measured& m, double later) const {
    return trust_ * ((later - m.value) / h_ - rate_of(m, frames_, world_.bodies));
  }

  JointRow& add(JointRow::Kind kind, const Measured& m) {
    JointRow row;
    row.kind = kind;
    row.joint = number_;
    row.place = place_++;
    row.body_a = frames_.body_a;
    row.body_b = frames_.body_b;
    row.block_a = m.block_a;
    row.block_b = m.block_b;
    row.error = m.value;
    row.compliance = joint_->compliance;
    return rows_.emplace_back(row);
  }

  void push(Index body, const Vec6& block, double force) {
    if (body == no_body) return;
    Vec6& total = wrench_[body];
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += force * block[i];
  }

  double way_reserve() const { return reserve_of_way * larger_reach(world_.bodies, frames_); }

  const World& world_;
  double h_;
  std::vector<JointRow>& rows_;
  std::vector<Vec6>& wrench_;
  // the joint that is being written
  Index number_ = 0;
  const Joint* joint_ = nullptr;
  JointFrames frames_, later_;
  bool carries_ = false;  ///< some body turns: later_ tells
  double trust_ = 1.0;    ///< in what it tells
  int place_ = 0;
};

}  // namespace

void joint_rows(const World& world, double h, std::vector<JointRow>& rows,
                std::vector<Vec6>& wrench) {
  TALUS_ASSERT(wrench.size() == static_cast<std::size_t>(world.bodies.count()));
  rows.clear();
  RowWriter writer(world, h, rows, wrench);
  for (std::size_t j = 0; j < world.joints.size(); ++j) writer.write(static_cast<Index>(j));
}

Followed followed_by(const Motor& motor, double time, double h) {
  const double next = motor.value.at(time + h);
  return {next, (next - motor.value.at(time)) / h};
}

double speed_of(const Motor& motor, double time, double h) {
  return motor.value.at(time + 0.5 * h);
}

double force_of(const Motor& motor, double time, double h) {
  return std::clamp(motor.value.at(time + 0.5 * h), -motor.limit, motor.limit);
}

// What a joint carries from step to step.

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
