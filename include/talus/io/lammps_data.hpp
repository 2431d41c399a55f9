#pragma once
// Spheres of a LAMMPS or LIGGGHTS data file: read_data of atom_style sphere or granular.

#include "talus/geometry/shape.hpp"
#include "talus/model/body_set.hpp"

#include <string>
#include <vector>

namespace talus {

/// In the order of the ids of the file, which may have gaps.
struct LammpsData {
  /// `id` is that of the file, `scale` the diameter (of a shape of diameter 1), mass and inertia
  /// come from the density of the file. Shape, material and group are 0: generate_bodies sets them.
  std::vector<NewBody> bodies;
  Bounds box;             ///< xlo ... zhi, m
  std::vector<int> type;  ///< of each body, from 1
};

/// Throws InputError with all faults, each with file, line, value and remedy.
LammpsData read_lammps_data(const std::string& path);

}  // namespace talus
