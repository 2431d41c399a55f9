#pragma once
// Which rank owns which contact and bilateral row of a problem that is given by matrices.

#include "talus/problem/matrix_problem.hpp"

#include "partition/partition.hpp"
#include "problem/matrix_part.hpp"

namespace talus {

/// Metis: cones are vertices, blocks of W that are not zero are edges. For a general M, which
/// couples all cones anyway, and for Blocks: the order of the problem, cut by rows. Random: for
/// tests. Cones have no place in space and no bodies: the other kinds are InputError. Collective;
/// every rank gives the same problem and gets the same answer.
ConeOwners partition_cones(const Communicator& comm, const LocalProblem& whole,
                           const PartitionOptions& options);
ConeOwners partition_cones(const Communicator& comm, const GlobalProblem& whole,
                           const PartitionOptions& options);

}  // namespace talus
