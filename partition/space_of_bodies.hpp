#pragma once
// The cube of cells for bodies that will move on.

#include "geometry/broad_phase.hpp"
#include "partition/cell_map.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace talus {

/// Twice as wide as the bodies are spread, so that those that spread later have cells of their own.
/// Few bodies that are far off do not coarsen the cells of the others: the cube is at most 4096
/// times as wide as where 7 of 8 of the weight is, on each axis. `before` stays where it still
/// serves: with the same curve, pieces stay alike. Positions that are not finite are passed over.
/// The answer does not depend on who has the bodies. Collective.
CellCube space_of_bodies(const Communicator& comm, const std::vector<Vec3>& position,
                         const std::vector<std::int64_t>& weight, const CellCube* before);

// Boxes of other ranks in all their images along periodic axes: which ranks have one that meets a
// given box.

/// Encloses nothing, and becomes what is added to it first.
inline constexpr Bounds empty_bounds{{infinity, infinity, infinity},
                                     {-infinity, -infinity, -infinity}};
Bounds enclosing(const Bounds& a, const Bounds& b);
/// Longest side.
double extent_of(const Bounds& bounds);

/// `box` moved by so many periods; enlarged by what rounding may hide, so that it meets whatever
/// would meet it if the other box were moved the other way.
Bounds image_of(const Periodicity& world, const Bounds& box, const std::array<int, 3>& image);

/// visit(image of `box`) for every image that may meet `target`, of which all sides are finite.
template <class Visit>
void each_image(const Periodicity& world, const Bounds& box, const Bounds& target,
                const Visit& visit) {
  std::array<int, 3> first{}, last{};
  const auto along = [&](std::size_t d, double lowest, double highest, double period) {
    constexpr double rounding = 1e-6;  // one image too many costs little
    if (!world.axis[d]) return;
    first[d] = static_cast<int>(std::ceil(lowest / period - rounding));
    last[d] = static_cast<int>(std::floor(highest / period + rounding));
  };
  along(0, target.low.x - box.high.x, target.high.x - box.low.x, world.period.x);
  along(1, target.low.y - box.high.y, target.high.y - box.low.y, world.period.y);
  along(2, target.low.z - box.high.z, target.high.z - box.low.z, world.period.z);
  std::array<int, 3> image{};
  for (image[0] = first[0]; image[0] <= last[0]; ++image[0])
    for (image[1] = first[1]; image[1] <= last[1]; ++image[1])
      for (image[2] = first[2]; image[2] <= last[2]; ++image[2]) visit(image_of(world, box, image));
}

class BoxesOfRanks {
 public:
  /// Only images that meet one of the boxes `here` are kept.
  BoxesOfRanks(const Periodicity& world, int ranks, std::vector<Bounds> here);
  void add(int rank, const Bounds& box);
  /// After the last box, before the first search.
  void build();

  /// Memory of searches, one per thread.
  struct Search {
    GridHits hits;
    std::vector<int> ranks;
    std::vector<bool> met;  ///< by rank; false between searches
  };
  /// Ranks, each once, in no particular order; they stand in the memory.
  const std::vector<int>& meeting(const Bounds& box, Search& search) const;

 private:
  Periodicity world_;
  int ranks_;
  std::vector<Bounds> here_;
  Bounds all_here_ = empty_bounds;
  std::vector<Bounds> boxes_;
  std::vector<int> rank_;  ///< of each box
  HierarchicalGrid grid_;
};

}  // namespace talus
