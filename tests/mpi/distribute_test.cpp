// Parts of a problem against the whole, which every rank makes for itself.

#include "parallel/halo.hpp"
#include "partition/partition.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace talus {
namespace {

BodyProblem some_bodies() {
  support::RandomBodies options;
  options.bodies = 40;
  options.contacts = 120;
  options.joints = 30;
  return support::random_bodies(options);
}

std::vector<int> slice_owners(const Communicator& world, const BodyProblem& whole,
                              const std::string& partition) {
  return partition_bodies(world, slice_of(whole, world.rank(), world.size()),
                          parse_partition(partition));
}

class Parts : public testing::TestWithParam<const char*> {};

TEST_P(Parts, HoldEveryRowThatTouchesABodyOfTheRank) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = some_bodies();
  const std::vector<int> mine = slice_owners(world, whole, GetParam());
  std::vector<int> owner;
  for (const Bytes& bytes :
       world.all_to_all(std::vector<Bytes>(static_cast<std::size_t>(world.size()), to_bytes(mine))))
    for (const int rank : from_bytes<int>(bytes)) owner.push_back(rank);

  const BodyPart part = distribute(world, slice_of(whole, world.rank(), world.size()), mine);

  std::map<GlobalId, std::size_t> place_of_key;
  for (std::size_t c = 0; c < whole.contact_key.size(); ++c) place_of_key[whole.contact_key[c]] = c;
  std::set<std::size_t> found;
  each_stored(part.owned_contacts, part.mirrored_contacts, [&](Index contact, bool /*owned*/) {
    const auto c = static_cast<std::size_t>(contact);
    const std::size_t place = place_of_key.at(part.data.contact_key[c]);
    EXPECT_TRUE(found.insert(place).second) << "twice: contact " << place;
    EXPECT_EQ(part.data.friction[c], whole.friction[place]);
    EXPECT_EQ(part.data.point[c].x, whole.point[place].x);
    for (const auto& [local, global] :
         {std::pair{part.data.contact_body_a[c], whole.contact_body_a[place]},
          std::pair{part.data.contact_body_b[c], whole.contact_body_b[place]}}) {
      if (global == no_body)
        EXPECT_EQ(local, no_body);
      else
        EXPECT_EQ(part.data.body_id[static_cast<std::size_t>(local)],
                  whole.body_id[static_cast<std::size_t>(global)]);
    }
  });
  for (std::size_t c = 0; c < whole.contact_key.size(); ++c) {
    bool touches = false;
    for (const Index body : {whole.contact_body_a[c], whole.contact_body_b[c]})
      touches =
          touches || (body != no_body && owner[static_cast<std::size_t>(body)] == world.rank());
    EXPECT_EQ(found.contains(c), touches) << "contact " << c;
  }
}

TEST_P(Parts, OwnEveryBodyAndRowOnce) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = some_bodies();

  const BodyPart part = distribute(world, slice_of(whole, world.rank(), world.size()),
                                   slice_owners(world, whole, GetParam()));

  std::vector<std::int64_t> bodies(whole.centre.size(), 0), contacts(whole.normal.size(), 0),
      joints(whole.joint_bias.size(), 0);
  for (const GlobalId place : part.body_place) ++bodies[static_cast<std::size_t>(place)];
  for (const GlobalId place : part.contact_place) ++contacts[static_cast<std::size_t>(place)];
  for (const GlobalId place : part.joint_place) ++joints[static_cast<std::size_t>(place)];
  for (auto* counts : {&bodies, &contacts, &joints}) {
    world.sum(*counts);
    EXPECT_TRUE(std::all_of(counts->begin(), counts->end(), [](auto n) { return n == 1; }));
  }
  EXPECT_EQ(static_cast<Index>(part.contact_place.size()), part.owned_contacts);
}

TEST_P(Parts, ExchangeTheBodiesThatTheOtherSideExpects) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = some_bodies();

  const BodyPart part = distribute(world, slice_of(whole, world.rank(), world.size()),
                                   slice_owners(world, whole, GetParam()));

  std::vector<double> ids(part.data.body_id.size(), -1.0);
  for (Index b = 0; b < part.owned_bodies; ++b)
    ids[static_cast<std::size_t>(b)] =
        static_cast<double>(part.data.body_id[static_cast<std::size_t>(b)]);
  Halo halo(world, part.neighbours, {});
  halo.start(ids.data());
  halo.finish(ids.data());
  for (std::size_t b = 0; b < ids.size(); ++b)
    EXPECT_EQ(ids[b], static_cast<double>(part.data.body_id[b]));
  for (const HaloNeighbour& n : part.neighbours)
    for (const Index body : n.send) EXPECT_LT(body, part.boundary_bodies);
}

INSTANTIATE_TEST_SUITE_P(Partitions, Parts,
                         testing::Values("metis", "hilbert", "blocks", "random:7"));

TEST(PartitionOfBodies, OfCellsCutsLittleMoreThanThatOfBodies) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = some_bodies();
  const BodySlice slice = slice_of(whole, world.rank(), world.size());
  PartitionOptions cells;
  cells.most_bodies_in_graph = 10;

  const std::vector<int> owner = partition_bodies(world, slice, cells);
  const PartitionQuality quality = quality_of(world, distribute(world, slice, owner));

  ASSERT_EQ(owner.size(), slice.data.centre.size());
  // forty bodies on up to forty ranks: no more than a body too many each
  EXPECT_LE(quality.imbalance, 1.0 + 2.5 * world.size() / 10.0);
}

TEST(PartitionOfBodies, OfOneOwnerLeavesTheOthersEmpty) {
  const Communicator world = Communicator::world();
  const BodyProblem whole = some_bodies();
  const BodySlice slice = slice_of(whole, world.rank(), world.size());
  const int last = world.size() - 1;

  const BodyPart part = distribute(world, slice, std::vector<int>(slice.data.centre.size(), last));

  EXPECT_EQ(part.owned_bodies, world.rank() == last ? whole.body_count() : 0);
  EXPECT_TRUE(part.neighbours.empty());
}

}  // namespace
}  // namespace talus
