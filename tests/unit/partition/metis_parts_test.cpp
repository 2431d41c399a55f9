// The guards around METIS: one part, more parts than vertices, no edges, islands, weights and
// counts beyond its 32 bits.

#include "metis_parts.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace talus {
namespace {

using Weights = std::vector<std::int64_t>;

/// A square grid: vertex i is at (i % width, i / width).
std::vector<WeightedEdge> grid_edges(std::int64_t width, std::int64_t height,
                                     std::int64_t weight = 3, std::int64_t first = 0) {
  std::vector<WeightedEdge> edges;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t v = first + width * y + x;
      if (x + 1 < width) edges.push_back({v, v + 1, weight});
      if (y + 1 < height) edges.push_back({v, v + width, weight});
    }
  return edges;
}

WeightedGraph grid(std::int64_t width, std::int64_t height, std::int64_t weight = 3) {
  return make_graph(Weights(static_cast<std::size_t>(width * height), 1),
                    grid_edges(width, height, weight));
}

std::vector<double> weights_of_parts(const WeightedGraph& graph, const std::vector<int>& part,
                                     int parts) {
  std::vector<double> weights(static_cast<std::size_t>(parts), 0.0);
  for (std::size_t v = 0; v < part.size(); ++v)
    weights[static_cast<std::size_t>(part[v])] += static_cast<double>(graph.vertex_weight[v]);
  return weights;
}

/// One part per vertex, between 0 and parts, the same again.
std::vector<int> expect_parts(const WeightedGraph& graph, int parts) {
  std::vector<int> part = metis_parts(graph, parts);
  EXPECT_EQ(part.size(), static_cast<std::size_t>(graph.vertex_count()));
  for (const int p : part) {
    EXPECT_GE(p, 0);
    EXPECT_LT(p, parts);
  }
  EXPECT_EQ(metis_parts(graph, parts), part);
  return part;
}

/// As the header promises: a tenth more than the mean, and one vertex.
void expect_balance(const WeightedGraph& graph, const std::vector<int>& part, int parts) {
  const std::vector<double> weights = weights_of_parts(graph, part, parts);
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / parts;
  const auto heaviest = static_cast<double>(
      *std::max_element(graph.vertex_weight.begin(), graph.vertex_weight.end()));
  EXPECT_LE(*std::max_element(weights.begin(), weights.end()), 1.1 * mean + heaviest);
}

std::int64_t cut_of(const WeightedGraph& graph, const std::vector<int>& part) {
  std::int64_t cut = 0;
  for (std::size_t v = 0; v < part.size(); ++v)
    for (auto e = static_cast<std::size_t>(graph.start[v]);
         e < static_cast<std::size_t>(graph.start[v + 1]); ++e)
      if (part[v] != part[static_cast<std::size_t>(graph.neighbour[e])])
        cut += graph.edge_weight[e];
  return cut / 2;
}

TEST(MetisParts, OfOnePartIsThatPart) {
  EXPECT_EQ(metis_parts(grid(4, 4), 1), std::vector<int>(16, 0));
}

TEST(MetisParts, OfNothingIsNothing) {
  for (const int parts : {1, 2, 7}) EXPECT_TRUE(metis_parts(make_graph({}, {}), parts).empty());
}

TEST(MetisParts, OfOneVertexIsTheFirstPart) {
  for (const int parts : {1, 2, 7})
    EXPECT_EQ(metis_parts(make_graph({5}, {}), parts), std::vector<int>{0});
}

TEST(MetisParts, OfAtMostAsManyVerticesAsPartsIsOneEach) {
  const WeightedGraph graph = grid(3, 2);
  for (const int parts : {6, 7, 1000})
    EXPECT_EQ(metis_parts(graph, parts), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(MetisParts, OfFewVerticesAreSoundForEveryNumberOfParts) {
  for (std::int64_t height = 1; height <= 6; ++height)
    for (int parts = 2; parts <= 5 * height; ++parts) {
      SCOPED_TRACE(testing::Message() << 5 * height << " vertices, " << parts << " parts");
      const WeightedGraph graph = grid(5, height);
      expect_balance(graph, expect_parts(graph, parts), parts);
    }
}

TEST(MetisParts, WithoutEdgesAreCutByWeightInOrder) {
  const WeightedGraph graph = make_graph({4, 1, 1, 1, 1, 2, 2}, {{2, 2, 9}});

  EXPECT_TRUE(graph.neighbour.empty());  // from a vertex to itself is no edge
  EXPECT_EQ(expect_parts(graph, 3), (std::vector<int>{0, 1, 1, 1, 1, 2, 2}));
}

TEST(MetisParts, AreCompactAndBalanced) {
  const WeightedGraph graph = grid(40, 40);
  for (const int parts : {2, 3, 4, 7, 16}) {
    SCOPED_TRACE(parts);
    const std::vector<int> part = expect_parts(graph, parts);
    expect_balance(graph, part, parts);
    // as much as squares of this area, and half as much again
    EXPECT_LE(cut_of(graph, part), 1.5 * 3 * 2 * 40 * std::sqrt(parts));
  }
}

TEST(MetisParts, OfMoreTriesCutNoMore) {
  const WeightedGraph graph = grid(40, 40);
  for (const int parts : {3, 7, 16}) {
    const std::vector<int> part = metis_parts(graph, parts, 10);
    expect_balance(graph, part, parts);
    EXPECT_LE(cut_of(graph, part), cut_of(graph, metis_parts(graph, parts)));
  }
}

TEST(CutWeight, IsThatOfEdgesBetweenParts) {
  const WeightedGraph graph = make_graph({1, 1, 1}, {{0, 1, 5}, {1, 2, 7}, {2, 0, 11}});
  EXPECT_EQ(cut_weight(graph, {0, 0, 0}), 0);
  EXPECT_EQ(cut_weight(graph, {0, 0, 1}), 18);
  EXPECT_EQ(cut_weight(graph, {0, 1, 2}), 23);
}

TEST(MetisParts, OfIslandsAreBalanced) {
  std::vector<WeightedEdge> edges;
  for (std::int64_t island = 0; island < 30; ++island)
    for (const WeightedEdge& edge : grid_edges(5, 4, 3, 20 * island)) edges.push_back(edge);
  // and 100 vertices that nothing binds
  const WeightedGraph graph = make_graph(Weights(700, 1), edges);
  for (const int parts : {2, 3, 8}) {
    SCOPED_TRACE(parts);
    expect_balance(graph, expect_parts(graph, parts), parts);
  }
}

class ExtremeWeights : public testing::TestWithParam<std::int64_t> {};

TEST_P(ExtremeWeights, OfVerticesAreBalancedUpToOneVertex) {
  WeightedGraph graph = grid(20, 20);
  for (std::size_t v = 0; v < graph.vertex_weight.size(); v += 10)
    graph.vertex_weight[v] = GetParam();
  for (const int parts : {2, 3, 8}) {
    SCOPED_TRACE(parts);
    expect_balance(graph, expect_parts(graph, parts), parts);
  }
}

TEST_P(ExtremeWeights, OfOneVertexLeaveTheOthersToTheOtherParts) {
  WeightedGraph graph = grid(20, 20);
  graph.vertex_weight[210] = GetParam();
  for (const int parts : {2, 3}) {
    SCOPED_TRACE(parts);
    expect_balance(graph, expect_parts(graph, parts), parts);
  }
}

TEST_P(ExtremeWeights, OfEdgesAreNotCut) {
  std::vector<WeightedEdge> edges = grid_edges(20, 20, 1);
  for (WeightedEdge& edge : edges)
    if (edge.b == edge.a + 1 && edge.a % 2 == 0) edge.weight = GetParam();  // pairs of vertices
  const WeightedGraph graph = make_graph(Weights(400, 1), edges);
  for (const int parts : {2, 3, 8}) {
    SCOPED_TRACE(parts);
    const std::vector<int> part = expect_parts(graph, parts);
    expect_balance(graph, part, parts);
    for (std::size_t v = 0; v < part.size(); v += 2) EXPECT_EQ(part[v], part[v + 1]);
  }
}

// the last but one: 400 of them are beyond 32 bits when added; the last: each of them is
INSTANTIATE_TEST_SUITE_P(Ratios, ExtremeWeights,
                         testing::Values(55, 1000, 1000000000, 1000000000000));

TEST(FitsMetis, EndsAtAQuarterOfWhatItsIndicesHold) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 4;
  EXPECT_TRUE(fits_metis(0, 0));
  EXPECT_TRUE(fits_metis(most, most));
  EXPECT_FALSE(fits_metis(most + 1, 2));
  EXPECT_FALSE(fits_metis(2, most + 1));
  // what would come out as small numbers in 32 bits
  EXPECT_FALSE(fits_metis((std::int64_t{1} << 32) + 5, 2));
  EXPECT_FALSE(fits_metis(5, (std::int64_t{1} << 32) + 2));
}

TEST(CutByWeight, PartsInOrderOfAboutTheSameWeight) {
  Weights weights;
  KeyedRandom random(1, 0, 0);
  for (int i = 0; i < 1000; ++i) weights.push_back(1 + static_cast<std::int64_t>(random.below(9)));
  for (const int parts : {1, 2, 7, 16}) {
    const std::vector<int> part = cut_by_weight(weights, parts);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    EXPECT_EQ(part.back(), parts - 1);
    expect_balance(make_graph(weights, {}), part, parts);
  }
}

TEST(CutByWeight, OfWeightsBeyond32BitsOrOfNone) {
  EXPECT_EQ(cut_by_weight(Weights(4, std::int64_t{1} << 60), 2), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(cut_by_weight(Weights(3, 0), 2), (std::vector<int>{0, 0, 0}));
  EXPECT_TRUE(cut_by_weight({}, 2).empty());
}

TEST(MakeGraph, EdgesInAnyOrderAndMoreThanOnceAreAdded) {
  const WeightedGraph graph =
      make_graph({1, 2, 3, 4}, {{2, 0, 5}, {0, 1, 1}, {1, 1, 7}, {0, 2, 6}, {1, 0, 2}});

  EXPECT_EQ(graph.vertex_count(), 4);
  EXPECT_EQ(graph.vertex_weight, (Weights{1, 2, 3, 4}));
  EXPECT_EQ(graph.start, (Weights{0, 2, 3, 4, 4}));
  EXPECT_EQ(graph.neighbour, (Weights{1, 2, 0, 0}));
  EXPECT_EQ(graph.edge_weight, (Weights{3, 11, 3, 11}));
}

}  // namespace
}  // namespace talus
