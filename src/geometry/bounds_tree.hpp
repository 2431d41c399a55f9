#pragma once
// A binary tree of boxes: which of many boxes overlap a given one.

#include "talus/geometry/shape.hpp"

#include <vector>

namespace talus {

/// Halved at the median of the longest axis; nodes in one array, each followed by its lower half.
class BoundsTree {
 public:
  BoundsTree() = default;
  explicit BoundsTree(std::vector<Bounds> items);

  /// Items that overlap `box`, in ascending order. Appends to `found`.
  void search(const Bounds& box, std::vector<Index>& found) const;

 private:
  struct Node {
    Bounds bounds;
    Index upper = 0;             ///< node of the upper half; the lower one is next to its parent
    Index first = 0, count = 0;  ///< of order_; count 0: not a leaf
  };
  void divide(Index first, Index count);

  std::vector<Bounds> items_;
  std::vector<Index> order_;
  std::vector<Node> nodes_;
};

}  // namespace talus
