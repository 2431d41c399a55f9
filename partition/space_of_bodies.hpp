#pragma once
// The cube of cells for bodies that will move on.

#include "talus/partition/cell_map.hpp"

#include <vector>

namespace talus {

/// Twice as wide as the bodies are spread, so that those that spread later have cells of their own.
/// Few bodies that are far off do not coarsen the cells of the others: the cube is at most 4096
/// times as wide as where 7 of 8 of the weight is, on each axis. `before` stays where it still
/// serves: with the same curve, pieces stay alike. Positions that are not finite are passed over.
/// The answer does not depend on who has the bodies. Collective.
CellCube space_of_bodies(const Communicator& comm, const std::vector<Vec3>& position,
                         const std::vector<std::int64_t>& weight, const CellCube* before);

}  // namespace talus
