#pragma once
// Which bodies may touch: pairs of bounds that overlap, each exactly once, whatever their sizes.

#include "talus/geometry/shape.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

/// Axes along which the world repeats itself.
struct Periodicity {
  std::array<bool, 3> axis{};
  Vec3 low, period;  ///< the cell is [low, low + period) along such an axis
  bool any() const { return axis[0] || axis[1] || axis[2]; }
};

/// Bodies a and b (indices) may touch where b is moved by `image` periods. `a` has the lower id.
struct CandidatePair {
  Index a = 0, b = 0;
  std::array<std::int8_t, 3> image{};
  bool operator==(const CandidatePair&) const = default;
};

/// What the search sees of the bodies; arrays of one length.
struct BroadPhaseInput {
  const std::vector<GlobalId>* id = nullptr;
  const std::vector<Bounds>* bounds = nullptr;       ///< infinite ones (planes) are allowed
  const std::vector<std::uint8_t>* moves = nullptr;  ///< pairs in which neither moves are left out
  Periodicity periodicity;
};

/// All pairs whose bounds overlap, in the order of (id of a, id of b, image). Hierarchical grid:
/// one level of cells per factor of 2 in size, so that a size ratio of 1:100 costs little;
/// threaded; the same answer for any threads. Along periodic axes a pair may appear with several
/// images, and a body with images of itself when it is longer than half a period (a = b is never
/// reported).
class BroadPhase {
 public:
  /// `pairs` is overwritten.
  void find(const BroadPhaseInput& input, std::vector<CandidatePair>& pairs);

  // Workspace that is kept from call to call, added by its author.
};

}  // namespace talus
