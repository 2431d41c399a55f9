#include "hilbert.hpp"

#include <utility>

namespace talus {

std::uint64_t hilbert_key(std::array<std::uint32_t, 3> x) {
  // Coordinates become the "transposed" key, in place: undo the excess rotations of each octant
  // from the coarsest bit to the finest, then Gray-encode.
  constexpr std::uint32_t top = 1U << (hilbert_bits - 1);
  for (std::uint32_t bit = top; bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& coordinate : x) {
      if ((coordinate & bit) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t swap = (x[0] ^ coordinate) & below;
        x[0] ^= swap;
        coordinate ^= swap;
      }
    }
  }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t flip = 0;
  for (std::uint32_t bit = top; bit > 1; bit >>= 1)
    if ((x[2] & bit) != 0) flip ^= bit - 1;
  std::uint64_t key = 0;
  for (int k = hilbert_bits - 1; k >= 0; --k)
    for (const std::uint32_t coordinate : x) key = 2 * key + (((coordinate ^ flip) >> k) & 1U);
  return key;
}

}  // namespace talus
