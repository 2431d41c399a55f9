#pragma once
// The bodies of all ranks on their way to a file, which has them in the order of their ids.

#include "talus/model/body_set.hpp"
#include "talus/parallel/communicator.hpp"

#include <vector>

namespace talus {

/// A share of all bodies, cut like the slices of a problem (slice_range()), in the order of ids.
struct StateSlice {
  std::vector<StoredBody> bodies;
  GlobalId total = 0;
};

/// The slice of this rank, from what all ranks own. No rank sees more than its share twice.
/// Collective.
StateSlice state_slice(const Communicator& comm, const BodySet& bodies);

}  // namespace talus
