#include "solvers/cone_values.hpp"

#include "talus/core/error.hpp"

#include "solvers/local_cone.hpp"

#include <algorithm>

namespace talus {
namespace {}  // namespace

Mat3 seen_from(const std::array<Vec3, 3>& frame, const Mat3& block) {
  Mat3 turned{};
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 image = times(block, frame[j]);
    for (std::size_t i = 0; i < 3; ++i) turned[3 * i + j] = dot(frame[i], image);
  }
  return turned;
}

Vec3 cone_impulse(const ConeSet& cones, const RowVector& x, Index cone) {
  if (cone < cones.planar_count)
    return {x[cones.planar_row(cone, 0)], x[cones.planar_row(cone, 1)], 0.0};
  const Index spatial = cone - cones.planar_count;
  return to_contact_frame(cones, spatial, spatial_value(cones, x, spatial));
}

void set_cone_impulse(const ConeSet& cones, RowVector& x, Index cone, const Vec3& impulse) {
  if (cone < cones.planar_count) {
    x[cones.planar_row(cone, 0)] = impulse.x;
    x[cones.planar_row(cone, 1)] = impulse.y;
    return;
  }
  const Index spatial = cone - cones.planar_count;
  set_spatial_value(cones, x, spatial, from_contact_frame(cones, spatial, impulse));
}

SixRows rolling_impulse(const ConeSet& cones, const RowVector& x, Index cone) {
  return rolling_to_contact_frame(cones, cone, rolling_value(cones, x, cone));
}

void set_rolling_impulse(const ConeSet& cones, RowVector& x, Index cone, const SixRows& impulse) {
  set_rolling_value(cones, x, cone, rolling_from_contact_frame(cones, cone, impulse));
}

void clip_to_boxes(const ConeSet& cones, const RowVector& start, RowVector& clipped) {
  TALUS_ASSERT(cones.mirrors.planar == 0);  // only rigid bodies have mirrors
  const auto clip_cone = [&](Index c, Index slot) {
    const Vec3 x = cone_impulse(cones, start, c);
    const double normal = std::max(x.x, 0.0);
    const double bound = normal > 0.0 ? cones.friction[slot] * normal : 0.0;
    set_cone_impulse(cones, clipped, c,
                     {normal, std::clamp(x.y, -bound, bound), std::clamp(x.z, -bound, bound)});
  };
  for (Index c = 0; c < cones.planar_count; ++c) clip_cone(c, cones.planar_slot(c));
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    clip_cone(cones.planar_count + c, cones.spatial_slot(c));
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    const SixRows x = rolling_impulse(cones, start, c);
    const RollingFriction mu = cones.rolling_friction_of(c);
    const double normal = std::max(x.linear.x, 0.0);
    const auto clip = [normal](double value, double coefficient) {
      const double bound = normal > 0.0 ? coefficient * normal : 0.0;
      return std::clamp(value, -bound, bound);
    };
    const Vec3 &f = x.linear, &m = x.angular;
    set_rolling_impulse(cones, clipped, c,
                        {{normal, clip(f.y, mu.sliding), clip(f.z, mu.sliding)},
                         {clip(m.x, mu.spinning), clip(m.y, mu.rolling), clip(m.z, mu.rolling)}});
  });
}

}  // namespace talus
