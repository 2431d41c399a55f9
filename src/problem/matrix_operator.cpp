#include "talus/problem/matrix_operator.hpp"

#include "talus/core/arithmetic.hpp"
#include "talus/core/error.hpp"

#include "problem/pattern_means.hpp"

#include <algorithm>

namespace talus {

MatrixOperator::MatrixOperator(SparseMatrix rows, const ConeSet& cones)
    : MatrixOperator(std::move(rows), cones, Communicator::self(), {}) {}

MatrixOperator::MatrixOperator(SparseMatrix rows, const ConeSet& cones, const Communicator& comm,
                               std::vector<HaloNeighbour> neighbours)
    : rows_(std::move(rows)),
      planar_first_row_(cones.planar_first_row()),
      spatial_first_row_(cones.spatial_first_row()),
      rolling_first_row_(cones.rolling_first_row()) {
  TALUS_ASSERT(rows_.rows == cones.stored_rows() && rows_.columns >= cones.stored_rows() &&
               (comm.size() > 1 || rows_.columns == cones.stored_rows()));
  for (Index i = 0; i < rows_.rows; ++i) {
    const auto begin = rows_.column.begin() + rows_.row_start[i];
    const auto end = rows_.column.begin() + rows_.row_start[static_cast<std::size_t>(i) + 1];
    const bool needs_others =
        std::any_of(begin, end, [&](Index column) { return column >= rows_.rows; });
    (needs_others ? boundary_ : interior_).push_back(i);
  }
  slot_of_row_ = slots_of_rows(rows_, cones);
  if (comm.size() == 1) return;
  halo_ = std::make_shared<Halo>(comm, std::move(neighbours), HaloLayout{});
  all_.assign(static_cast<std::size_t>(rows_.columns), 0.0);
}

void MatrixOperator::multiply_rows(const std::vector<Index>& rows, std::size_t begin,
                                   std::size_t end, const double* x, double* y) const {
  const SparseMatrix& a = rows_;
  const StandardArithmetic arithmetic;
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(a, rows, begin, end, x, y) if (a.value.size() > 4096)
  for (std::size_t i = begin; i < end; ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    double sum = 0.0;
    for (std::int64_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      sum += a.value[k] * x[a.column[k]];
    }
    y[row] = sum;
  }
}

void MatrixOperator::multiply(const double* x, double* y) const {
  if (halo_ == nullptr) return multiply_rows(interior_, 0, interior_.size(), x, y);
  std::copy(x, x + rows_.rows, all_.begin());
  halo_->start(all_.data());
  // between two pieces a look at the messages, which do not move by themselves
  constexpr std::size_t piece = 4096;
  for (std::size_t from = 0; from < interior_.size(); from += piece) {
    multiply_rows(interior_, from, std::min(interior_.size(), from + piece), all_.data(), y);
    halo_->poll();
  }
  halo_->finish(all_.data());
  multiply_rows(boundary_, 0, boundary_.size(), all_.data(), y);
}

void MatrixOperator::add_met(const RowVector& x, RowVector& y) const {
  const double* all = x.data();
  if (halo_ != nullptr) {
    std::copy(x.begin(), x.end(), all_.begin());
    halo_->start(all_.data());
    halo_->finish(all_.data());
    all = all_.data();
  }
  const SparseMatrix& a = rows_;
  const StandardArithmetic arithmetic;
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(a, all, y) if (a.value.size() > 4096)
  for (Index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double sum = 0.0;
    for (std::int64_t e = a.row_start[row]; e < a.row_start[row + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      if (a.value[k] != 0.0) sum += all[a.column[k]];
    }
    y[row] = sum;
  }
}

std::vector<double> MatrixOperator::neighbourhood_means(const std::vector<double>& of_slot) const {
  return means_by_pattern(of_slot, slot_of_row_,
                          [this](const RowVector& x, RowVector& y) { add_met(x, y); });
}

double MatrixOperator::entry(Index row, Index column) const {
  const auto r = static_cast<std::size_t>(row);
  for (std::int64_t e = rows_.row_start[r]; e < rows_.row_start[r + 1]; ++e)
    if (rows_.column[e] == column) return rows_.value[e];
  return 0.0;
}

void MatrixOperator::diagonal(RowVector& d) const {
  d.resize(static_cast<std::size_t>(rows_.rows));
  for (Index i = 0; i < rows_.rows; ++i) d[i] = entry(i, i);
}

std::array<double, 3> MatrixOperator::planar_block(Index cone) const {
  const Index n = planar_first_row_ + cone / lanes * 2 * lanes + cone % lanes;
  const Index t = n + lanes;
  return {entry(n, n), entry(n, t), entry(t, t)};
}

Mat3 MatrixOperator::spatial_block(Index cone) const {
  const Index first = spatial_first_row_ + cone / lanes * 3 * lanes + cone % lanes;
  Mat3 block{};
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) block[3 * i + j] = entry(first + i * lanes, first + j * lanes);
  return block;
}

Mat6 MatrixOperator::rolling_block(Index cone) const {
  const Index first = rolling_first_row_ + cone / lanes * 6 * lanes + cone % lanes;
  Mat6 block{};
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) block[6 * i + j] = entry(first + i * lanes, first + j * lanes);
  return block;
}

}  // namespace talus
