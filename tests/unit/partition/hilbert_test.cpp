// The curve against its definition, neighbours on the curve are neighbours in space and each cube
// of 8 cells is left only when it is full, and against the algorithm as printed.

#include "curve_cuts.hpp"
#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace talus {
namespace {

using Cell = std::array<std::uint32_t, 3>;

/// AxestoTranspose of [Skilling04] and the bits in turn, one at a time.
std::uint64_t printed_key(Cell x) {
  constexpr std::uint32_t top = 1U << (hilbert_bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1)
    for (std::uint32_t& coordinate : x) {
      if ((coordinate & q) != 0) {
        x[0] ^= q - 1;
      } else {
        const std::uint32_t t = (x[0] ^ coordinate) & (q - 1);
        x[0] ^= t;
        coordinate ^= t;
      }
    }
  x[1] ^= x[0];
  x[2] ^= x[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if ((x[2] & q) != 0) t ^= q - 1;
  std::uint64_t key = 0;
  for (int k = hilbert_bits - 1; k >= 0; --k)
    for (const std::uint32_t coordinate : x) key = 2 * key + (((coordinate ^ t) >> k) & 1U);
  return key;
}

TEST(HilbertKey, IsThatOfTheAlgorithmAsPrinted) {
  constexpr std::uint64_t cells = std::uint64_t{1} << hilbert_bits;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    KeyedRandom random(1, i, 0);
    Cell cell{};
    for (std::uint32_t& coordinate : cell)
      coordinate = static_cast<std::uint32_t>(random.below(i % 2 == 0 ? cells : 16));
    EXPECT_EQ(hilbert_key(cell), printed_key(cell));
  }
}

TEST(HilbertKey, StepsFromCellToNeighbour) {
  constexpr std::uint32_t side = 16;
  for (const Cell corner : {Cell{0, 0, 0}, Cell{0xffff0, 0x12340, 0xabcd0}}) {
    std::vector<std::pair<std::uint64_t, Cell>> curve;
    for (std::uint32_t x = 0; x < side; ++x)
      for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t z = 0; z < side; ++z) {
          const Cell cell{corner[0] + x, corner[1] + y, corner[2] + z};
          curve.emplace_back(hilbert_key(cell), cell);
        }
    std::sort(curve.begin(), curve.end());
    EXPECT_EQ(curve.front().first % curve.size(), 0U);
    for (std::size_t i = 1; i < curve.size(); ++i) {
      EXPECT_EQ(curve[i].first, curve[i - 1].first + 1);
      std::int64_t steps = 0;
      for (std::size_t k = 0; k < 3; ++k)
        steps += std::abs(std::int64_t{curve[i].second[k]} - std::int64_t{curve[i - 1].second[k]});
      EXPECT_EQ(steps, 1);
    }
  }
}

}  // namespace
}  // namespace talus
