#include "metis_parts.hpp"

#include "talus/core/error.hpp"

#include <metis.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace talus {
namespace {

/// Most vertices, ends of edges and weight: METIS adds weights in the numbers that it counts in.
constexpr std::int64_t most_of_metis = std::numeric_limits<idx_t>::max() / 4;

/// Weights as METIS can hold them: none vanishes, and as there are at most `most_of_metis` of them,
/// their sum is at most twice that.
std::vector<idx_t> scaled_weights(const std::vector<std::int64_t>& weights) {
  double total = 0.0;
  for (const std::int64_t weight : weights) total += static_cast<double>(weight);
  const double factor = std::min(1.0, static_cast<double>(most_of_metis) / std::max(1.0, total));
  std::vector<idx_t> scaled;
  scaled.reserve(weights.size());
  for (const std::int64_t weight : weights)
    scaled.push_back(std::max<idx_t>(1, static_cast<idx_t>(static_cast<double>(weight) * factor)));
  return scaled;
}

/// No part heavier than a tenth above the mean and one vertex: METIS is asked for a hundredth, but
/// vertices may be coarser.
bool balanced(const std::vector<std::int64_t>& weights, const std::vector<idx_t>& part, int parts) {
  std::vector<double> load(static_cast<std::size_t>(parts), 0.0);
  double total = 0.0, heaviest = 0.0;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    const auto weight = static_cast<double>(weights[v]);
    load[part[v]] += weight;
    total += weight;
    heaviest = std::max(heaviest, weight);
  }
  return *std::max_element(load.begin(), load.end()) <= 1.1 * total / parts + heaviest;
}

}  // namespace

bool fits_metis(std::int64_t vertices, std::int64_t ends) {
  return vertices <= most_of_metis && ends <= most_of_metis;
}

WeightedGraph make_graph(std::vector<std::int64_t> vertex_weights,
                         const std::vector<WeightedEdge>& edges) {
  std::vector<WeightedEdge> ends;
  ends.reserve(2 * edges.size());
  for (const WeightedEdge& e : edges) {
    if (e.a == e.b) continue;
    ends.push_back(e);
    ends.push_back({e.b, e.a, e.weight});
  }
  std::sort(ends.begin(), ends.end(), [](const WeightedEdge& x, const WeightedEdge& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  WeightedGraph graph;
  graph.vertex_weight = std::move(vertex_weights);
  auto end = ends.begin();
  for (std::int64_t v = 0; v < static_cast<std::int64_t>(graph.vertex_weight.size()); ++v) {
    for (; end != ends.end() && end->a == v; ++end) {
      const bool again = static_cast<std::int64_t>(graph.neighbour.size()) > graph.start.back() &&
                         graph.neighbour.back() == end->b;
      if (again) {
        graph.edge_weight.back() += end->weight;
      } else {
        graph.neighbour.push_back(end->b);
        graph.edge_weight.push_back(end->weight);
      }
    }
    graph.start.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
  }
  TALUS_ASSERT(end == ends.end());
  return graph;
}

std::int64_t cut_weight(const WeightedGraph& graph, const std::vector<int>& part) {
  std::int64_t both_ends = 0;
  for (std::size_t v = 0; v < part.size(); ++v)
    for (auto e = static_cast<std::size_t>(graph.start[v]);
         e < static_cast<std::size_t>(graph.start[v + 1]); ++e)
      if (part[v] != part[graph.neighbour[e]]) both_ends += graph.edge_weight[e];
  return both_ends / 2;
}

std::vector<int> cut_by_weight(const std::vector<std::int64_t>& weights, int parts) {
  double total = 0.0, before = 0.0;
  for (const std::int64_t weight : weights) total += static_cast<double>(weight);
  std::vector<int> part;
  part.reserve(weights.size());
  for (const std::int64_t weight : weights) {
    const double middle = before + 0.5 * static_cast<double>(weight);
    const double share = total > 0.0 ? middle / total : 0.0;
    part.push_back(std::min(parts - 1, static_cast<int>(share * parts)));
    before += static_cast<double>(weight);
  }
  return part;
}

std::vector<int> metis_parts(const WeightedGraph& graph, int parts, int tries) {
  TALUS_ASSERT(parts >= 1);
  const std::int64_t vertices = graph.vertex_count();
  if (parts == 1) return std::vector<int>(static_cast<std::size_t>(vertices), 0);
  if (parts >= vertices) {
    std::vector<int> part(static_cast<std::size_t>(vertices));
    std::iota(part.begin(), part.end(), 0);
    return part;
  }
  const auto ends = static_cast<std::int64_t>(graph.neighbour.size());
  if (ends == 0 || !fits_metis(vertices, ends)) return cut_by_weight(graph.vertex_weight, parts);
  std::vector<idx_t> start(graph.start.begin(), graph.start.end());
  std::vector<idx_t> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> vertex_weight = scaled_weights(graph.vertex_weight);
  std::vector<idx_t> edge_weight = scaled_weights(graph.edge_weight);
  std::vector<idx_t> part(static_cast<std::size_t>(vertices));
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;  // the same partition in every run
  options[METIS_OPTION_NCUTS] = tries;
  options[METIS_OPTION_UFACTOR] = 10;  // a part may be 1 % heavier than the mean
  idx_t count = static_cast<idx_t>(vertices), constraints = 1, wanted = parts, cut = 0;
  const int status = METIS_PartGraphKway(&count, &constraints, start.data(), neighbour.data(),
                                         vertex_weight.data(), nullptr, edge_weight.data(), &wanted,
                                         nullptr, nullptr, options.data(), &cut, part.data());
  if (status != METIS_OK || !balanced(graph.vertex_weight, part, parts))
    return cut_by_weight(graph.vertex_weight, parts);
  return {part.begin(), part.end()};
}

}  // namespace talus
