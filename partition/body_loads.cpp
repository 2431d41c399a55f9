#include "talus/partition/body_loads.hpp"

#include "talus/parallel/exact_sum.hpp"

#include <array>
#include <cmath>

namespace talus {

BodyLoads loads_of(const BodySet& bodies, const std::vector<CandidatePair>& pairs) {
  std::vector<std::int64_t> weight(bodies.id.size(), weight_of_body);
  BodyLoads loads;
  for (const CandidatePair& pair : pairs) {
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    weight[a] += weight_of_pair;
    weight[b] += weight_of_pair;
    if (bodies.is_local(pair.a) && bodies.is_local(pair.b) && bodies.is_owned(pair.a))
      loads.links.push_back({bodies.position[a], bodies.position[b], weight_of_pair});
  }
  for (Index i = 0; i < bodies.owned; ++i) {
    if (!bodies.is_local(i)) continue;
    const auto b = static_cast<std::size_t>(i);
    loads.id.push_back(bodies.id[b]);
    loads.position.push_back(bodies.position[b]);
    loads.weight.push_back(weight[b]);
  }
  return loads;
}

double large_reach_of(const Communicator& comm, const BodySet& bodies) {
  std::vector<double> reach;
  for (std::size_t b = 0; b < bodies.id.size(); ++b)
    if (bodies.motion[b] == Motion::Dynamic && std::isfinite(bodies.reach[b]))
      reach.push_back(bodies.reach[b]);
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(reach.size())};
  comm.sum(count);
  if (count[0] == 0) return infinity;
  constexpr double of_mean = 8.0;
  return of_mean * exact_sum(comm, reach) / static_cast<double>(count[0]);
}

}  // namespace talus
