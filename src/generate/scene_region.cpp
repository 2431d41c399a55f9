#include "generate/scene_region.hpp"

#include "talus/core/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

using RegionKind = Region::Kind;

/// A body as large as the region itself fits, whatever was rounded on the way.
constexpr double region_rounding = 1e-12;

struct Span {
  double low = 0.0, high = 0.0;
};
/// Where centres may be along a way from low to high.
Span inner(double low, double high, double radius) {
  const double middle = 0.5 * (low + high);
  return {std::min(low + radius, middle), std::max(high - radius, middle)};
}

double clamped(double x, const Span& span) {
  return std::clamp(x, span.low, span.high);
}

/// `d` brought within `most` of the origin.
Vec3 within(const Vec3& d, double most) {
  const double squared = dot(d, d);
  return squared > most * most ? (most / std::sqrt(squared)) * d : d;
}

bool has_room(double width, double radius) {
  return 2.0 * radius <= width * (1.0 + region_rounding);
}

/// Uniform in the unit ball, or in the unit disc across z.
Vec3 point_of_ball(KeyedRandom& random, bool flat) {
  for (;;) {
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0);
    const double z = flat ? 0.0 : random.uniform(-1.0, 1.0);
    const Vec3 d{x, y, z};
    if (dot(d, d) <= 1.0) return d;
  }
}

}  // namespace

double volume_of(const Region& region) {
  if (region.kind == RegionKind::Box) {
    const Vec3 size = region.high - region.low;
    return size.x * size.y * size.z;
  }
  const double disc = pi * region.radius * region.radius;
  return region.kind == RegionKind::Sphere ? 4.0 / 3.0 * disc * region.radius
                                           : disc * region.height;
}

Bounds bounds_of(const Region& region) {
  if (region.kind == RegionKind::Box) return {region.low, region.high};
  const double r = region.radius;
  if (region.kind == RegionKind::Sphere)
    return {region.centre - Vec3{r, r, r}, region.centre + Vec3{r, r, r}};
  const Vec3 &a = region.axis, far = region.centre + region.height * a;
  // half the width of a disc along a coordinate is r times the sine of its angle with the axis
  const auto half = [&](double along) { return r * std::sqrt(std::max(0.0, 1.0 - along * along)); };
  const Vec3 disc{half(a.x), half(a.y), half(a.z)};
  const Vec3 low{std::min(region.centre.x, far.x), std::min(region.centre.y, far.y),
                 std::min(region.centre.z, far.z)};
  const Vec3 high{std::max(region.centre.x, far.x), std::max(region.centre.y, far.y),
                  std::max(region.centre.z, far.z)};
  return {low - disc, high + disc};
}

int directions_with_room(const Region& region, double radius) {
  const auto room = [&](double width) { return has_room(width, radius) ? 1 : 0; };
  switch (region.kind) {
    case RegionKind::Sphere:
      return 3 * room(2.0 * region.radius);
    case RegionKind::Cylinder:
      return 2 * room(2.0 * region.radius) + room(region.height);
    case RegionKind::Box:
      break;
  }
  const Vec3 size = region.high - region.low;
  return room(size.x) + room(size.y) + room(size.z);
}

Vec3 nearest_inside(const Region& region, double radius, const Vec3& point) {
  if (region.kind == RegionKind::Box) {
    const Vec3 &low = region.low, &high = region.high;
    return {clamped(point.x, inner(low.x, high.x, radius)),
            clamped(point.y, inner(low.y, high.y, radius)),
            clamped(point.z, inner(low.z, high.z, radius))};
  }
  const double across = std::max(0.0, region.radius - radius);
  const Vec3 d = point - region.centre;
  if (region.kind == RegionKind::Sphere) return region.centre + within(d, across);
  const double along = dot(d, region.axis);
  const Vec3 aside = within(d - along * region.axis, across);
  return region.centre + aside + clamped(along, inner(0.0, region.height, radius)) * region.axis;
}

Vec3 point_inside(const Region& region, double radius, KeyedRandom& random) {
  if (region.kind == RegionKind::Box) {
    const Span x = inner(region.low.x, region.high.x, radius);
    const Span y = inner(region.low.y, region.high.y, radius);
    const Span z = inner(region.low.z, region.high.z, radius);
    const double px = random.uniform(x.low, x.high), py = random.uniform(y.low, y.high);
    return {px, py, random.uniform(z.low, z.high)};
  }
  const double across = std::max(0.0, region.radius - radius);
  const bool flat = region.kind == RegionKind::Cylinder;
  const Vec3 d = across * point_of_ball(random, flat);
  if (!flat) return region.centre + d;
  const Span along = inner(0.0, region.height, radius);
  return region.centre + rotate(rotation_between({0.0, 0.0, 1.0}, region.axis), d) +
         random.uniform(along.low, along.high) * region.axis;
}

std::string words_of(const Region& region) {
  const Vec3 size = region.high - region.low;
  if (region.kind == RegionKind::Box)
    return fmt::format("a box of {:.6g} x {:.6g} x {:.6g} m", size.x, size.y, size.z);
  if (region.kind == RegionKind::Sphere)
    return fmt::format("a sphere of diameter {:.6g} m", 2.0 * region.radius);
  return fmt::format("a cylinder of diameter {:.6g} m and height {:.6g} m", 2.0 * region.radius,
                     region.height);
}

}  // namespace talus
