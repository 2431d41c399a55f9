#include "solvers/tile_order.hpp"

#include <bit>
#include <cstdint>

namespace talus {
namespace {

using Tile = TileOrder::Tile;

/// The tiles of a block while they fill up. Open ones are numbered round the bits of a word, so
/// that a body can remember in which of them it is.
class OpenTiles {
 public:
  OpenTiles(const std::vector<MovedBodies>& moved, const std::vector<std::uint8_t>& fits,
            Index bodies)
      : moved_(moved), fits_(fits), in_(static_cast<std::size_t>(bodies), 0) {}

  /// Of the places [begin, end); none where they fit badly.
  const std::vector<Tile>& fill(std::size_t begin, std::size_t end) {
    tiles_.clear();
    count_.clear();
    open_ = 0;
    bool fits = true;
    for (std::size_t place = begin; place < end; ++place) {
      const MovedBodies& pair = moved_[place];
      fits = fits && fits_[place] != 0 && (pair[0] == no_body || pair[0] != pair[1]);
      add(place);
    }
    for (std::size_t place = begin; place < end; ++place)
      each_body(place, [](Word& in) { in = 0; });
    if (!fits || 2 * (end - begin) < 8 * tiles_.size()) tiles_.clear();
    return tiles_;
  }

 private:
  static constexpr std::size_t most_open = 32;
  using Word = std::uint32_t;
  static Word bit(std::size_t tile) { return Word{1} << (tile % most_open); }

  template <class Use>
  void each_body(std::size_t place, const Use& use) {
    for (const Index body : moved_[place])
      if (body != no_body) use(in_[body]);
  }

  void add(std::size_t place) {
    Word taken = 0;
    each_body(place, [&](Word in) { taken |= in; });
    const std::size_t tile = first_of(open_ & ~taken);
    tiles_[tile][count_[tile]++] = place;
    each_body(place, [&](Word& in) { in |= bit(tile); });
    if (count_[tile] == 8) open_ &= ~bit(tile);
  }

  /// The oldest of these, or a new one in the place of what is oldest.
  std::size_t first_of(Word fitting) {
    const std::size_t next = tiles_.size();
    if (fitting != 0) {
      const int oldest = static_cast<int>(next % most_open);
      const auto age = static_cast<std::size_t>(std::countr_zero(std::rotr(fitting, oldest)));
      return next - most_open + age;
    }
    if (next >= most_open)
      for (const std::size_t place : tiles_[next - most_open])
        if (place != no_place) each_body(place, [&](Word& in) { in &= ~bit(next); });
    tiles_.emplace_back().fill(no_place);
    count_.push_back(0);
    open_ |= bit(next);
    return next;
  }

  const std::vector<MovedBodies>& moved_;
  const std::vector<std::uint8_t>& fits_;
  std::vector<Word> in_;  // per body: open tiles that hold it
  std::vector<Tile> tiles_;
  std::vector<std::size_t> count_;
  Word open_ = 0;
};

}  // namespace

TileOrder tiles_of(const RowBlocks& blocks, const std::vector<MovedBodies>& moved,
                   const std::vector<std::uint8_t>& fits, Index bodies) {
  TileOrder order;
  OpenTiles open(moved, fits, bodies);
  for (std::size_t block = 0; block < blocks.block_end.size(); ++block) {
    const std::vector<Tile>& tiles = open.fill(blocks.block_begin(block), blocks.block_end[block]);
    order.tiles.insert(order.tiles.end(), tiles.begin(), tiles.end());
    order.tile_end.push_back(order.tiles.size());
  }
  return order;
}

}  // namespace talus
