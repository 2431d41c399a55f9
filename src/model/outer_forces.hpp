#pragma once
// What callers do to bodies: lists in the order of ids.

#include "talus/model/world.hpp"

#include <algorithm>
#include <vector>

namespace talus {

/// visit(index of the body, what is done to it), of bodies that are here and that forces move.
template <class Visit>
void each_outer_force(const World& world, const Visit& visit) {
  const BodySet& bodies = world.bodies;
  for (const auto* list : {&world.held, &world.pushed}) {
    Index next = 0;  // where all bodies are pushed, the next one is in the next place
    for (const OuterForce& outer : *list) {
      const bool is_next = next < bodies.count() && bodies.id[next] == outer.body;
      const Index found = is_next ? next : bodies.find(outer.body);
      if (found < 0) continue;
      next = found + 1;
      if (bodies.motion[found] == Motion::Dynamic) visit(found, outer);
    }
  }
}

inline void sort_by_body(std::vector<OuterForce>& list) {
  std::sort(list.begin(), list.end(),
            [](const OuterForce& a, const OuterForce& b) { return a.body < b.body; });
}

/// Where that body has its place in the list, or would have it.
inline auto place_of(std::vector<OuterForce>& list, GlobalId body) {
  return std::lower_bound(list.begin(), list.end(), body,
                          [](const OuterForce& a, GlobalId id) { return a.body < id; });
}

}  // namespace talus
