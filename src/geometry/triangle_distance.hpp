#pragma once
// The point of a triangle that is nearest to a point.

#include "talus/core/types.hpp"

#include <array>
#include <cstdint>

namespace talus {

enum class TrianglePart : std::uint8_t { Face, Edge, Vertex };

struct NearestPoint {
  Vec3 point;
  TrianglePart part = TrianglePart::Face;
  int which = 0;  ///< edge i runs from corner i to corner i + 1; vertex i is corner i
};

NearestPoint nearest_point(const std::array<Vec3, 3>& triangle, const Vec3& to);

}  // namespace talus
