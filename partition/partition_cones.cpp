#include "partition/partition_cones.hpp"

#include "talus/core/error.hpp"

#include "core/key_order.hpp"
#include "metis_parts.hpp"

namespace talus {
namespace {

/// Bilateral rows, then contacts: the cones as vertices.
struct Cones {
  Index bilateral = 0, contacts = 0, rows_per_contact = 3;

  std::int64_t of_row(Index contact_row) const {
    return bilateral + contact_row / rows_per_contact;
  }
  std::int64_t count() const { return bilateral + contacts; }
};

template <class Matrices>
Cones cones_of(const Matrices& whole) {
  return {whole.bilateral_count(), whole.contact_count(), whole.rows_per_contact()};
}

template <class Visit>
void each_entry(const SparseMatrix& a, const Visit& visit) {
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t e = a.row_start[i]; e < a.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      visit(i, a.column[e]);
}

/// Entries of W, V and R between different cones.
std::vector<WeightedEdge> edges_of(const LocalProblem& whole) {
  const Cones cones = cones_of(whole);
  std::vector<WeightedEdge> edges;
  const auto link = [&](std::int64_t a, std::int64_t b) {
    if (a != b) edges.push_back({a, b, 1});
  };
  each_entry(whole.W, [&](Index i, Index j) { link(cones.of_row(i), cones.of_row(j)); });
  each_entry(whole.V, [&](Index i, Index j) { link(cones.of_row(i), j); });
  each_entry(whole.R, [&](Index i, Index j) { link(i, j); });
  return edges;
}

/// Rank 0 decides: a METIS of another machine may cut otherwise.
ConeOwners partition(const Communicator& comm, const Cones& cones,
                     const std::vector<std::int64_t>& weights,
                     const std::vector<WeightedEdge>& edges, const PartitionOptions& options) {
  const Phase phase("partitioning");
  if (options.kind == PartitionKind::Hilbert || options.kind == PartitionKind::File)
    throw InputError(
        "--partition hilbert and file are for bodies: a problem of matrices takes metis, blocks "
        "or random:SEED");
  std::vector<int> owner;
  if (comm.rank() == 0 && options.kind == PartitionKind::Metis)
    owner = metis_parts(make_graph(weights, edges), comm.size());
  else if (comm.rank() == 0 && options.kind == PartitionKind::Blocks)
    owner = cut_by_weight(weights, comm.size());
  else if (comm.rank() == 0)
    for (std::int64_t cone = 0; cone < cones.count(); ++cone)
      owner.push_back(
          static_cast<int>(mixed_bits(static_cast<std::uint64_t>(cone) ^ mixed_bits(options.seed)) %
                           static_cast<std::uint64_t>(comm.size())));
  Bytes bytes = to_bytes(owner);
  comm.broadcast(bytes, 0);
  owner = from_bytes<int>(bytes);
  return {{owner.begin() + cones.bilateral, owner.end()},
          {owner.begin(), owner.begin() + cones.bilateral}};
}

}  // namespace

ConeOwners partition_cones(const Communicator& comm, const LocalProblem& whole,
                           const PartitionOptions& options) {
  const Cones cones = cones_of(whole);
  // the work of a cone: the entries of its rows
  std::vector<std::int64_t> weights(static_cast<std::size_t>(cones.count()), 1);
  const auto add = [&](std::int64_t cone) { ++weights[cone]; };
  each_entry(whole.W, [&](Index i, Index /*j*/) { add(cones.of_row(i)); });
  each_entry(whole.V, [&](Index i, Index j) {
    add(cones.of_row(i));
    add(j);
  });
  each_entry(whole.R, [&](Index i, Index /*j*/) { add(i); });
  return partition(comm, cones, weights, edges_of(whole), options);
}

ConeOwners partition_cones(const Communicator& comm, const GlobalProblem& whole,
                           const PartitionOptions& options) {
  const Cones cones = cones_of(whole);
  std::vector<std::int64_t> weights(static_cast<std::size_t>(cones.bilateral), 1);
  weights.resize(static_cast<std::size_t>(cones.count()), cones.rows_per_contact);
  return partition(comm, cones, weights, {}, options);
}

}  // namespace talus
