#pragma once
// How HDF5 reaches our files: through a driver of ours, because with its own one
// - a damaged file can crash it: its accumulator of metadata and its sieve buffer copy by addresses
// that they took from
//   the file. Ours has neither, and reads nothing that lies outside the file;
// - a failed write crashes it at the end of the program: closing fails too, and the file is freed
// but not forgotten. Ours
//   remembers the first failure and lets HDF5 finish.

#include "io/hdf5/hdf5.hpp"

namespace talus::io {

struct FileState {
  int write_error = 0;  ///< errno of the first write that failed, 0 while all is well
};

/// A property list for opening files that report to `state`, which must outlive them. It holds
/// nothing where HDF5 refuses. No file locks: we never change a file in place, and many cluster
/// file systems have none.
Handle file_access(FileState& state);

}  // namespace talus::io
