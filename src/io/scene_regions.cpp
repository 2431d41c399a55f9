// Parts of space.

#include "io/scene_reader.hpp"

#include <fmt/format.h>

namespace talus::io {
namespace {

/// A stream comes through a face, which may be flat along one axis; all others fill a volume.
void check_box(const Fields& fields, const Region& region, bool is_face) {
  const Vec3 size = region.high - region.low;
  const int flat = (size.x == 0.0 ? 1 : 0) + (size.y == 0.0 ? 1 : 0) + (size.z == 0.0 ? 1 : 0);
  if (size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0 && flat <= (is_face ? 1 : 0)) return;
  fields.fault("max", fmt::format("max = [{}, {}, {}] must be above min = [{}, {}, {}]: the region "
                                  "has no {}",
                                  region.high.x, region.high.y, region.high.z, region.low.x,
                                  region.low.y, region.low.z, is_face ? "area" : "volume"));
}

}  // namespace

Region read_region(const Fields& fields, bool is_face) {
  Region region;
  if (fields.kind() == "box") {
    const std::optional<Vec3> low = fields.vector("min"), high = fields.vector("max");
    if (!low || !high) return region;
    region.low = *low;
    region.high = *high;
    check_box(fields, region, is_face);
    return region;
  }
  region.kind = fields.kind() == "sphere" ? Region::Kind::Sphere : Region::Kind::Cylinder;
  region.radius = fields.number("radius", 0.0);
  if (region.kind == Region::Kind::Sphere) {
    region.centre = fields.vector("centre", {});
    return region;
  }
  region.centre = fields.vector("base", {});
  region.axis = fields.direction("axis").value_or(region.axis);
  const std::optional<double> height = fields.number("height");
  region.height = height.value_or(0.0);
  if (!is_face && height && *height == 0.0)
    fields.fault("height", "height = 0 must be > 0: the region has no volume");
  return region;
}

}  // namespace talus::io
