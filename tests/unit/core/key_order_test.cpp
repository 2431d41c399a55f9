// Orders of keys, beside those of the standard library.

#include "core/key_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace talus {
namespace {

std::vector<Index> sorted(const std::vector<GlobalId>& keys) {
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

TEST(KeyOrder, IsThatOfAStableSortWhateverTheRuns) {
  EXPECT_TRUE(key_order({}).empty());
  std::mt19937_64 random(1);
  for (const std::size_t count : {1, 2, 3, 8, 100, 1001})
    for (const int runs : {1, 2, 3, 5, 8, 1000}) {
      std::vector<GlobalId> keys(count);
      // few different ones, so that some are equal
      for (GlobalId& key : keys) key = static_cast<GlobalId>(random() % 400) - 200;
      for (int r = 0; r < runs; ++r) {
        const auto at = [&](int run) {
          return keys.begin() + static_cast<std::ptrdiff_t>(count) * run / runs;
        };
        std::sort(at(r), at(r + 1));
      }
      EXPECT_EQ(key_order(keys), sorted(keys)) << count << ", " << runs;
    }
}

}  // namespace
}  // namespace talus
