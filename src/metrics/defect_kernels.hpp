#pragma once
// The natural map of eight spatial cones at a time, with the bits of contact_defect()
// (definitions.hpp). Plain pointers: included by the kernel file.

#include "cones/cone_view.hpp"

namespace talus {

struct DefectPass {
  ConeView cones;
  const double *impulses, *gap;
  const double* scale;  ///< per slot
  double* defects;      ///< per slot
  bool lifts;           ///< the gap with De Saxce's term: Coulomb's law
};

/// Those of spatial tiles [begin, end) of a part, with what stands in their last lanes.
using SpatialDefects = void(const DefectPass&, int begin, int end);

/// Of the level in use (core/simd.hpp).
SpatialDefects& spatial_defects();

}  // namespace talus
