#include "cones/cone_view.hpp"

#include "talus/cones/projection.hpp"

namespace talus {

ConeView view_of(const ConeSet& cones) {
  return {cones.scalar_tiles(),       cones.planar_tiles(),      cones.spatial_tiles(),
          cones.planar_first_row(),   cones.planar_first_slot(), cones.spatial_first_row(),
          cones.spatial_first_slot(), cones.lower.data(),        cones.upper.data(),
          cones.cosine.data(),        cones.sine.data(),         cones.axis.data()};
}

void project_spatial_plain(const double* x, const double* axis, double cosine, double sine,
                           double* projected) {
  const Vec3 p = project_spatial({x[0], x[1], x[2]}, {axis[0], axis[1], axis[2]}, cosine, sine);
  projected[0] = p.x;
  projected[1] = p.y;
  projected[2] = p.z;
}

}  // namespace talus
