#include "core/key_order.hpp"

#include <algorithm>
#include <numeric>

namespace talus {

std::vector<Index> key_order(std::span<const GlobalId> keys) {
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::ptrdiff_t> ends;  // of the ascending runs
  for (std::size_t k = 1; k < keys.size(); ++k)
    if (keys[k] < keys[k - 1]) ends.push_back(static_cast<std::ptrdiff_t>(k));
  ends.push_back(static_cast<std::ptrdiff_t>(keys.size()));
  const auto is_before = [&](Index a, Index b) { return keys[a] < keys[b]; };
  std::vector<Index> merged(ends.size() > 1 ? keys.size() : 0);
  while (ends.size() > 1) {
    std::vector<std::ptrdiff_t> fewer;
    std::ptrdiff_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::ptrdiff_t middle = ends[run], end = ends[std::min(run + 1, ends.size() - 1)];
      std::merge(order.begin() + begin, order.begin() + middle, order.begin() + middle,
                 order.begin() + end, merged.begin() + begin, is_before);
      fewer.push_back(end);
      begin = end;
    }
    order.swap(merged);
    ends.swap(fewer);
  }
  return order;
}

}  // namespace talus
