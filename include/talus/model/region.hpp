#pragma once
// A part of space that a scene names: where bodies are put, or what is measured.

#include "talus/core/types.hpp"

#include <cstdint>

namespace talus {

struct Region {
  enum class Kind : std::uint8_t { Box, Sphere, Cylinder };
  Kind kind = Kind::Box;
  Vec3 low, high;            ///< box
  Vec3 centre;               ///< sphere; cylinder: middle of its base
  double radius = 0.0;       ///< sphere, cylinder
  Vec3 axis{0.0, 0.0, 1.0};  ///< cylinder: unit
  double height = 0.0;       ///< cylinder
};

/// Its border belongs to it.
bool contains(const Region& region, const Vec3& point);

}  // namespace talus
