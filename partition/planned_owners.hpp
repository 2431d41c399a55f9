#pragma once
// How a run would distribute its bodies at the start, without the ranks that it would have.

#include "talus/model/world.hpp"

#include "partition/cell_map.hpp"

#include <vector>

namespace talus {

/// The rank that would own each body of a world at the start of a run on so many ranks; -1: all
/// ranks would have it, because it does not move by impulses or is much larger than others. Of the
/// world are needed bodies, shapes and joints (bodies of one rank), domain and materials.
std::vector<int> planned_owners(World world, int ranks, const BalanceOptions& options);

}  // namespace talus
