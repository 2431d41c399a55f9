#pragma once
// A simulation as it was between two steps: what Simulation::checkpoint() gives, what files keep
// (io/checkpoint_file.hpp), and what a Simulation goes on from with the same bits, on any number of
// ranks.

#include "talus/model/scene.hpp"
#include "talus/stepping/step_settings.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace talus {

/// The same on all ranks, but for bodies and contacts, of which each rank has a slice.
struct Checkpoint {
  std::string scene_text;  ///< for people: as resolved_scene() gave it, or nothing
  Scene scene;             ///< as it is now: events that are done, what is switched; no world
  World world;             ///< neither bodies nor contacts
  StepSettings settings;
  /// m/s, of the solver. Any other that it goes on with stays as it is, whatever the step; 0: so
  /// does each.
  double tolerance = 0.0;
  std::string law;                    ///< that contacts follow: name_of(Law)
  std::vector<std::byte> simulation;  ///< what else belongs to the simulation, packed by it
  std::vector<std::byte> program;     ///< what its caller keeps beside; his alone
  std::vector<StoredBody> bodies;     ///< slice_range() of all in the order of ids; without owners
  GlobalId total_bodies = 0;
  std::vector<StoredContact> contacts;  ///< likewise, in the order of (second body, name)
  GlobalId total_contacts = 0;
};

}  // namespace talus
