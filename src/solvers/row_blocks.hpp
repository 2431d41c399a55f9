#pragma once
// The order of a sweep that threads can share: rows in blocks, blocks in colours. No two blocks of
// a colour have a row at the same body that moves, so it does not matter which comes first, and any
// number of threads finds the same bits. docs/decisions/015.

#include "talus/core/types.hpp"

#include "core/arithmetic.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace talus {

/// The bodies whose velocities a row changes; no_body where there is none, or one that nothing
/// moves.
using MovedBodies = std::array<Index, 2>;

struct RowBlocks {
  std::vector<Index> order;             ///< rows, block after block
  std::vector<std::size_t> block_end;   ///< per block: where it ends in `order`
  std::vector<std::size_t> colour_end;  ///< per colour: where it ends in the blocks

  std::size_t block_begin(std::size_t block) const { return block == 0 ? 0 : block_end[block - 1]; }
  std::size_t colour_begin(std::size_t colour) const {
    return colour == 0 ? 0 : colour_end[colour - 1];
  }
};

/// All rows in the order given, for one thread.
RowBlocks one_block(std::vector<Index> order);

/// How many of so many rows make a block; the same for any number of threads, or the bits would
/// depend on it. A block of `least` rows takes long beside a barrier. All of them where threads
/// would wait more than they save.
Index rows_per_block(Index rows, Index least);

/// `order` holds the rows 0 to moved.size() - 1 once each. Blocks keep it inside, and grow over
/// neighbouring bodies, however the rows are numbered. A body with more rows than a block has them
/// all in a block of its own, however long: scattered over others it would tie them all together.
RowBlocks independent_blocks(const std::vector<Index>& order, const std::vector<MovedBodies>& moved,
                             Index bodies, Index block_rows);

/// share() once by each thread of a team; whether one returned true.
template <class Share>
bool any_of_team(const Share& share) {
  bool any = false;
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel default(none) firstprivate(arithmetic) shared(share) reduction(|| : any)
  any = share();
  return any;
}

/// visit(block) for each block, by all threads of a team, who each call this; returns when all are
/// done. Backward it goes through all in the opposite order.
template <class Visit>
void for_each_block(const RowBlocks& rows, bool forward, const Visit& visit) {
  const std::size_t colours = rows.colour_end.size();
  for (std::size_t step = 0; step < colours; ++step) {
    const std::size_t colour = forward ? step : colours - 1 - step;
    const std::size_t first = rows.colour_begin(colour), last = rows.colour_end[colour];
    // dynamic: an open contact costs a tenth of one that slides
#pragma omp for schedule(dynamic)
    for (std::size_t block = first; block < last; ++block) visit(block);
  }
}

/// update(k) for each place k of a block in rows.order.
template <class Update>
void for_each_in_block(const RowBlocks& rows, std::size_t block, bool forward,
                       const Update& update) {
  const std::size_t begin = rows.block_begin(block), end = rows.block_end[block];
  if (forward)
    for (std::size_t k = begin; k < end; ++k) update(k);
  else
    for (std::size_t k = end; k-- > begin;) update(k);
}

/// The same for all blocks, by a team as above.
template <class Update>
void for_each_in_blocks(const RowBlocks& rows, bool forward, const Update& update) {
  for_each_block(rows, forward,
                 [&](std::size_t block) { for_each_in_block(rows, block, forward, update); });
}

}  // namespace talus
