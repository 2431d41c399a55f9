#pragma once
// Spheres in files of LAMMPS and LIGGGHTS: data (read_data of atom_style sphere or granular) and
// dumps.

#include "talus/geometry/shape.hpp"
#include "talus/io/state_file.hpp"
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

/// What becomes of bodies that are no spheres.
enum class Others : std::uint8_t { Refused, LeftOut };
/// A data file of atom style sphere: ids count from 1 (ours and 1), the type is the material, from
/// 1; numbers read back to the same bits (densities to the last but one). Throws InputError where a
/// body is no sphere or its mass is not known: how many, and their names.
std::string lammps_data_text(const SavedState& state, const std::string& name, Others others);
/// The same as a dump of one step: id type radius mass x y z vx vy vz omegax omegay omegaz.
std::string lammps_dump_text(const SavedState& state, const std::string& name, Others others);

}  // namespace talus
