#pragma once
// The Hilbert curve through a cube of cells: neighbours on the curve are neighbours in space.

#include <array>
#include <cstdint>

namespace talus {

inline constexpr int hilbert_bits = 20;  ///< per axis: the key fits into 60 bits

/// Place on the curve of a cell with coordinates in [0, 2^hilbert_bits). [Skilling04]
std::uint64_t hilbert_key(std::array<std::uint32_t, 3> cell);

}  // namespace talus
