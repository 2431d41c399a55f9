#include "curve_cuts.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

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

namespace {

constexpr int digit_bits = 4;  // found per reduction
constexpr std::size_t values = (std::size_t{1} << digit_bits) - 1;

/// Weight of this rank's bodies before a place on the curve.
class WeightAlongCurve {
 public:
  WeightAlongCurve(const std::vector<std::uint64_t>& keys,
                   const std::vector<std::int64_t>& weights) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return keys[i] < keys[j]; });
    for (const std::size_t i : order) {
      keys_.push_back(keys[i]);
      before_.push_back(before_.back() + weights[i]);
    }
  }

  std::int64_t total() const { return before_.back(); }
  std::uint64_t end() const { return keys_.empty() ? 0 : keys_.back() + 1; }
  /// Of the keys below `key`.
  std::int64_t before(std::uint64_t key) const {
    return before_[std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin()];
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::int64_t> before_{0};
};

/// Smallest whole numbers not below 2 total k / pieces, without a product that could overflow.
std::vector<std::int64_t> doubled_shares(std::int64_t total, int pieces) {
  const std::int64_t whole = 2 * total / pieces, rest = 2 * total % pieces;
  std::vector<std::int64_t> shares;
  for (std::int64_t k = 1; k < pieces; ++k)
    shares.push_back(k * whole + (k * rest + pieces - 1) / pieces);
  return shares;
}

}  // namespace

std::vector<std::uint64_t> curve_cuts(const Communicator& comm,
                                      const std::vector<std::uint64_t>& keys,
                                      const std::vector<std::int64_t>& weights, int pieces) {
  TALUS_ASSERT(pieces >= 1 && keys.size() == weights.size());
  if (pieces == 1) return {};
  const WeightAlongCurve mine(keys, weights);
  std::array<std::int64_t, 1> total{mine.total()};
  std::array<double, 1> bits{static_cast<double>(std::bit_width(mine.end()))};
  comm.sum(total);
  comm.largest(bits);
  const std::vector<std::int64_t> shares = doubled_shares(total[0], pieces);
  // The middle of a key's weight, doubled, is before(key) + before(key + 1), and never falls along
  // the curve. All cuts are found together, digit by digit from the highest: a digit is the number
  // of its values below which the key is still short of the share.
  std::vector<std::uint64_t> cuts(shares.size(), 0);
  std::vector<std::int64_t> middle(shares.size() * values);
  for (int digit = (static_cast<int>(bits[0]) - 1) / digit_bits; digit >= 0; --digit) {
    const std::uint64_t step = std::uint64_t{1} << (digit * digit_bits);
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const std::uint64_t key = cuts[i / values] + (i % values + 1) * step;
      middle[i] = mine.before(key - 1) + mine.before(key);
    }
    comm.sum(middle);
    for (std::size_t i = 0; i < middle.size(); ++i)
      if (middle[i] < shares[i / values]) cuts[i / values] += step;
  }
  return cuts;
}

int piece_of(const std::vector<std::uint64_t>& cuts, std::uint64_t key) {
  return static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), key) - cuts.begin());
}

}  // namespace talus
