#include "cones/cone_view.hpp"

#include "talus/cones/projection.hpp"

#include <type_traits>

namespace talus {
namespace {

/// A Vec3 is three numbers, without anything before or between them.
const double* numbers_of(const std::vector<Vec3>& vectors) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && std::is_standard_layout_v<Vec3>);
  return reinterpret_cast<const double*>(vectors.data());
}

}  // namespace

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
