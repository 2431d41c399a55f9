#include "geometry/bounds_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace talus {
namespace {

constexpr Index leaf_items = 4;
constexpr int deepest = 64;  // halves of 2^31 items need 31

Bounds both(const Bounds& a, const Bounds& b) {
  return {
      {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
      {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

double along(const Vec3& v, int axis) {
  return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

/// Twice the middle of a box along an axis.
double middle(const Bounds& b, int axis) {
  return along(b.low, axis) + along(b.high, axis);
}

int longest_axis(const Vec3& extent) {
  if (extent.x >= extent.y && extent.x >= extent.z) return 0;
  return extent.y >= extent.z ? 1 : 2;
}

}  // namespace

BoundsTree::BoundsTree(std::vector<Bounds> items) : items_(std::move(items)) {
  order_.resize(items_.size());
  std::iota(order_.begin(), order_.end(), Index{0});
  if (!items_.empty()) divide(0, static_cast<Index>(items_.size()));
}

void BoundsTree::divide(Index first, Index count) {
  const auto begin = order_.begin() + first, end = begin + count;
  const std::size_t here = nodes_.size();
  Node node{items_[*begin], 0, first, count};
  for (auto i = begin; i != end; ++i) node.bounds = both(node.bounds, items_[*i]);
  nodes_.push_back(node);
  if (count <= leaf_items) return;
  const int axis = longest_axis(node.bounds.high - node.bounds.low);
  const Index half = count / 2;
  // ties by number: the halves are the same sets whatever the library's algorithm
  std::nth_element(begin, begin + half, end, [&](Index a, Index b) {
    const double ma = middle(items_[a], axis);
    const double mb = middle(items_[b], axis);
    return ma != mb ? ma < mb : a < b;
  });
  divide(first, half);
  nodes_[here].upper = static_cast<Index>(nodes_.size());
  nodes_[here].count = 0;
  divide(first + half, count - half);
}

void BoundsTree::search(const Bounds& box, std::vector<Index>& found) const {
  if (nodes_.empty()) return;
  const std::size_t before = found.size();
  std::array<Index, deepest> waiting{};
  int depth = 0;
  waiting[0] = 0;
  while (depth >= 0) {
    const Index at = waiting[depth--];
    const Node& node = nodes_[at];
    if (!overlap(node.bounds, box)) continue;
    if (node.count == 0) {
      waiting[++depth] = node.upper;
      waiting[++depth] = at + 1;
      continue;
    }
    for (Index i = node.first; i < node.first + node.count; ++i) {
      const Index item = order_[i];
      if (overlap(items_[item], box)) found.push_back(item);
    }
  }
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
}

}  // namespace talus
