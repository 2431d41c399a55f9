#include "solvers/row_blocks.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace talus {
namespace {

constexpr Index none = -1;

using Block = std::vector<Index>;  // places of rows in the order given, ascending

/// Rows are known here by their place in the order given.
class Blocks {
 public:
  Blocks(const std::vector<Index>& order, const std::vector<MovedBodies>& moved, Index bodies,
         Index block_rows)
      : block_rows_(block_rows), start_(bodies + 1, 0), is_free_(order.size(), true) {
    for (const Index row : order) moved_.push_back(moved[row]);
    for (const MovedBodies& pair : moved_) each_body(pair, [&](Index b) { ++start_[b + 1]; });
    for (Index b = 0; b < bodies; ++b) free_at_.push_back(start_[b + 1]);
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    rows_.resize(start_.back());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t row = 0; row < moved_.size(); ++row)
      each_body(moved_[row], [&](Index b) { rows_[next[b]++] = static_cast<Index>(row); });
    make_blocks();
  }

  const std::vector<Block>& blocks() const { return blocks_; }

  /// Greedy, in the order of blocks: of the colours that no block at the same bodies has, the one
  /// with the fewest blocks.
  std::vector<std::vector<std::size_t>> coloured() const {
    constexpr std::size_t no_block = ~std::size_t{0};
    std::vector<std::vector<std::size_t>> colours;
    std::vector<std::size_t> refused_by;  // per colour: the last block that may not
    std::vector<std::size_t> seen(free_at_.size(), no_block);  // per body: the last block at it
    std::vector<Index> colour_of(moved_.size(), none);         // per row
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      for (const Index row : blocks_[k])
        each_body(moved_[row], [&](Index body) {
          if (std::exchange(seen[body], k) == k) return;
          for (std::size_t i = start_[body]; i < start_[body + 1]; ++i)
            if (const Index c = colour_of[rows_[i]]; c != none) refused_by[c] = k;
        });
      std::size_t best = colours.size();
      for (std::size_t c = 0; c < colours.size(); ++c)
        if (refused_by[c] != k &&
            (best == colours.size() || colours[c].size() < colours[best].size()))
          best = c;
      if (best == colours.size()) {
        colours.emplace_back();
        refused_by.push_back(no_block);
      }
      colours[best].push_back(k);
      for (const Index row : blocks_[k]) colour_of[row] = static_cast<Index>(best);
    }
    return colours;
  }

 private:
  template <class Use>
  static void each_body(const MovedBodies& pair, const Use& use) {
    if (pair[0] != no_body) use(pair[0]);
    if (pair[1] != no_body && pair[1] != pair[0]) use(pair[1]);
  }

  void make_blocks() {
    for (Index body = 0; body < static_cast<Index>(free_at_.size()); ++body)
      if (start_[body + 1] - start_[body] > block_rows_ && free_at_[body] > 0) {
        Block block;
        take_rows_at(body, moved_.size(), block);
        near_.clear();
        add(std::move(block));
      }
    for (Block block = grown(); !block.empty(); block = grown()) add(std::move(block));
  }

  /// Over the bodies beside the first, nearest first; where there are no more, over those beside
  /// earlier blocks, the oldest first, so that no crumbs are left behind.
  Block grown() {
    Block block;
    while (block.size() < block_rows_) {
      if (near_.empty() && !find_next(block)) break;
      if (near_.empty()) continue;
      take_rows_at(near_.front(), block_rows_, block);
      if (free_at_[near_.front()] == 0) near_.pop_front();
    }
    frontier_.insert(frontier_.end(), near_.begin(), near_.end());
    near_.clear();
    return block;
  }

  /// A body with free rows into near_, or the first free row of all into the block if it moves no
  /// body; false where nothing is left.
  bool find_next(Block& block) {
    while (!frontier_.empty()) {
      const Index body = frontier_.front();
      frontier_.pop_front();
      if (free_at_[body] == 0) continue;
      near_.push_back(body);
      return true;
    }
    while (first_free_ < moved_.size() && !is_free_[first_free_]) ++first_free_;
    if (first_free_ == moved_.size()) return false;
    const MovedBodies& pair = moved_[first_free_];
    if (pair[0] == no_body && pair[1] == no_body)
      take(static_cast<Index>(first_free_), block);
    else
      near_.push_back(pair[0] == no_body ? pair[1] : pair[0]);
    return true;
  }

  void take_rows_at(Index body, std::size_t limit, Block& block) {
    for (std::size_t i = start_[body]; i < start_[body + 1] && block.size() < limit; ++i)
      if (const Index row = rows_[i]; is_free_[row]) {
        take(row, block);
        each_body(moved_[row], [&](Index other) {
          if (other != body && free_at_[other] > 0) near_.push_back(other);
        });
      }
  }

  void take(Index row, Block& block) {
    is_free_[row] = false;
    block.push_back(row);
    each_body(moved_[row], [&](Index body) { --free_at_[body]; });
  }

  void add(Block block) {
    std::sort(block.begin(), block.end());
    blocks_.push_back(std::move(block));
  }

  std::size_t block_rows_;
  std::vector<MovedBodies> moved_;
  std::vector<std::size_t> start_;  // of a body's rows in rows_
  std::vector<Index> rows_;
  std::vector<bool> is_free_;         // in no block yet
  std::vector<std::size_t> free_at_;  // per body: free rows
  std::deque<Index> near_,
      frontier_;  // bodies beside the block that grows, and beside earlier ones
  std::size_t first_free_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace

RowBlocks one_block(std::vector<Index> order) {
  RowBlocks rows;
  rows.block_end = {order.size()};
  rows.colour_end = {1};
  rows.order = std::move(order);
  return rows;
}

Index rows_per_block(Index rows, Index least) {
  constexpr Index enough = 256;  // blocks: some eight of each colour for each of four threads
  if (rows < 64 * least) return std::max(rows, 1);
  return std::clamp(rows / enough, least, 4 * least);
}

RowBlocks independent_blocks(const std::vector<Index>& order, const std::vector<MovedBodies>& moved,
                             Index bodies, Index block_rows) {
  TALUS_ASSERT(order.size() == moved.size() && block_rows > 0);
  const Blocks made(order, moved, bodies, block_rows);
  RowBlocks rows;
  for (const std::vector<std::size_t>& colour : made.coloured()) {
    for (const std::size_t k : colour) {
      for (const Index place : made.blocks()[k]) rows.order.push_back(order[place]);
      rows.block_end.push_back(rows.order.size());
    }
    rows.colour_end.push_back(rows.block_end.size());
  }
  return rows;
}

}  // namespace talus
