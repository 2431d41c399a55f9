#pragma once
// project() of eight cones at a time. Plain pointers: included by the kernel file.

#include "cones/cone_view.hpp"

namespace talus {

/// Tiles [begin, end) of a part of the rows, with what stands in lanes without a cone.
using ProjectTiles = void(const ConeView& cones, const double* x, double* projected, int begin,
                          int end);

}  // namespace talus
