#pragma once
// Binary files from which inputs are made, written by the program's own writers.

#include "campaign/fuzz/reader.hpp"

#include <string>
#include <vector>

namespace talus::fuzz {

/// Paths of what is made in `place`.
std::vector<std::string> sound_native_problems(const Place& place);
std::vector<std::string> sound_fclib_problems(const Place& place);
std::vector<std::string> sound_states(const Place& place);
std::vector<std::string> sound_checkpoints(const Place& place);

/// Writes the scene `few.yaml` and what runs of it need and leave: the folder `done` with
/// checkpoints, log, monitors and state. Paths are relative to the place.
void make_run(const Place& place);
/// A verb of the program, in this process and in the folder of `place`, whose output nobody sees.
/// Its exit code.
int run_program(const Place& place, std::vector<std::string> words);

/// A text of tests/campaign/fuzz/corpus.
std::string corpus(const std::string& name);

}  // namespace talus::fuzz
