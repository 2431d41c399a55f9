#pragma once
// Which rank owns which body.

#include "partition/distribute.hpp"

#include <string>
#include <vector>

namespace talus {

enum class PartitionKind {
  Metis,    ///< fewest rows between parts of equal weight
  Hilbert,  ///< cut of the Hilbert curve through the bodies
  Blocks,   ///< the order of the problem, cut by weight
  Random,   ///< the worst case: for tests
  File      ///< one rank per body, in the order of the problem
};

struct PartitionOptions {
  PartitionKind kind = PartitionKind::Metis;
  std::uint64_t seed = 1;  ///< of Random
  std::string path;        ///< of File
  /// Above so many bodies the graph is that of cells, so that no rank holds the graph of all
  /// bodies.
  GlobalId most_bodies_in_graph = 100000;
};

/// metis | hilbert | blocks | random:SEED | file:PATH. Throws InputError with what is allowed.
PartitionOptions parse_partition(const std::string& text);

/// The owner of every body of this rank's slice. Collective; the same answer for the same problem
/// and number of ranks.
std::vector<int> partition_bodies(const Communicator& comm, const BodySlice& slice,
                                  const PartitionOptions& options);

/// One rank per line, in the order of the problem; what file:PATH reads. Collective; rank 0 writes.
std::string partition_text(const Communicator& comm, const std::vector<int>& owner);

/// How good a partition is. Collective.
struct PartitionQuality {
  GlobalId cut_rows = 0;        ///< rows between bodies of different ranks
  double imbalance = 1.0;       ///< largest over mean work of a rank
  double boundary_share = 0.0;  ///< owned bodies that another rank needs
  double mirrored_share = 0.0;  ///< mirrored rows over owned rows
  Index most_neighbours = 0;
};
PartitionQuality quality_of(const Communicator& comm, const BodyPart& part);

}  // namespace talus
