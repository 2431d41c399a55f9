// Rows that the ranks of a group distribute among them: all of them, each once, in the order of
// their keys from rank to rank, and about as many on each.

#include "io/hdf5/field_table.hpp"
#include "mpi/on_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace talus {
namespace {

using io::FieldTable;

constexpr std::int64_t sparse = 7;  // keys are its multiples

/// Row `key` says its key in all fields.
void add(FieldTable& table, std::int64_t key) {
  table.key.push_back({key / 100, key % 100, -key});
  auto& vectors = std::get<std::vector<double>>(table.fields[0].values);
  for (int k = 0; k < 3; ++k) vectors.push_back(static_cast<double>(10 * key + k));
  std::get<std::vector<std::uint8_t>>(table.fields[1].values)
      .push_back(static_cast<std::uint8_t>(key & 0xff));
}

FieldTable empty_table() {
  FieldTable table;
  table.fields = {{"vector", 3, std::vector<double>{}}, {"kind", 1, std::vector<std::uint8_t>{}}};
  return table;
}

/// Who has which of the rows before.
enum class Dealt { Evenly, AllOnTheLast, InBlocks };

FieldTable dealt(std::int64_t rows, Dealt how, const Communicator& comm) {
  std::vector<std::int64_t> mine;
  std::mt19937 random(7);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto chance = static_cast<int>(random() % static_cast<unsigned>(comm.size()));
    const int owner = how == Dealt::Evenly         ? chance
                      : how == Dealt::AllOnTheLast ? comm.size() - 1
                                                   : static_cast<int>(i * comm.size() / rows);
    if (owner == comm.rank()) mine.push_back(sparse * i);
  }
  std::shuffle(mine.begin(), mine.end(), random);
  FieldTable table = empty_table();
  for (const std::int64_t key : mine) add(table, key);
  return table;
}

/// What all ranks of the group got of a table, one after the other; on each rank of it.
std::vector<std::int64_t> keys_of_group(const FieldTable& mine, int size,
                                        const Communicator& comm) {
  std::vector<std::int64_t> keys;
  for (const io::RowKey& key : mine.key) keys.push_back(100 * key[0] + key[1]);
  const Bytes bytes = to_bytes(keys);
  const std::vector<Bytes> all =
      comm.all_to_all(std::vector<Bytes>(static_cast<std::size_t>(comm.size()), bytes));
  std::vector<std::int64_t> together;
  const int first = io::collector(comm.rank(), size);
  for (int r = first; r < std::min(first + size, comm.size()); ++r) {
    const auto list = from_bytes<std::int64_t>(all[static_cast<std::size_t>(r)]);
    together.insert(together.end(), list.begin(), list.end());
  }
  return together;
}

void expect_rows_say_their_keys(const FieldTable& table) {
  const auto& kinds = std::get<std::vector<std::uint8_t>>(table.find("kind")->values);
  ASSERT_EQ(kinds.size(), table.rows());
  ASSERT_EQ(table.reals("vector").size(), 3 * table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::int64_t key = 100 * table.key[i][0] + table.key[i][1];
    ASSERT_EQ(table.key[i][2], -key);
    ASSERT_EQ(kinds[i], static_cast<std::uint8_t>(key & 0xff));
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_EQ(table.reals("vector")[3 * i + k],
                static_cast<double>(10 * key) + static_cast<double>(k));
  }
}

class SharedTables : public ::testing::TestWithParam<std::tuple<Dealt, std::int64_t, int>> {};

TEST_P(SharedTables, HaveAllRowsInTheirOrderAndAboutAsManyEach) {
  const auto [how, rows, size] = GetParam();
  const Communicator comm = Communicator::world();
  std::vector<FieldTable> tables;
  tables.push_back(dealt(rows, how, comm));
  tables.push_back(empty_table());
  const std::vector<std::int64_t> before = keys_of_group(tables[0], size, comm);

  const std::vector<io::SharedTable> shared = io::shared_out(comm, size, std::move(tables));

  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[1].mine.rows(), 0U);
  EXPECT_EQ(shared[1].share.all, 0);
  const io::SharedTable& mine = shared[0];
  expect_rows_say_their_keys(mine.mine);
  const std::vector<std::int64_t> keys = keys_of_group(mine.mine, size, comm);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  std::vector<std::int64_t> expected = before;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(keys, expected);
  ASSERT_EQ(mine.share.all, static_cast<std::int64_t>(keys.size()));
  if (mine.mine.rows() > 0) {
    const std::int64_t first = 100 * mine.mine.key[0][0] + mine.mine.key[0][1];
    EXPECT_EQ(keys.at(static_cast<std::size_t>(mine.share.before)), first);
  }
  // a sample of 256 rows of each rank: off by a few of those on either side
  const int first = io::collector(comm.rank(), size);
  const int ranks = std::min(size, comm.size() - first);
  const double fair = static_cast<double>(keys.size()) / ranks;
  EXPECT_NEAR(static_cast<double>(mine.mine.rows()), fair,
              1.0 + 2.0 * ranks + static_cast<double>(keys.size()) * 2.0 / 256.0);
}

INSTANTIATE_TEST_SUITE_P(
    All, SharedTables,
    ::testing::Combine(::testing::Values(Dealt::Evenly, Dealt::AllOnTheLast, Dealt::InBlocks),
                       ::testing::Values(0, 1, 5, 400, 20000), ::testing::Values(1, 2, 3, 100)));

}  // namespace
}  // namespace talus
