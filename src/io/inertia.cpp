#include "io/inertia.hpp"

#include <algorithm>
#include <cmath>

namespace talus::io {

std::optional<Sym3> inverse(const Sym3& m) {
  // scaled, so that determinants of very small or large inertias neither vanish nor overflow
  const double largest = std::max({std::abs(m.xx), std::abs(m.yy), std::abs(m.zz)});
  if (!(largest > 0.0) || !std::isfinite(largest)) return {};
  const double s = 1.0 / largest;
  const Sym3 a{s * m.xx, s * m.xy, s * m.xz, s * m.yy, s * m.yz, s * m.zz};
  const double xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz;
  const double xz = a.xy * a.yz - a.xz * a.yy, yy = a.xx * a.zz - a.xz * a.xz;
  const double yz = a.xy * a.xz - a.xx * a.yz, zz = a.xx * a.yy - a.xy * a.xy;
  const double determinant = a.xx * xx + a.xy * xy + a.xz * xz;
  if (!(a.xx > 0.0) || !(zz > 0.0) || !(determinant > 0.0)) return {};
  const double t = s / determinant;
  return Sym3{t * xx, t * xy, t * xz, t * yy, t * yz, t * zz};
}

}  // namespace talus::io
