#include "talus/partition/planned_owners.hpp"

#include "talus/core/error.hpp"
#include "talus/model/detection.hpp"
#include "talus/parallel/exact_sum.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// What follows is what Simulation::deal_out() does, on one rank; a test compares them.
constexpr double of_mean = 8.0;                   // reach of what all ranks have
constexpr std::int64_t of_body = 4, of_pair = 3;  // weights

struct Load {
  std::vector<GlobalId> id;
  std::vector<Vec3> position;
  std::vector<std::int64_t> weight;
  std::vector<BodyLink> links;
};

/// Of bodies that one rank has for itself, and the pairs that may touch.
Load load_of(const BodySet& bodies, const std::vector<CandidatePair>& pairs) {
  std::vector<std::int64_t> weight(bodies.id.size(), of_body);
  Load load;
  for (const CandidatePair& pair : pairs) {
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    weight[a] += of_pair;
    weight[b] += of_pair;
    if (bodies.is_local(pair.a) && bodies.is_local(pair.b))
      load.links.push_back({bodies.position[a], bodies.position[b], of_pair});
  }
  for (Index i = 0; i < bodies.owned; ++i) {
    if (!bodies.is_local(i)) continue;
    const auto b = static_cast<std::size_t>(i);
    load.id.push_back(bodies.id[b]);
    load.position.push_back(bodies.position[b]);
    load.weight.push_back(weight[b]);
  }
  return load;
}

CellMap map_of(const Load& load, int ranks, const BalanceOptions& options, const CellMap* before) {
  return make_cell_map(Communicator::self(), {load.id, load.position, load.weight, load.links},
                       options, before, ranks);
}

void choose_residences(BodySet& bodies) {
  std::vector<double> reach;
  const auto is_small = [&](std::size_t b) {
    return bodies.motion[b] == Motion::Dynamic && std::isfinite(bodies.reach[b]);
  };
  for (std::size_t b = 0; b < bodies.id.size(); ++b)
    if (is_small(b)) reach.push_back(bodies.reach[b]);
  const double large = reach.empty() ? 0.0
                                     : of_mean * exact_sum(Communicator::self(), reach) /
                                           static_cast<double>(reach.size());
  for (std::size_t b = 0; b < bodies.id.size(); ++b)
    bodies.residence[b] =
        is_small(b) && bodies.reach[b] <= large ? Residence::Local : Residence::Everywhere;
}

}  // namespace

std::vector<int> planned_owners(World world, int ranks, const BalanceOptions& options) {
  TALUS_ASSERT(ranks >= 1 && world.bodies.owned == world.bodies.count());
  BodySet& bodies = world.bodies;
  std::fill(bodies.residence.begin(), bodies.residence.end(), Residence::Local);
  const CellMap none;  // everything is with the first rank
  CellMap map = map_of(load_of(bodies, {}), ranks, options, &none);
  choose_residences(bodies);
  if (options.kind == OwnerKind::Metis) {
    Detection detection;
    ContactSet near;
    detection.find(world, std::vector<double>(bodies.id.size(), 0.0), near);
    map = map_of(load_of(bodies, detection.candidates()), ranks, options, &map);
  }
  std::vector<int> owner;
  for (Index b = 0; b < bodies.owned; ++b)
    owner.push_back(bodies.is_local(b) ? map.owner_of(bodies.id[static_cast<std::size_t>(b)],
                                                      bodies.position[static_cast<std::size_t>(b)])
                                       : -1);
  return owner;
}

}  // namespace talus
