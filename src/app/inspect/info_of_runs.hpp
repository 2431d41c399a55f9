#pragma once
// What states, checkpoints and the folders of runs hold.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace talus::app {

/// Whether an HDF5 file means to be a state, which every checkpoint is too.
bool is_state(const std::string& path);

/// Bodies by motion, shape and group, step and time; of a checkpoint, whose seal is checked, what
/// goes on from it. Throws InputError with all faults.
nlohmann::ordered_json info_of_state(const std::string& path);

/// How the run went or how far it is, its checkpoints, and which of them are good.
nlohmann::ordered_json info_of_run(const std::string& folder);

// The states that a run has left: state.h5 of its folder, and snapshots of earlier times.

/// The file itself, or of a folder its last state; with a time (s), the state nearest to it. Throws
/// InputError where there is none.
std::string state_file_of(const std::string& path, const std::optional<double>& time);

}  // namespace talus::app
