#pragma once
// Files from which a simulation goes on with the same bits, on any number of ranks. They are states
// (io/state_file.hpp) with all that the next steps depend on beside. Layout: docs/file_formats.md.

#include "talus/parallel/communicator.hpp"
#include "talus/stepping/checkpoint.hpp"

#include <string>

namespace talus {

/// Beside, checked by a sum over all its bytes, then renamed. Collective: where it fails on one
/// rank, all throw, and what stood under that name is as it was. InputError where slices are not
/// those of slice_range().
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint,
                      const Communicator& comm);

/// Throws InputError, the same on all ranks: not there, not whole, damaged, of another version.
/// Collective.
Checkpoint read_checkpoint(const std::string& path, const Communicator& comm);

/// Whether a state has what goes on from it beside. Nothing else of it is looked at. Throws
/// InputError where there is no such file, or it is no HDF5 file.
bool is_checkpoint(const std::string& path);

}  // namespace talus
