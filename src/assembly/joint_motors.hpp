#pragma once
// What a motor asks for in a step.

#include "talus/model/joint.hpp"

namespace talus {

/// Of a position motor: where it wants to be at the end of a step, and its mean rate over the step.
struct Followed {
  double value = 0.0;  ///< rad or m
  double rate = 0.0;   ///< rad/s or m/s
};
Followed followed_by(const Motor& motor, double time, double h);

/// Of a speed motor: its value in the middle of the step. The way of the step is then that of the
/// midpoint rule, right to second order; at the end of the step it would be to first.
double speed_of(const Motor& motor, double time, double h);

/// Of a force motor in the middle of the step, within its limit.
double force_of(const Motor& motor, double time, double h);

}  // namespace talus
