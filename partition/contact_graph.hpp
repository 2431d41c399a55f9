#pragma once
// Bodies as vertices, contacts and joints as edges weighted by their rows: what partitioning starts
// from.

#include "talus/problem/body_problem.hpp"

#include <vector>

namespace talus {

/// Compressed adjacency: each edge stands at both of its ends. Bodies that nothing moves are
/// vertices without edges: they transmit no velocity, so they bind nothing together.
struct ContactGraph {
  std::vector<std::int64_t> start{0};
  std::vector<Index> neighbour;      ///< ascending per vertex
  std::vector<Index> edge_weight;    ///< rows between the two bodies
  std::vector<Index> vertex_weight;  ///< rows on the body
  std::vector<bool> movable;

  Index vertex_count() const { return static_cast<Index>(start.size()) - 1; }
};

ContactGraph make_contact_graph(const BodyProblem& problem);

/// Groups of bodies that no contact or joint connects: independent problems.
struct Islands {
  Index count = 0;               ///< with at least one movable body
  Index largest = 0;             ///< bodies
  std::vector<Index> island_of;  ///< per body; -1 for bodies that nothing moves
};

Islands find_islands(const ContactGraph& graph);

Index most_rows_of_a_body(const BodyProblem& problem);

}  // namespace talus
