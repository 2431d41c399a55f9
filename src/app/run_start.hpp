#pragma once
// What is said before the first step: what was understood of the scene, on which ranks, threads and
// nodes it runs, and a warning where threads are in each other's way.

#include "talus/simulation/simulation.hpp"

#include "app/commands.hpp"
#include "app/scene_words.hpp"

#include <vector>

namespace talus::app {

/// On stderr, unless --quiet. `last`: the step that the run ends with. Returns what it says of
/// scene and ranks, on rank 0. Collective.
std::vector<LabelledText> tell_start(const Simulation& simulation, std::int64_t last,
                                     const CommonOptions& common);

}  // namespace talus::app
