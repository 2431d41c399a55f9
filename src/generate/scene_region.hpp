#pragma once
// Regions that bodies are put into. Whole bodies: a sphere about their centre lies inside.

#include "talus/geometry/shape.hpp"
#include "talus/model/scene.hpp"

#include "generate/random.hpp"

#include <string>

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

}  // namespace talus
