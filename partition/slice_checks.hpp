#pragma once
// Slices that a caller gives, of things of which each rank has its share: bodies and contacts of a
// state. What is wrong with them all ranks throw, as InputError.

#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"

#include <span>
#include <string>
#include <vector>

namespace talus {

struct SliceCount {
  const char* things = "";
  std::int64_t here = 0;  ///< in the slice of this rank
  GlobalId total = 0;     ///< of all ranks, as this one says
};
/// All ranks say the same totals, and have slices of slice_range(). `what`: "the checkpoint". The
/// same things on all ranks. Collective.
void require_slices(const Communicator& comm, const std::string& what,
                    std::span<const SliceCount> counts);

/// Each slice is in order, and goes on where that of the rank before ends: nothing is there twice.
/// Collective.
void require_order(const Communicator& comm, const std::string& what,
                   const std::vector<StoredBody>& bodies,
                   const std::vector<StoredContact>& contacts);

}  // namespace talus
