#pragma once
// Spheres by place: which are near a point. One level of cells per factor of 2 in size, in one hash
// table, so that neither the extent of space nor unequal sizes cost memory.

#include "talus/core/types.hpp"

#include <cmath>
#include <vector>

namespace talus {

class SphereGrid {
 public:
  /// No sphere that is put in may be larger. `expected`: how many there will be, about.
  SphereGrid(double largest_radius, std::size_t expected);

  /// The first is number 0.
  void insert(const Vec3& centre, double radius);
  std::size_t count() const { return spheres_.size(); }

  /// Whether a sphere overlaps none of those here.
  bool free(const Vec3& centre, double radius) const;

  /// Numbers of all spheres whose surface is nearer than `reach` to a point: each once, in an order
  /// that depends on what was put in and on nothing else. Appends to `found`.
  void find(const Vec3& centre, double reach, std::vector<Index>& found) const;

 private:
  struct Cell {
    std::int64_t x = 0, y = 0, z = 0;
    std::size_t level = 0;
    bool operator==(const Cell&) const = default;
  };
  struct Sphere {
    Vec3 centre;
    double radius = 0.0;
    Cell cell;
    Index next = -1;  ///< in the same slot of the table
  };
  struct Level {
    double largest = 0.0;  ///< radius
    std::vector<Index> spheres;
  };

  std::size_t slot(const Cell& cell) const;
  Cell cell_of(const Vec3& point, std::size_t level) const;
  void link(Index number);
  void widen();
  /// Calls near(number) for all spheres that may be nearer, until it says false.
  template <class Near>
  void visit(const Vec3& centre, double reach, Near near) const;
  template <class Near>
  bool visit_level(std::size_t level, const Vec3& centre, double reach, Near& near) const;

  std::vector<Sphere> spheres_;
  std::vector<Level> levels_;
  std::vector<Index> first_;  ///< of each slot; a power of two of them
};

}  // namespace talus
