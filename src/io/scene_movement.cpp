// How kinematic bodies move, and how bodies are turned.

#include "io/scene_reader.hpp"

#include <fmt/format.h>

namespace talus::io {
namespace {

/// amplitude*(sin(2*pi*frequency*t + phase) - sin(phase)): it begins where the body is.
Expression with_vibration(const Expression& way, double amplitude, double frequency, double phase,
                          const std::map<std::string, double>& variables) {
  if (amplitude == 0.0) return way;
  const std::string text = fmt::format("({}) + ({})*(sin(2*pi*({})*t + ({})) - sin({}))",
                                       way.text(), amplitude, frequency, phase, phase);
  return Expression(text, variables, {"t"});
}

}  // namespace

std::optional<KinematicMotion> read_movement(const Fields& movement, const Pose& start) {
  KinematicMotion motion;
  motion.start = start;
  motion.through = start.position;
  if (!movement.has("displacement") && !movement.has("velocity") && !movement.has("rotation") &&
      !movement.has("vibration"))
    movement.fault("", "a movement needs displacement, velocity, rotation or vibration");
  if (const auto way = movement.formulas("displacement")) motion.way = *way;
  if (const auto velocity = movement.formulas("velocity")) motion.velocity = *velocity;
  if (const std::optional<Fields> rotation = movement.section("rotation")) {
    motion.axis = rotation->direction("axis").value_or(motion.axis);
    motion.through = rotation->vector("through", start.position);
    motion.angle = rotation->formula("angle").value_or(Expression());
    motion.rate = rotation->formula("rate").value_or(Expression());
    if (!rotation->has("angle") && !rotation->has("rate"))
      rotation->fault("", "a rotation needs the key angle (rad) or rate (rad/s)");
  }
  if (const std::optional<Fields> vibration = movement.section("vibration")) {
    const std::optional<Vec3> amplitude = vibration->vector("amplitude");
    const std::optional<double> frequency = vibration->number("frequency");
    const double phase = vibration->number("phase", 0.0);
    if (amplitude && frequency) {
      const std::array<double, 3> of_axis{amplitude->x, amplitude->y, amplitude->z};
      for (std::size_t k = 0; k < of_axis.size(); ++k)
        motion.way[k] = with_vibration(motion.way[k], of_axis[k], *frequency, phase,
                                       movement.context().variables);
    }
  }
  return motion;
}

std::optional<Quaternion> read_orientation(const Fields& body) {
  if (!body.has("orientation")) return std::nullopt;
  if (const std::optional<Fields> turn = body.section("orientation")) {
    const std::optional<Vec3> axis = turn->direction("axis");
    const std::optional<double> angle = turn->number("angle");
    if (!axis || !angle) return std::nullopt;
    return rotation_by(*angle * *axis);
  }
  const std::optional<std::vector<double>> q = body.numbers("orientation");
  if (!q) return std::nullopt;
  const Quaternion given{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
  const double norm2 =
      given.w * given.w + given.x * given.x + given.y * given.y + given.z * given.z;
  constexpr double rounding = 1e-3;  // a user writes a few digits
  if (norm2 > 1.0 - rounding && norm2 < 1.0 + rounding) return normalised(given);
  body.fault(
      "orientation",
      fmt::format("orientation = [{}, {}, {}, {}] must have length 1: [w, x, y, z] of a unit "
                  "quaternion, or {{axis, angle}}",
                  given.w, given.x, given.y, given.z));
  return std::nullopt;
}

Quaternion along(const Vec3& axis) {
  return rotation_between({1.0, 0.0, 0.0}, axis);
}

}  // namespace talus::io
