// Blocks of independent rows, on graphs made to be hard to colour; every property is counted anew,
// pair by pair.

#include "solvers/row_blocks.hpp"

#include "generate/random.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace talus {
namespace {

struct Graph {
  const char* name;
  Index bodies;
  std::vector<MovedBodies> moved;  // per row
};

/// A third of the rows at one body only, some at none.
Graph random_graph(std::uint64_t seed) {
  Graph graph{"random", 40, {}};
  KeyedRandom random(seed, 0, 0);
  const auto body = [&](double of_none) {
    return random.chance(of_none) ? no_body : static_cast<Index>(random.below(40));
  };
  for (int row = 0; row < 150; ++row) graph.moved.push_back({body(0.1), body(0.3)});
  return graph;
}

std::vector<Graph> hard_graphs() {
  Graph chain{"chain", 61, {}}, star{"star", 60, {}}, clique{"clique", 12, {}},
      hub{"two hub bodies", 70, {}}, repeated{"one pair of bodies", 2, {}},
      islands{"islands", 120, {}}, nothing{"rows that move nothing", 1, {}};
  for (Index b = 0; b < 60; ++b) chain.moved.push_back({b, b + 1});
  for (Index b = 1; b < 60; ++b) star.moved.push_back({b % 2 == 0 ? 0 : b, b % 2 == 0 ? b : 0});
  for (Index a = 0; a < 12; ++a)
    for (Index b = 0; b < a; ++b) clique.moved.push_back({a, b});
  for (Index b = 2; b < 69; ++b) {
    hub.moved.push_back({b, b + 1});
    hub.moved.push_back({b % 3 == 0 ? 1 : 0, b});
  }
  hub.moved.push_back({0, 1});
  for (int row = 0; row < 50; ++row) repeated.moved.push_back({0, 1});
  for (Index b = 0; b < 120; b += 2) islands.moved.push_back({b, b + 1});
  for (int row = 0; row < 30; ++row) nothing.moved.push_back({no_body, no_body});
  return {chain,
          star,
          clique,
          hub,
          repeated,
          islands,
          nothing,
          random_graph(1),
          random_graph(2),
          {"no rows", 3, {}},
          {"one row", 3, {{2, no_body}}},
          {"a row at one body twice", 1, {{0, 0}}}};
}

/// Numbers in an order that has nothing to do with the graph.
std::vector<Index> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> key;
  for (std::size_t row = 0; row < count; ++row)
    key.push_back(KeyedRandom(seed, row, 0).uniform(0.0, 1.0));
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  });
  return order;
}

bool share_a_body(const MovedBodies& a, const MovedBodies& b) {
  return std::any_of(a.begin(), a.end(), [&](Index body) {
    return body != no_body && std::find(b.begin(), b.end(), body) != b.end();
  });
}

/// The block and the colour of each place.
struct Places {
  std::vector<std::size_t> block, colour;
};

Places places_of(const RowBlocks& rows) {
  Places places;
  for (std::size_t colour = 0; colour < rows.colour_end.size(); ++colour)
    for (std::size_t b = rows.colour_begin(colour); b < rows.colour_end[colour]; ++b)
      for (std::size_t k = rows.block_begin(b); k < rows.block_end[b]; ++k) {
        places.block.push_back(b);
        places.colour.push_back(colour);
      }
  return places;
}

TEST(IndependentBlocks, HaveEveryRowOnce) {
  for (const Graph& graph : hard_graphs())
    for (const Index block_rows : {1, 5, 8, 1000}) {
      const RowBlocks rows = independent_blocks(shuffled(graph.moved.size(), 3), graph.moved,
                                                graph.bodies, block_rows);

      std::vector<Index> sorted = rows.order, all(graph.moved.size());
      std::sort(sorted.begin(), sorted.end());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(sorted, all) << graph.name;
      const Places places = places_of(rows);
      EXPECT_EQ(places.block.size(), rows.order.size()) << graph.name;
    }
}

TEST(IndependentBlocks, OfAColourShareNoBody) {
  for (const Graph& graph : hard_graphs())
    for (const Index block_rows : {1, 5, 8}) {
      const RowBlocks rows = independent_blocks(shuffled(graph.moved.size(), 4), graph.moved,
                                                graph.bodies, block_rows);

      const Places places = places_of(rows);
      int conflicts = 0;
      for (std::size_t i = 0; i < rows.order.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (places.colour[i] == places.colour[j] && places.block[i] != places.block[j] &&
              share_a_body(graph.moved[static_cast<std::size_t>(rows.order[i])],
                           graph.moved[static_cast<std::size_t>(rows.order[j])]))
            ++conflicts;
      EXPECT_EQ(conflicts, 0) << graph.name << " in blocks of " << block_rows;
    }
}

TEST(IndependentBlocks, KeepTheGivenOrderInside) {
  for (const Graph& graph : hard_graphs()) {
    const std::vector<Index> order = shuffled(graph.moved.size(), 5);
    std::vector<std::size_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[static_cast<std::size_t>(order[k])] = k;

    const RowBlocks rows = independent_blocks(order, graph.moved, graph.bodies, 8);

    for (std::size_t b = 0; b < rows.block_end.size(); ++b)
      for (std::size_t k = rows.block_begin(b) + 1; k < rows.block_end[b]; ++k)
        EXPECT_LT(place[static_cast<std::size_t>(rows.order[k - 1])],
                  place[static_cast<std::size_t>(rows.order[k])])
            << graph.name;
  }
}

TEST(IndependentBlocks, AreOneBlockInTheGivenOrderIfLargeEnough) {
  const Graph graph = random_graph(6);
  const std::vector<Index> order = shuffled(graph.moved.size(), 6);

  const RowBlocks rows =
      independent_blocks(order, graph.moved, graph.bodies, static_cast<Index>(graph.moved.size()));

  EXPECT_EQ(rows.order, order);
  EXPECT_EQ(rows.block_end.size(), 1U);
  EXPECT_EQ(one_block(order).order, order);
  EXPECT_EQ(one_block(order).block_end, rows.block_end);
  EXPECT_EQ(one_block(order).colour_end, rows.colour_end);
}

/// A square lattice: bodies at its points, rows on its edges.
Graph lattice(Index side) {
  Graph graph{"lattice", side * side, {}};
  for (Index i = 0; i < side; ++i)
    for (Index j = 0; j < side; ++j) {
      if (i + 1 < side) graph.moved.push_back({side * i + j, side * (i + 1) + j});
      if (j + 1 < side) graph.moved.push_back({side * i + j, side * i + j + 1});
    }
  return graph;
}

// What makes threads worth their while: blocks of neighbours, few colours, equal shares.
TEST(IndependentBlocks, NeedFewColoursHoweverRowsAreNumbered) {
  const Graph graph = lattice(60);

  for (const std::uint64_t seed : {7, 8}) {
    const RowBlocks rows =
        independent_blocks(shuffled(graph.moved.size(), seed), graph.moved, graph.bodies, 40);

    EXPECT_LE(rows.block_end.size(), graph.moved.size() / 40 + 1);  // all full but the last
    EXPECT_LE(rows.colour_end.size(), 8U);
    std::size_t slots = 0;  // of four threads, idle ones included
    for (std::size_t c = 0; c < rows.colour_end.size(); ++c)
      slots += (rows.colour_end[c] - rows.colour_begin(c) + 3) / 4 * 4;
    EXPECT_LE(static_cast<double>(slots), 1.15 * static_cast<double>(rows.block_end.size()));
  }
}

TEST(IndependentBlocks, OfAHubBodyTieNoOthersTogether) {
  Graph graph = lattice(40);
  const Index drum = graph.bodies++;
  for (Index b = 0; b < drum; b += 4) graph.moved.push_back({drum, b});

  const RowBlocks rows =
      independent_blocks(shuffled(graph.moved.size(), 9), graph.moved, graph.bodies, 40);

  EXPECT_LE(rows.colour_end.size(), 13U);
  std::vector<std::size_t> at_drum;  // blocks
  const Places places = places_of(rows);
  for (std::size_t k = 0; k < rows.order.size(); ++k)
    if (graph.moved[static_cast<std::size_t>(rows.order[k])][0] == drum)
      at_drum.push_back(places.block[k]);
  EXPECT_EQ(at_drum.size(), 400U);
  EXPECT_EQ(std::count(at_drum.begin(), at_drum.end(), at_drum.front()), 400);
}

TEST(RowsPerBlock, MakeOneBlockOfFewRowsAndManyOfMany) {
  EXPECT_EQ(rows_per_block(0, 64), 1);
  EXPECT_EQ(rows_per_block(4095, 64), 4095);
  EXPECT_EQ(rows_per_block(4096, 64), 64);
  EXPECT_EQ(rows_per_block(128 * 256, 64), 128);
  EXPECT_EQ(rows_per_block(2000000000, 64), 256);
}

TEST(ForEachInBlocks, GoesForthAndBack) {
  const Graph graph = lattice(20);
  const RowBlocks rows =
      independent_blocks(shuffled(graph.moved.size(), 10), graph.moved, graph.bodies, 30);
  std::vector<std::size_t> forth, back;

  for_each_in_blocks(rows, true, [&](std::size_t k) { forth.push_back(k); });
  for_each_in_blocks(rows, false, [&](std::size_t k) { back.push_back(k); });

  std::vector<std::size_t> all(rows.order.size());
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(forth, all);  // one thread takes the blocks in turn
  std::vector<std::size_t> colours;
  const Places places = places_of(rows);
  for (const std::size_t k : back) colours.push_back(places.colour[k]);
  EXPECT_TRUE(std::is_sorted(colours.rbegin(), colours.rend()));
  std::sort(back.begin(), back.end());
  EXPECT_EQ(back, all);
}

/// Who is at each body during a sweep by a team, and how often rows were visited.
class Watch {
 public:
  Watch(const Graph& graph, const RowBlocks& rows)
      : graph_(graph),
        rows_(rows),
        at_work_(static_cast<std::size_t>(graph.bodies)),
        visits_(rows.order.size()) {}

  /// Whether a thread had the last row.
  bool sweep(bool forward) {
    return any_of_team([&] {
      bool last = false;
      for_each_in_blocks(rows_, forward, [&](std::size_t k) {
        visit(k);
        last = last || k + 1 == rows_.order.size();
      });
      return last;
    });
  }

  int clashes() const { return clashes_; }
  bool all_visited(int times) const {
    return std::all_of(visits_.begin(), visits_.end(), [&](const auto& v) { return v == times; });
  }

 private:
  void visit(std::size_t k) {
    const MovedBodies& pair = graph_.moved[static_cast<std::size_t>(rows_.order[k])];
    for (const Index body : pair)
      if (at_work_[static_cast<std::size_t>(body)]++ != 0) ++clashes_;
    ++visits_[k];
    for (const Index body : pair) --at_work_[static_cast<std::size_t>(body)];
  }

  const Graph& graph_;
  const RowBlocks& rows_;
  std::vector<std::atomic<int>> at_work_, visits_;
  std::atomic<int> clashes_ = 0;
};

TEST(ForEachInBlocks, NeverHasTwoThreadsAtOneBody) {
  const Graph graph = lattice(60);
  const RowBlocks rows =
      independent_blocks(shuffled(graph.moved.size(), 11), graph.moved, graph.bodies, 40);
  Watch watch(graph, rows);
  for (const int threads : {1, 2, 4}) {
    const support::ForcedThreads forced(threads);
    EXPECT_TRUE(watch.sweep(true));
    EXPECT_TRUE(watch.sweep(false));
  }

  EXPECT_EQ(watch.clashes(), 0);
  EXPECT_TRUE(watch.all_visited(6));
  EXPECT_FALSE(any_of_team([] { return false; }));
}

}  // namespace
}  // namespace talus
