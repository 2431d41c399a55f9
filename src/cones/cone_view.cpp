#include "cones/cone_view.hpp"

#include "talus/cones/projection.hpp"

namespace talus {

ConeView view_of(const ConeSet& cones, RowPart part) {
  // cones of each group that lie before the part, and in it
  const bool owned = part == RowPart::Owned;
  const ConeCounts before = owned
                                ? ConeCounts{}
                                : ConeCounts{padded(cones.scalar_count), padded(cones.planar_count),
                                             padded(cones.spatial_count)};
  const ConeCounts count =
      owned ? ConeCounts{cones.scalar_count, cones.planar_count, cones.spatial_count}
            : cones.mirrors;
  return {padded(count.scalar) / lanes,
          padded(count.planar) / lanes,
          padded(count.spatial) / lanes,
          before.scalar,
          cones.planar_first_row() + 2 * before.planar,
          cones.planar_first_slot() + before.planar,
          cones.spatial_first_row() + 3 * before.spatial,
          cones.spatial_first_slot() + before.spatial,
          cones.lower.data(),
          cones.upper.data(),
          cones.cosine.data(),
          cones.sine.data(),
          cones.axis.data() + 3 * static_cast<std::ptrdiff_t>(before.spatial)};
}

void project_spatial_plain(const double* x, const double* axis, double cosine, double sine,
                           double* projected) {
  const Vec3 p = project_spatial({x[0], x[1], x[2]}, {axis[0], axis[1], axis[2]}, cosine, sine);
  projected[0] = p.x;
  projected[1] = p.y;
  projected[2] = p.z;
}

}  // namespace talus
