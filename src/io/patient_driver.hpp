#pragma once
// The file driver for files in the making. HDF5 cannot take a failed write: closing the file then
// fails too, and the library crashes at the end of the program. This driver remembers the first
// failure and lets HDF5 finish in peace.

#include "io/hdf5.hpp"

namespace talus::io {

struct WriteState {
  int error = 0;  ///< errno of the first failure, 0 while all is well
};

/// Makes files opened with `access` report to `state`, which must outlive them. False when HDF5
/// refuses.
bool use_patient_driver(hid_t access, WriteState& state);

}  // namespace talus::io
