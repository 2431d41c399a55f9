#pragma once
// The MPI side of a communicator; only the sources of this room see it.

#include "talus/parallel/communicator.hpp"

#include <mpi.h>

namespace talus {

struct Communicator::Ranks {
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Throws std::runtime_error with rank, phase, the name of the call and MPI's own words.
void check_mpi(int status, const char* call);

}  // namespace talus
