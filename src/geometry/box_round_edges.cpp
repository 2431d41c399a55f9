// Parallel edges that meet, as those of two boards that lean on each other: the normals of both
// faces there separate the boxes, and all between them. Of sharp edges none is the right one; of
// edges with a small radius it goes from one face's to the other's as they pass each other.

#include "geometry/box_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {
constexpr double radius = 0.02;            // of the shortest half edge
constexpr double flat = 0.1, steep = 0.2;  // sine of the angle between the faces: none, all of it
constexpr double apart = 5e-4;             // of the shortest half edge: no longer touching

/// From 1 where x is at most `low` to 0 where it is at least `high`.
double fade(double x, double low, double high) {
  return std::clamp((high - x) / (high - low), 0.0, 1.0);
}

/// How far the ends of the box's edge that is next to a line are from being parallel to it.
double off_line(const PlacedBox& box, const Vec3& line) {
  double least = 1.0, half = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double sine = length(cross(line, box.axis[k]));
    if (sine > least) continue;
    least = sine;
    half = box.half[k];
  }
  return half * least;
}

/// How far the point, which is on the box of the best face, is from the other box's face, along
/// that face's normal.
double gap_over(const BoxPair& pair, const Separation& other, const Vec3& point) {
  const double along = dot(point, other.normal);
  if (other.kind == BoxFeature::FaceOfA)
    return along - dot(pair.a.centre, other.normal) - pair.a.half[other.axis_of_a];
  return dot(pair.b.centre, other.normal) - pair.b.half[other.axis_of_b] - along;
}

/// How far it is along a direction from a point in the box to its surface; 0 from outside.
double way_out(const PlacedBox& box, const Vec3& point, const Vec3& direction) {
  double least = infinity;
  for (std::size_t k = 0; k < 3; ++k) {
    const double at = dot(point - box.centre, box.axis[k]), going = dot(direction, box.axis[k]);
    if (going == 0.0) continue;
    const double left = going > 0.0 ? box.half[k] - at : box.half[k] + at;
    least = std::fmin(least, left / std::fabs(going));
  }
  return std::fmax(least, 0.0);
}

/// How much of the other face's normal: half where both faces separate alike, none where one does
/// better by the radius, where the boxes overlap by more than twice that or are apart, and where
/// the faces face each other or do not meet in edges.
double share_of(const BoxPair& pair, const Separation& best, const Separation& other) {
  const double width = radius * pair.size;
  const double behind = best.gap - other.gap, deepest = std::fmin(best.gap, other.gap);
  if (behind >= width || deepest <= -2.0 * width || best.gap >= apart * pair.size) return 0.0;
  const Vec3 line = cross(best.normal, other.normal);
  const double sine = length(line);
  if (sine <= flat) return 0.0;
  const Vec3 along = (1.0 / sine) * line;
  const double off = std::fmax(off_line(pair.a, along), off_line(pair.b, along));
  return std::fmin(0.5 - 0.5 * behind / width, 0.5) * fade(-deepest, width, 2.0 * width) *
         fade(best.gap, 0.5 * apart * pair.size, apart * pair.size) *
         (1.0 - fade(sine, flat, steep)) * fade(off, width, 2.0 * width);
}

}  // namespace

void round_edges(const BoxPair& pair, const Separation& best, const Separation& other,
                 std::size_t first, std::vector<ContactPoint>& contacts) {
  const double share = share_of(pair, best, other);
  if (share == 0.0) return;
  const Vec3 normal = unit((1.0 - share) * best.normal + share * other.normal);
  const bool of_a = best.kind == BoxFeature::FaceOfA;
  const double towards = of_a ? 1.0 : -1.0;  // along the normal, from the other box's points
  for (std::size_t k = first; k < contacts.size(); ++k) {
    ContactPoint& c = contacts[k];
    const double over = gap_over(pair, other, c.point - (0.5 * towards * c.gap) * best.normal);
    if (c.gap >= apart * pair.size || over - other.gap > 2.0 * radius * pair.size - c.gap) continue;
    c.normal = normal;
    if (c.gap >= 0.0) continue;
    // the other box's point stays; this box ends along the normal from there
    const Vec3 of_other = c.point + (0.5 * towards * c.gap) * best.normal;
    c.gap = -way_out(of_a ? pair.a : pair.b, of_other, towards * normal);
    c.point = of_other - (0.5 * towards * c.gap) * normal;
  }
}

}  // namespace talus
