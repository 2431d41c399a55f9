#pragma once
// A packing of spheres, whole or in parts that can be made apart.

#include "talus/problem/body_slice.hpp"

#include "generate/settings.hpp"
#include "generate/sphere_tiling.hpp"

#include <string>
#include <vector>

namespace talus {

/// Some tiles of a packing: their bodies and all contacts that touch them.
struct PackingPart {
  /// Bodies: the part's own in the order of their ids, then those of other parts that they touch.
  /// Contacts: those that the part owns (its body B is of the part), then those of other parts that
  /// touch its bodies. Every contact has the same numbers in every part it is in.
  BodyProblem problem;
  Index own_bodies = 0, own_contacts = 0;
};

class TiledPacking {
 public:
  explicit TiledPacking(const GenerateSettings& settings);
  TiledPacking(const TiledPacking&) = delete;
  TiledPacking& operator=(const TiledPacking&) = delete;

  const SphereTiling& tiling() const { return tiling_; }
  /// Tiles first, ..., end - 1; nothing that is kept or computed depends on the other tiles.
  PackingPart part(std::int64_t first, std::int64_t end) const;
  /// Of each tile, how many contacts the tiles before it own; behind the last tile all of them.
  std::vector<GlobalId> first_contacts() const;
  /// The slice of one rank. What is made on the way is little more than the slice.
  BodySlice slice(int rank, int ranks) const;

  std::string title() const;

 private:
  GenerateSettings settings_;
  PeriodicCell cell_;
  SphereTiling tiling_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

}  // namespace talus
