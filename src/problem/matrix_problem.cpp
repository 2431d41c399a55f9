#include "talus/problem/matrix_problem.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "parallel/halo.hpp"
#include "problem/matrix_operator.hpp"
#include "problem/matrix_part.hpp"
#include "problem/pattern_means.hpp"
#include "problem/sparse_operator.hpp"

#include <algorithm>
#include <map>

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

namespace {

/// visit(first row, rows, slot) of a contact: it is planar, spatial or rolling.
template <class Visit>
void with_contact(const ConeSet& cones, Index c, const Visit& visit) {
  if (cones.planar_slots() > 0)
    visit(cones.planar_row(c, 0), 2, cones.planar_slot(c));
  else if (cones.spatial_slots() > 0)
    visit(cones.spatial_row(c, 0), 3, cones.spatial_slot(c));
  else
    visit(cones.rolling_row(c, 0), 6, cones.rolling_slot(c));
}

/// Cuts the share of one rank out of the problem that it would solve alone.
class Cut {
 public:
  Cut(const ConeProblem& whole, const ConeOwners& owners, const Communicator& comm)
      : whole_(whole), comm_(comm) {
    const ConeSet& cones = whole.cones;
    TALUS_ASSERT(owners.bilateral.size() == static_cast<std::size_t>(cones.scalar_count) &&
                 owners.contact.size() == static_cast<std::size_t>(cones.contact_count()));
    owner_of_row_.assign(static_cast<std::size_t>(cones.stored_rows()), -1);
    for (Index i = 0; i < cones.scalar_count; ++i) {
      const int owner = owners.bilateral[i];
      owner_of_row_[i] = owner;
      if (owner == comm.rank()) part_.bilateral_place.push_back(i);
    }
    for (Index c = 0; c < cones.contact_count(); ++c) {
      const int owner = owners.contact[c];
      with_contact(cones, c, [&](Index first, Index rows, Index /*slot*/) {
        for (Index k = 0; k < rows; ++k) owner_of_row_[first + k * lanes] = owner;
      });
      if (owner == comm.rank()) part_.contact_place.push_back(c);
    }
  }

  MatrixPart run() {
    choose_cones();
    place_rows();
    ConeProblem& problem = part_.problem;
    problem.asymmetry = whole_.asymmetry;
    problem.is_share_of_matrix = comm_.size() > 1;
    problem.delassus = share_of(*whole_.delassus);
    if (whole_.skew != nullptr) problem.skew = share_of(*whole_.skew);
    measure_diagonal(problem, comm_);
    return std::move(part_);
  }

 private:
  void choose_cones() {
    const ConeSet& from = whole_.cones;
    const auto contacts = static_cast<Index>(part_.contact_place.size());
    ConeCounts counts{static_cast<Index>(part_.bilateral_place.size())};
    (from.planar_count > 0    ? counts.planar
     : from.spatial_count > 0 ? counts.spatial
                              : counts.rolling) = contacts;
    ConeSet& to = part_.problem.cones;
    to = make_cone_set(counts);
    to.rolling_rows = from.rolling_rows;
    for (Index i = 0; i < counts.scalar; ++i) {
      const auto there = static_cast<std::size_t>(part_.bilateral_place[i]);
      set_interval(to, i, from.lower[there], from.upper[there]);
    }
    for (Index c = 0; c < contacts; ++c)
      copy_contact(static_cast<Index>(part_.contact_place[c]), c);
  }

  void copy_contact(Index there, Index here) {
    const ConeSet& from = whole_.cones;
    ConeSet& to = part_.problem.cones;
    with_contact(from, there, [&](Index /*first*/, Index rows, Index slot) {
      const double mu = from.friction[slot];
      if (rows == 2) return set_planar_friction(to, here, mu);
      const Index frame = rows == 3 ? there : from.rolling_frame(there);
      const Vec3 axis = from.axis_of(frame), tangent = from.tangent[frame];
      if (rows == 3) return set_spatial_friction(to, here, mu, axis, tangent);
      set_rolling_friction(to, here, {mu, 0.0, 0.0}, axis, tangent);
      const auto at = static_cast<std::size_t>(here), origin = static_cast<std::size_t>(there);
      // as stored: the way through metres would round again
      to.rolling_length[at] = from.rolling_length[origin];
      to.rolling_friction[at] = from.rolling_friction[origin];
      to.spinning_friction[at] = from.spinning_friction[origin];
    });
  }

  /// Which stored row of the whole is which of this rank, and what goes with the rows.
  void place_rows() {
    ConeProblem& problem = part_.problem;
    const ConeSet& cones = problem.cones;
    place_.assign(static_cast<std::size_t>(cones.stored_rows()), -1);
    here_.assign(owner_of_row_.size(), -1);
    problem.free_velocity.assign(place_.size(), 0.0);
    problem.key.assign(static_cast<std::size_t>(cones.slots()), 0);
    const auto put = [&](Index there, Index here) {
      place_[here] = there;
      here_[there] = here;
      problem.free_velocity[here] = whole_.free_velocity[there];
    };
    for (std::size_t i = 0; i < part_.bilateral_place.size(); ++i) {
      put(static_cast<Index>(part_.bilateral_place[i]), static_cast<Index>(i));
      problem.key[i] = part_.bilateral_place[i];
    }
    for (std::size_t c = 0; c < part_.contact_place.size(); ++c)
      with_contact(cones, static_cast<Index>(c), [&](Index first, Index rows, Index slot) {
        with_contact(whole_.cones, static_cast<Index>(part_.contact_place[c]),
                     [&](Index first_there, Index /*rows*/, Index slot_there) {
                       for (Index k = 0; k < rows; ++k)
                         put(first_there + k * lanes, first + k * lanes);
                       problem.key[slot] = slot_there;
                     });
      });
  }

  std::shared_ptr<const LinearOperator> share_of(const LinearOperator& whole) const {
    if (const auto* matrix = dynamic_cast<const MatrixOperator*>(&whole))
      return rows_of(matrix->rows());
    const auto* sparse = dynamic_cast<const SparseOperator*>(&whole);
    TALUS_ASSERT(sparse != nullptr);
    return std::make_shared<SparseOperator>(*sparse, part_.problem.cones, place_, comm_,
                                            everything_to_everyone());
  }

  std::vector<HaloNeighbour> everything_to_everyone() const {
    std::vector<HaloNeighbour> neighbours;
    std::vector<std::vector<Index>> rows(static_cast<std::size_t>(comm_.size()));
    for (std::size_t row = 0; row < owner_of_row_.size(); ++row)
      if (owner_of_row_[row] >= 0) rows[owner_of_row_[row]].push_back(static_cast<Index>(row));
    const std::vector<Index>& mine = rows[comm_.rank()];
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const std::vector<Index>& theirs = rows[rank];
      if (rank != comm_.rank() && !(mine.empty() && theirs.empty()))
        neighbours.push_back({rank, mine, theirs});
    }
    return neighbours;
  }

  /// Own rows with columns [own | of others], in the order of the whole, so that sums run alike.
  std::shared_ptr<const LinearOperator> rows_of(const SparseMatrix& w) const {
    const auto owner_of = [&](Index row) { return owner_of_row_[row]; };
    std::map<int, std::vector<Index>> sent, needed;  // stored rows of the whole, per rank
    const auto each_entry = [&](const auto& visit) {
      for (Index i = 0; i < w.rows; ++i)
        for (std::int64_t e = w.row_start[i]; e < w.row_start[static_cast<std::size_t>(i) + 1]; ++e)
          visit(i, w.column[e]);
    };
    each_entry([&](Index i, Index j) {
      if (owner_of(i) == owner_of(j)) return;
      if (owner_of(i) == comm_.rank()) needed[owner_of(j)].push_back(j);
      if (owner_of(j) == comm_.rank()) sent[owner_of(i)].push_back(j);
    });
    const auto once = [](std::vector<Index>& rows) {
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    };
    std::vector<Index> column = here_;
    auto next = static_cast<Index>(place_.size());
    std::vector<HaloNeighbour> neighbours;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      std::vector<Index>&theirs = needed[rank], &mine = sent[rank];
      once(theirs);
      once(mine);
      if (theirs.empty() && mine.empty()) continue;
      HaloNeighbour neighbour;
      neighbour.rank = rank;
      for (const Index row : mine) neighbour.send.push_back(here_[row]);
      for (const Index row : theirs) {
        column[row] = next;
        neighbour.receive.push_back(next++);
      }
      neighbours.push_back(std::move(neighbour));
    }
    SparseMatrix mine;
    mine.rows = static_cast<Index>(place_.size());
    mine.columns = next;
    for (const Index row : place_) {
      const auto r = static_cast<std::size_t>(row);
      for (std::int64_t e = row < 0 ? 0 : w.row_start[r]; row >= 0 && e < w.row_start[r + 1]; ++e) {
        const auto k = static_cast<std::size_t>(e);
        mine.column.push_back(column[w.column[k]]);
        mine.value.push_back(w.value[k]);
      }
      mine.row_start.push_back(mine.nonzeros());
    }
    return std::make_shared<MatrixOperator>(std::move(mine), part_.problem.cones, comm_,
                                            std::move(neighbours));
  }

  const ConeProblem& whole_;
  const Communicator& comm_;
  MatrixPart part_;
  std::vector<int> owner_of_row_;    ///< of stored rows of the whole; -1 of filling
  std::vector<Index> place_, here_;  ///< own stored row -> that of the whole, and back
};

}  // namespace

MatrixPart make_cone_problem(const LocalProblem& whole, const ConeOwners& owners,
                             const Communicator& comm) {
  const StandardArithmetic arithmetic;
  return Cut(make_cone_problem(whole), owners, comm).run();
}

MatrixPart make_cone_problem(const GlobalProblem& whole, const ConeOwners& owners,
                             const Communicator& comm) {
  const StandardArithmetic arithmetic;
  return Cut(make_cone_problem(whole), owners, comm).run();
}

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
// nothing in it throws
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
// nothing in it throws
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
