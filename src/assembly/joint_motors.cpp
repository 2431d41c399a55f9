#include "assembly/joint_motors.hpp"

#include <algorithm>

namespace talus {

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

}  // namespace talus
