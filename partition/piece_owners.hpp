#pragma once
// Pieces of a curve distributed to ranks: the part of a cell map that one rank works out for all.

#include "metis_parts.hpp"
#include "partition/cell_map.hpp"

#include <cstdint>
#include <vector>

namespace talus {

/// How much of a piece a rank owns now.
struct Overlap {
  std::int64_t piece = 0, rank = 0, weight = 0;
};

/// Pieces in the order of the curve.
struct PieceGraph {
  std::vector<std::int64_t> weight;
  std::vector<WeightedEdge> edges;  ///< rows between pieces, in any order and more than once
  std::vector<Overlap> now;         ///< in any order and more than once; none: nothing is owned yet
};

struct PieceOwners {
  OwnerKind kind = OwnerKind::Hilbert;
  std::vector<int> owner;  ///< rank of every piece
};

/// `wanted` Hilbert: one piece of the curve per rank. `wanted` Metis: of that, METIS's cut, and one
/// that METIS makes for few moves, the cut with the fewest rows; or, where pieces are owned now, of
/// those with at most an eighth more than the fewest the one that moves least.
PieceOwners owners_of_pieces(const PieceGraph& graph, int ranks, OwnerKind wanted);

/// The rank of every part, so that parts meet ranks that own much of them: the pair with the
/// largest overlap first, each part and rank once [Oliker98]. The rest in order.
std::vector<int> matched_ranks(const std::vector<int>& part_of_piece,
                               const std::vector<Overlap>& now, int ranks);

}  // namespace talus
