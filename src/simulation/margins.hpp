#pragma once
// How far bodies may come within a step: where contacts are looked for, and whether that was far
// enough. docs/decisions/037.

#include "talus/model/world.hpp"

#include <vector>

namespace talus {

/// How far from each body's surface contacts are looked for, m, and the most of all bodies: speed
/// of a point (m/s) and turning (rad/s), infinite where not a number.
struct Margins {
  std::vector<double> of_body;
  double speed = 0.0, turning = 0.0;
};

/// As far as a body may come in a step with its present velocity, gravity and the forces that act
/// on it. From its state alone, so that all ranks find the same.
Margins margins_of(const World& world, double h);

/// How far the surface of a body comes with such a velocity, m.
double way_of(const World& world, std::size_t body, const Vec6& velocity, double h);

}  // namespace talus
