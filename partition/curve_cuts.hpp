#pragma once
// The Hilbert curve through a cube of cells: neighbours on the curve are neighbours in space.

#include "talus/parallel/communicator.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

inline constexpr int hilbert_bits = 20;  ///< per axis: the key fits into 60 bits

/// Place on the curve of a cell with coordinates in [0, 2^hilbert_bits). [Skilling04]
std::uint64_t hilbert_key(std::array<std::uint32_t, 3> cell);

// Where a curve through all bodies is cut into pieces of equal weight.

/// First keys of the pieces but the first. A body is in the piece where the middle of its key's
/// weight lies: bodies of one key are never parted. Keys are below 2^62 and in any order, weights
/// at least 1. The answer is exact and depends on the keys and weights alone, not on which rank has
/// them; no rank sees more of the others than fifteen numbers per cut. Collective.
std::vector<std::uint64_t> curve_cuts(const Communicator& comm,
                                      const std::vector<std::uint64_t>& keys,
                                      const std::vector<std::int64_t>& weights, int pieces);

/// The piece of a key.
int piece_of(const std::vector<std::uint64_t>& cuts, std::uint64_t key);

}  // namespace talus
