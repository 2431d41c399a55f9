#pragma once
// How bodies of a simulation are shared out among ranks.

#include <cstdint>

namespace talus {

enum class OwnerKind {
  Metis,    ///< fewest rows between ranks of equal weight, where that is better than Hilbert
  Hilbert,  ///< every rank a piece of the curve
  Random    ///< by the id, wherever the body is: the worst case, for tests
};

struct BalanceOptions {
  OwnerKind kind = OwnerKind::Metis;
  std::uint64_t seed = 1;    ///< of Random
  int cells_per_rank = 100;  ///< pieces of the curve that METIS distributes: it balances to 1 %
  /// With more pieces than this the map is Hilbert's: rank 0 holds their graph.
  std::int64_t most_cells_in_graph = 100000;
};

}  // namespace talus
