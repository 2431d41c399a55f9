#include "talus/problem/matrix_problem.hpp"

#include "talus/core/error.hpp"

#include <algorithm>

namespace talus {
namespace {

/// Counting sort by one index: stable, so that duplicates keep the order they were given in.
template <class IndexOf>
std::vector<Triplet> sorted_by(const std::vector<Triplet>& entries, Index bound, IndexOf index_of) {
  std::vector<std::size_t> next(static_cast<std::size_t>(bound) + 1, 0);
  for (const Triplet& e : entries) ++next[static_cast<std::size_t>(index_of(e)) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  std::vector<Triplet> sorted(entries.size());
  for (const Triplet& e : entries) sorted[next[index_of(e)]++] = e;
  return sorted;
}

}  // namespace

SparseMatrix from_triplets(Index rows, Index columns, std::vector<Triplet> entries) {
  for (const Triplet& e : entries)
    TALUS_ASSERT(e.row >= 0 && e.row < rows && e.column >= 0 && e.column < columns);
  entries = sorted_by(entries, columns, [](const Triplet& e) { return e.column; });
  entries = sorted_by(entries, rows, [](const Triplet& e) { return e.row; });

  SparseMatrix a;
  a.rows = rows;
  a.columns = columns;
  a.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
  a.column.reserve(entries.size());
  a.value.reserve(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Triplet& e = entries[k];
    if (k > 0 && entries[k - 1].row == e.row && entries[k - 1].column == e.column) {
      a.value.back() += e.value;
      continue;
    }
    a.column.push_back(e.column);
    a.value.push_back(e.value);
    a.row_start[static_cast<std::size_t>(e.row) + 1] = a.nonzeros();
  }
  // rows without entries end where the row before them ends
  for (std::size_t i = 1; i < a.row_start.size(); ++i)
    a.row_start[i] = std::max(a.row_start[i], a.row_start[i - 1]);
  return a;
}

SparseMatrix transposed(const SparseMatrix& a) {
  SparseMatrix t;
  t.rows = a.columns;
  t.columns = a.rows;
  t.row_start.assign(static_cast<std::size_t>(a.columns) + 1, 0);
  t.column.resize(a.column.size());
  t.value.resize(a.value.size());
  for (Index j : a.column) ++t.row_start[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 1; j < t.row_start.size(); ++j) t.row_start[j] += t.row_start[j - 1];

  std::vector<std::int64_t> next(t.row_start.begin(), t.row_start.end() - 1);
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      const auto place = static_cast<std::size_t>(next[a.column[k]]++);
      t.column[place] = i;
      t.value[place] = a.value[k];
    }
  return t;
}

std::vector<double> times(const SparseMatrix& a, const std::vector<double>& x) {
  TALUS_ASSERT(x.size() == static_cast<std::size_t>(a.columns));
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0.0;
    for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      sum += a.value[k] * x[a.column[k]];
    y[i] = sum;
  }
  return y;
}

}  // namespace talus
