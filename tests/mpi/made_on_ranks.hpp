#pragma once
// Problems of rigid bodies, cut into parts for the ranks that run the test.

#include "talus/partition/partition.hpp"
#include "talus/problem/cone_problem.hpp"

#include "support/random_bodies.hpp"

namespace talus::support {

struct OnRanks {
  std::shared_ptr<const BodyPart> part;
  ConeProblem problem;
};

inline OnRanks with_owners(const BodyProblem& whole, const std::vector<int>& owners_of_slice) {
  const Communicator world = Communicator::world();
  OnRanks made;
  made.part = std::make_shared<BodyPart>(
      distribute(world, slice_of(whole, world.rank(), world.size()), owners_of_slice));
  made.problem = make_cone_problem(made.part, world);
  return made;
}

/// By METIS and the like, or "turns": body after body to the next rank, "last": all to the last.
inline OnRanks on_ranks(const BodyProblem& whole, const std::string& partition) {
  const Communicator world = Communicator::world();
  const BodySlice slice = slice_of(whole, world.rank(), world.size());
  if (partition != "turns" && partition != "last")
    return with_owners(whole, partition_bodies(world, slice, parse_partition(partition)));
  std::vector<int> owners;
  const SliceRange range = slice_range(slice.total_bodies, world.rank(), world.size());
  for (GlobalId place = range.first; place < range.last; ++place)
    owners.push_back(partition == "last" ? world.size() - 1
                                         : static_cast<int>(place % world.size()));
  return with_owners(whole, owners);
}

inline BodyProblem random_graph(std::uint64_t seed, bool rolling = false) {
  support::RandomBodies options;
  options.bodies = 30;
  options.contacts = 120;
  options.joints = rolling ? 0 : 20;
  options.compliance = seed % 2 == 0;
  options.immovable_body = true;
  options.rolling = rolling;
  options.seed = seed;
  return support::random_bodies(options);
}

inline RowVector zeros(const ConeProblem& problem) {
  return RowVector(static_cast<std::size_t>(problem.stored_rows()), 0.0);
}

}  // namespace talus::support
