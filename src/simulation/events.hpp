#pragma once
// What happens at step boundaries: bodies removed, added, fixed, released; things switched.

#include "talus/simulation/simulation.hpp"

#include <vector>

namespace talus {

/// Runs the events that are due at the world's time and marks them done. True where bodies came,
/// went or changed how they move. Those that went are appended to `removed`, as of the step that
/// begins.
bool run_events(Scene& scene, World& world, std::vector<RemovedBody>& removed);

/// Takes bodies out of the world (marks per body, not 0: stays), with the warm starts of their
/// contacts; joints to them are off from now on. Appends them to `removed`, as of `step`.
void keep_bodies(World& world, const std::vector<std::uint8_t>& marks, std::int64_t step,
                 std::vector<RemovedBody>& removed);

}  // namespace talus
