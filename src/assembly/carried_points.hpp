#pragma once
// What the way of a point of a turning body has beyond the first order of a step.

#include "talus/model/world.hpp"

namespace talus {

/// How much of what a turn by the present velocity tells of the step is used: all but a share
/// (h w)^2. Velocities of bodies that turn by a radian per step are not those of the step to come,
/// and rows that lean on them blow up.
inline double trust_in_turn(double squared_turn) {
  return 1.0 / (1.0 + squared_turn);
}

/// m/s, mean over a step of length h: what the velocity of B relative to A where they touch has
/// beyond that at the begin of the step, because points of bodies that turn go along arcs. A
/// contact that sticks then stays where it is to second order. Where a sphere touches, the place
/// goes with the centre of the sphere, which may roll; else with the surfaces. With the velocities
/// of the world; zero where nothing turns, or only spheres do. For the tangential rows: the gap is
/// measured anew in every step.
Vec3 carried_velocity(const World& world, Index contact, double h);

}  // namespace talus
