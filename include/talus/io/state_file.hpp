#pragma once
// The bodies of a run as they are at one time: what `talus run` leaves as DIR/state.h5 and in
// DIR/snapshots, and what a generator of type import reads. Layout: docs/file_formats.md.

#include "talus/model/contact_forces.hpp"
#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"

#include <optional>
#include <string>
#include <vector>

namespace talus {

struct SavedState {
  double time = 0.0;                           ///< s
  std::int64_t step = 0;                       ///< steps done
  std::vector<std::string> materials, groups;  ///< names
  /// A mesh of a file without triangles has none here.
  std::vector<Shape> shapes;
  /// In the order of their ids; shape, material and group are indices into the lists above. Mass
  /// and inertia are infinite where the file does not know them.
  std::vector<NewBody> bodies;
};

/// The same bytes for the same world. Throws std::runtime_error where the disk does not take it.
void write_state(const std::string& path, const World& world);
/// The same, made by all ranks together; they give the slices (slice_range()) of `total` bodies in
/// the order of their ids, and all else is alike on all of them. Collective: where it fails on one
/// rank, all throw.
void write_state(const std::string& path, const World& world, const std::vector<StoredBody>& slice,
                 GlobalId total, const Communicator& comm);

/// The same with the contacts of the last step, for analysis; gathered by rank 0, which writes it.
/// Collective.
void write_snapshot(const std::string& path, const World& world, const ContactForces& forces,
                    const Communicator& comm);

/// Contacts are not read. Throws InputError with all faults: another version, unknown names,
/// lengths that differ, numbers that are not finite or cannot be.
SavedState read_state(const std::string& path);

/// The time of a file, s; nothing where it is no state. Nothing else of it is looked at.
std::optional<double> time_of_state(const std::string& path);

}  // namespace talus
