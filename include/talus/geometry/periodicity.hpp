#pragma once
// A world that repeats itself.

#include "talus/core/types.hpp"

#include <array>
#include <vector>

namespace talus {

/// Axes along which the world repeats itself.
struct Periodicity {
  std::array<bool, 3> axis{};
  Vec3 low, period;  ///< the cell is [low, low + period) along such an axis
  bool any() const { return axis[0] || axis[1] || axis[2]; }
};

/// A place and where it appears again, one period away along each periodic axis.
std::vector<Vec3> images_of(const Vec3& place, const Periodicity& periodicity);

}  // namespace talus
