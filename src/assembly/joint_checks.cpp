// Joints that could not do what they say, told before the first step.

#include "talus/core/error.hpp"

#include "assembly/joint_frames.hpp"
#include "assembly/joint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

// How far a constraint may be violated at the start.
constexpr double tolerance_of_way = 1e-6;    // of the larger reach
constexpr double least_tolerance = 1e-9;     // m: of bodies without a size
constexpr double tolerance_of_angle = 1e-6;  // rad
// How far a motor that nothing limits may be from its value: it would be there in a few steps.
constexpr double jump_of_angle = 0.01;  // rad
constexpr double jump_of_way = 0.01;    // of the larger reach
constexpr double least_jump = 1e-3;     // m

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// About or along the axis.
struct Freedom {
  std::string limits_key, motor_key;
  const char* verb;  ///< what a joint without it does not do
  const char* unit;
  const std::array<double, 2>& limits;
  const Motor& motor;
};

class Checker {
 public:
  Checker(const World& world, bool at_start, InputErrors& errors)
      : world_(world), is_start_(at_start), errors_(errors) {}

  void check(const Joint& joint, const std::string& place) {
    joint_ = &joint;
    // as a scene file has them
    const char* section = joint.type == JointType::Spring ? "springs" : "joints";
    where_ = fmt::format("{}: {}.{}", place, section, joint.name);
    check_numbers();
    const bool has_frames = check_frames();
    const bool has_bodies = is_start_ && check_bodies();
    start_.reset();
    if (has_frames && has_bodies) start_ = frames_of(world_, joint);
    scale_ = start_ ? larger_reach() : 0.0;
    if (start_) check_start();
    check_freedom(about_axis(), turns_about_axis(joint.type));
    check_freedom(along_axis(), slides_along_axis(joint.type));
  }

 private:
  void require(bool ok, const char* key, double value, const std::string& remedy) {
    errors_.require(ok, where_ + "." + key, value, remedy);
  }

  void check_numbers() {
    const JointType type = joint_->type;
    const bool spring = type == JointType::Spring;
    const auto not_negative = [](double x) { return std::isfinite(x) && x >= 0.0; };
    if (spring) {
      require(std::isfinite(joint_->stiffness) && joint_->stiffness > 0.0, "stiffness",
              joint_->stiffness, "must be finite and positive (N/m)");
      require(not_negative(joint_->damping), "damping", joint_->damping,
              "must be finite and not negative (N s/m)");
      require(joint_->compliance == 0.0, "compliance", joint_->compliance,
              "must be left out of a spring, whose stiffness says it");
    } else {
      require(joint_->stiffness == 0.0, "stiffness", joint_->stiffness,
              "must be left out: only springs have one (of joints: compliance, m/N)");
      require(joint_->damping == 0.0, "damping", joint_->damping,
              "must be left out: only springs have it");
      require(not_negative(joint_->compliance), "compliance", joint_->compliance,
              "must be finite and not negative (m/N)");
    }
    if (type == JointType::Distance && !is_between_limits())
      require(std::isfinite(joint_->length) && joint_->length > 0.0, "length", joint_->length,
              "must be finite and positive (m): for points that coincide take a spherical joint");
    else if (spring || type == JointType::Distance)
      require(not_negative(joint_->length), "length", joint_->length,
              "must be finite and not negative (m)");
    else
      require(joint_->length == 0.0, "length", joint_->length,
              "must be left out: only distance joints and springs have one");
  }

  bool check_frames() {
    bool all = true;
    const auto check = [&](const Pose& frame, const char* position, const char* orientation) {
      const Quaternion& q = frame.orientation;
      const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
      const bool is_unit = std::fabs(norm - 1.0) <= tolerance_of_angle;
      require(is_unit, orientation, norm, "must have length 1");
      const Vec3& p = frame.position;
      if (!finite(p))
        errors_.add(fmt::format("{}.{} = [{}, {}, {}] must be finite (m)", where_, position, p.x,
                                p.y, p.z));
      all = all && is_unit && finite(p);
    };
    check(joint_->frame_a, "frame_a.position", "frame_a.orientation");
    check(joint_->frame_b, "frame_b.position", "frame_b.orientation");
    return all;
  }

  /// True where both are there.
  bool check_bodies() {
    const auto is_there = [&](GlobalId id) {
      const bool there = id == world_id || world_.bodies.find(id) >= 0;
      if (!there)
        errors_.add(fmt::format("{}.between = {} must be a body that is there", where_, id));
      return there;
    };
    const bool a = is_there(joint_->body_a), b = is_there(joint_->body_b);
    if (!a || !b) return false;
    if (joint_->body_a == joint_->body_b)
      errors_.add(fmt::format("{}.between = [{}, {}] must name two different bodies", where_,
                              named(joint_->body_a), named(joint_->body_b)));
    else if (!movable(joint_->body_a) && !movable(joint_->body_b))
      errors_.add(
          fmt::format("{}.between = [{}, {}] must have a body that forces move: neither is dynamic",
                      where_, named(joint_->body_a), named(joint_->body_b)));
    return true;
  }

  static std::string named(GlobalId id) { return id == world_id ? "world" : fmt::format("{}", id); }

  bool movable(GlobalId id) const {
    return id != world_id && world_.bodies.motion[world_.bodies.find(id)] == Motion::Dynamic;
  }

  double larger_reach() const {
    double larger = 0.0;
    for (const Index body : {start_->body_a, start_->body_b})
      if (body != no_body && std::isfinite(world_.bodies.reach[body]))
        larger = std::max(larger, world_.bodies.reach[body]);
    return larger;
  }

  double tolerance() const { return std::max(tolerance_of_way * scale_, least_tolerance); }

  /// Of what the type locks; distances likewise.
  void check_start() {
    if (joint_->type == JointType::Distance || joint_->type == JointType::Spring) {
      check_distance();
      return;
    }
    double apart = 0.0, turned = 0.0;
    for (const Measured& locked : locked_by(joint_->type, *start_)) {
      const bool is_torque =
          locked.block_b[0] == 0.0 && locked.block_b[1] == 0.0 && locked.block_b[2] == 0.0;
      double& sum = is_torque ? turned : apart;
      sum = std::sqrt(sum * sum + locked.value * locked.value);
    }
    require(apart <= tolerance(), "position", apart,
            fmt::format("must be at most {} (m between the joint's places on its two bodies at the "
                        "start)",
                        tolerance()));
    require(turned <= tolerance_of_angle, "axis", turned,
            fmt::format("must be at most {} (rad between the joint's axes on its two bodies at the "
                        "start)",
                        tolerance_of_angle));
  }

  bool is_between_limits() const {
    return std::isfinite(joint_->way_limits[0]) || std::isfinite(joint_->way_limits[1]);
  }

  void check_distance() {
    const double distance = distance_of(*start_).value;
    if (joint_->type == JointType::Spring) {
      require(distance > 0.0 || joint_->length == 0.0, "length", joint_->length,
              "must be 0 where both ends are in one place at the start: the spring has no "
              "direction");
      return;
    }
    if (!is_between_limits())
      require(std::fabs(distance - joint_->length) <= tolerance(), "length", joint_->length,
              fmt::format("must be the distance at the start, {} m", distance));
  }

  /// Of two motors, a scene file says which is meant.
  std::string motor_key(const char* of) const {
    return joint_->type == JointType::Cylindrical ? fmt::format("motors.{}", of) : "motor";
  }
  Freedom about_axis() const {
    return {"limits.angle", motor_key("angle"),   "turn about its axis",
            "rad",          joint_->angle_limits, joint_->angle_motor};
  }
  Freedom along_axis() const {
    return {"limits.way", motor_key("way"),   "slide along its axis",
            "m",          joint_->way_limits, joint_->way_motor};
  }

  void check_freedom(const Freedom& freedom, bool has_axis) {
    const bool is_way = freedom.unit == std::string("m");
    const bool may_have_limits = has_axis || (is_way && joint_->type == JointType::Distance);
    const std::string limits = fmt::format("{}.{} = [{}, {}]", where_, freedom.limits_key,
                                           freedom.limits[0], freedom.limits[1]);
    const bool unlimited = freedom.limits[0] == -infinity && freedom.limits[1] == infinity;
    const bool crossed = !(freedom.limits[0] <= freedom.limits[1]);  // NaN too
    if (!may_have_limits && !unlimited)
      errors_.add(fmt::format("{} must be left out: a {} joint does not {}", limits,
                              name_of(joint_->type), freedom.verb));
    else if (crossed)
      errors_.add(fmt::format("{} must be [lower, upper]", limits));
    else if (may_have_limits && start_)
      check_inside(freedom, is_way, limits);
    if (freedom.motor.type == MotorType::None) return;
    if (!has_axis)
      errors_.add(fmt::format("{}.{} must be left out: a {} joint does not {}", where_,
                              freedom.motor_key, name_of(joint_->type), freedom.verb));
    else
      check_motor(freedom, is_way);
  }

  double at_start(bool is_way) const {
    if (joint_->type == JointType::Distance) return distance_of(*start_).value;
    return (is_way ? way_along_axis(*start_) : turn_about_axis(*start_, joint_->angle)).value;
  }

  void check_inside(const Freedom& freedom, bool is_way, const std::string& limits) {
    const double now = at_start(is_way), slack = is_way ? tolerance() : tolerance_of_angle;
    if (!(freedom.limits[0] <= now + slack && now - slack <= freedom.limits[1]))
      errors_.add(
          fmt::format("{} must contain the value at the start, {} {}", limits, now, freedom.unit));
  }

  void check_motor(const Freedom& freedom, bool is_way) {
    const Motor& motor = freedom.motor;
    require(motor.limit > 0.0, (freedom.motor_key + ".limit").c_str(), motor.limit,
            is_way ? "must be positive (N)" : "must be positive (N m)");
    if (!is_start_) return;
    const std::string key = freedom.motor_key + ".value";
    const double value = motor.value.sampled(world_.time);
    require(std::isfinite(value), key.c_str(), value, "must be finite");
    // one with a limit may be sent to a place: it gets there as it can
    if (motor.type != MotorType::Position || motor.limit < infinity || !start_) return;
    const double now = at_start(is_way);
    const double jump = is_way ? std::max(jump_of_way * scale_, least_jump) : jump_of_angle;
    require(!(std::fabs(value - now) > jump), key.c_str(), value,
            fmt::format("must be within {} {} of the value at the start, {}: else the motor jumps "
                        "(or give it a limit)",
                        jump, freedom.unit, now));
  }

  const World& world_;
  bool is_start_;
  InputErrors& errors_;
  // the joint that is being checked
  const Joint* joint_ = nullptr;
  std::string where_;
  std::optional<JointFrames> start_;
  double scale_ = 0.0;  ///< m: larger reach
};

}  // namespace

namespace {

void check_all(const World& world, const std::vector<std::string>& places, bool at_start) {
  TALUS_ASSERT(places.size() == world.joints.size());
  InputErrors errors;
  Checker checker(world, at_start, errors);
  for (std::size_t j = 0; j < world.joints.size(); ++j) checker.check(world.joints[j], places[j]);
  errors.throw_if_any();
}

}  // namespace

void validate_joints(const World& world, const std::vector<std::string>& places) {
  check_all(world, places, true);
}

void validate_moved_joints(const World& world, const std::vector<std::string>& places) {
  check_all(world, places, false);
}

}  // namespace talus
