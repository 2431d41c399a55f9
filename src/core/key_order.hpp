#pragma once
// The order of keys. Those of a step come in a few ascending runs (contacts with each wall, then
// those between bodies), which need merging and no sorting.

#include "talus/core/types.hpp"

#include <span>
#include <vector>

namespace talus {

/// Places of the keys in ascending order, those of equal keys as they are: a natural merge sort
/// [Knuth98, 5.2.4, algorithm N], n log r comparisons for r ascending runs.
std::vector<Index> key_order(std::span<const GlobalId> keys);

}  // namespace talus
