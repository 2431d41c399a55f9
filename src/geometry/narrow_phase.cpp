#include "geometry/narrow_phase.hpp"

#include "talus/core/error.hpp"

#include "core/of_level.hpp"
#include "geometry/box_contacts.hpp"
#include "geometry/mesh_contacts.hpp"
#include "geometry/placed.hpp"
#include "geometry/sphere_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

using Contacts = std::vector<ContactPoint>;
using PlacedConvex = std::variant<PlacedSphere, PlacedBox, PlacedPlane>;

/// A convex shape, or one part of a compound.
struct PlacedPart {
  PlacedConvex convex;
  Bounds bounds;
};

/// One function per pair of shapes, each once: the other order is the same, seen from the other
/// side.
struct Meeting {
  double margin;
  Contacts& contacts;

  void operator()(const PlacedSphere& a, const PlacedSphere& b) const {
    collide_spheres(a, b, margin, contacts);
  }
  void operator()(const PlacedSphere& a, const PlacedPlane& b) const {
    collide_sphere_plane(a, b, margin, contacts);
  }
  void operator()(const PlacedSphere& a, const PlacedBox& b) const {
    collide_sphere_box(a, b, margin, contacts);
  }
  void operator()(const PlacedBox& a, const PlacedPlane& b) const {
    collide_box_plane(a, b, margin, contacts);
  }
  void operator()(const PlacedBox& a, const PlacedBox& b) const {
    collide_boxes(a, b, margin, contacts);
  }
  void operator()(const PlacedPlane& a, const PlacedSphere& b) const { mirrored(a, b); }
  void operator()(const PlacedBox& a, const PlacedSphere& b) const { mirrored(a, b); }
  void operator()(const PlacedPlane& a, const PlacedBox& b) const { mirrored(a, b); }
  void operator()(const PlacedPlane&, const PlacedPlane&) const {
    constexpr bool planes_meet = false;
    TALUS_ASSERT(planes_meet);
  }

 private:
  template <class A, class B>
  void mirrored(const A& a, const B& b) const {
    const std::size_t first = contacts.size();
    (*this)(b, a);
    for (std::size_t k = first; k < contacts.size(); ++k) contacts[k].normal = -contacts[k].normal;
  }
};

PlacedConvex placed_convex(const PlacedShape& s) {
  if (const auto* sphere = std::get_if<Sphere>(s.shape)) return placed(*sphere, s.scale, s.pose);
  if (const auto* box = std::get_if<Box>(s.shape)) return placed(*box, s.scale, s.pose);
  return placed(std::get<Plane>(*s.shape), s.scale, s.pose);
}

template <class Convex>
PlacedPart part_of(const Convex& shape, double scale, const Pose& pose) {
  const auto convex = placed(shape, scale, pose);
  return {convex, bounds_of(convex)};
}

Bounds wider(const Bounds& bounds, double margin) {
  const Vec3 by{margin, margin, margin};
  return {bounds.low - by, bounds.high + by};
}

/// The convex parts of `shape`, into `parts`.
void place_parts(const PlacedShape& shape, std::vector<PlacedPart>& parts) {
  parts.clear();
  if (const auto* compound = std::get_if<Compound>(shape.shape)) {
    for (const Compound::Part& part : compound->parts) {
      const Pose pose = pose_of(part, shape.scale, shape.pose);
      std::visit([&](const auto& convex) { parts.push_back(part_of(convex, shape.scale, pose)); },
                 part.shape);
    }
  } else {
    const PlacedConvex convex = placed_convex(shape);
    parts.push_back({convex, std::visit([](const auto& one) { return bounds_of(one); }, convex)});
  }
}

Bounds bounds_of(const std::vector<PlacedPart>& parts) {
  Bounds bounds = parts.front().bounds;
  for (const PlacedPart& part : parts) bounds = joined(bounds, part.bounds);
  return bounds;
}

/// Contacts from `first` on are of parts number `part` out of `count`: no two parts give the same
/// feature.
void number_by_part(Contacts& contacts, std::size_t first, std::uint64_t part,
                    std::uint64_t count) {
  for (std::size_t k = first; k < contacts.size(); ++k) {
    const std::uint64_t feature = contacts[k].feature * count + part;
    TALUS_ASSERT(feature <= std::numeric_limits<std::uint32_t>::max());
    contacts[k].feature = static_cast<std::uint32_t>(feature);
  }
}

void sort_by_feature(Contacts& contacts, std::size_t first) {
  std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
            [](const ContactPoint& x, const ContactPoint& y) { return x.feature < y.feature; });
}

/// Normals from `convex` to `mesh`.
void collide_with_mesh(const PlacedShape& convex, const PlacedShape& mesh, double margin,
                       Contacts& contacts) {
  const auto* compound = std::get_if<Compound>(convex.shape);
  if (compound == nullptr) {
    TALUS_ASSERT(std::holds_alternative<Sphere>(*convex.shape) ||
                 std::holds_alternative<Box>(*convex.shape));
    collide_mesh(convex, mesh, margin, contacts);
    return;
  }
  const std::size_t first = contacts.size();
  for (std::size_t k = 0; k < compound->parts.size(); ++k) {
    const Compound::Part& part = compound->parts[k];
    const Shape shape = std::visit([](const auto& one) { return Shape(one); }, part.shape);
    const PlacedShape at{&shape, convex.scale, pose_of(part, convex.scale, convex.pose)};
    const std::size_t of_part = contacts.size();
    collide_mesh(at, mesh, margin, contacts);
    number_by_part(contacts, of_part, k, compound->parts.size());
  }
  sort_by_feature(contacts, first);
}

void collide_parts(const PlacedShape& a, const PlacedShape& b, double margin, Contacts& contacts) {
  // kept from call to call: hot loops allocate nothing
  static thread_local std::vector<PlacedPart> of_a, of_b;
  place_parts(a, of_a);
  place_parts(b, of_b);
  const std::uint64_t pair_count = std::uint64_t{of_a.size()} * of_b.size();
  TALUS_ASSERT(pair_count <= most_part_pairs);
  const std::size_t first = contacts.size();
  const Bounds near_b = wider(bounds_of(of_b), margin);
  const Meeting meeting{margin, contacts};
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (!overlap(of_a[i].bounds, near_b)) continue;
    const Bounds near = wider(of_a[i].bounds, margin);
    for (std::size_t j = 0; j < of_b.size(); ++j) {
      if (!overlap(near, of_b[j].bounds)) continue;
      const std::size_t of_pair = contacts.size();
      std::visit(meeting, of_a[i].convex, of_b[j].convex);
      number_by_part(contacts, of_pair, i * of_b.size() + j, pair_count);
    }
  }
  sort_by_feature(contacts, first);
}

}  // namespace

void collide(const PlacedShape& a, const PlacedShape& b, double margin, Contacts& contacts) {
  const auto is = [](const PlacedShape& s, auto kind) {
    return std::holds_alternative<decltype(kind)>(*s.shape);
  };
  if (is(b, Mesh{})) {
    collide_with_mesh(a, b, margin, contacts);
  } else if (is(a, Mesh{})) {
    const std::size_t first = contacts.size();
    collide_with_mesh(b, a, margin, contacts);
    for (std::size_t k = first; k < contacts.size(); ++k) contacts[k].normal = -contacts[k].normal;
  } else if (is(a, Compound{}) || is(b, Compound{})) {
    collide_parts(a, b, margin, contacts);
  } else {
    std::visit(Meeting{margin, contacts}, placed_convex(a), placed_convex(b));
  }
}

// Operation for operation that of sphere_pairs_kernels.cpp.
ContactPoint sphere_contact(const PlacedSphere& a, const PlacedSphere& b) {
  const Vec3 between = b.centre - a.centre;
  const double distance =
      std::sqrt(between.x * between.x + between.y * between.y + between.z * between.z);
  const Vec3 normal = distance > 0.0
                          ? Vec3{between.x / distance, between.y / distance, between.z / distance}
                          : Vec3{0.0, 0.0, 1.0};
  const double gap = distance - (a.radius + b.radius);
  return {a.centre + (a.radius + 0.5 * gap) * normal, normal, gap, 0};
}

void collide_spheres(const PlacedSphere& a, const PlacedSphere& b, double margin,
                     std::vector<ContactPoint>& contacts) {
  const ContactPoint contact = sphere_contact(a, b);
  if (contact.gap <= margin) contacts.push_back(contact);
}

void collide_sphere_plane(const PlacedSphere& sphere, const PlacedPlane& plane, double margin,
                          std::vector<ContactPoint>& contacts) {
  const double gap = dot(sphere.centre - plane.point, plane.normal) - sphere.radius;
  if (gap <= margin)
    contacts.push_back(
        {sphere.centre - (sphere.radius + 0.5 * gap) * plane.normal, -plane.normal, gap, 0});
}

void collide_sphere_box(const PlacedSphere& sphere, const PlacedBox& box, double margin,
                        std::vector<ContactPoint>& contacts) {
  const Vec3 from_box = sphere.centre - box.centre;
  Vec3 outside;  // from the nearest point of the box to the centre
  std::size_t nearest_axis = 0;
  double nearest_depth = 0.0, side = 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double along = dot(from_box, box.axis[k]);
    const double depth = box.half[k] - std::fabs(along), sign = along < 0.0 ? -1.0 : 1.0;
    if (depth < 0.0) outside = outside + (-depth * sign) * box.axis[k];
    if (k == 0 || depth < nearest_depth) {
      nearest_axis = k;
      nearest_depth = depth;
      side = sign;
    }
  }
  const double distance = length(outside);
  const bool inside = distance == 0.0;
  const Vec3 out = inside ? side * box.axis[nearest_axis] : unit(outside);  // of the box
  const double gap = (inside ? -nearest_depth : distance) - sphere.radius;
  if (gap <= margin)
    contacts.push_back({sphere.centre - (sphere.radius + 0.5 * gap) * out, -out, gap, 0});
}

void collide_box_plane(const PlacedBox& box, const PlacedPlane& plane, double margin,
                       std::vector<ContactPoint>& contacts) {
  for (unsigned k = 0; k < 8; ++k) {
    const Vec3 at = corner(box, k);
    const double gap = dot(at - plane.point, plane.normal);
    if (gap <= margin) contacts.push_back({at - (0.5 * gap) * plane.normal, -plane.normal, gap, k});
  }
}

PlacedSphere placed(const Sphere& sphere, double scale, const Pose& pose) {
  return {pose.position, scale * sphere.radius};
}

PlacedBox placed(const Box& box, double scale, const Pose& pose) {
  const Mat3 r = matrix_of(pose.orientation);
  return {pose.position,
          {{{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}}},
          {scale * box.half.x, scale * box.half.y, scale * box.half.z}};
}

PlacedPlane placed(const Plane& plane, double /*scale*/, const Pose& pose) {
  return {pose.position, rotate(pose.orientation, plane.normal)};
}

Pose pose_of(const Compound::Part& part, double scale, const Pose& pose) {
  return pose * Pose{scale * part.pose.position, part.pose.orientation};
}

Bounds bounds_of(const PlacedSphere& sphere) {
  const Vec3 reach{sphere.radius, sphere.radius, sphere.radius};
  return {sphere.centre - reach, sphere.centre + reach};
}

Bounds bounds_of(const PlacedBox& box) {
  Vec3 reach;
  for (std::size_t k = 0; k < 3; ++k)
    reach = reach + box.half[k] * Vec3{std::fabs(box.axis[k].x), std::fabs(box.axis[k].y),
                                       std::fabs(box.axis[k].z)};
  return {box.centre - reach, box.centre + reach};
}

Bounds bounds_of(const PlacedPlane& /*plane*/) {
  return {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
}

Bounds joined(const Bounds& a, const Bounds& b) {
  return {{std::fmin(a.low.x, b.low.x), std::fmin(a.low.y, b.low.y), std::fmin(a.low.z, b.low.z)},
          {std::fmax(a.high.x, b.high.x), std::fmax(a.high.y, b.high.y),
           std::fmax(a.high.z, b.high.z)}};
}

Vec3 corner(const PlacedBox& box, unsigned number) {
  Vec3 at = box.centre;
  for (std::size_t k = 0; k < 3; ++k)
    at = at + ((number >> k & 1U) != 0U ? box.half[k] : -box.half[k]) * box.axis[k];
  return at;
}

namespace baseline {
decltype(talus::sphere_contacts) sphere_contacts;
}
namespace v3 {
decltype(talus::sphere_contacts) sphere_contacts;
}
namespace v4 {
decltype(talus::sphere_contacts) sphere_contacts;
}

void sphere_contacts(const SpherePlace* places, const double* margin, const SpherePairTile* pairs,
                     SphereContactTile* contacts, int tile_count) {
  of_level(baseline::sphere_contacts, v3::sphere_contacts, v4::sphere_contacts)(
      places, margin, pairs, contacts, tile_count);
}

}  // namespace talus
