// Where edges cross, and where boxes that are apart come nearest: a corner of one and the other
// box, or two edges.

#include "geometry/box_contacts.hpp"

#include <cmath>

namespace talus {
namespace {

/// A point of a and the way from there to b.
struct Approach {
  Vec3 on_a, to_b;
  double distance = infinity;
  std::uint32_t feature = 0;
};

/// Lines p + s d and q + t e, unit d and e, come nearest at s and t.
struct Crossing {
  double s = 0.0, t = 0.0;
};

Crossing crossing_of(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e) {
  const Vec3 between = p - q, normal = cross(d, e);
  const double cosine = dot(d, e), c = dot(d, between), f = dot(e, between);
  const double s = (cosine * f - c) / dot(normal, normal);
  return {s, cosine * s + f};
}

/// The middle of the edge along `axis` through the corner.
Vec3 middle(const PlacedBox& box, std::size_t axis, unsigned number) {
  Vec3 at = box.centre;
  for (std::size_t k = 0; k < 3; ++k)
    if (k != axis) at = at + ((number >> k & 1U) != 0U ? box.half[k] : -box.half[k]) * box.axis[k];
  return at;
}

unsigned corner_towards(const PlacedBox& box, const Vec3& direction) {
  unsigned number = 0;
  for (unsigned k = 0; k < 3; ++k)
    if (dot(direction, box.axis[k]) > 0.0) number |= 1U << k;
  return number;
}

double limited(double x, double limit) {
  return std::fmax(-limit, std::fmin(limit, x));
}

/// From the nearest point of the box to `point`, and which of the 27 regions about it that is in.
struct Outside {
  Vec3 way;
  std::uint32_t region = 0;
  bool beyond_corner = true;
};

Outside outside(const PlacedBox& box, const Vec3& point) {
  Outside result;
  const Vec3 from_box = point - box.centre;
  for (std::size_t k = 0; k < 3; ++k) {
    const double along = dot(from_box, box.axis[k]), beyond = std::fabs(along) - box.half[k];
    result.region *= 3;
    if (beyond <= 0.0) {
      result.beyond_corner = false;
      continue;
    }
    result.way = result.way + (along < 0.0 ? -beyond : beyond) * box.axis[k];
    result.region += along < 0.0 ? 1 : 2;
  }
  return result;
}

/// Each corner of a box, and the other box; those of two corners are a's.
std::array<Approach, 16> corners_to_boxes(const BoxPair& pair) {
  std::array<Approach, 16> found;
  for (unsigned k = 0; k < 8; ++k) {
    const Vec3 of_a = corner(pair.a, k), of_b = corner(pair.b, k);
    const Outside from_b = outside(pair.b, of_a), from_a = outside(pair.a, of_b);
    found[k] = {of_a, -from_b.way, length(from_b.way),
                box_feature(BoxFeature::CornerOfA, 27 * k + from_b.region)};
    if (!from_a.beyond_corner)
      found[8 + k] = {of_b - from_a.way, from_a.way, length(from_a.way),
                      box_feature(BoxFeature::CornerOfB, 27 * k + from_a.region)};
  }
  return found;
}

/// Of the edges along axis i of a and j of b that come nearest between their ends.
Approach nearest_edges(const BoxPair& pair, std::size_t i, std::size_t j) {
  Approach nearest;
  const Vec3 &d = pair.a.axis[i], &e = pair.b.axis[j];
  for (unsigned of_a = 0; of_a < 8; ++of_a) {
    if ((of_a >> i & 1U) != 0U) continue;
    const Vec3 p = middle(pair.a, i, of_a);
    for (unsigned of_b = 0; of_b < 8; ++of_b) {
      if ((of_b >> j & 1U) != 0U) continue;
      const Vec3 q = middle(pair.b, j, of_b);
      const Crossing at = crossing_of(p, d, q, e);
      if (std::fabs(at.s) > pair.a.half[i] || std::fabs(at.t) > pair.b.half[j]) continue;
      const Vec3 on_a = p + at.s * d, to_b = q + at.t * e - on_a;
      const double distance = length(to_b);
      if (distance < nearest.distance)
        nearest = {on_a, to_b, distance, edges_feature(edge_number(i, of_a), edge_number(j, of_b))};
    }
  }
  return nearest;
}

Approach nearest_edges(const BoxPair& pair) {
  Approach nearest;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      if (parallel(pair.a.axis[i], pair.b.axis[j])) continue;
      const Approach edges = nearest_edges(pair, i, j);
      if (edges.distance < nearest.distance) nearest = edges;
    }
  return nearest;
}

}  // namespace

std::uint32_t edge_number(std::size_t axis, unsigned corner) {
  const unsigned next = corner >> (axis + 1) % 3 & 1U, after = corner >> (axis + 2) % 3 & 1U;
  return static_cast<std::uint32_t>(4 * axis) + 2 * next + after;
}

std::uint32_t edges_feature(std::uint32_t of_a, std::uint32_t of_b) {
  return box_feature(BoxFeature::Edges, 12 * of_a + of_b);
}

bool edge_contact(const BoxPair& pair, const Separation& separation,
                  std::vector<ContactPoint>& contacts) {
  const std::size_t i = separation.axis_of_a, j = separation.axis_of_b;
  const Vec3 &d = pair.a.axis[i], &e = pair.b.axis[j];
  const unsigned of_a = corner_towards(pair.a, separation.normal);
  const unsigned of_b = corner_towards(pair.b, -separation.normal);
  const Vec3 p = middle(pair.a, i, of_a), q = middle(pair.b, j, of_b);
  const Crossing at = crossing_of(p, d, q, e);
  const double s = limited(at.s, pair.a.half[i]), t = limited(at.t, pair.b.half[j]);
  if (separation.gap > 0.0 && (s != at.s || t != at.t)) return false;
  contacts.push_back({0.5 * (p + s * d + q + t * e), separation.normal, separation.gap,
                      edges_feature(edge_number(i, of_a), edge_number(j, of_b))});
  return true;
}

void nearest_contacts(const BoxPair& pair, const Separation& separation, double limit,
                      std::vector<ContactPoint>& contacts) {
  const std::array<Approach, 16> corners = corners_to_boxes(pair);
  const Approach edges = nearest_edges(pair);
  double of_corners = infinity;
  for (const Approach& corner : corners) of_corners = std::fmin(of_corners, corner.distance);
  const double nearest = std::fmin(of_corners, edges.distance);
  if (nearest > limit) return;
  const auto add = [&](const Approach& near) {
    // the direction of a way that is as short as rounding means nothing
    const bool apart = near.distance > 1e-9 * pair.size;
    contacts.push_back({near.on_a + 0.5 * near.to_b,
                        apart ? (1.0 / near.distance) * near.to_b : separation.normal,
                        near.distance, near.feature});
  };
  for (const Approach& corner : corners)
    if (corner.distance <= std::fmin(nearest + pair.slack(), limit)) add(corner);
  if (edges.distance < of_corners - 1e-9 * pair.size) add(edges);
}

}  // namespace talus
