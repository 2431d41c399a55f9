#include "talus/partition/planned_owners.hpp"

#include "talus/core/error.hpp"
#include "talus/model/detection.hpp"
#include "talus/partition/body_loads.hpp"
#include "talus/partition/world_share.hpp"

#include <algorithm>

namespace talus {

// What follows is what Simulation::deal_out() does, on one rank; a test compares them.
std::vector<int> planned_owners(World world, int ranks, const BalanceOptions& options) {
  TALUS_ASSERT(ranks >= 1 && world.bodies.owned == world.bodies.count());
  BodySet& bodies = world.bodies;
  std::fill(bodies.residence.begin(), bodies.residence.end(), Residence::Local);
  const Communicator self = Communicator::self();
  const auto map_of = [&](const std::vector<CandidatePair>& pairs, const CellMap* before) {
    return make_cell_map(self, loads_of(bodies, pairs).view(), options, before, ranks);
  };
  const CellMap none;  // everything is with the first rank
  CellMap map = map_of({}, &none);
  WorldShare share(self);
  share.large_reach = large_reach_of(self, bodies);
  for (Index b = 0; b < bodies.owned; ++b) bodies.residence[b] = share.residence_of(bodies, b);
  if (options.kind == OwnerKind::Metis) {
    Detection detection;
    ContactSet near;
    detection.find(world, std::vector<double>(bodies.id.size(), 0.0), near);
    map = map_of(detection.candidates(), &map);
  }
  std::vector<int> owner;
  for (Index b = 0; b < bodies.owned; ++b)
    owner.push_back(bodies.is_local(b) ? map.owner_of(bodies.id[b], bodies.position[b]) : -1);
  return owner;
}

}  // namespace talus
