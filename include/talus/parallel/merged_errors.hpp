#pragma once
// Faults of input that several ranks read, each its share.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"

namespace talus {

/// Returns where no rank has found a fault. Else every rank throws the same InputError: the faults
/// of all ranks in the order of ranks, what several found alike once, and no more of them than one
/// rank would show. Collective.
void throw_merged(const Communicator& comm, const InputErrors& errors);

}  // namespace talus
