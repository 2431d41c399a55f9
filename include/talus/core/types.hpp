#pragma once
// The few types that every room shares. Frames, signs and units: docs/conventions.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

namespace talus {

using Index = std::int32_t;     ///< inside one rank
using GlobalId = std::int64_t;  ///< across ranks: body ids, contact keys, total counts

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr Index no_body = -1;  ///< the immovable world as a partner of a contact or joint

struct Vec3 {
  double x = 0.0, y = 0.0, z = 0.0;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Symmetric 3 x 3 matrix.
struct Sym3 {
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
};

inline Vec3 operator*(const Sym3& m, const Vec3& a) {
  return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
          m.xz * a.x + m.yz * a.y + m.zz * a.z};
}

/// A twist (v, w) or a wrench (force, torque), both about the body's centre, in the world frame.
using Vec6 = std::array<double, 6>;

/// Row-major 3 x 3 block of N in the frame that the caller states.
using Mat3 = std::array<double, 9>;
/// The same of a rolling cone: force rows, then torque rows.
using Mat6 = std::array<double, 36>;

/// Allocates on cache lines, so that a tile of eight doubles is one line and one vector.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT: the standard's rebinding constructor
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  bool operator==(const LineAllocator&) const { return true; }
};

/// One number per stored row (see cones/cone_set.hpp for the order of rows).
using RowVector = std::vector<double, LineAllocator<double>>;

}  // namespace talus
