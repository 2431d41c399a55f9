#include "problem/sparse_operator.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "parallel/halo.hpp"
#include "problem/pattern_means.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace talus {
namespace {

/// y_i = sum of term(a_ij, x_j) by rows; each row's sum runs in the order of its entries.
template <class Term>
void sum_rows(const SparseMatrix& a, const double* x, double* y, const Term& term) {
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(a, x, y, term) if (a.value.size() > 4096)
  for (Index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double sum = 0.0;
    for (std::int64_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      sum += term(a.value[k], x[a.column[k]]);
    }
    y[i] = sum;
  }
}

/// y = A x
void apply_rows(const SparseMatrix& a, const double* x, double* y) {
  sum_rows(a, x, y, [](double entry, double value) { return entry * value; });
}

/// The same with a 1 for every entry that is not 0.
void add_rows(const SparseMatrix& a, const double* x, double* y) {
  sum_rows(a, x, y, [](double entry, double value) { return entry != 0.0 ? value : 0.0; });
}

SparseMatrix rows_of(const SparseMatrix& a, const std::vector<Index>& rows) {
  SparseMatrix chosen;
  chosen.rows = static_cast<Index>(rows.size());
  chosen.columns = a.columns;
  for (const Index row : rows) {
    if (row >= 0) {
      const std::int64_t begin = a.row_start[row],
                         end = a.row_start[static_cast<std::size_t>(row) + 1];
      chosen.column.insert(chosen.column.end(), a.column.begin() + begin, a.column.begin() + end);
      chosen.value.insert(chosen.value.end(), a.value.begin() + begin, a.value.begin() + end);
    }
    chosen.row_start.push_back(chosen.nonzeros());
  }
  return chosen;
}

}  // namespace

SparseOperator::SparseOperator(SparseMatrix jacobian, std::shared_ptr<const MassInverse> mass,
                               const ConeSet& cones)
    : jacobian_(std::move(jacobian)),
      transposed_(transposed(jacobian_)),
      mass_(std::move(mass)),
      stored_rows_(cones.stored_rows()),
      planar_first_row_(cones.planar_first_row()),
      spatial_first_row_(cones.spatial_first_row()),
      rolling_first_row_(cones.rolling_first_row()) {
  TALUS_ASSERT(jacobian_.rows == stored_rows_ && jacobian_.columns == mass_->size());
  slot_of_row_ = slots_of_rows(jacobian_, cones);
}

SparseOperator::Workspace& SparseOperator::workspace() const {
  return workspaces_.mine([&] {
    const std::vector<double> zero(static_cast<std::size_t>(mass_->size()), 0.0);
    return Workspace{zero, zero};
  });
}

SparseOperator::SparseOperator(const SparseOperator& whole, const ConeSet& cones,
                               std::vector<Index> place, const Communicator& comm,
                               std::vector<HaloNeighbour> neighbours)
    : jacobian_(rows_of(whole.jacobian_, place)),
      transposed_(whole.transposed_),
      mass_(whole.mass_),
      stored_rows_(cones.stored_rows()),
      planar_first_row_(cones.planar_first_row()),
      spatial_first_row_(cones.spatial_first_row()),
      rolling_first_row_(cones.rolling_first_row()),
      place_(std::move(place)) {
  TALUS_ASSERT(jacobian_.rows == stored_rows_);
  slot_of_row_ = slots_of_rows(jacobian_, cones);
  if (comm.size() == 1) return;
  halo_ = std::make_shared<Halo>(comm, std::move(neighbours), HaloLayout{});
  all_.assign(static_cast<std::size_t>(whole.stored_rows_), 0.0);
}

const double* SparseOperator::gathered(const double* x) const {
  if (halo_ == nullptr) return x;
  for (std::size_t i = 0; i < place_.size(); ++i)
    if (place_[i] >= 0) all_[place_[i]] = x[i];
  halo_->start(all_.data());
  halo_->finish(all_.data());
  return all_.data();
}

void SparseOperator::multiply(const double* x, double* y) const {
  std::vector<double>& velocity = workspace().velocity;
  apply_rows(transposed_, gathered(x), velocity.data());
  mass_->solve(velocity);
  apply_rows(jacobian_, velocity.data(), y);
}

void SparseOperator::add_met(const RowVector& x, RowVector& y) const {
  std::vector<double>& velocity = workspace().velocity;
  add_rows(transposed_, gathered(x.data()), velocity.data());
  add_rows(jacobian_, velocity.data(), y.data());
}

std::vector<double> SparseOperator::neighbourhood_means(const std::vector<double>& of_slot) const {
  return means_by_pattern(of_slot, slot_of_row_,
                          [this](const RowVector& x, RowVector& y) { add_met(x, y); });
}

std::vector<double> SparseOperator::velocities(const RowVector& x,
                                               const std::vector<double>& f) const {
  std::vector<double> v(static_cast<std::size_t>(mass_->size()));
  apply_rows(transposed_, gathered(x.data()), v.data());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += f[i];
  mass_->solve(v);
  return v;
}

void SparseOperator::relative_velocities(const std::vector<double>& v, RowVector& rows) const {
  apply_rows(jacobian_, v.data(), rows.data());
}

std::vector<Index> SparseOperator::column_image(Index j) const {
  const auto row = static_cast<std::size_t>(j);
  std::vector<double>& column = workspace().column;
  std::vector<Index> touched;
  for (std::int64_t e = jacobian_.row_start[row]; e < jacobian_.row_start[row + 1]; ++e) {
    const auto k = static_cast<std::size_t>(e);
    column[jacobian_.column[k]] = jacobian_.value[k];
    touched.push_back(jacobian_.column[k]);
  }
  if (touched.empty()) return touched;  // filling: nothing to solve for
  return mass_->solve_touched(column, touched);
}

void SparseOperator::clear_column(const std::vector<Index>& rows) const {
  std::vector<double>& column = workspace().column;
  for (const Index row : rows) column[row] = 0.0;
}

double SparseOperator::row_times(Index i, const std::vector<double>& column) const {
  const auto row = static_cast<std::size_t>(i);
  double sum = 0.0;
  for (std::int64_t e = jacobian_.row_start[row]; e < jacobian_.row_start[row + 1]; ++e) {
    const auto k = static_cast<std::size_t>(e);
    sum += jacobian_.value[k] * column[jacobian_.column[k]];
  }
  return sum;
}

std::vector<double> SparseOperator::dense_block(const std::vector<Index>& rows) const {
  const std::vector<double>& column = workspace().column;
  std::vector<double> block(rows.size() * rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const std::vector<Index> moved = column_image(rows[j]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      block[i * rows.size() + j] = row_times(rows[i], column);
    clear_column(moved);
  }
  return block;
}

void SparseOperator::diagonal(RowVector& d) const {
  d.assign(static_cast<std::size_t>(stored_rows_), 0.0);
  for (Index i = 0; i < stored_rows_; ++i) d[i] = dense_block({i})[0];
}

std::array<double, 3> SparseOperator::planar_block(Index cone) const {
  const Index n = planar_first_row_ + cone / lanes * 2 * lanes + cone % lanes;
  const std::vector<double> block = dense_block({n, n + lanes});
  return {block[0], block[1], block[3]};
}

Mat3 SparseOperator::spatial_block(Index cone) const {
  const Index n = spatial_first_row_ + cone / lanes * 3 * lanes + cone % lanes;
  const std::vector<double> block = dense_block({n, n + lanes, n + 2 * lanes});
  Mat3 result{};
  std::copy(block.begin(), block.end(), result.begin());
  return result;
}

Mat6 SparseOperator::rolling_block(Index cone) const {
  std::vector<Index> rows;
  for (Index k = 0; k < 6; ++k)
    rows.push_back(rolling_first_row_ + (cone / lanes * 6 + k) * lanes + cone % lanes);
  const std::vector<double> block = dense_block(rows);
  Mat6 result{};
  std::copy(block.begin(), block.end(), result.begin());
  return result;
}

SparseMatrix SparseOperator::assemble(std::int64_t most_entries) const {
  TALUS_ASSERT(!is_share());
  const std::vector<double>& column = workspace().column;
  std::vector<Triplet> entries;
  std::vector<Index> reached(static_cast<std::size_t>(stored_rows_),
                             -1);  // last column that a row was in
  for (Index j = 0; j < stored_rows_; ++j) {
    const std::vector<Index> moved = column_image(j);
    for (const Index dof : moved) {
      const auto d = static_cast<std::size_t>(dof);
      for (std::int64_t e = transposed_.row_start[d]; e < transposed_.row_start[d + 1]; ++e) {
        const Index i = transposed_.column[e];
        if (std::exchange(reached[i], j) == j) continue;
        entries.push_back({i, j, row_times(i, column)});
      }
    }
    clear_column(moved);
    if (static_cast<std::int64_t>(entries.size()) > most_entries)
      throw InputError(fmt::format(
          "N has more than {} non-zeros, too many to write it out: use apgd or pspgfb in place of "
          "psor; an M that is not symmetric needs it for any method",
          most_entries));
  }
  return from_triplets(stored_rows_, stored_rows_, std::move(entries));
}

}  // namespace talus
