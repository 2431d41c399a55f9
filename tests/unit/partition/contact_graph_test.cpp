#include "partition/contact_graph.hpp"

#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace talus {
namespace {

const Sym3 round_inertia{1.0, 0.0, 0.0, 1.0, 0.0, 1.0};

Index add_movable(BodyProblem& p) {
  return p.add_body({}, 1.0, round_inertia, {});
}

Index add_immovable(BodyProblem& p) {
  return p.add_body({}, 0.0, {}, {});
}

void touch(BodyProblem& p, Index a, Index b) {
  p.add_contact(a, b, {0.0, 0.0, 1.0}, {}, 0.5, {});
}

void join(BodyProblem& p, Index a, Index b) {
  p.add_joint_row(a, b, {1.0}, {-1.0}, 0.0);
}

/// The edges of a graph with their weights, each from both ends.
std::map<std::pair<Index, Index>, Index> edges_of(const ContactGraph& graph) {
  std::map<std::pair<Index, Index>, Index> edges;
  for (Index v = 0; v < graph.vertex_count(); ++v)
    for (auto e = static_cast<std::size_t>(graph.start[static_cast<std::size_t>(v)]);
         e < static_cast<std::size_t>(graph.start[static_cast<std::size_t>(v) + 1]); ++e)
      edges[{v, graph.neighbour[e]}] += graph.edge_weight[e];
  return edges;
}

using Edges = std::map<std::pair<Index, Index>, Index>;

TEST(ContactGraph, WeighsEdgesAndVerticesByTheirRows) {
  BodyProblem p;
  for (int i = 0; i < 3; ++i) add_movable(p);
  touch(p, 0, 1);
  touch(p, 1, 0);  // two contacts of one pair, in either direction
  join(p, 2, 1);
  touch(p, no_body, 2);

  const ContactGraph graph = make_contact_graph(p);

  EXPECT_EQ(graph.vertex_count(), 3);
  EXPECT_EQ(edges_of(graph), (Edges{{{0, 1}, 6}, {{1, 0}, 6}, {{1, 2}, 1}, {{2, 1}, 1}}));
  EXPECT_EQ(graph.vertex_weight, (std::vector<Index>{6, 7, 4}));  // the world's rows count too
  EXPECT_EQ(graph.movable, std::vector<bool>(3, true));
  EXPECT_EQ(graph.neighbour.size(), 4u);  // one edge for both contacts
}

TEST(ContactGraph, ImmovableBodiesBindNothing) {
  BodyProblem p;
  const Index a = add_movable(p), ground = add_immovable(p), b = add_movable(p);
  touch(p, ground, a);
  touch(p, ground, b);
  join(p, b, ground);

  const ContactGraph graph = make_contact_graph(p);

  EXPECT_TRUE(edges_of(graph).empty());
  EXPECT_EQ(graph.vertex_weight, (std::vector<Index>{3, 7, 4}));
  EXPECT_EQ(graph.movable, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(find_islands(graph).count, 2);
}

TEST(ContactGraph, BodiesThatOnlyTurnOrOnlyMoveAreMovable) {
  BodyProblem p;
  const Index wheel = p.add_body({}, 0.0, {0.0, 0.0, 0.0, 0.0, 0.0, 2.0}, {});
  const Index slider = p.add_body({}, 1.0, {}, {});
  touch(p, wheel, slider);

  const ContactGraph graph = make_contact_graph(p);

  EXPECT_EQ(edges_of(graph).size(), 2u);
  EXPECT_EQ(find_islands(graph).count, 1);
}

TEST(ContactGraph, NeighboursAscendAndEdgesStandAtBothEnds) {
  const BodyProblem p =
      support::random_bodies({.bodies = 40, .contacts = 120, .joints = 60, .immovable_body = true});

  const ContactGraph graph = make_contact_graph(p);

  const Edges edges = edges_of(graph);
  EXPECT_EQ(edges.size(), graph.neighbour.size());
  for (const auto& [ends, weight] : edges) EXPECT_EQ(edges.at({ends.second, ends.first}), weight);
  for (std::size_t v = 0; v < 40; ++v)
    EXPECT_TRUE(std::is_sorted(graph.neighbour.begin() + graph.start[v],
                               graph.neighbour.begin() + graph.start[v + 1]));
  // counted again, pair by pair
  Edges expected;
  const auto count = [&](Index a, Index b, Index rows) {
    if (a <= 0 || b <= 0) return;  // the world, and body 0, which nothing moves
    expected[{a, b}] += rows;
    expected[{b, a}] += rows;
  };
  for (std::size_t c = 0; c < 120; ++c) count(p.contact_body_a[c], p.contact_body_b[c], 3);
  for (std::size_t j = 0; j < 60; ++j) count(p.joint_body_a[j], p.joint_body_b[j], 1);
  EXPECT_EQ(edges, expected);
}

TEST(ContactGraph, OfNoBodiesIsEmpty) {
  const ContactGraph graph = make_contact_graph({});

  EXPECT_EQ(graph.vertex_count(), 0);
  EXPECT_EQ(graph.start, std::vector<std::int64_t>{0});
  EXPECT_EQ(find_islands(graph).count, 0);
  EXPECT_EQ(find_islands(graph).largest, 0);
}

TEST(Islands, AreGroupsThatNothingConnects) {
  BodyProblem p;
  for (int i = 0; i < 7; ++i) add_movable(p);
  const Index ground = add_immovable(p);
  touch(p, 0, 3);
  join(p, 3, 5);
  touch(p, 1, 4);
  for (Index i = 0; i < 7; ++i) touch(p, ground, i);  // all stand on the same ground

  const Islands islands = find_islands(make_contact_graph(p));

  EXPECT_EQ(islands.count, 4);  // {0, 3, 5}, {1, 4}, {2}, {6}
  EXPECT_EQ(islands.largest, 3);
  EXPECT_EQ(islands.island_of, (std::vector<Index>{0, 1, 2, 0, 1, 0, 3, -1}));
}

TEST(Islands, OfALongChainAreFoundWithoutRecursion) {
  BodyProblem p;
  constexpr Index length = 20000;
  for (Index i = 0; i < length; ++i) add_movable(p);
  for (Index i = 1; i < length; ++i) join(p, i - 1, i);

  const Islands islands = find_islands(make_contact_graph(p));

  EXPECT_EQ(islands.count, 1);
  EXPECT_EQ(islands.largest, length);
}

TEST(Islands, AreNoneWhereNothingMoves) {
  BodyProblem p;
  add_immovable(p);
  add_immovable(p);
  touch(p, 0, 1);

  const Islands islands = find_islands(make_contact_graph(p));

  EXPECT_EQ(islands.count, 0);
  EXPECT_EQ(islands.island_of, (std::vector<Index>{-1, -1}));
}

TEST(MostRowsOfABody, CountsContactsAndJointsOfEveryBody) {
  BodyProblem p;
  EXPECT_EQ(most_rows_of_a_body(p), 0);

  add_movable(p);
  EXPECT_EQ(most_rows_of_a_body(p), 0);

  const Index ground = add_immovable(p);
  touch(p, ground, 0);
  touch(p, no_body, ground);
  join(p, 0, no_body);
  EXPECT_EQ(most_rows_of_a_body(p), 6);  // of the ground; the other has 4
}

}  // namespace
}  // namespace talus
