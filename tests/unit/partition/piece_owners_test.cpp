// Pieces of a curve distributed to ranks: the plain way where the answer is known by hand, all
// permutations where few ranks are matched.

#include "piece_owners.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace talus {
namespace {

using Owners = std::vector<int>;

/// Weight that stays on its rank.
std::int64_t kept(const Owners& part, const Owners& rank_of, const std::vector<Overlap>& now) {
  std::int64_t weight = 0;
  for (const Overlap& o : now)
    if (rank_of[static_cast<std::size_t>(part[static_cast<std::size_t>(o.piece)])] == o.rank)
      weight += o.weight;
  return weight;
}

std::vector<int> load_of(const std::vector<std::int64_t>& weight, const Owners& owner, int ranks) {
  std::vector<int> load(static_cast<std::size_t>(ranks), 0);
  for (std::size_t i = 0; i < owner.size(); ++i)
    load[static_cast<std::size_t>(owner[i])] += static_cast<int>(weight[i]);
  return load;
}

TEST(MatchedRanks, AreThoseOfBeforeWhereOnlyTheNamesDiffer) {
  const std::vector<Overlap> now{{0, 2, 5}, {1, 2, 6}, {2, 0, 5}, {3, 1, 4}};
  EXPECT_EQ(matched_ranks({0, 0, 1, 2}, now, 3), (Owners{2, 0, 1}));
}

TEST(MatchedRanks, TakeTheLargestOverlapFirst) {
  // part 0 meets ranks 0 and 1, part 1 meets rank 0 alone, more of it
  const std::vector<Overlap> now{{0, 0, 5}, {0, 1, 4}, {1, 0, 6}};
  EXPECT_EQ(matched_ranks({0, 1}, now, 2), (Owners{1, 0}));
}

TEST(MatchedRanks, OfWhatNobodyOwnsAreInOrder) {
  EXPECT_EQ(matched_ranks({0, 1, 2}, {}, 3), (Owners{0, 1, 2}));
  EXPECT_EQ(matched_ranks({0, 1, 2}, {{1, 0, 1}}, 4), (Owners{1, 0, 2, 3}));
}

TEST(MatchedRanks, KeepAtLeastHalfOfWhatAnyMatchingKeeps) {
  constexpr int ranks = 5;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Owners part;
    std::vector<Overlap> now;
    for (std::int64_t piece = 0; piece < 30; ++piece) {
      KeyedRandom random(seed, static_cast<std::uint64_t>(piece), 0);
      part.push_back(static_cast<int>(random.below(ranks)));
      for (int k = 0; k < 3; ++k)
        now.push_back({piece, static_cast<std::int64_t>(random.below(ranks)),
                       1 + static_cast<std::int64_t>(random.below(20))});
    }
    Owners rank_of = matched_ranks(part, now, ranks);
    Owners any(ranks);
    std::iota(any.begin(), any.end(), 0);
    std::int64_t most = 0;
    do most = std::max(most, kept(part, any, now));
    while (std::next_permutation(any.begin(), any.end()));

    EXPECT_GE(2 * kept(part, rank_of, now), most);
    std::sort(rank_of.begin(), rank_of.end());
    EXPECT_EQ(rank_of, (Owners{0, 1, 2, 3, 4}));
  }
}

/// Pieces in a row, folded: piece i lies beside piece 2 n - 1 - i. Cut along the curve, the halves
/// have n pieces side by side; cut across, two.
PieceGraph hairpin(std::int64_t n) {
  PieceGraph graph;
  graph.weight.assign(static_cast<std::size_t>(2 * n), 10);
  for (std::int64_t i = 0; i < n; ++i) graph.edges.push_back({i, 2 * n - 1 - i, 9});
  for (std::int64_t i = 1; i < 2 * n; ++i) graph.edges.push_back({i - 1, i, 9});
  return graph;
}

TEST(OwnersOfPieces, AreThoseOfMetisWhereItCutsLess) {
  const PieceOwners made = owners_of_pieces(hairpin(20), 2, OwnerKind::Metis);

  EXPECT_EQ(made.kind, OwnerKind::Metis);
  int cut = 0;
  for (const WeightedEdge& e : hairpin(20).edges)
    cut += made.owner[static_cast<std::size_t>(e.a)] != made.owner[static_cast<std::size_t>(e.b)];
  EXPECT_EQ(cut, 2);
  EXPECT_EQ(load_of(hairpin(20).weight, made.owner, 2), (std::vector<int>{200, 200}));
}

TEST(OwnersOfPieces, AreThoseOfTheCurveWhereAsked) {
  const PieceOwners made = owners_of_pieces(hairpin(20), 2, OwnerKind::Hilbert);

  EXPECT_EQ(made.kind, OwnerKind::Hilbert);
  EXPECT_TRUE(std::is_sorted(made.owner.begin(), made.owner.end()));
  EXPECT_EQ(load_of(hairpin(20).weight, made.owner, 2), (std::vector<int>{200, 200}));
}

TEST(OwnersOfPieces, AreThoseOfTheCurveWhereMetisCutsNoLess) {
  PieceGraph row = hairpin(0);
  row.weight.assign(40, 10);
  for (std::int64_t i = 1; i < 40; ++i) row.edges.push_back({i - 1, i, 9});
  for (const int ranks : {2, 4}) {
    const PieceOwners made = owners_of_pieces(row, ranks, OwnerKind::Metis);
    EXPECT_EQ(made.kind, OwnerKind::Hilbert);
    EXPECT_EQ(load_of(row.weight, made.owner, ranks),
              std::vector<int>(static_cast<std::size_t>(ranks), 400 / ranks));
  }
}

TEST(OwnersOfPieces, WithoutEdgesAreNeighboursOnTheCurve) {
  PieceGraph loose;
  loose.weight.assign(300, 1);
  const PieceOwners made = owners_of_pieces(loose, 3, OwnerKind::Metis);
  EXPECT_TRUE(std::is_sorted(made.owner.begin(), made.owner.end()));
  EXPECT_EQ(load_of(loose.weight, made.owner, 3), (std::vector<int>{100, 100, 100}));
}

TEST(OwnersOfPieces, DoNotDependOnTheOrderInWhichRanksTell) {
  PieceGraph graph = hairpin(60);
  for (std::int64_t i = 0; i < 120; ++i)
    for (int k = 0; k < 3; ++k) graph.now.push_back({i, i / 40, 1 + (i * 5 + k) % 7});
  const PieceOwners made = owners_of_pieces(graph, 3, OwnerKind::Metis);
  // the other way round, and in pieces of one
  PieceGraph told;
  told.weight = graph.weight;
  for (const WeightedEdge& e : graph.edges)
    for (int k = 0; k < 9; ++k) told.edges.push_back({e.b, e.a, 1});
  for (const Overlap& o : graph.now)
    for (std::int64_t k = 0; k < o.weight; ++k) told.now.push_back({o.piece, o.rank, 1});
  std::reverse(told.edges.begin(), told.edges.end());
  std::reverse(told.now.begin(), told.now.end());

  EXPECT_EQ(owners_of_pieces(told, 3, OwnerKind::Metis).owner, made.owner);
}

TEST(OwnersOfPieces, StayWhereTheyAreWhereThatIsGood) {
  // owned as METIS would cut, by ranks of other names
  PieceGraph graph = hairpin(20);
  Owners before;
  for (std::int64_t i = 0; i < 40; ++i) {
    before.push_back(10 <= i && i < 30 ? 0 : 1);
    graph.now.push_back({i, before.back(), 10});
  }
  EXPECT_EQ(owners_of_pieces(graph, 2, OwnerKind::Metis).owner, before);
}

TEST(OwnersOfPieces, GoToRanksThatHadNothing) {
  PieceGraph graph = hairpin(20);
  for (std::int64_t i = 0; i < 40; ++i) graph.now.push_back({i, 3, 10});  // all on rank 3
  const PieceOwners made = owners_of_pieces(graph, 4, OwnerKind::Metis);
  for (const int load : load_of(graph.weight, made.owner, 4)) EXPECT_NEAR(load, 100, 10);
}

TEST(OwnersOfPieces, OfFewerPiecesThanRanksAreOneEach) {
  PieceGraph graph;
  graph.weight = {5, 5, 5};
  Owners owner = owners_of_pieces(graph, 8, OwnerKind::Metis).owner;
  std::sort(owner.begin(), owner.end());
  EXPECT_EQ(std::unique(owner.begin(), owner.end()), owner.end());
}

}  // namespace
}  // namespace talus
