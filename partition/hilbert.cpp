#include "hilbert.hpp"

namespace talus {
namespace {

/// The lowest 20 bits, three places apart.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffffU;
  x = (x | x << 16) & 0x001f0000ff0000ffU;
  x = (x | x << 8) & 0x100f00f00f00f00fU;
  x = (x | x << 4) & 0x10c30c30c30c30c3U;
  return (x | x << 2) & 0x1249249249249249U;
}

}  // namespace

std::uint64_t hilbert_key(std::array<std::uint32_t, 3> cell) {
  // Coordinates become the "transposed" key, in place: undo the excess rotations of each octant
  // from the coarsest bit to the finest, then Gray-encode. No branches: they cannot be foreseen,
  // and every body's place is looked up again and again.
  std::uint32_t x = cell[0], y = cell[1], z = cell[2];
  constexpr std::uint32_t top = 1U << (hilbert_bits - 1);
  for (std::uint32_t bit = top; bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    const auto undo = [&](std::uint32_t& coordinate) {
      const std::uint32_t set = 0U - static_cast<std::uint32_t>((coordinate & bit) != 0);
      const std::uint32_t swap = (x ^ coordinate) & below & ~set;
      x ^= swap | (below & set);
      coordinate ^= swap;
    };
    x ^= below & (0U - static_cast<std::uint32_t>((x & bit) != 0));
    undo(y);
    undo(z);
  }
  y ^= x;
  z ^= y;
  std::uint32_t flip = 0;
  for (std::uint32_t bit = top; bit > 1; bit >>= 1)
    flip ^= (bit - 1) & (0U - static_cast<std::uint32_t>((z & bit) != 0));
  return spread(x ^ flip) << 2 | spread(y ^ flip) << 1 | spread(z ^ flip);
}

}  // namespace talus
