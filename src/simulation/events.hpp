#pragma once
// What happens at step boundaries: bodies removed, added, fixed, released; things switched.

#include "talus/model/scene.hpp"

namespace talus {

/// Runs the events that are due at the world's time and marks them done. True where bodies came,
/// went or changed how they move.
bool run_events(Scene& scene, World& world);

/// Takes bodies out of the world (marks per body, not 0: stays), with the warm starts of their
/// contacts; joints to them are off from now on.
void keep_bodies(World& world, const std::vector<std::uint8_t>& marks);

}  // namespace talus
