#pragma once
// What bodies of a world weigh when they are dealt out to ranks.

#include "talus/geometry/broad_phase.hpp"
#include "talus/model/body_set.hpp"
#include "talus/partition/cell_map.hpp"

#include <vector>

namespace talus {

/// Of a body alone, and of each pair with it that may touch.
inline constexpr std::int64_t weight_of_body = 4, weight_of_pair = 3;

/// What make_cell_map() is told, with owners.
struct BodyLoads {
  std::vector<GlobalId> id;
  std::vector<Vec3> position;
  std::vector<std::int64_t> weight;
  std::vector<BodyLink> links;

  BodyLoad view() const { return {id, position, weight, links}; }
};
/// Of the bodies that this rank owns and not all have. Neighbours bind together: the owner of the
/// first body of a pair gives the link.
BodyLoads loads_of(const BodySet& bodies, const std::vector<CandidatePair>& pairs);

/// Bodies that impulses move and that reach further (m) would drag ghosts from afar: all ranks have
/// them. They are few, or the mean would be larger. Infinite where nothing moves. Collective.
double large_reach_of(const Communicator& comm, const BodySet& bodies);

}  // namespace talus
