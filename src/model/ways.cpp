#include "talus/model/ways.hpp"

#include <cmath>

namespace talus {
namespace {

double shortest(double way, double period) {
  return period > 0.0 ? way - period * std::round(way / period) : way;
}

}  // namespace

Vec3 shortest_way(const Periodicity& periodicity, const Vec3& a, const Vec3& b) {
  const Vec3 &period = periodicity.period, way = b - a;
  return {shortest(way.x, period.x), shortest(way.y, period.y), shortest(way.z, period.z)};
}

}  // namespace talus
