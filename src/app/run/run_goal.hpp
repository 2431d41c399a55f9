#pragma once
// Where a run ends.

#include "talus/model/world.hpp"

#include <cstdint>
#include <limits>

namespace talus::app {

/// Where a run ends: after so many steps, or at the first step that ends at such a time or later.
struct RunGoal {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t steps = never, ticks = never;  ///< from the start of the simulation

  bool is_reached(const World& world) const { return world.step >= steps || world.ticks >= ticks; }
  bool is_passed(const World& world) const { return world.step > steps || world.ticks > ticks; }
  bool counts_steps() const { return steps != never; }
};

}  // namespace talus::app
