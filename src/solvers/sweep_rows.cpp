#include "solvers/sweep_rows.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "parallel/halo.hpp"
#include "problem/matrix_operator.hpp"
#include "problem/rolling_block.hpp"
#include "problem/sparse_operator.hpp"
#include "solvers/local_cone.hpp"
#include "solvers/sweep_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

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
  double sum = problem_.free_velocity[row];
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

namespace {

constexpr std::size_t width = 6;  // velocity and spin

bool is_movable(const BodyProblem& data, Index body) {
  const Sym3& i = data.inverse_inertia[body];
  return data.inverse_mass[body] != 0.0 || i.xx != 0.0 || i.yy != 0.0 || i.zz != 0.0;
}

/// Movable bodies that rows of this rank touch.
std::vector<Index> swept_bodies(const BodyPart& part) {
  const BodyProblem& data = part.data;
  std::vector<bool> touched(data.body_count(), false);
  const auto touch = [&](Index body) {
    if (body != no_body && is_movable(data, body)) touched[body] = true;
  };
  const auto touch_all = [&](const std::vector<Index>& bodies, Index rows) {
    std::for_each(bodies.begin(), bodies.begin() + rows, touch);
  };
  touch_all(data.contact_body_a, part.owned_contacts);
  touch_all(data.contact_body_b, part.owned_contacts);
  touch_all(data.joint_body_a, part.owned_joint_rows);
  touch_all(data.joint_body_b, part.owned_joint_rows);
  std::vector<Index> bodies;
  for (Index b = 0; b < data.body_count(); ++b)
    if (touched[b]) bodies.push_back(b);
  return bodies;
}

/// The rank where all who sweep a body meet to hear of each other.
std::size_t meeting_rank(GlobalId id, int ranks) {
  return static_cast<std::size_t>(static_cast<std::uint64_t>(id) %
                                  static_cast<std::uint64_t>(ranks));
}

std::vector<Bytes> all_to_all(const Communicator& comm,
                              const std::vector<std::vector<GlobalId>>& numbers) {
  std::vector<Bytes> bytes;
  for (const auto& list : numbers) bytes.push_back(to_bytes(list));
  return comm.all_to_all(bytes);
}

/// The rows that are exchanged with each neighbour, both sides in the order of keys: joint rows,
/// then contacts. The owner of a mirrored row is that of its ghost.
class MirrorPlan {
 public:
  MirrorPlan(const BodyPart& part, const ConeSet& cones) : cones_(cones) {
    if (part.neighbours.empty()) return;
    for (std::size_t n = 0; n < part.neighbours.size(); ++n) {
      rows_.push_back({part.neighbours[n].rank, {}, {}});
      for (const Index ghost : part.neighbours[n].receive) neighbour_[ghost] = n;
    }
    const BodyProblem& d = part.data;
    take(d.joint_key, part.owned_joint_rows, part.mirrored_joint_rows, d.joint_body_a,
         d.joint_body_b, [](Index row, std::vector<Index>& rows) { rows.push_back(row); });
    take(d.contact_key, part.owned_contacts, part.mirrored_contacts, d.contact_body_a,
         d.contact_body_b, [&](Index contact, std::vector<Index>& rows) {
           for (Index k = 0; k < d.rows_per_contact(); ++k)
             rows.push_back(d.has_rolling() ? cones_.rolling_row(contact, k)
                                            : cones_.spatial_row(contact, k));
         });
  }

  std::vector<HaloNeighbour> result() { return std::move(rows_); }

 private:
  template <class Put>
  void take(const std::vector<GlobalId>& keys, Index owned, Index mirrored,
            const std::vector<Index>& body_a, const std::vector<Index>& body_b, const Put& put) {
    std::vector<std::pair<Index, bool>> order;
    each_stored(owned, mirrored, [&](Index row, bool mine) { order.emplace_back(row, mine); });
    std::sort(order.begin(), order.end(),
              [&](const auto& a, const auto& b) { return keys[a.first] < keys[b.first]; });
    for (const auto& [row, mine] : order)
      for (const Index body : {body_a[row], body_b[row]}) {
        const auto ghost = neighbour_.find(body);
        if (ghost == neighbour_.end()) continue;
        HaloNeighbour& neighbour = rows_[ghost->second];
        put(row, mine ? neighbour.send : neighbour.receive);
      }
  }

  const ConeSet& cones_;
  std::unordered_map<Index, std::size_t> neighbour_;  // of a ghost
  std::vector<HaloNeighbour> rows_;
};

}  // namespace

std::vector<SweepExchange::Sharing> SweepExchange::find_sharings(const BodyPart& part,
                                                                 const Communicator& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::unordered_map<GlobalId, Index> local;
  std::vector<std::vector<GlobalId>> asked(ranks);
  for (const Index body : swept_bodies(part)) {
    const GlobalId id = part.data.body_id[body];
    local[id] = body;
    asked[meeting_rank(id, comm.size())].push_back(id);
  }
  std::unordered_map<GlobalId, std::vector<GlobalId>> ranks_of;
  const std::vector<Bytes> questions = all_to_all(comm, asked);
  for (std::size_t r = 0; r < ranks; ++r)
    for (const GlobalId id : from_bytes<GlobalId>(questions[r]))
      ranks_of[id].push_back(static_cast<GlobalId>(r));
  // the answer about a body: its id, the number of its sharers, their ranks
  std::vector<std::vector<GlobalId>> answers(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    for (const GlobalId id : from_bytes<GlobalId>(questions[r])) {
      const std::vector<GlobalId>& sharers = ranks_of.at(id);
      if (sharers.size() < 2) continue;
      answers[r].push_back(id);
      answers[r].push_back(static_cast<GlobalId>(sharers.size()));
      answers[r].insert(answers[r].end(), sharers.begin(), sharers.end());
    }
  std::vector<Sharing> sharings;
  for (const Bytes& bytes : all_to_all(comm, answers)) {
    const std::vector<GlobalId> numbers = from_bytes<GlobalId>(bytes);
    for (std::size_t i = 0; i < numbers.size();) {
      Sharing sharing{numbers[i], local.at(numbers[i]), {}};
      const auto count = static_cast<std::size_t>(numbers[i + 1]);
      for (std::size_t k = 0; k < count; ++k)
        sharing.ranks.push_back(static_cast<int>(numbers[i + 2 + k]));
      sharings.push_back(std::move(sharing));
      i += 2 + count;
    }
  }
  std::sort(sharings.begin(), sharings.end(),
            [](const Sharing& a, const Sharing& b) { return a.id < b.id; });
  return sharings;
}

SweepExchange::SweepExchange(const BodyPart& part, const ConeSet& cones, const Communicator& comm)
    : sharers_(part.data.body_count(), 1.0) {
  std::vector<HaloNeighbour> neighbours(static_cast<std::size_t>(comm.size()));
  if (comm.size() > 1) {
    const std::vector<Sharing> sharings = find_sharings(part, comm);
    std::size_t items = sharings.size();
    for (std::size_t k = 0; k < sharings.size(); ++k) {
      shared_.push_back(sharings[k].body);
      sharers_[sharings[k].body] = static_cast<double>(sharings[k].ranks.size());
      for (const int rank : sharings[k].ranks) {
        terms_.push_back(rank == comm.rank() ? k : items);
        if (rank == comm.rank()) continue;
        HaloNeighbour& neighbour = neighbours[rank];
        neighbour.rank = rank;
        neighbour.send.push_back(static_cast<Index>(k));
        neighbour.receive.push_back(static_cast<Index>(items++));
      }
      start_.push_back(terms_.size());
    }
    values_.assign(width * items, 0.0);
  }
  std::erase_if(neighbours, [](const HaloNeighbour& n) { return n.send.empty(); });
  changes_ =
      std::make_unique<Halo>(comm, std::move(neighbours), HaloLayout{width, {0, 1, 2, 3, 4, 5}});
  std::vector<HaloNeighbour> rows = MirrorPlan(part, cones).result();
  std::erase_if(rows, [](const HaloNeighbour& n) { return n.send.empty() && n.receive.empty(); });
  mirrors_ = std::make_unique<Halo>(comm, std::move(rows), HaloLayout{});
}

void SweepExchange::add_up(std::vector<double>& changes) {
  std::copy(changes.begin(), changes.end(), values_.begin());
  changes_->start(values_.data());
  changes_->finish(values_.data());
  for (std::size_t k = 0; k < shared_.size(); ++k)
    for (std::size_t i = 0; i < width; ++i) {
      double sum = 0.0;
      for (std::size_t t = start_[k]; t < start_[k + 1]; ++t) sum += values_[width * terms_[t] + i];
      changes[width * k + i] = sum;
    }
}

void SweepExchange::update_mirrors(RowVector& x) {
  mirrors_->start(x.data());
  mirrors_->finish(x.data());
}

}  // namespace talus
