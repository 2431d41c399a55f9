#include "talus/model/region.hpp"

namespace talus {

bool contains(const Region& region, const Vec3& p) {
  if (region.kind == Region::Kind::Box)
    return region.low.x <= p.x && p.x <= region.high.x && region.low.y <= p.y &&
           p.y <= region.high.y && region.low.z <= p.z && p.z <= region.high.z;
  Vec3 from_axis = p - region.centre;
  if (region.kind == Region::Kind::Cylinder) {
    const double along = dot(from_axis, region.axis);
    if (along < 0.0 || along > region.height) return false;
    from_axis = from_axis - along * region.axis;
  }
  return dot(from_axis, from_axis) <= region.radius * region.radius;
}

}  // namespace talus
