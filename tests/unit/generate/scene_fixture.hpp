#pragma once
// Worlds and generators for tests of generators, and their bodies looked at by brute force.

#include "core/elementary.hpp"
#include "generate/scene_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace talus::support {

inline constexpr double glass = 2500.0;  // kg/m3

/// Shape 0 is a sphere of diameter 1, shape 1 a cube of edge 1, shape 2 a plane; material 0 is
/// glass, material 1 has no density.
inline World small_world() {
  World world;
  world.shapes = {Sphere{0.5}, Box{}, Plane{}};
  world.materials.add({"glass", glass});
  world.materials.add({"ghost", 0.0});
  return world;
}

/// Spheres of diameter 0.01 m in a box of 0.1 m.
inline Generator spheres(Generator::Kind kind) {
  Generator generator;
  generator.kind = kind;
  generator.name = "fill";
  generator.place = "pile.yaml:7:3";
  generator.sizes.low = 0.01;
  generator.region.high = {0.1, 0.1, 0.1};
  generator.spacing = {0.01, 0.01, 0.01};
  return generator;
}

inline std::vector<NewBody> bodies_of(const Generator& generator) {
  GeneratorReport ignored;
  return generate_bodies(generator, small_world(), 0, ignored);
}

/// The largest overlap of the spheres (radius: `reach` times scale) of any two bodies, of the
/// smaller diameter.
inline double deepest(const std::vector<NewBody>& bodies, double reach = 0.5) {
  double largest = 0.0;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const double ra = reach * bodies[a].scale, rb = reach * bodies[b].scale;
      const double apart = length(bodies[a].pose.position - bodies[b].pose.position);
      largest = std::max(largest, (ra + rb - apart) / (2.0 * std::min(ra, rb)));
    }
  return largest;
}

inline double solid_of(const std::vector<NewBody>& bodies) {
  double volume = 0.0;
  for (const NewBody& body : bodies) volume += body.mass / glass;
  return volume;
}

inline bool same_bits(const std::vector<NewBody>& a, const std::vector<NewBody>& b) {
  const auto same = [](const NewBody& p, const NewBody& q) {
    const Vec3 d = p.pose.position - q.pose.position;
    const Quaternion &m = p.pose.orientation, &n = q.pose.orientation;
    return p.id == q.id && p.scale == q.scale && p.mass == q.mass && d.x == 0.0 && d.y == 0.0 &&
           d.z == 0.0 && m.w == n.w && m.x == n.x && m.y == n.y && m.z == n.z;
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

}  // namespace talus::support
