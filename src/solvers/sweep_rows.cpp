#include "solvers/sweep_rows.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/matrix_operator.hpp"
#include "talus/problem/sparse_operator.hpp"

#include "problem/rolling_block.hpp"
#include "solvers/local_cone.hpp"

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

std::vector<Index> ascending(Index count) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

SparseMatrix sum(const SparseMatrix& a, const SparseMatrix& b) {
  std::vector<Triplet> entries;
  for (const SparseMatrix* part : {&a, &b})
    for (Index i = 0; i < part->rows; ++i)
      for (std::int64_t e = part->row_start[i]; e < part->row_start[i + 1]; ++e)
        entries.push_back({i, part->column[e], part->value[e]});
  return from_triplets(a.rows, a.columns, std::move(entries));
}

SparseMatrix written_out(const LinearOperator& a) {
  const auto* matrix = dynamic_cast<const MatrixOperator*>(&a);
  const auto* sparse = dynamic_cast<const SparseOperator*>(&a);
  TALUS_ASSERT((matrix == nullptr || !matrix->is_share()) &&
               (sparse == nullptr || !sparse->is_share()));  // refused with the options
  if (matrix != nullptr) return matrix->rows();
  if (sparse != nullptr) return sparse->assemble();
  throw InputError("psor needs the rows of N, and this operator only multiplies; use apgd");
}

}  // namespace

MatrixSweep::MatrixSweep(const ConeProblem& problem, SparseMatrix rows)
    : problem_(problem),
      rows_(std::move(rows)),
      row_blocks_(one_block(ascending(problem.cones.scalar_count))),
      cone_blocks_(one_block(ascending(problem.cones.planar_count + problem.cones.spatial_count))),
      rolling_blocks_(one_block(ascending(problem.cones.rolling_count))) {
  TALUS_ASSERT(rows_.rows == problem.stored_rows());
}

Mat6 MatrixSweep::rolling_block(Index cone) const {
  const ConeSet& cones = problem_.cones;
  Mat6 block{};
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j)
      block[6 * i + j] = entry(cones.rolling_row(cone, i), cones.rolling_row(cone, j));
  return in_contact_frame(cones, cone, block);
}

SixRows MatrixSweep::rolling_gap(Index cone, const SixRows& /*impulse*/, const RowVector& x) const {
  const ConeSet& cones = problem_.cones;
  const auto gap = [&](Index k) { return stored_gap(cones.rolling_row(cone, k), x); };
  return rolling_to_contact_frame(cones, cone,
                                  {{gap(0), gap(1), gap(2)}, {gap(3), gap(4), gap(5)}});
}

std::array<Index, 3> MatrixSweep::rows_of(Index cone) const {
  const ConeSet& cones = problem_.cones;
  if (cone < cones.planar_count) return {cones.planar_row(cone, 0), cones.planar_row(cone, 1), -1};
  const Index spatial = cone - cones.planar_count;
  return {cones.spatial_row(spatial, 0), cones.spatial_row(spatial, 1),
          cones.spatial_row(spatial, 2)};
}

double MatrixSweep::stored_gap(Index stored_row, const RowVector& x) const {
  const std::size_t row = stored_row;
  double sum = problem_.free_gap[row];
  for (std::int64_t e = rows_.row_start[row]; e < rows_.row_start[row + 1]; ++e) {
    const auto k = static_cast<std::size_t>(e);
    sum += rows_.value[k] * x[rows_.column[k]];
  }
  return sum;
}

double MatrixSweep::entry(Index stored_row, Index column) const {
  const auto begin = rows_.column.begin() + rows_.row_start[stored_row];
  const auto end = rows_.column.begin() + rows_.row_start[stored_row + 1];
  const auto found = std::lower_bound(begin, end, column);
  if (found == end || *found != column) return 0.0;
  return rows_.value[found - rows_.column.begin()];
}

Mat3 MatrixSweep::block(Index cone) const {
  const std::array<Index, 3> rows = rows_of(cone);
  if (cone < problem_.cones.planar_count)
    return planar_as_spatial(entry(rows[0], rows[0]), entry(rows[0], rows[1]),
                             entry(rows[1], rows[0]), entry(rows[1], rows[1]));
  Mat3 block{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) block[3 * i + j] = entry(rows[i], rows[j]);
  const Index spatial = cone - problem_.cones.planar_count;
  const Vec3 n = problem_.cones.axis_of(spatial), t = problem_.cones.tangent[spatial];
  return seen_from({n, t, cross(n, t)}, block);
}

Vec3 MatrixSweep::cone_gap(Index cone, const Vec3& /*impulse*/, const RowVector& x) const {
  const std::array<Index, 3> rows = rows_of(cone);
  if (cone < problem_.cones.planar_count)
    return {stored_gap(rows[0], x), stored_gap(rows[1], x), 0.0};
  return to_contact_frame(problem_.cones, cone - problem_.cones.planar_count,
                          {stored_gap(rows[0], x), stored_gap(rows[1], x), stored_gap(rows[2], x)});
}

SweepRows make_sweep_rows(const ConeProblem& problem, Law law, const Communicator& comm) {
  if (const auto* bodies = dynamic_cast<const BodyOperator*>(problem.delassus.get())) {
    auto exchange = std::make_unique<SweepExchange>(bodies->part(), problem.cones, comm);
    const std::vector<double> sharers = exchange->sharers();
    return BodySweep(problem, *bodies, std::move(exchange), sharers);
  }
  SparseMatrix rows = written_out(*problem.delassus);
  if (law == Law::Coulomb && problem.skew != nullptr) rows = sum(rows, written_out(*problem.skew));
  return MatrixSweep(problem, std::move(rows));
}

}  // namespace talus
