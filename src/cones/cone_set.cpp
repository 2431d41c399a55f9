#include "talus/cones/cone_set.hpp"

#include "talus/core/error.hpp"

#include "cones/cone_view.hpp"
#include "cones/frame_tiles.hpp"
#include "cones/projection.hpp"
#include "core/of_level.hpp"
#include "core/vector_numbers.hpp"

#include <algorithm>
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

/// Of the first component of a frame's axis.
std::size_t axis_place(Index frame) {
  return static_cast<std::size_t>(frame / lanes * (3 * lanes) + frame % lanes);
}

/// A tangent along the normal says nothing and is replaced.
void set_frame(ConeSet& cones, Index frame, const Vec3& axis, const Vec3& tangent) {
  const std::size_t place = axis_place(frame);
  cones.axis[place] = axis.x;
  cones.axis[place + lanes] = axis.y;
  cones.axis[place + 2 * lanes] = axis.z;
  Vec3 t = tangent - dot(tangent, axis) * axis;
  const double length = std::sqrt(dot(t, t));
  if (length > 1e-6) {
    t = (1.0 / length) * t;
    t = t - dot(t, axis) * axis;  // once more: what the first time left over has just grown
    t = (1.0 / std::sqrt(dot(t, t))) * t;
  } else {
    t = tangent_of(axis);
  }
  cones.tangent[frame] = t;
}

}  // namespace

RollingFriction ConeSet::rolling_friction_of(Index c) const {
  const auto i = static_cast<std::size_t>(c);
  return {friction[rolling_slot(c)], rolling_friction[i], spinning_friction[i]};
}

std::array<bool, 6> ConeSet::rows_that_count(Index c) const {
  const RollingFriction mu = rolling_friction_of(c);
  const bool in_space = rolling_rows > 3, rolls = mu.rolling > 0.0;
  return {true, true, in_space, rolls, in_space && rolls, rolling_rows == 6 && mu.spinning > 0.0};
}

Index ConeSet::row_count() const {
  Index count = scalar_count + 2 * planar_count + 3 * spatial_count;
  for (Index c = 0; c < rolling_count; ++c)
    for (const bool counts : rows_that_count(c)) count += counts ? 1 : 0;
  return count;
}

bool ConeSet::frictionless() const {
  const auto is_zero = [](double mu) { return mu == 0.0; };
  return std::all_of(friction.begin(), friction.end(), is_zero) &&
         std::all_of(rolling_friction.begin(), rolling_friction.end(), is_zero) &&
         std::all_of(spinning_friction.begin(), spinning_friction.end(), is_zero);
}

ConeSet make_cone_set(const ConeCounts& owned, const ConeCounts& mirrors) {
  ConeSet cones;
  cones.scalar_count = owned.scalar;
  cones.planar_count = owned.planar;
  cones.spatial_count = owned.spatial;
  cones.rolling_count = owned.rolling;
  cones.mirrors = mirrors;
  const auto scalar_slots = static_cast<std::size_t>(cones.scalar_slots());
  cones.lower.assign(scalar_slots, 0.0);
  cones.upper.assign(scalar_slots, 0.0);
  each_stored(owned.scalar, mirrors.scalar,
              [&](Index i, bool /*owned*/) { set_interval(cones, i, -infinity, infinity); });
  const auto slots = static_cast<std::size_t>(cones.slots());
  cones.friction.assign(slots, 0.0);
  cones.cosine.assign(slots, 1.0);
  cones.sine.assign(slots, 0.0);
  const auto frames = static_cast<std::size_t>(cones.spatial_slots() + cones.rolling_slots());
  cones.axis.assign(3 * frames, 0.0);
  for (std::size_t tile = 0; tile < frames / lanes; ++tile)
    for (std::size_t lane = 0; lane < lanes; ++lane) cones.axis[tile * 3 * lanes + lane] = 1.0;
  cones.tangent.assign(frames, Vec3{0.0, 1.0, 0.0});
  const auto rolling_slots = static_cast<std::size_t>(cones.rolling_slots());
  cones.rolling_friction.assign(rolling_slots, 0.0);
  cones.spinning_friction.assign(rolling_slots, 0.0);
  cones.rolling_length.assign(rolling_slots, 1.0);
  return cones;
}

ConeSet make_cone_set(Index scalar_count, Index planar_count, Index spatial_count,
                      const ConeCounts& mirrors) {
  return make_cone_set({scalar_count, planar_count, spatial_count, 0}, mirrors);
}

void set_interval(ConeSet& cones, Index i, double lower, double upper) {
  TALUS_ASSERT(is_stored(i, cones.scalar_count, cones.mirrors.scalar) && lower <= upper);
  cones.lower[i] = lower;
  cones.upper[i] = upper;
}

void set_planar_friction(ConeSet& cones, Index c, double mu) {
  TALUS_ASSERT(is_stored(c, cones.planar_count, cones.mirrors.planar));
  set_angle(cones, cones.planar_slot(c), mu);
}

void set_spatial_friction(ConeSet& cones, Index c, double mu, const Vec3& axis,
                          const Vec3& tangent) {
  TALUS_ASSERT(is_stored(c, cones.spatial_count, cones.mirrors.spatial));
  set_angle(cones, cones.spatial_slot(c), mu);
  set_frame(cones, c, axis, tangent);
}

void set_rolling_friction(ConeSet& cones, Index c, const RollingFriction& friction,
                          const Vec3& axis, const Vec3& tangent) {
  TALUS_ASSERT(is_stored(c, cones.rolling_count, cones.mirrors.rolling));
  TALUS_ASSERT(friction.rolling >= 0.0 && friction.spinning >= 0.0);
  set_angle(cones, cones.rolling_slot(c), friction.sliding);
  const auto i = static_cast<std::size_t>(c);
  cones.rolling_friction[i] = friction.rolling / cones.rolling_length[i];
  cones.spinning_friction[i] = friction.spinning / cones.rolling_length[i];
  set_frame(cones, cones.rolling_frame(c), axis, tangent);
}

void set_rolling_length(ConeSet& cones, Index c, double length) {
  TALUS_ASSERT(is_stored(c, cones.rolling_count, cones.mirrors.rolling) && length > 0.0);
  const auto i = static_cast<std::size_t>(c);
  const double before = cones.rolling_length[i];
  cones.rolling_friction[i] = cones.rolling_friction[i] * before / length;
  cones.spinning_friction[i] = cones.spinning_friction[i] * before / length;
  cones.rolling_length[i] = length;
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

SixRows rolling_value(const ConeSet& cones, const RowVector& rows, Index c) {
  const auto at = [&](Index k) { return rows[cones.rolling_row(c, k)]; };
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
}

void set_rolling_value(const ConeSet& cones, RowVector& rows, Index c, const SixRows& value) {
  const Vec3 &f = value.linear, &m = value.angular;
  const std::array<double, 6> values{f.x, f.y, f.z, m.x, m.y, m.z};
  for (std::size_t k = 0; k < values.size(); ++k)
    rows[cones.rolling_row(c, static_cast<Index>(k))] = values[k];
}

SixRows rolling_to_contact_frame(const ConeSet& cones, Index c, const SixRows& value) {
  const Index frame = cones.rolling_frame(c);
  return {to_contact_frame(cones, frame, value.linear),
          to_contact_frame(cones, frame, value.angular)};
}

SixRows rolling_from_contact_frame(const ConeSet& cones, Index c, const SixRows& components) {
  const Index frame = cones.rolling_frame(c);
  return {from_contact_frame(cones, frame, components.linear),
          from_contact_frame(cones, frame, components.angular)};
}

ConeView view_of(const ConeSet& cones, RowPart part) {
  // cones of each group that lie before the part, and in it
  const ConeCounts counts{cones.scalar_count, cones.planar_count, cones.spatial_count,
                          cones.rolling_count};
  const bool owned = part == RowPart::Owned;
  const ConeCounts before = owned ? ConeCounts{}
                                  : ConeCounts{padded(counts.scalar), padded(counts.planar),
                                               padded(counts.spatial), padded(counts.rolling)};
  const ConeCounts count = owned ? counts : cones.mirrors;
  const auto rolling = static_cast<std::ptrdiff_t>(before.rolling);
  ConeView view{};
  view.scalar_tiles = padded(count.scalar) / lanes;
  view.planar_tiles = padded(count.planar) / lanes;
  view.spatial_tiles = padded(count.spatial) / lanes;
  view.rolling_tiles = padded(count.rolling) / lanes;
  view.scalar_first = before.scalar;
  view.planar_first_row = cones.planar_first_row() + 2 * before.planar;
  view.planar_first_slot = cones.planar_first_slot() + before.planar;
  view.spatial_first_row = cones.spatial_first_row() + 3 * before.spatial;
  view.spatial_first_slot = cones.spatial_first_slot() + before.spatial;
  view.rolling_first_row = cones.rolling_first_row() + 6 * before.rolling;
  view.rolling_first_slot = cones.rolling_first_slot() + before.rolling;
  view.lower = cones.lower.data();
  view.upper = cones.upper.data();
  view.friction = cones.friction.data();
  view.cosine = cones.cosine.data();
  view.sine = cones.sine.data();
  view.axis = cones.axis.data() + 3 * static_cast<std::ptrdiff_t>(before.spatial);
  view.rolling_axis =
      cones.axis.data() + 3 * static_cast<std::ptrdiff_t>(cones.rolling_frame(before.rolling));
  view.tangent = numbers_of(cones.tangent) + 3 * static_cast<std::ptrdiff_t>(before.spatial);
  view.rolling_tangent = numbers_of(cones.tangent) +
                         3 * static_cast<std::ptrdiff_t>(cones.rolling_frame(before.rolling));
  view.rolling_friction = cones.rolling_friction.data() + rolling;
  view.spinning_friction = cones.spinning_friction.data() + rolling;
  return view;
}

namespace baseline {
extern const FrameKernels frame_kernel_table;
}
namespace v3 {
extern const FrameKernels frame_kernel_table;
}
namespace v4 {
extern const FrameKernels frame_kernel_table;
}

const FrameKernels& frame_kernels() {
  return of_level(baseline::frame_kernel_table, v3::frame_kernel_table, v4::frame_kernel_table);
}

void project_spatial_plain(const double* x, const double* axis, double cosine, double sine,
                           double* projected) {
  const Vec3 p = project_spatial({x[0], x[1], x[2]}, {axis[0], axis[1], axis[2]}, cosine, sine);
  projected[0] = p.x;
  projected[1] = p.y;
  projected[2] = p.z;
}

void project_rolling_plain(const double* x, const double* axis, const double* friction,
                           double* projected) {
  const auto [f, m] =
      project_rolling({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, {axis[0], axis[1], axis[2]},
                      {friction[0], friction[1], friction[2]});
  const double values[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
  for (int k = 0; k < 6; ++k) projected[k] = values[k];
}

}  // namespace talus
