#include "talus/stepping/step_settings.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

StepSettings step_settings(const TimeSettings& time, double gravity, double size) {
  StepSettings settings;
  settings.scheme = time.scheme;
  settings.h = time.step;
  settings.tick = time.step;
  settings.stabilisation = time.stabilisation;
  // Half of what a body of this size reaches when it falls through itself: overlaps go within a few
  // steps and nothing is thrown about. Of each contact by its own size: a speck must not say how a
  // boulder is pushed out.
  const bool gentle = gravity > 0.0 && size > 0.0;
  settings.recovery_speed = gentle ? 0.5 * std::sqrt(gravity * size) : infinity;
  settings.recovery_size = gentle ? size : 0.0;
  if (time.recovery_speed >= 0.0) {
    settings.recovery_speed = time.recovery_speed;
    settings.recovery_size = 0.0;
  }
  // What gravity gives a resting body within a step must not bounce.
  settings.bounce_speed = time.bounce_speed >= 0.0 ? time.bounce_speed : 2.0 * gravity * time.step;
  settings.damping_time = time.damping_time >= 0.0 ? time.damping_time : 4.0 * time.step;
  settings.smallest_size = size;
  settings.restitution_law = time.restitution_law;
  return settings;
}

double shortest_step(const TimeSettings& time) {
  constexpr double shorter_by_default = 256.0;
  return time.shortest > 0.0 ? std::min(time.shortest, time.step) : time.step / shorter_by_default;
}

std::int64_t most_ticks(const TimeSettings& time) {
  constexpr double hair = 1e-9;  // a multiple may be rounded
  return static_cast<std::int64_t>(std::floor(time.step / shortest_step(time) * (1.0 + hair)));
}

StepSettings with_step(const StepSettings& settings, const TimeSettings& time, double tick,
                       std::int64_t ticks) {
  StepSettings other = settings;
  other.tick = tick;
  other.ticks = ticks;
  other.h = static_cast<double>(ticks) * tick;
  const double ratio = other.h / settings.h;
  if (time.bounce_speed < 0.0) other.bounce_speed *= ratio;
  // Of automatic steps errors go at the same rate in any of them: what long steps have left open or
  // overlapping must not be thrown out by short ones.
  if (time.automatic)
    other.stabilisation *= ratio;
  else if (time.damping_time < 0.0)
    other.damping_time *= ratio;
  other.touching *= ratio;
  return other;
}

}  // namespace talus
