#pragma once
// A scene in a few lines, for people.

#include "talus/simulation/simulation.hpp"

#include "app/run/run_goal.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace talus::app {

/// ": 750 bricks, 1 floor": of many groups the largest, and what the others have together, with
/// `where_all` behind it.
std::string groups_text(const std::map<std::string, std::int64_t>& counts,
                        const std::string& where_all);

/// Of all ranks.
struct BodyCounts {
  std::int64_t all = 0;
  std::array<std::int64_t, 3> of_motion{};  ///< in the order of Motion
  std::map<std::string, std::int64_t> of_shape, of_group;
};
/// Collective.
BodyCounts count_bodies(const World& world, const Communicator& comm);

/// "bodies", "65: 64 dynamic, 1 fixed; ..."
struct LabelledText {
  std::string label, text;
};

/// "beads: 64 bodies, 0.67 kg, sizes 0.02 to 0.02 m": of those that it has made.
std::string generator_text(const Simulation& simulation, std::size_t generator);

/// What was understood of the scene that is about to run up to `goal`; what it does not have
/// is left out.
std::vector<LabelledText> scene_lines(const Simulation& simulation, const BodyCounts& counts,
                                      const RunGoal& goal);

}  // namespace talus::app
