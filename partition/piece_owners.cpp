#include "piece_owners.hpp"

#include "talus/core/error.hpp"

#include "model/detection.hpp"
#include "partition/balance.hpp"
#include "partition/planned_owners.hpp"
#include "partition/world_share.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace talus {
namespace {

/// Neighbours on the curve are neighbours in space, and bodies that do not touch yet may do so
/// soon: without this METIS would scatter pieces that nothing binds.
constexpr std::int64_t rows_along_curve = 1;
/// One try by METIS is up to a tenth above the best of ten: by that luck alone, bodies would move.
/// Of many pieces a try takes long, and luck evens out.
int tries_for(std::size_t pieces) {
  return static_cast<int>(std::clamp<std::size_t>(20000 / std::max<std::size_t>(1, pieces), 1, 10));
}
constexpr std::int64_t tolerated = 8;  // a cut may be by this part above the least

std::vector<WeightedEdge> edges_with_curve(const PieceGraph& graph) {
  std::vector<WeightedEdge> edges = graph.edges;
  for (std::size_t i = 1; i < graph.weight.size(); ++i)
    edges.push_back(
        {static_cast<std::int64_t>(i) - 1, static_cast<std::int64_t>(i), rows_along_curve});
  return edges;
}

/// Each pair of piece and rank once: what follows depends on sums, not on who gave the terms.
std::vector<Overlap> merged(const std::vector<Overlap>& overlaps) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sums;
  for (const Overlap& overlap : overlaps) sums[{overlap.piece, overlap.rank}] += overlap.weight;
  std::vector<Overlap> each_once;
  for (const auto& [pair, weight] : sums) each_once.push_back({pair.first, pair.second, weight});
  return each_once;
}

/// METIS with a vertex per rank as an anchor, bound to the pieces that the rank owns now
/// [Catalyurek07]. All of these bonds weigh as much as all rows between pieces: a cut that moves
/// less is as good as one that parts less.
std::vector<int> anchored_parts(const PieceGraph& graph, std::vector<WeightedEdge> edges,
                                const std::vector<Overlap>& now, int ranks) {
  std::int64_t rows = 0, owned = 0;
  for (const WeightedEdge& edge : edges) rows += edge.weight;
  for (const Overlap& overlap : now) owned += overlap.weight;
  const double rows_per_weight = static_cast<double>(rows) / static_cast<double>(owned);
  const auto pieces = static_cast<std::int64_t>(graph.weight.size());
  for (const Overlap& overlap : now) {
    const double bond = static_cast<double>(overlap.weight) * rows_per_weight;
    edges.push_back(
        {overlap.piece, pieces + overlap.rank, std::max<std::int64_t>(1, std::llround(bond))});
  }
  std::vector<std::int64_t> weight = graph.weight;
  weight.insert(weight.end(), static_cast<std::size_t>(ranks), 1);
  std::vector<int> part =
      metis_parts(make_graph(std::move(weight), edges), ranks, tries_for(graph.weight.size()));
  part.resize(graph.weight.size());
  return part;
}

/// Pieces with their new ranks, and what that costs.
struct Candidate {
  PieceOwners made;
  std::int64_t cut = 0, moved = 0;
};

Candidate candidate_of(OwnerKind kind, const std::vector<int>& part, const WeightedGraph& plain,
                       const std::vector<Overlap>& now, int ranks) {
  Candidate candidate{{kind, {}}, cut_weight(plain, part), 0};
  const std::vector<int> rank_of = matched_ranks(part, now, ranks);
  for (const int p : part) candidate.made.owner.push_back(rank_of[p]);
  for (const Overlap& overlap : now)
    if (candidate.made.owner[overlap.piece] != overlap.rank) candidate.moved += overlap.weight;
  return candidate;
}

}  // namespace

std::vector<int> matched_ranks(const std::vector<int>& part_of_piece,
                               const std::vector<Overlap>& now, int ranks) {
  std::map<std::pair<int, std::int64_t>, std::int64_t> together;
  for (const Overlap& overlap : now)
    together[{part_of_piece[overlap.piece], overlap.rank}] += overlap.weight;
  std::vector<std::pair<std::pair<int, std::int64_t>, std::int64_t>> pairs(together.begin(),
                                                                           together.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  std::vector<int> rank_of(static_cast<std::size_t>(ranks), -1);
  std::vector<char> taken(static_cast<std::size_t>(ranks), 0);
  for (const auto& [pair, weight] : pairs) {
    int& rank = rank_of[pair.first];
    char& is_taken = taken[pair.second];
    if (rank >= 0 || is_taken != 0) continue;
    rank = static_cast<int>(pair.second);
    is_taken = 1;
  }
  auto free = taken.begin();
  for (int& rank : rank_of) {
    if (rank >= 0) continue;
    free = std::find(free, taken.end(), 0);
    rank = static_cast<int>(free++ - taken.begin());
  }
  return rank_of;
}

PieceOwners owners_of_pieces(const PieceGraph& graph, int ranks, OwnerKind wanted) {
  const std::vector<Overlap> now = merged(graph.now);
  const std::vector<WeightedEdge> edges = edges_with_curve(graph);
  const WeightedGraph plain = make_graph(graph.weight, edges);
  std::vector<Candidate> candidates;
  const auto add = [&](OwnerKind kind, const std::vector<int>& part) {
    candidates.push_back(candidate_of(kind, part, plain, now, ranks));
  };
  add(OwnerKind::Hilbert, cut_by_weight(graph.weight, ranks));
  if (wanted == OwnerKind::Metis && graph.weight.size() > static_cast<std::size_t>(ranks)) {
    add(OwnerKind::Metis, metis_parts(plain, ranks, tries_for(graph.weight.size())));
    if (!now.empty()) add(OwnerKind::Metis, anchored_parts(graph, edges, now, ranks));
  }
  const auto least =
      std::min_element(candidates.begin(), candidates.end(),
                       [](const Candidate& x, const Candidate& y) { return x.cut < y.cut; });
  if (now.empty()) return least->made;
  const std::int64_t good_enough = least->cut + least->cut / tolerated;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& x, const Candidate& y) {
                     return x.moved != y.moved ? x.moved < y.moved : x.cut < y.cut;
                   });
  return std::find_if(candidates.begin(), candidates.end(),
                      [&](const Candidate& candidate) { return candidate.cut <= good_enough; })
      ->made;
}

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
