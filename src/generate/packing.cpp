// Spheres settled in a box, as they stand when gravity has acted for one more step.

#include "generate/deposition.hpp"
#include "generate/kinds.hpp"
#include "generate/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr double density = 2500.0;  // kg/m3, glass
constexpr double solid_fraction =
    0.55;  // of what is dropped; makes the box about as wide as the filling is high
constexpr double pi = 3.14159265358979323846;

double box_width(const GenerateSettings& s) {
  // mean of r^3 for r uniform in (1 +- spread) radius
  const double mean_cube = s.radius * s.radius * s.radius * (1.0 + s.spread * s.spread);
  const double volume = s.bodies * (4.0 / 3.0 * pi) * mean_cube / solid_fraction;
  return std::max(cube_root(volume), 4.0 * s.radius * (1.0 + s.spread));
}

class Packing {
 public:
  explicit Packing(const GenerateSettings& settings)
      : s_(settings),
        width_(box_width(settings)),
        // what can come into touch within the step: two bodies that approach with twice the speed
        // gained in it
        reach_(2.0 * gravity * settings.step * settings.step) {}

  BodyProblem build() {
    spheres_ = deposit({s_.bodies, s_.radius, s_.spread, width_, s_.seed});
    SphereGrid grid(width_, 2.0 * s_.radius * (1.0 + s_.spread) + reach_);
    std::vector<Index> near;
    for (Index i = 0; i < s_.bodies; ++i) {
      const Sphere& sphere = spheres_[static_cast<std::size_t>(i)];
      const double r = sphere.radius;
      add_sphere(problem_, sphere.centre, r, 4.0 / 3.0 * pi * density * r * r * r, {{}, s_.step});
      add_boundary_contacts(i);
      grid.near(sphere.centre, near);
      std::sort(near.begin(), near.end());
      for (const Index j : near) add_pair(j, i);
      grid.add(i, sphere.centre);
    }
    problem_.title = fmt::format("packing of {} spheres, radius {} m +- {}, friction {}", s_.bodies,
                                 s_.radius, s_.spread, s_.friction);
    return std::move(problem_);
  }

 private:
  void add_boundary_contacts(Index i) {
    const Vec3 inward[5] = {
        {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}};
    const double offset[5] = {0.0, 0.0, -width_, 0.0, -width_};
    const Sphere& sphere = spheres_[static_cast<std::size_t>(i)];
    for (int k = 0; k < 5; ++k) {
      const double distance = dot(inward[k], sphere.centre) - offset[k];
      const double gap = std::max(0.0, distance - sphere.radius);
      if (gap > reach_) continue;
      const Vec3 point = sphere.centre - (sphere.radius + 0.5 * gap) * inward[k];
      add_contact(problem_, {no_body, i, k, inward[k], point, gap}, s_.friction, s_.step);
    }
  }

  void add_pair(Index a, Index b) {
    const Sphere &sa = spheres_[static_cast<std::size_t>(a)],
                 &sb = spheres_[static_cast<std::size_t>(b)];
    const Vec3 d = sb.centre - sa.centre;
    const double distance = std::sqrt(dot(d, d));
    // supports touch but for rounding; a gap below zero would be pushed apart by a bias
    const double gap = std::max(0.0, distance - sa.radius - sb.radius);
    if (gap > reach_) return;
    const Vec3 normal = (1.0 / distance) * d;
    const Vec3 point = sa.centre + (sa.radius + 0.5 * gap) * normal;
    add_contact(problem_, {a, b, 0, normal, point, gap}, s_.friction, s_.step);
  }

  const GenerateSettings& s_;
  double width_, reach_;
  std::vector<Sphere> spheres_;
  BodyProblem problem_;
};

}  // namespace

BodyProblem make_packing(const GenerateSettings& settings) {
  return Packing(settings).build();
}

}  // namespace talus
