#pragma once
// What bodies that are hit within a step may hit in their turn: where contacts are looked for
// before it is known. docs/algorithms/stepping.md, "Impacts within a step".

#include "talus/core/types.hpp"

#include "geometry/broad_phase.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace talus {

/// A body that comes so far.
struct Mover {
  Vec3 position;
  double size = 0.0;  ///< m
  double way = 0.0;   ///< m, in the step
};

/// A field of margins around movers: largest at each, less with the distance from it. It is the
/// same wherever it is made of the same movers, in any order.
class ImpactReach {
 public:
  void clear() { grids_.clear(); }
  /// `round`: 0 for the first; each goes twice as far as the one before, in sizes of the mover.
  void add(const std::vector<Mover>& movers, int round, const Periodicity& periodicity);
  bool empty() const { return grids_.empty(); }
  /// m: how far a body there may be made to come.
  double at(const Vec3& position) const;

 private:
  struct Mixed {
    std::size_t operator()(std::uint64_t key) const;
  };
  using Ways = std::unordered_map<std::uint64_t, double, Mixed>;
  void add_to_grid(const std::vector<Mover>& movers, int doublings, const Periodicity& periodicity);

  /// By the exponent of the edge of their cells, and how often it was doubled from a mover's size.
  std::map<std::pair<int, int>, Ways> grids_;
};

}  // namespace talus
