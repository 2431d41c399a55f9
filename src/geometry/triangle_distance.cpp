#include "geometry/triangle_distance.hpp"

namespace talus {

// By the regions in which a corner, an edge or the inside is nearest, told apart by barycentric
// coordinates without the division [Ericson05, 5.1.5].
NearestPoint nearest_point(const std::array<Vec3, 3>& triangle, const Vec3& to) {
  const auto& [a, b, c] = triangle;
  const Vec3 ab = b - a, ac = c - a, bc = c - b;
  const double ab_a = dot(ab, to - a), ac_a = dot(ac, to - a);
  if (ab_a <= 0.0 && ac_a <= 0.0) return {a, TrianglePart::Vertex, 0};
  const double ab_b = dot(ab, to - b), ac_b = dot(ac, to - b);
  if (ab_b >= 0.0 && ac_b <= ab_b) return {b, TrianglePart::Vertex, 1};
  const double ab_c = dot(ab, to - c), ac_c = dot(ac, to - c);
  if (ac_c >= 0.0 && ab_c <= ac_c) return {c, TrianglePart::Vertex, 2};
  const double of_c = ab_a * ac_b - ab_b * ac_a;
  if (of_c <= 0.0 && ab_a >= 0.0 && ab_b <= 0.0)
    return {a + (ab_a / (ab_a - ab_b)) * ab, TrianglePart::Edge, 0};
  const double of_b = ab_c * ac_a - ab_a * ac_c;
  if (of_b <= 0.0 && ac_a >= 0.0 && ac_c <= 0.0)
    return {a + (ac_a / (ac_a - ac_c)) * ac, TrianglePart::Edge, 2};
  const double of_a = ab_b * ac_c - ab_c * ac_b;
  const double from_b = ac_b - ab_b, from_c = ab_c - ac_c;
  if (of_a <= 0.0 && from_b >= 0.0 && from_c >= 0.0)
    return {b + (from_b / (from_b + from_c)) * bc, TrianglePart::Edge, 1};
  const double sum = of_a + of_b + of_c;
  return {a + (of_b / sum) * ab + (of_c / sum) * ac, TrianglePart::Face, 0};
}

}  // namespace talus
