#pragma once
// A problem cut into parts, one per rank, beside the whole that every rank makes for itself.

#include "talus/problem/cone_problem.hpp"

#include "partition/partition.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace talus {

struct OnRanks {
  std::shared_ptr<const BodyPart> part;
  ConeProblem problem;
};

/// `owners` of the bodies of this rank's slice.
inline OnRanks on_ranks(const BodyProblem& whole, const std::vector<int>& owners,
                        const Communicator& world = Communicator::world()) {
  OnRanks made;
  made.part = std::make_shared<BodyPart>(
      distribute(world, slice_of(whole, world.rank(), world.size()), owners));
  made.problem = make_cone_problem(made.part, world);
  return made;
}

/// `owner(place)` names the rank of each body.
inline OnRanks on_ranks(const BodyProblem& whole, const std::function<int(GlobalId)>& owner,
                        const Communicator& world = Communicator::world()) {
  const SliceRange bodies = slice_range(whole.body_count(), world.rank(), world.size());
  std::vector<int> owners;
  for (GlobalId place = bodies.first; place < bodies.last; ++place) owners.push_back(owner(place));
  return on_ranks(whole, owners, world);
}

/// `partition` as on the command line; or "alternating": neighbours in the order of the problem are
/// on different ranks; or "last": the last rank owns everything.
inline OnRanks on_ranks(const BodyProblem& whole, const std::string& partition,
                        const Communicator& world = Communicator::world()) {
  const int size = world.size();
  if (partition == "alternating")
    return on_ranks(
        whole, [&](GlobalId place) { return static_cast<int>(place % size); }, world);
  if (partition == "last")
    return on_ranks(
        whole, [&](GlobalId) { return size - 1; }, world);
  const BodySlice slice = slice_of(whole, world.rank(), size);
  return on_ranks(whole, partition_bodies(world, slice, parse_partition(partition)), world);
}

/// visit(local row, row of the whole) for every owned or mirrored contact row of the part.
template <class Visit>
void each_contact_row(const OnRanks& mine, const BodyProblem& whole, const ConeProblem& alone,
                      const Visit& visit) {
  std::map<GlobalId, Index> place;
  for (Index c = 0; c < whole.contact_count(); ++c)
    place[whole.contact_key[static_cast<std::size_t>(c)]] = c;
  const bool rolls = whole.has_rolling();
  const auto row = [&](const ConeSet& cones, Index c, Index k) {
    return static_cast<std::size_t>(rolls ? cones.rolling_row(c, k) : cones.spatial_row(c, k));
  };
  each_stored(
      mine.part->owned_contacts, mine.part->mirrored_contacts, [&](Index c, bool /*owned*/) {
        const Index there = place.at(mine.part->data.contact_key[static_cast<std::size_t>(c)]);
        for (Index k = 0; k < (rolls ? 6 : 3); ++k)
          visit(row(mine.problem.cones, c, k), row(alone.cones, there, k));
      });
}
template <class Visit>
void each_joint_row(const OnRanks& mine, const BodyProblem& whole, const Visit& visit) {
  std::map<GlobalId, Index> place;
  for (Index j = 0; j < whole.joint_row_count(); ++j)
    place[whole.joint_key[static_cast<std::size_t>(j)]] = j;
  each_stored(mine.part->owned_joint_rows, mine.part->mirrored_joint_rows,
              [&](Index j, bool /*owned*/) {
                visit(static_cast<std::size_t>(j),
                      static_cast<std::size_t>(
                          place.at(mine.part->data.joint_key[static_cast<std::size_t>(j)])));
              });
}
template <class Visit>
void each_row(const OnRanks& mine, const BodyProblem& whole, const ConeProblem& alone,
              const Visit& visit) {
  each_contact_row(mine, whole, alone, visit);
  each_joint_row(mine, whole, visit);
}

inline void expect_same_bits(double a, double b, std::size_t row) {
  EXPECT_EQ(support::bits_of(a), support::bits_of(b)) << "row " << row << ": " << a << " and " << b;
}

}  // namespace talus
