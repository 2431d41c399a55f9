#include "geometry/box_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// How much better a later kind of axis must be: faces of a, then faces of b, then edges. So that
// faces that lie on each other, for which all are equal, do not change places from step to step.
constexpr double preference = 0.02;

/// d . a_i, d . b_j, and a_i . b_j, for d from a to b.
struct Projections {
  Vec3 between;
  std::array<double, 3> along_a{}, along_b{};
  std::array<std::array<double, 3>, 3> cosine{};
};

Projections projections_of(const PlacedBox& a, const PlacedBox& b) {
  Projections p;
  p.between = b.centre - a.centre;
  for (std::size_t i = 0; i < 3; ++i) {
    p.along_a[i] = dot(p.between, a.axis[i]);
    p.along_b[i] = dot(p.between, b.axis[i]);
    for (std::size_t j = 0; j < 3; ++j) p.cosine[i][j] = dot(a.axis[i], b.axis[j]);
  }
  return p;
}

Vec3 towards(double along, const Vec3& axis) {
  return along < 0.0 ? -axis : axis;
}

Separation best_face_of_a(const BoxPair& pair, const Projections& p) {
  Separation best;
  best.gap = -infinity;
  for (std::size_t i = 0; i < 3; ++i) {
    double reach = pair.a.half[i];
    for (std::size_t j = 0; j < 3; ++j) reach += pair.b.half[j] * std::fabs(p.cosine[i][j]);
    const double gap = std::fabs(p.along_a[i]) - reach;
    if (gap > best.gap)
      best = {gap, towards(p.along_a[i], pair.a.axis[i]), BoxFeature::FaceOfA, i, 0};
  }
  return best;
}

Separation best_face_of_b(const BoxPair& pair, const Projections& p) {
  Separation best;
  best.gap = -infinity;
  for (std::size_t j = 0; j < 3; ++j) {
    double reach = pair.b.half[j];
    for (std::size_t i = 0; i < 3; ++i) reach += pair.a.half[i] * std::fabs(p.cosine[i][j]);
    const double gap = std::fabs(p.along_b[j]) - reach;
    if (gap > best.gap)
      best = {gap, towards(p.along_b[j], pair.b.axis[j]), BoxFeature::FaceOfB, 0, j};
  }
  return best;
}

/// Along a_i x b_j, which is what an edge of each spans.
Separation best_edges(const BoxPair& pair, const Projections& p) {
  Separation best;
  best.gap = -infinity;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      if (parallel(pair.a.axis[i], pair.b.axis[j])) continue;
      const double reach = pair.a.half[i1] * std::fabs(p.cosine[i2][j]) +
                           pair.a.half[i2] * std::fabs(p.cosine[i1][j]) +
                           pair.b.half[j1] * std::fabs(p.cosine[i][j2]) +
                           pair.b.half[j2] * std::fabs(p.cosine[i][j1]);
      const Vec3 direction = cross(pair.a.axis[i], pair.b.axis[j]);
      const double along = dot(p.between, direction), sine = length(direction);
      const double gap = (std::fabs(along) - reach) / sine;
      if (gap > best.gap)
        best = {gap, towards(along, (1.0 / sine) * direction), BoxFeature::Edges, i, j};
    }
  return best;
}

bool clearly_better(const BoxPair& pair, const Separation& later, const Separation& first) {
  return later.gap > first.gap + preference * std::fabs(first.gap) + pair.slack();
}

double smallest_gap(const std::vector<ContactPoint>& contacts, std::size_t from) {
  double smallest = infinity;
  for (std::size_t k = from; k < contacts.size(); ++k)
    smallest = std::fmin(smallest, contacts[k].gap);
  return smallest;
}

/// The corner of the incident box that reaches deepest into the reference face.
ContactPoint deepest_corner(const BoxPair& pair, const Separation& s) {
  const bool of_b = s.kind == BoxFeature::FaceOfA;  // the corner is b's
  const PlacedBox& box = of_b ? pair.b : pair.a;
  const Vec3 inwards = of_b ? -s.normal : s.normal;
  unsigned number = 0;
  for (unsigned k = 0; k < 3; ++k)
    if (dot(inwards, box.axis[k]) > 0.0) number |= 1U << k;
  const auto kind = of_b ? BoxFeature::CornerOfB : BoxFeature::CornerOfA;
  return {corner(box, number) + (0.5 * s.gap) * inwards, s.normal, s.gap,
          box_feature(kind, 27 * 8 + number)};
}

}  // namespace

// Of boxes that overlap, the axis of least overlap is that of the nearest facet of their Minkowski
// difference, and the features it names do cross [Ericson05, 4.4 and 5.2]. Of boxes that
// are apart its gap is their distance only where the nearest points lie on those features; else
// they are looked for.
void collide_boxes(const PlacedBox& a, const PlacedBox& b, double margin,
                   std::vector<ContactPoint>& contacts) {
  double size = a.half[0];
  for (std::size_t k = 0; k < 3; ++k) size = std::fmin(size, std::fmin(a.half[k], b.half[k]));
  const BoxPair pair{a, b, margin, size};
  const Projections p = projections_of(a, b);
  const Separation of_a = best_face_of_a(pair, p);
  if (of_a.gap > margin) return;
  const Separation of_b = best_face_of_b(pair, p);
  if (of_b.gap > margin) return;
  Separation best = clearly_better(pair, of_b, of_a) ? of_b : of_a;
  const Separation edges = best_edges(pair, p);
  if (edges.gap > margin) return;
  if (clearly_better(pair, edges, best)) best = edges;

  const std::size_t first = contacts.size();
  bool complete = false;
  if (best.kind == BoxFeature::Edges) {
    complete = edge_contact(pair, best, contacts);
  } else {
    face_contacts(pair, best, contacts);
    complete = smallest_gap(contacts, first) <= best.gap + 1e-9 * size;
    round_edges(pair, best, best.kind == BoxFeature::FaceOfA ? of_b : of_a, first, contacts);
  }
  if (!complete && std::fmax(best.gap, std::fmax(of_b.gap, edges.gap)) > 0.0)
    nearest_contacts(pair, best, std::fmin(margin, smallest_gap(contacts, first)), contacts);
  else if (contacts.size() == first)
    contacts.push_back(deepest_corner(pair, best));
  std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
            [](const ContactPoint& x, const ContactPoint& y) { return x.feature < y.feature; });
}

// A face of one box, the reference, and what of the facing face of the other lies over it.

namespace {

/// Edges of the polygon have numbers: 0 to 11 those of the incident box, then the four sides of the
/// reference face.
constexpr std::uint32_t first_side = 12;
constexpr std::uint32_t no_corner = 8;
// Two rectangles have 8 in common at most; the rest is for sides that rounding crosses twice.
constexpr std::size_t most_points = 20;

struct Point {
  double u = 0.0, v = 0.0, height = 0.0;  ///< in the frame of the reference face
  std::uint32_t edge = 0;                 ///< from this point to the next
  std::uint32_t corner = no_corner;       ///< of the incident box; no_corner: made by clipping
};

/// A convex polygon.
struct Polygon {
  std::array<Point, most_points> point;
  std::size_t count = 0;
  void add(const Point& p) { point[count++] = p; }
  const Point& after(std::size_t i) const { return point[i + 1 < count ? i + 1 : 0]; }
};

struct ReferenceFace {
  const PlacedBox& box;
  Vec3 normal;  ///< out of the box
  std::size_t axis = 0, u = 0, v = 0;
};

/// The face of `box` that faces `face` most squarely, in the frame of the face.
Polygon incident_face(const PlacedBox& box, const ReferenceFace& face) {
  std::size_t axis = 0;
  double squarest = -1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double cosine = std::fabs(dot(face.normal, box.axis[k]));
    if (cosine > squarest) {
      squarest = cosine;
      axis = k;
    }
  }
  const unsigned side = dot(face.normal, box.axis[axis]) < 0.0 ? 1U : 0U;
  const std::size_t first = (axis + 1) % 3, second = (axis + 2) % 3;
  Polygon polygon;
  for (unsigned k = 0; k < 4; ++k) {
    // around the face: 00, 10, 11, 01; the edge to the next corner runs along first, second, ...
    const unsigned gray = k ^ k >> 1;
    const unsigned number = side << axis | (gray & 1U) << first | (gray >> 1 & 1U) << second;
    const Vec3 at = corner(box, number) - face.box.centre;
    const std::size_t along = k % 2 == 0 ? first : second;
    polygon.add({dot(at, face.box.axis[face.u]), dot(at, face.box.axis[face.v]),
                 dot(at, face.normal) - face.box.half[face.axis], edge_number(along, number),
                 number});
  }
  return polygon;
}

/// Of the polygon, what is not beyond `limit` along u (sides 0 and 1: below and above) or v (2 and
/// 3). [Sutherland74]
Polygon clipped(const Polygon& polygon, std::uint32_t side, double limit) {
  const auto beyond = [&](const Point& p) {
    const double along = side < 2 ? p.u : p.v;
    return (side % 2 == 0 ? -along : along) - limit;
  };
  Polygon result;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Point &from = polygon.point[i], &to = polygon.after(i);
    const double start = beyond(from), end = beyond(to);
    if (start <= 0.0) result.add(from);
    if ((start <= 0.0) == (end <= 0.0)) continue;
    const double t = start / (start - end);
    // out: the side runs on from here; in: the edge goes on
    result.add({from.u + t * (to.u - from.u), from.v + t * (to.v - from.v),
                from.height + t * (to.height - from.height),
                start <= 0.0 ? first_side + side : from.edge, no_corner});
  }
  return result;
}

/// Below 64: corners of the incident box, crossings of its edges with sides, corners of the face.
std::uint32_t place_of(const Point& point, std::uint32_t edge_before) {
  if (point.corner != no_corner) return point.corner;
  const std::uint32_t low = edge_before < point.edge ? edge_before : point.edge;
  const std::uint32_t high = edge_before < point.edge ? point.edge : edge_before;
  if (low < first_side) return 8 + 4 * low + (high - first_side);
  return 56 + 2 * (low - first_side) + (high - first_side - 2);
}

}  // namespace

void face_contacts(const BoxPair& pair, const Separation& separation,
                   std::vector<ContactPoint>& contacts) {
  const bool of_a = separation.kind == BoxFeature::FaceOfA;
  const std::size_t axis = of_a ? separation.axis_of_a : separation.axis_of_b;
  const ReferenceFace face{of_a ? pair.a : pair.b, of_a ? separation.normal : -separation.normal,
                           axis, (axis + 1) % 3, (axis + 2) % 3};
  Polygon polygon = incident_face(of_a ? pair.b : pair.a, face);
  // With slack, so that corners of boxes of one size, one on the other, stay corners.
  for (std::uint32_t side = 0; side < 4; ++side)
    polygon = clipped(polygon, side, face.box.half[side < 2 ? face.u : face.v] + pair.slack());
  const bool above = dot(face.normal, face.box.axis[axis]) > 0.0;
  const auto face_number = static_cast<std::uint32_t>(2 * axis + (above ? 1 : 0));
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Point& p = polygon.point[i];
    if (p.height > pair.margin) continue;
    const std::uint32_t before = polygon.point[i > 0 ? i - 1 : polygon.count - 1].edge;
    const Vec3 at = face.box.centre + p.u * face.box.axis[face.u] + p.v * face.box.axis[face.v] +
                    (face.box.half[axis] + 0.5 * p.height) * face.normal;
    contacts.push_back({at, separation.normal, p.height,
                        box_feature(separation.kind, face_number << 6 | place_of(p, before))});
  }
}

// Where edges cross, and where boxes that are apart come nearest: a corner of one and the other
// box, or two edges.

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

// Parallel edges that meet, as those of two boards that lean on each other: the normals of both
// faces there separate the boxes, and all between them. Of sharp edges none is the right one; of
// edges with a small radius it goes from one face's to the other's as they pass each other.

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
  const double behind = best.gap - other.gap, deeper = std::fmin(best.gap, other.gap);
  if (behind >= width || deeper <= -2.0 * width || best.gap >= apart * pair.size) return 0.0;
  const Vec3 line = cross(best.normal, other.normal);
  const double sine = length(line);
  if (sine <= flat) return 0.0;
  const Vec3 along = (1.0 / sine) * line;
  const double off = std::fmax(off_line(pair.a, along), off_line(pair.b, along));
  return std::fmin(0.5 - 0.5 * behind / width, 0.5) * fade(-deeper, width, 2.0 * width) *
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
