#pragma once
// Spheres dropped one after the other into a box with a floor and four walls: each falls from a
// random place and rolls down until it rests on the floor or on three supports that it touches
// exactly [Visscher72].

#include "talus/core/types.hpp"

#include <vector>

namespace talus {

struct Sphere {
  Vec3 centre;
  double radius = 0.0;
};

struct DepositionOptions {
  Index count = 0;
  double radius = 0.0;  ///< mean, m
  double spread = 0.0;  ///< radii are uniform in (1 +- spread) radius
  double width =
      0.0;  ///< of the box: [0, width] in x and y, floor at z = 0; at least 4 greatest radii
  std::uint64_t seed = 0;
};

/// Buckets of spheres that tell which ones are near: cubes with sides of at least `reach`.
class SphereGrid {
 public:
  SphereGrid(double width, double reach);
  void add(Index sphere, const Vec3& centre);
  /// Spheres in the 27 buckets around `centre`, in a fixed order; all that are within `reach` are
  /// among them.
  void near(const Vec3& centre, std::vector<Index>& found) const;

 private:
  Index slot(double along) const;
  Index columns_;
  double cell_;
  std::vector<std::vector<std::vector<Index>>> columns_up_;  // per column, from the floor up
};

std::vector<Sphere> deposit(const DepositionOptions& options);

}  // namespace talus
