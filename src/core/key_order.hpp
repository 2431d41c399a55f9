#pragma once
// The order of keys, and their mixing. Those of a step come in a few ascending runs (contacts with
// each wall, then those between bodies), which need merging and no sorting.

#include "talus/core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// Places of the keys in ascending order, those of equal keys as they are: a natural merge sort
/// [Knuth98, 5.2.4, algorithm N], n log r comparisons for r ascending runs.
std::vector<Index> key_order(std::span<const GlobalId> keys);

// Numbers that look random and depend on nothing but what they are made of.

/// Every bit of x moves every bit of the result: the finaliser of [Steele14].
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace talus
