#pragma once
// What the kinds of generators of a scene share: where bodies are put, and what is drawn for what.

#include "talus/core/error.hpp"
#include "talus/generate/scene_bodies.hpp"

#include "generate/size_distribution.hpp"

#include <string>
#include <vector>

namespace talus {

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
