#pragma once
// The states that a run has left: state.h5 of its folder, and snapshots of earlier times.

#include <optional>
#include <string>

namespace talus::app {

/// The file itself, or of a folder its last state; with a time (s), the state nearest to it. Throws
/// InputError where there is none.
std::string state_file_of(const std::string& path, const std::optional<double>& time);

}  // namespace talus::app
