// Rows that ranks collect come out in the order of their keys, however they came in.

#include "io/hdf5/field_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace talus {
namespace {

using io::Field;
using io::FieldTable;

/// Rows whose numbers say their key, in `runs` ascending runs of equal length, as ranks send them.
FieldTable table_of(int rows, int runs, std::uint64_t seed) {
  std::vector<std::int64_t> keys(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) keys[static_cast<std::size_t>(i)] = 3 * i - 7;
  std::mt19937_64 random(seed);
  std::shuffle(keys.begin(), keys.end(), random);
  for (int run = 0; run < runs; ++run)
    std::sort(keys.begin() + rows * run / runs, keys.begin() + rows * (run + 1) / runs);
  FieldTable table;
  std::vector<double> vectors;
  std::vector<std::uint8_t> kinds;
  for (const std::int64_t key : keys) {
    table.key.push_back({key, -key, 1});
    for (int k = 0; k < 3; ++k) vectors.push_back(static_cast<double>(10 * key + k));
    kinds.push_back(static_cast<std::uint8_t>(key & 0xff));
  }
  table.fields = {{"vector", 3, vectors}, {"kind", 1, kinds}};
  return table;
}

TEST(FieldTable, RowsAreInTheOrderOfTheirKeys) {
  for (const int rows : {0, 1, 2, 7, 1000})
    for (const int runs : {1, 2, 3, 5, 8, 500}) {
      const std::vector<FieldTable> sorted =
          io::collected(Communicator::self(), 1, {table_of(rows, runs, 5)});
      const FieldTable& table = sorted.front();
      ASSERT_EQ(table.rows(), static_cast<std::size_t>(rows));
      const auto& vectors = table.reals("vector");
      const auto& kinds = std::get<std::vector<std::uint8_t>>(table.find("kind")->values);
      for (std::size_t i = 0; i < table.rows(); ++i) {
        const std::int64_t key = 3 * static_cast<std::int64_t>(i) - 7;
        EXPECT_EQ(table.key[i][0], key);
        EXPECT_EQ(table.key[i][1], -key);
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_EQ(vectors[3 * i + k], static_cast<double>(10 * key + static_cast<int>(k)));
        EXPECT_EQ(kinds[i], static_cast<std::uint8_t>(key & 0xff));
      }
    }
}

}  // namespace
}  // namespace talus
