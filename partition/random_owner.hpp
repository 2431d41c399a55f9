#pragma once
// Owners that look random: the worst case of a partition, for tests.

#include "talus/core/types.hpp"

#include "core/mixed_bits.hpp"

namespace talus {

inline int random_owner(GlobalId id, std::uint64_t seed, int ranks) {
  return static_cast<int>(mixed_bits(static_cast<std::uint64_t>(id) ^ mixed_bits(seed)) %
                          static_cast<std::uint64_t>(ranks));
}

}  // namespace talus
