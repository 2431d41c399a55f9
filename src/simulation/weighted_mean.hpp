#pragma once
// A mean that bodies at rest do not dilute.

#include "talus/parallel/communicator.hpp"

#include <vector>

namespace talus {

/// (sum x^4 / sum x^2)^1/2 over all ranks: the root mean square in which each value counts as much
/// as its square. Values of 0 change nothing, nor does having everything twice; the same for any
/// ranks. 0 where all are 0. Collective.
double self_weighted_mean(const std::vector<double>& values, const Communicator& comm);

}  // namespace talus
