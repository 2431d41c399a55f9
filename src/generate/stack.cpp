// Plates one upon the other, four contacts per face pair: redundant, and hard where masses differ.

#include "core/words.hpp"
#include "generate/kinds.hpp"
#include "generate/random.hpp"
#include "generate/shapes.hpp"

#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr Vec3 plate{1.0, 1.0, 0.1};  // m
constexpr double plate_mass = 100.0;  // kg, density of water

double mass_of(const GenerateSettings& s, Index i) {
  if (s.order == "graded" && s.bodies > 1)
    return plate_mass * fractional_power(s.mass_ratio, static_cast<double>(i) / (s.bodies - 1));
  const bool heavy = s.order == "alternating" ? i % 2 == 1 : i == s.bodies - 1;
  return heavy ? plate_mass * s.mass_ratio : plate_mass;
}

/// Horizontal, so that the plates stay in touch.
Vec3 lateral(const GenerateSettings& s, Index i) {
  KeyedRandom random(s.seed, static_cast<std::uint64_t>(i), 0);
  for (;;) {
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0);
    const double squared = x * x + y * y;
    if (squared > 0.01 && squared <= 1.0) return s.speed / std::sqrt(squared) * Vec3{x, y, 0.0};
  }
}

}  // namespace

BodyProblem make_stack(const GenerateSettings& s) {
  BodyProblem problem;
  for (Index i = 0; i < s.bodies; ++i) {
    const Vec3 centre{0.0, 0.0, plate.z * (i + 0.5)};
    add_box(problem, centre, plate, mass_of(s, i), {lateral(s, i), s.step});
  }
  for (Index i = 0; i < s.bodies; ++i)
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 point{(corner % 2 == 0 ? -0.5 : 0.5) * plate.x,
                       (corner / 2 == 0 ? -0.5 : 0.5) * plate.y, plate.z * i};
      const Index below = i == 0 ? no_body : i - 1;
      add_contact(problem, {below, i, corner, {0.0, 0.0, 1.0}, point, 0.0}, s.friction, s.step);
    }
  problem.title = fmt::format("stack of {}, masses {} with ratio {}, friction {}",
                              counted(s.bodies, "plate"), s.order, s.mass_ratio, s.friction);
  return problem;
}

}  // namespace talus
