#pragma once
// Contacts of two boxes: the axis that separates them best says which features touch; a face is
// clipped against the other's, edges have one contact.

#include "geometry/narrow_phase.hpp"
#include "geometry/placed.hpp"

#include <cstdint>
#include <vector>

namespace talus {

/// Appends the contacts with gap <= margin, normals from a to b, in order of feature. There is one
/// whose gap is the distance of the boxes, or minus their depth (within 2 in 100: faces are
/// preferred to edges).
void collide_boxes(const PlacedBox& a, const PlacedBox& b, double margin,
                   std::vector<ContactPoint>& contacts);

/// Features of two boxes are below.
inline constexpr std::uint32_t box_feature_count = 1U << 12;

// What follows is shared by box_*.cpp.

/// Which features touch stands in the highest three of the 12 bits.
enum class BoxFeature : std::uint32_t { FaceOfA, FaceOfB, Edges, CornerOfA, CornerOfB };

constexpr std::uint32_t box_feature(BoxFeature kind, std::uint32_t place) {
  return static_cast<std::uint32_t>(kind) << 9 | place;
}

/// Edge along `axis`; bit k of `corner` says on which side of axis k it lies (bit `axis` does not
/// count). 0 to 11.
std::uint32_t edge_number(std::size_t axis, unsigned corner);
/// Of a contact of two edges.
std::uint32_t edges_feature(std::uint32_t of_a, std::uint32_t of_b);

/// Edges nearer to parallel than this are left to faces and corners: the direction across both
/// would be mostly rounding.
inline bool parallel(const Vec3& d, const Vec3& e) {
  const Vec3 normal = cross(d, e);
  return dot(normal, normal) < 1e-10;
}

/// Two boxes, and what is about nothing to them.
struct BoxPair {
  const PlacedBox& a;
  const PlacedBox& b;
  double margin = 0.0;
  double size = 0.0;  ///< the shortest half edge
  double slack() const { return 1e-5 * size; }
};

/// A direction, and how far the boxes are apart along it (negative: they overlap).
struct Separation {
  double gap = 0.0;
  Vec3 normal;  ///< from a to b
  BoxFeature kind = BoxFeature::FaceOfA;
  std::size_t axis_of_a = 0, axis_of_b = 0;
};

/// Points of the incident face over the reference face, with gap <= margin.
void face_contacts(const BoxPair& pair, const Separation& separation,
                   std::vector<ContactPoint>& contacts);

/// Where edges meet that are parallel, or nearly, a face of each box separates them as well as the
/// other's: of the contacts from `first` on, which are those of the face `best`, the ones at these
/// edges get a normal between both faces'. `other` is the best face of the other box.
void round_edges(const BoxPair& pair, const Separation& best, const Separation& other,
                 std::size_t first, std::vector<ContactPoint>& contacts);

/// Where the edges that face each other along the normal come nearest; false where that is beyond
/// their ends. Of edges of boxes that overlap, always.
bool edge_contact(const BoxPair& pair, const Separation& separation,
                  std::vector<ContactPoint>& contacts);

/// The nearest points of boxes that are apart, if nearer than `limit`: of parallel edges, several.
/// The normal of `separation` is taken where they touch.
void nearest_contacts(const BoxPair& pair, const Separation& separation, double limit,
                      std::vector<ContactPoint>& contacts);

}  // namespace talus
