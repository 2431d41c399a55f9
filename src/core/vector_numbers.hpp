#pragma once
// Vectors as kernels see them.

#include "talus/core/types.hpp"

#include <type_traits>
#include <vector>

namespace talus {

/// A Vec3 is three numbers, without anything before or between them.
inline const double* numbers_of(const std::vector<Vec3>& vectors) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && std::is_standard_layout_v<Vec3>);
  return reinterpret_cast<const double*>(vectors.data());
}
inline double* numbers_of(std::vector<Vec3>& vectors) {
  return const_cast<double*>(numbers_of(static_cast<const std::vector<Vec3>&>(vectors)));
}

}  // namespace talus
