#include "geometry/mesh_mass.hpp"

namespace talus {
namespace {

Sym3 operator+(const Sym3& a, const Sym3& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}

/// s v v^T
Sym3 outer(double s, const Vec3& v) {
  return {s * v.x * v.x, s * v.x * v.y, s * v.x * v.z, s * v.y * v.y, s * v.y * v.z, s * v.z * v.z};
}

}  // namespace

// The solid is the sum of tetrahedra (origin, a, b, c) with signs. One of them has six times the
// volume d = a . (b x c), the moments int x = d/24 s and int x x^T = d/120 (a a^T + b b^T + c c^T +
// s s^T) with s = a + b + c: its points are mixtures of its corners.
MassProperties mass_properties_of(const TriangleMesh& mesh) {
  if (!mesh.faults().closed() || mesh.triangles().empty()) return {};
  const Bounds around = mesh.bounds();
  const Vec3 origin = 0.5 * (around.low + around.high);  // near: far ones would cancel digits
  double six_volumes = 0.0;
  Vec3 first;
  Sym3 second;
  for (Index t = 0; t < static_cast<Index>(mesh.triangles().size()); ++t) {
    const Vec3 a = mesh.corner(t, 0) - origin, b = mesh.corner(t, 1) - origin;
    const Vec3 c = mesh.corner(t, 2) - origin, s = a + b + c;
    const double d = dot(a, cross(b, c));
    six_volumes += d;
    first = first + d * s;
    second = second + (outer(d, a) + outer(d, b)) + (outer(d, c) + outer(d, s));
  }
  const double sign = six_volumes < 0.0 ? -1.0 : 1.0;
  const double volume = sign * six_volumes / 6.0;
  if (!(volume > 0.0)) return {};
  const Vec3 centre = (sign / 24.0 / volume) * first;
  const double scale = sign / 120.0;
  const Sym3 about_origin{scale * second.xx, scale * second.xy, scale * second.xz,
                          scale * second.yy, scale * second.yz, scale * second.zz};
  const Sym3 m = about_origin + outer(-volume, centre);
  return {volume, origin + centre, {m.yy + m.zz, -m.xy, -m.xz, m.xx + m.zz, -m.yz, m.xx + m.yy}};
}

TriangleMesh moved(const TriangleMesh& mesh, const Vec3& centre) {
  return mesh.moved_by(-centre);
}

}  // namespace talus
