#pragma once
// What the settings of a step are made of: core/archive.hpp.

#include "talus/stepping/step_settings.hpp"

#include "model/world_archive.hpp"

namespace talus {

TALUS_FIELDS(StepSettings, scheme, h, tick, ticks, most_ticks, tolerance_rate, stabilisation,
             recovery_speed, recovery_size, bounce_speed, damping_time, touching, smallest_size,
             restitution_law)

}  // namespace talus
