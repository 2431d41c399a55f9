#pragma once
// Meshes whose answers are known.

#include "talus/core/rotation.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "core/elementary.hpp"
#include "unit/geometry/geometry_checks.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace talus::test {

using Triangles = std::vector<std::array<Vec3, 3>>;

inline void add_quad(Triangles& to, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  to.push_back({a, b, c});
  to.push_back({a, c, d});
}

/// Twelve triangles, normals outwards.
inline Triangles box_triangles(const Vec3& low, const Vec3& high) {
  const auto at = [&](int x, int y, int z) {
    return Vec3{x != 0 ? high.x : low.x, y != 0 ? high.y : low.y, z != 0 ? high.z : low.z};
  };
  Triangles t;
  add_quad(t, at(0, 0, 0), at(0, 1, 0), at(1, 1, 0), at(1, 0, 0));
  add_quad(t, at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1));
  add_quad(t, at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1));
  add_quad(t, at(0, 1, 0), at(0, 1, 1), at(1, 1, 1), at(1, 1, 0));
  add_quad(t, at(0, 0, 0), at(0, 0, 1), at(0, 1, 1), at(0, 1, 0));
  add_quad(t, at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1));
  return t;
}

/// Of latitude and longitude, radius 1, normals outwards.
inline Triangles ball_triangles(int rows) {
  const int columns = 2 * rows;
  const auto at = [&](int i, int j) {
    if (i == 0) return Vec3{0.0, 0.0, -1.0};
    if (i == rows) return Vec3{0.0, 0.0, 1.0};
    const double across = sine(pi * i / rows), around = 2.0 * pi * (j % columns) / columns;
    return Vec3{across * cosine(around), across * sine(around), -cosine(pi * i / rows)};
  };
  Triangles t;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      if (i > 0) t.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      if (i + 1 < rows) t.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    }
  return t;
}

/// A shell about the z axis with both ends, radius 1, z from -1 to 1, normals inwards.
inline Triangles drum_triangles(int sides, int rows) {
  const auto at = [&](int j, double z) {
    const double angle = 2.0 * pi * (j % sides) / sides;
    return Vec3{cosine(angle), sine(angle), z};
  };
  Triangles t;
  for (int j = 0; j < sides; ++j) {
    for (int i = 0; i < rows; ++i) {
      const double low = -1.0 + 2.0 * i / rows,
                   high = i + 1 == rows ? 1.0 : -1.0 + 2.0 * (i + 1) / rows;
      add_quad(t, at(j + 1, low), at(j, low), at(j, high), at(j + 1, high));
    }
    t.push_back({Vec3{0.0, 0.0, -1.0}, at(j, -1.0), at(j + 1, -1.0)});
    t.push_back({Vec3{0.0, 0.0, 1.0}, at(j + 1, 1.0), at(j, 1.0)});
  }
  return t;
}

/// The square |x|, |y| <= 2 of the plane z = 0 in unequal rows and columns, diagonals either way,
/// some triangles cut in three.
inline Triangles wall_triangles(std::mt19937& random, int cells) {
  std::uniform_real_distribution<double> part(0.1, 1.0);
  const auto lines = [&] {
    std::vector<double> at{0.0};
    for (int i = 0; i < cells; ++i) at.push_back(at.back() + part(random));
    for (double& x : at) x = 4.0 * x / at.back() - 2.0;
    return at;
  };
  const std::vector<double> x = lines(), y = lines();
  Triangles t;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    if (random() % 3 != 0) {
      t.push_back({a, b, c});
      return;
    }
    const double u = part(random), v = part(random), w = part(random);
    const Vec3 m = (1.0 / (u + v + w)) * (u * a + v * b + w * c);
    t.push_back({a, b, m});
    t.push_back({b, c, m});
    t.push_back({c, a, m});
  };
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    for (std::size_t j = 0; j + 1 < y.size(); ++j) {
      const Vec3 a{x[i], y[j], 0.0}, b{x[i + 1], y[j], 0.0}, c{x[i + 1], y[j + 1], 0.0},
          d{x[i], y[j + 1], 0.0};
      const bool rising = random() % 2 != 0;
      add(a, b, rising ? c : d);
      if (rising)
        add(a, c, d);
      else
        add(b, c, d);
    }
  return t;
}

inline Triangles placed(Triangles triangles, const Pose& pose) {
  for (auto& triangle : triangles)
    for (Vec3& v : triangle) v = to_world(pose, v);
  return triangles;
}

inline Shape mesh_shape(const Triangles& triangles) {
  return Mesh{std::make_shared<const TriangleMesh>(triangles)};
}

inline Quaternion random_turn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Quaternion q;
  q.w = normal(random);
  q.x = normal(random);
  q.y = normal(random);
  q.z = normal(random);
  return normalised(q);
}

}  // namespace talus::test
