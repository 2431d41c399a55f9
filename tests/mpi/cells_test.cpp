// The partition of large problems, by cells along a curve, on small ones: the limit is lowered.

#include "generate/generate.hpp"
#include "generate/random.hpp"
#include "mpi/same_on_ranks.hpp"
#include "partition/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace talus {
namespace {

PartitionOptions by_cells() {
  PartitionOptions options;
  options.most_bodies_in_graph = 0;
  return options;
}

const BodyProblem& packing() {
  static const BodyProblem made = generate(parse_generate("packing,bodies=3000"));
  return made;
}

std::vector<int> owners_of_slice(const BodyProblem& whole, const PartitionOptions& options) {
  const Communicator world = Communicator::world();
  return partition_bodies(world, slice_of(whole, world.rank(), world.size()), options);
}

/// Of all bodies, on every rank.
std::vector<int> owners_of(const BodyProblem& whole, const PartitionOptions& options) {
  const Communicator world = Communicator::world();
  const Bytes mine = to_bytes(owners_of_slice(whole, options));
  std::vector<int> all;
  for (const Bytes& bytes :
       world.all_to_all(std::vector<Bytes>(static_cast<std::size_t>(world.size()), mine)))
    for (const int owner : from_bytes<int>(bytes)) all.push_back(owner);
  return all;
}

PartitionQuality quality(const BodyProblem& whole, const PartitionOptions& options) {
  const Communicator world = Communicator::world();
  const BodySlice slice = slice_of(whole, world.rank(), world.size());
  return quality_of(world, distribute(world, slice, partition_bodies(world, slice, options)));
}

/// The same problem with its bodies, or its contacts, in another order: `order[new place]`.
BodyProblem with_order_of_bodies(const BodyProblem& p, const std::vector<std::size_t>& order) {
  BodyProblem q = p;
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t from = order[i];
    place[from] = static_cast<Index>(i);
    q.body_id[i] = p.body_id[from];
    q.centre[i] = p.centre[from];
    q.inverse_mass[i] = p.inverse_mass[from];
    q.inverse_inertia[i] = p.inverse_inertia[from];
  }
  for (auto* ends : {&q.contact_body_a, &q.contact_body_b})
    for (Index& body : *ends)
      if (body != no_body) body = place[static_cast<std::size_t>(body)];
  return q;
}

BodyProblem with_order_of_contacts(const BodyProblem& p, const std::vector<std::size_t>& order) {
  BodyProblem q = p;
  for (std::size_t i = 0; i < order.size(); ++i) {
    q.contact_body_a[i] = p.contact_body_a[order[i]];
    q.contact_body_b[i] = p.contact_body_b[order[i]];
  }
  return q;
}

std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[KeyedRandom(1, i, 0).below(i)]);
  return order;
}

TEST(PartitionByCells, GivesEveryBodyAnOwnerAndEveryRankItsShare) {
  const int size = Communicator::world().size();

  const std::vector<int> owner = owners_of(packing(), by_cells());

  ASSERT_EQ(owner.size(), packing().centre.size());
  std::vector<Index> count(static_cast<std::size_t>(size), 0);
  for (const int rank : owner) {
    ASSERT_GE(rank, 0);
    ASSERT_LT(rank, size);
    ++count[static_cast<std::size_t>(rank)];
  }
  for (const Index bodies : count) EXPECT_GT(bodies, 0.8 * 3000 / size);
}

TEST(PartitionByCells, IsBalancedAndCutsLittleMoreThanThatOfBodies) {
  PartitionOptions by_bodies;
  by_bodies.most_bodies_in_graph = packing().body_count();

  const PartitionQuality cells = quality(packing(), by_cells());
  const PartitionQuality bodies = quality(packing(), by_bodies);

  // mirrored rows, which the partition does not weigh, are work too
  EXPECT_LE(cells.imbalance, 1.1);
  EXPECT_LE(cells.cut_rows, 2 * bodies.cut_rows);
}

TEST(PartitionByCells, IsTheSameAgainAndForAnyOrderOfBodiesAndContacts) {
  const std::vector<int> owner = owners_of(packing(), by_cells());
  EXPECT_EQ(owners_of(packing(), by_cells()), owner);
  EXPECT_EQ(
      owners_of(with_order_of_contacts(packing(), shuffled(packing().normal.size())), by_cells()),
      owner);
  const std::vector<std::size_t> order = shuffled(owner.size());

  const std::vector<int> moved = owners_of(with_order_of_bodies(packing(), order), by_cells());

  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(moved[i], owner[order[i]]) << i;
}

TEST(PartitionByCells, OfBodiesInOnePlaceGivesThemToOneRank) {
  BodyProblem heap = packing();
  std::fill(heap.centre.begin(), heap.centre.end(), Vec3{1.0, 2.0, 3.0});

  const std::vector<int> owner = owners_of(heap, by_cells());

  EXPECT_EQ(std::count(owner.begin(), owner.end(), owner.front()), 3000);
}

TEST(PartitionByCells, SolvesWithTheBitsOfOneRank) {
  BesideOne b;
  b.whole = packing();
  b.alone = make_cone_problem(b.whole);
  b.mine = on_ranks(b.whole, owners_of_slice(b.whole, by_cells()));
  const support::ForcedThreads threads(2);
  SolveOptions options;
  options.method = Method::Apgd;
  options.tolerance = 0.0;
  options.max_iterations = 5;

  expect_same_solve(b, options);
}

}  // namespace
}  // namespace talus
