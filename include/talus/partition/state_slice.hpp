#pragma once
// The bodies and contacts of all ranks on their way to a file, which has them in an order of its
// own.

#include "talus/model/world.hpp"
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

/// The same of the contacts of the last step, in the order of their second body, then of their
/// names.
struct ContactSlice {
  std::vector<StoredContact> contacts;
  GlobalId total = 0;
};
ContactSlice contact_slice(const Communicator& comm, const World& world);

}  // namespace talus
