#pragma once
// One tree of a scene file, the files that it includes, and what -s sets.

#include "io/scene_value.hpp"

namespace talus::io {

/// The tree with includes and overrides put in; names of files in it are absolute. Faults are
/// collected; the tree then has what could be read.
Value load_scene(const std::string& path, const std::vector<std::string>& overrides,
                 SceneFaults& faults);

}  // namespace talus::io
