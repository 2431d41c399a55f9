#include "talus/problem/matrix_problem.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace talus {
namespace {

/// A plain row-major matrix to check against.
std::vector<std::vector<double>> dense(const SparseMatrix& a) {
  std::vector<std::vector<double>> d(a.rows, std::vector<double>(a.columns, 0.0));
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      d[i][a.column[k]] = a.value[k];
  return d;
}

TEST(FromTriplets, SortsByRowAndColumn) {
  const SparseMatrix a = from_triplets(3, 4, {{2, 3, 1.0}, {0, 1, 2.0}, {2, 0, 3.0}, {0, 0, 4.0}});

  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.columns, 4);
  EXPECT_EQ(a.row_start, (std::vector<std::int64_t>{0, 2, 2, 4}));  // the middle row is empty
  EXPECT_EQ(a.column, (std::vector<Index>{0, 1, 0, 3}));
  EXPECT_EQ(a.value, (std::vector<double>{4.0, 2.0, 3.0, 1.0}));
}

TEST(FromTriplets, AddsDuplicatesInTheOrderGiven) {
  // (1 + 1e16) - 1e16 = 0 but (1e16 - 1e16) + 1 = 1: the order is visible
  const SparseMatrix first = from_triplets(1, 2, {{0, 1, 1.0}, {0, 1, 1e16}, {0, 1, -1e16}});
  const SparseMatrix last = from_triplets(1, 2, {{0, 1, 1e16}, {0, 1, -1e16}, {0, 1, 1.0}});

  EXPECT_EQ(first.value, std::vector<double>{0.0});
  EXPECT_EQ(last.value, std::vector<double>{1.0});
}

TEST(FromTriplets, KeepsExplicitZeros) {
  EXPECT_EQ(from_triplets(2, 2, {{1, 1, 0.0}}).nonzeros(), 1);
}

TEST(FromTriplets, EmptyMatricesHaveTheirShape) {
  const SparseMatrix none = from_triplets(0, 0, {});
  const SparseMatrix tall = from_triplets(3, 0, {});

  EXPECT_EQ(none.row_start, std::vector<std::int64_t>{0});
  EXPECT_EQ(tall.row_start, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(times(tall, {}), (std::vector<double>{0.0, 0.0, 0.0}));
}

TEST(MatrixProblem, ContactsHaveRowsOfSlidingAndOfRolling) {
  LocalProblem local;
  GlobalProblem global;
  local.dimension = 2;
  EXPECT_EQ(local.rows_per_contact(), 2);
  EXPECT_EQ(global.rows_per_contact(), 3);

  local.rolling_friction = global.rolling_friction = {0.0};

  EXPECT_EQ(local.rows_per_contact(), 3);
  EXPECT_EQ(global.rows_per_contact(), 5);
}

TEST(FromTriplets, IndicesOutsideAreABug) {
  EXPECT_THROW(from_triplets(2, 2, {{2, 0, 1.0}}), std::logic_error);
  EXPECT_THROW(from_triplets(2, 2, {{0, -1, 1.0}}), std::logic_error);
}

TEST(Transposed, SwapsRowsAndColumnsOfARandomMatrix) {
  std::mt19937 random(1);
  std::vector<Triplet> entries;
  for (int k = 0; k < 40; ++k)
    entries.push_back({static_cast<Index>(random() % 7), static_cast<Index>(random() % 11),
                       static_cast<double>(random() % 100)});
  const SparseMatrix a = from_triplets(7, 11, entries);

  const SparseMatrix t = transposed(a);

  ASSERT_EQ(t.rows, 11);
  ASSERT_EQ(t.columns, 7);
  const auto d = dense(a), dt = dense(t);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 11; ++j) EXPECT_EQ(d[i][j], dt[j][i]);
  for (Index i = 0; i < t.rows; ++i)  // columns ascend, as SparseMatrix promises
    for (std::int64_t k = t.row_start[i] + 1; k < t.row_start[i + 1]; ++k)
      EXPECT_LT(t.column[k - 1], t.column[k]);
}

TEST(Times, MultipliesByHand) {
  const SparseMatrix a = from_triplets(2, 3, {{0, 0, 1.0}, {0, 2, 2.0}, {1, 1, -3.0}});

  EXPECT_EQ(times(a, {1.0, 10.0, 100.0}), (std::vector<double>{201.0, -30.0}));
}

TEST(Times, WrongLengthIsABug) {
  EXPECT_THROW(times(from_triplets(1, 2, {}), {1.0}), std::logic_error);
}

}  // namespace
}  // namespace talus
