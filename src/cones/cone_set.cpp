#include "talus/cones/cone_set.hpp"

#include "talus/core/error.hpp"

#include <cmath>

namespace talus {
namespace {

// Square roots and divisions only: unlike those of the mathematics library, they have the same bits
// everywhere.
void set_angle(ConeSet& cones, Index slot, double mu) {
  TALUS_ASSERT(mu >= 0.0);
  const auto i = static_cast<std::size_t>(slot);
  cones.friction[i] = mu;
  if (mu <= 1.0) {
    cones.cosine[i] = 1.0 / std::sqrt(1.0 + mu * mu);
    cones.sine[i] = mu * cones.cosine[i];
  } else {
    const double inverse = 1.0 / mu;
    cones.sine[i] = 1.0 / std::sqrt(1.0 + inverse * inverse);
    cones.cosine[i] = inverse * cones.sine[i];
  }
}

/// Owned or mirrored, not filling.
bool is_stored(Index c, Index count, Index mirrors) {
  return 0 <= c && (c < count || (padded(count) <= c && c < padded(count) + mirrors));
}

}  // namespace

Vec3 ConeSet::axis_of(Index c) const {
  const auto at = [&](Index k) {
    return axis[static_cast<std::size_t>(spatial_row(c, k) - spatial_first_row())];
  };
  return {at(0), at(1), at(2)};
}

ConeSet make_cone_set(Index scalar_count, Index planar_count, Index spatial_count,
                      const ConeCounts& mirrors) {
  ConeSet cones;
  cones.scalar_count = scalar_count;
  cones.planar_count = planar_count;
  cones.spatial_count = spatial_count;
  cones.mirrors = mirrors;
  const auto scalar_slots = static_cast<std::size_t>(cones.scalar_slots());
  cones.lower.assign(scalar_slots, 0.0);
  cones.upper.assign(scalar_slots, 0.0);
  for (Index i = 0; i < scalar_count; ++i) set_interval(cones, i, -infinity, infinity);
  for (Index m = 0; m < mirrors.scalar; ++m)
    set_interval(cones, padded(scalar_count) + m, -infinity, infinity);
  const auto slots = static_cast<std::size_t>(cones.slots());
  cones.friction.assign(slots, 0.0);
  cones.cosine.assign(slots, 1.0);
  cones.sine.assign(slots, 0.0);
  const auto spatial_slots = static_cast<std::size_t>(cones.spatial_slots());
  cones.axis.assign(3 * spatial_slots, 0.0);
  for (std::size_t tile = 0; tile < spatial_slots / lanes; ++tile)
    for (std::size_t lane = 0; lane < lanes; ++lane) cones.axis[tile * 3 * lanes + lane] = 1.0;
  cones.tangent.assign(spatial_slots, Vec3{0.0, 1.0, 0.0});
  return cones;
}

void set_interval(ConeSet& cones, Index i, double lower, double upper) {
  TALUS_ASSERT(is_stored(i, cones.scalar_count, cones.mirrors.scalar) && lower <= upper);
  cones.lower[static_cast<std::size_t>(i)] = lower;
  cones.upper[static_cast<std::size_t>(i)] = upper;
}

void set_planar_friction(ConeSet& cones, Index c, double mu) {
  TALUS_ASSERT(is_stored(c, cones.planar_count, cones.mirrors.planar));
  set_angle(cones, cones.planar_slot(c), mu);
}

void set_spatial_friction(ConeSet& cones, Index c, double mu, const Vec3& axis,
                          const Vec3& tangent) {
  TALUS_ASSERT(is_stored(c, cones.spatial_count, cones.mirrors.spatial));
  set_angle(cones, cones.spatial_slot(c), mu);
  const auto set = [&](Index k, double value) {
    cones.axis[static_cast<std::size_t>(cones.spatial_row(c, k) - cones.spatial_first_row())] =
        value;
  };
  set(0, axis.x);
  set(1, axis.y);
  set(2, axis.z);
  Vec3 t = tangent - dot(tangent, axis) * axis;
  const double length = std::sqrt(dot(t, t));
  if (length > 1e-6) {
    t = (1.0 / length) * t;
    t = t - dot(t, axis) * axis;  // once more: what the first time left over has just grown
    t = (1.0 / std::sqrt(dot(t, t))) * t;
  } else {
    t = tangent_of(axis);  // a tangent along the normal says nothing
  }
  cones.tangent[static_cast<std::size_t>(c)] = t;
}

Vec3 tangent_of(const Vec3& axis) {
  const double x = std::abs(axis.x), y = std::abs(axis.y), z = std::abs(axis.z);
  Vec3 helper{0.0, 0.0, 1.0};
  if (x <= y && x <= z) {
    helper = {1.0, 0.0, 0.0};
  } else if (y <= z) {
    helper = {0.0, 1.0, 0.0};
  }
  const Vec3 t = helper - dot(helper, axis) * axis;
  return (1.0 / std::sqrt(dot(t, t))) * t;
}

Vec3 spatial_value(const ConeSet& cones, const RowVector& rows, Index c) {
  return {rows[static_cast<std::size_t>(cones.spatial_row(c, 0))],
          rows[static_cast<std::size_t>(cones.spatial_row(c, 1))],
          rows[static_cast<std::size_t>(cones.spatial_row(c, 2))]};
}

void set_spatial_value(const ConeSet& cones, RowVector& rows, Index c, const Vec3& value) {
  rows[static_cast<std::size_t>(cones.spatial_row(c, 0))] = value.x;
  rows[static_cast<std::size_t>(cones.spatial_row(c, 1))] = value.y;
  rows[static_cast<std::size_t>(cones.spatial_row(c, 2))] = value.z;
}

Vec3 to_contact_frame(const ConeSet& cones, Index c, const Vec3& value) {
  const Vec3 normal = cones.axis_of(c);
  const Vec3& tangent = cones.tangent[static_cast<std::size_t>(c)];
  return {dot(normal, value), dot(tangent, value), dot(cross(normal, tangent), value)};
}

Vec3 from_contact_frame(const ConeSet& cones, Index c, const Vec3& components) {
  const Vec3 normal = cones.axis_of(c);
  const Vec3& tangent = cones.tangent[static_cast<std::size_t>(c)];
  return components.x * normal + components.y * tangent + components.z * cross(normal, tangent);
}

}  // namespace talus
