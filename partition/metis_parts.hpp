#pragma once
// METIS, guarded: Debian's 5.1.0 dies for one part, puts everything into one part when there are
// more parts than vertices, and counts in 32 bits.

#include <cstdint>
#include <vector>

namespace talus {

/// A weighted graph in compressed adjacency, each edge at both of its ends.
struct WeightedGraph {
  std::vector<std::int64_t> start{0};
  std::vector<std::int64_t> neighbour;
  std::vector<std::int64_t> edge_weight;
  std::vector<std::int64_t> vertex_weight;

  std::int64_t vertex_count() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

struct WeightedEdge {
  std::int64_t a = 0, b = 0, weight = 0;
};
/// Edges may come in any order and more than once (weights add); those from a vertex to itself are
/// left out.
WeightedGraph make_graph(std::vector<std::int64_t> vertex_weights,
                         const std::vector<WeightedEdge>& edges);

/// Whether METIS can count so many vertices and ends of edges, and add their weights, in its 32
/// bits.
bool fits_metis(std::int64_t vertices, std::int64_t ends);

/// The part of every vertex, k-way, the same for the same graph. Where METIS has nothing to say (no
/// edges, more parts than vertices, too large for it) or loses the balance, as it does where parts
/// have a vertex or two, the vertices are cut in their order by weight. No part is heavier than a
/// tenth above the mean and one vertex. Of several tries the best is taken.
std::vector<int> metis_parts(const WeightedGraph& graph, int parts, int tries = 1);

/// Weight of the edges between different parts.
std::int64_t cut_weight(const WeightedGraph& graph, const std::vector<int>& part);

/// Vertices in their order, cut so that the parts weigh about the same.
std::vector<int> cut_by_weight(const std::vector<std::int64_t>& weights, int parts);

}  // namespace talus
