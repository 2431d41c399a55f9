#pragma once
// Neighbourhoods of a problem that is given by matrices: the pattern of its rows says which meet.
// docs/decisions/031.

#include "talus/cones/cone_set.hpp"

#include <vector>

namespace talus {

/// The slot of each stored row of a sparse matrix, -1 of rows without entries.
template <class Matrix>
std::vector<Index> slots_of_rows(const Matrix& rows, const ConeSet& cones) {
  std::vector<Index> slots(static_cast<std::size_t>(rows.rows), -1);
  each_stored_row(cones, [&](Index row, Index slot) {
    const auto r = static_cast<std::size_t>(row);
    if (rows.row_start[r] < rows.row_start[r + 1]) slots[r] = slot;
  });
  return slots;
}

/// Means around each row over the rows that it meets and those that they meet, a row as often as
/// there are ways to it. add_met(x, y): y_i = sum of x over the rows that row i meets, itself among
/// them.
template <class AddMet>
std::vector<double> means_by_pattern(const std::vector<double>& of_slot,
                                     const std::vector<Index>& slot_of_row, const AddMet& add_met) {
  const std::size_t rows = slot_of_row.size();
  RowVector value(rows, 0.0), one(rows, 0.0), met(rows), count(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    if (slot_of_row[row] < 0) continue;
    value[row] = of_slot[slot_of_row[row]];
    one[row] = 1.0;
  }
  add_met(value, met);
  add_met(met, value);
  add_met(one, met);
  add_met(met, count);
  std::vector<double> means = of_slot;  // what is left there are cones that meet no row
  for (std::size_t row = 0; row < rows; ++row) {
    if (slot_of_row[row] < 0) continue;
    means[slot_of_row[row]] = 0.0;
    if (count[row] > 0.0) means.push_back(value[row] / count[row]);
  }
  return means;
}

}  // namespace talus
