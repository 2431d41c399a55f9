#pragma once
// Regions that bodies are put into. Whole bodies: a sphere about their centre lies inside.

#include "talus/core/error.hpp"
#include "talus/core/types.hpp"
#include "talus/geometry/shape.hpp"
#include "talus/model/scene.hpp"

#include "generate/random.hpp"
#include "generate/scene_bodies.hpp"
#include "generate/size_distribution.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace talus {

double volume_of(const Region& region);
Bounds bounds_of(const Region& region);

/// In how many independent directions a sphere has room; all three: it fits. A box has three, a
/// cylinder one along and two across its axis, a sphere all or none.
int directions_with_room(const Region& region, double radius);

/// The point nearest to `point` where the centre of a sphere may be. In directions that have no
/// room for it (the face of a stream): the middle of the region.
Vec3 nearest_inside(const Region& region, double radius, const Vec3& point);

/// Uniform among the points where the centre of a sphere may be.
Vec3 point_inside(const Region& region, double radius, KeyedRandom& random);

/// "a box of 0.2 x 0.2 x 0.1 m", for messages
std::string words_of(const Region& region);

// Spheres by place: which are near a point. One level of cells per factor of 2 in size, in one hash
// table, so that neither the extent of space nor unequal sizes cost memory.

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

// What the kinds of generators of a scene share: where bodies are put, and what is drawn for what.

/// What random numbers are drawn for, of the body of a number.
inline constexpr std::uint32_t purpose_size = 101, purpose_place = 102, purpose_turn = 103,
                               purpose_jitter = 104, purpose_stream = 105;

/// What the bodies of a generator have in common; of size 1.
struct Pattern {
  double reach = 0.0;   ///< radius of the sphere about the centre that holds the shape
  double volume = 0.0;  ///< of the solid
  Sym3 inertia;         ///< m5
  double density = 0.0;
  const Shape* shape = nullptr;
};
/// Throws InputError where the shape has no size or no mass.
Pattern pattern_of(const Generator& generator, const World& world);

/// Bodies by number: the first has number 0.
struct Placed {
  std::vector<Vec3> centre;
  std::vector<double> size;
};
/// Throws InputError where there are more bodies than memory, or numbers, for them.
void require_room(const Generator& generator, const Sizes& sizes, const Pattern& pattern,
                  int ranks);
/// Places among spheres that are there already, the largest body first; `tries` each. Where a body
/// finds none, a random one that overlaps. Returns how many found none.
std::size_t start_places(const Generator& generator, const Pattern& pattern, std::uint64_t tries,
                         Placed& placed);
void check_lattice(const Generator& generator);
Placed lattice(const Generator& generator, const Sizes& sizes, const Pattern& pattern);
Placed random_places(const Generator& generator, const Sizes& sizes, const Pattern& pattern);
/// `overlap`: the largest, of the smaller of the two sizes.
Placed packing(const Generator& generator, const Sizes& sizes, const Pattern& pattern,
               double& overlap);

/// Bodies 0, 1, ... until there are `count` of them or their solid reaches the fraction of the
/// region, whichever is asked and first. Throws InputError where one does not fit into the region.
std::vector<double> drawn_sizes(const Generator& generator, const Sizes& sizes,
                                const Pattern& pattern);
double solid_volume(const std::vector<double>& sizes, const Pattern& pattern);

NewBody body_of(const Generator& generator, const Pattern& pattern, std::int64_t number,
                const Vec3& centre, double size);

/// "<place>: <words>"
InputError fault_of(const Generator& generator, const std::string& words);

}  // namespace talus
