#pragma once
// Bodies as surfaces of polygons.

#include "talus/geometry/shape.hpp"

#include "io/hdf5/field_table.hpp"
#include "io/paraview/vtk_file.hpp"

#include <vector>

namespace talus::io {

/// `table`: of surface_table(); those bodies that never move (`walls`), or the others, with the
/// velocity of each point. Planes are cut to `extents`; spheres of compounds have 80 triangles.
PolyData surfaces_of(const FieldTable& table, const std::vector<Shape>& shapes,
                     const Bounds& extents, bool walls);

}  // namespace talus::io
