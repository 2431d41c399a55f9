// A face of one box, the reference, and what of the facing face of the other lies over it.

#include "geometry/box_contacts.hpp"

#include <cmath>

namespace talus {
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

}  // namespace talus
