#pragma once
// Eigenvalues of symmetric 3 x 3 matrices, with operations that round alike everywhere.

#include "talus/core/types.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace talus {

/// M = L L^T of a positive definite matrix.
struct CholeskyFactor {
  double xx, yx, yy, zx, zy, zz;
  explicit CholeskyFactor(const Sym3& m)
      : xx(std::sqrt(m.xx)),
        yx(m.xy / xx),
        yy(std::sqrt(m.yy - yx * yx)),
        zx(m.xz / xx),
        zy((m.yz - zx * yx) / yy),
        zz(std::sqrt(m.zz - zx * zx - zy * zy)) {}
  Vec3 times(const Vec3& a) const {
    return {xx * a.x, yx * a.x + yy * a.y, zx * a.x + zy * a.y + zz * a.z};
  }
  Vec3 solved(const Vec3& b) const {
    const double x = b.x / xx, y = (b.y - yx * x) / yy;
    return {x, y, (b.z - zx * x - zy * y) / zz};
  }
};

/// L^-1 M L^-T.
inline Sym3 scaled(const CholeskyFactor& l, const Sym3& m) {
  const Vec3 x = l.solved({m.xx, m.xy, m.xz}), y = l.solved({m.xy, m.yy, m.yz}),
             z = l.solved({m.xz, m.yz, m.zz});
  const Vec3 first = l.solved({x.x, y.x, z.x}), second = l.solved({x.y, y.y, z.y}),
             third = l.solved({x.z, y.z, z.z});
  return {first.x, first.y, first.z, second.y, second.z, third.z};
}

struct Spectrum {
  std::array<double, 3> value{};
  std::array<Vec3, 3> vector{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
};

/// Jacobi's rotations.
inline Spectrum spectrum_of(const Sym3& m) {
  std::array<std::array<double, 3>, 3> a{
      {{m.xx, m.xy, m.xz}, {m.xy, m.yy, m.yz}, {m.xz, m.yz, m.zz}}};
  constexpr std::array<std::pair<std::size_t, std::size_t>, 3> planes{{{0, 1}, {0, 2}, {1, 2}}};
  constexpr int sweeps = 8;  // they converge quadratically: five are enough
  Spectrum s;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (const auto& [p, q] : planes) {
      if (a[p][q] == 0.0) continue;
      const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
      const double t =
          std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
      const double cosine = 1.0 / std::sqrt(t * t + 1.0), sine = t * cosine;
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = cosine * x - sine * y;
        a[k][q] = sine * x + cosine * y;
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = cosine * x - sine * y;
        a[q][k] = sine * x + cosine * y;
      }
      a[p][q] = a[q][p] = 0.0;
      const Vec3 u = s.vector[p], v = s.vector[q];
      s.vector[p] = cosine * u - sine * v;
      s.vector[q] = sine * u + cosine * v;
    }
  s.value = {a[0][0], a[1][1], a[2][2]};
  return s;
}

}  // namespace talus
