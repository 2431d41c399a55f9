#pragma once
// Which contacts of a block make a tile: eight that share no body that moves, so that they can be
// swept at the same time. docs/algorithms/psor.md, "Eight contacts at a time".

#include "solvers/row_blocks.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

inline constexpr std::size_t no_place = ~std::size_t{0};

struct TileOrder {
  using Tile = std::array<std::size_t, 8>;  ///< places in RowBlocks::order, then no_place
  std::vector<Tile> tiles;
  /// Per block: where its tiles end. A block without any is swept contact by contact.
  std::vector<std::size_t> tile_end;

  std::size_t tile_begin(std::size_t block) const { return block == 0 ? 0 : tile_end[block - 1]; }
  bool has_tiles(std::size_t block) const {
    return !tile_end.empty() && tile_begin(block) < tile_end[block];
  }
};

/// `moved` by place, and whether a tile may hold the contact; blocks with one that may not get no
/// tiles. Every contact goes into the first of the open tiles that holds neither of its
/// bodies, so that tiles keep the order of the block as nearly as they can. Blocks whose tiles
/// would be less than half full (a drum: all of its contacts share it) get none.
TileOrder tiles_of(const RowBlocks& blocks, const std::vector<MovedBodies>& moved,
                   const std::vector<std::uint8_t>& fits, Index bodies);

}  // namespace talus
