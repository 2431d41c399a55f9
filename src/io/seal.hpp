#pragma once
// The last bytes of a file that must not be used damaged: its length and a sum of all its words.
// HDF5 does not mind what stands behind its own end. docs/file_formats.md

#include "talus/parallel/communicator.hpp"

#include <string>

namespace talus::io {

/// Puts a seal behind what stands in the file, and all of it on the disk; every rank adds up its
/// share. Throws std::runtime_error naming `goal`. Collective.
void put_seal(const Communicator& comm, const std::string& path, const std::string& goal);

/// Throws InputError, on all ranks, unless the file is whole: its seal is there and fits.
/// Collective.
void check_seal(const Communicator& comm, const std::string& path);

}  // namespace talus::io
