#pragma once
// What is said before the first step: what was understood of the scene, on which ranks, threads and
// nodes it runs, and a warning where threads are in each other's way.

#include "talus/simulation/simulation.hpp"

#include "app/commands.hpp"
#include "app/run/run_goal.hpp"
#include "app/run/scene_words.hpp"

#include <vector>

namespace talus::app {

/// On stderr, unless --quiet. `goal`: where the run ends. Returns what it says of
/// scene and ranks, on rank 0. Collective.
std::vector<LabelledText> tell_start(const Simulation& simulation, const RunGoal& goal,
                                     const CommonOptions& common);

}  // namespace talus::app
