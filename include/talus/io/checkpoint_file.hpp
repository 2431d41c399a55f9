#pragma once
// Files from which a simulation goes on with the same bits, on any number of ranks. They are states
// (io/state_file.hpp) with all that the next steps depend on beside. Layout: docs/file_formats.md.

#include "talus/model/scene.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/stepping/step_settings.hpp"

#include <string>
#include <vector>

namespace talus {

/// What a checkpoint keeps, beside bodies and contacts; the same on all ranks.
struct CheckpointContext {
  std::string scene_text;  ///< as resolved_scene() gave it
  Scene scene;             ///< as it is now: events that are done, what is switched; no world
  World world;             ///< no bodies, no contacts
  StepSettings settings;
  double tolerance = 0.0;  ///< m/s, of the solver
  Bytes memory;            ///< what the program keeps beside
};

/// A share of the bodies and contacts, and how many there are in all.
struct CheckpointShare {
  std::vector<StoredBody> bodies;  ///< a slice (slice_range()) in the order of ids
  GlobalId total_bodies = 0;
  std::vector<StoredContact> contacts;  ///< a slice in the order of (second body, name)
  GlobalId total_contacts = 0;
};

/// Beside, checked by a sum over all its bytes, then renamed. Collective: where it fails on one
/// rank, all throw, and what stood under that name is as it was.
void write_checkpoint(const std::string& path, const CheckpointContext& facts,
                      const CheckpointShare& share, const Communicator& comm);

struct Checkpoint {
  CheckpointContext facts;
  CheckpointShare share;  ///< of this rank; bodies have no owner yet
};
/// Throws InputError, the same on all ranks: not there, not whole, damaged, of another version.
/// Collective.
Checkpoint read_checkpoint(const std::string& path, const Communicator& comm);

/// Whether a state has what goes on from it beside. Nothing else of it is looked at.
bool is_checkpoint(const std::string& path);

}  // namespace talus
