#pragma once
// Scenes of jobs/scenes/, run in a test, and what is measured of them.

#include "talus/simulation/simulation.hpp"

#include <string>
#include <vector>

namespace talus::support {

/// A scene file, started as the program starts it; `name` is a path, or a file of jobs/scenes/.
Simulation start_scene(const std::string& name, const std::vector<std::string>& overrides = {});

/// Places of the bodies of a group; a body that is named is a group of one.
std::vector<std::size_t> members(const World& world, const std::string& group);
Vec3 centre_of_mass(const World& world, const std::vector<std::size_t>& bodies);
Vec3 momentum(const World& world, const std::vector<std::size_t>& bodies);
double mass(const World& world, const std::vector<std::size_t>& bodies);
/// Coordinate 0, 1 or 2 below which this share of the bodies is.
double quantile(const World& world, const std::vector<std::size_t>& bodies, std::size_t axis,
                double share);
/// On all others by the bodies of a group in the last step, N s.
Vec3 impulse_by(const World& world, const std::string& group);
const Joint& joint_named(const World& world, const std::string& name);

}  // namespace talus::support
