// Plates one upon the other, four contacts per face pair: redundant, and hard where masses differ.

#include "core/words.hpp"
#include "generate/random.hpp"
#include "generate/settings.hpp"
#include "generate/shapes.hpp"

#include <algorithm>
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

// A wall in running bond, hit in the middle by a ball: four points where two faces meet.

namespace {

constexpr Vec3 brick{0.24, 0.115, 0.071};  // m: along the wall, through it, up
constexpr double brick_density = 1800.0, ball_density = 7850.0;  // kg/m3: clay, steel

/// Bricks are counted along each course, from the ground up; odd courses are shifted by half a
/// brick. Lengths along the wall are whole numbers of half bricks, so that overlaps are exact.
class Wall {
 public:
  explicit Wall(const GenerateSettings& settings) : s_(settings), bricks_(settings.bodies - 1) {
    width_ = s_.width;
    // as many courses as bricks in a course, or one less
    while (s_.width == 0 && static_cast<std::int64_t>(width_) * width_ < bricks_) ++width_;
  }

  BodyProblem build() {
    for (Index i = 0; i < bricks_; ++i) {
      const Vec3 centre{half_ * (start(i) + 1), 0.5 * brick.y, brick.z * (course(i) + 0.5)};
      add_box(problem_, centre, brick, mass_, {{}, s_.step});
    }
    for (Index i = 0; i < bricks_; ++i) {
      add_bed_joints(i);
      if (i + 1 < bricks_ && course(i + 1) == course(i)) add_head_joint(i);
    }
    add_ball();
    problem_.title = fmt::format(
        "wall of {} bricks, {} per course, hit at {} m/s by a ball of mass ratio {}, friction {}",
        bricks_, width_, s_.speed, s_.mass_ratio, s_.friction);
    return std::move(problem_);
  }

 private:
  Index course(Index i) const { return i / width_; }
  Index start(Index i) const { return 2 * (i % width_) + course(i) % 2; }

  void add_bed_joints(Index i) {
    if (course(i) == 0) return add_bed_face(no_body, i, start(i), start(i) + 2);
    // brick j of the course below starts at 2 j or 2 j + 1: those that overlap are at most one half
    // away
    const Index below = (course(i) - 1) * width_, column = i % width_;
    for (Index j = below + std::max(0, column - 1); j < below + std::min(width_, column + 2); ++j) {
      const Index from = std::max(start(i), start(j)), to = std::min(start(i), start(j)) + 2;
      if (from < to) add_bed_face(j, i, from, to);
    }
  }

  void add_bed_face(Index below, Index above, Index from, Index to) {
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 point{half_ * (corner % 2 == 0 ? from : to), corner / 2 == 0 ? 0.0 : brick.y,
                       brick.z * course(above)};
      add_contact(problem_, {below, above, corner, {0.0, 0.0, 1.0}, point, 0.0}, s_.friction,
                  s_.step);
    }
  }

  void add_head_joint(Index left) {
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 point{half_ * (start(left) + 2), corner % 2 == 0 ? 0.0 : brick.y,
                       brick.z * (course(left) + (corner < 2 ? 0 : 1))};
      add_contact(problem_, {left, left + 1, corner, {1.0, 0.0, 0.0}, point, 0.0}, s_.friction,
                  s_.step);
    }
  }

  void add_ball() {
    const double mass = s_.mass_ratio * mass_;
    const double radius = cube_root(mass / (4.0 / 3.0 * pi * ball_density));
    const Index courses = course(bricks_ - 1) + 1;
    const Index middle_course = courses / 2;
    const Index in_course = std::min(width_, bricks_ - middle_course * width_);
    const Index hit = middle_course * width_ + in_course / 2;
    const Vec3 front{half_ * (start(hit) + 1), 0.0, brick.z * (course(hit) + 0.5)};
    const Index ball = add_sphere(problem_, front - Vec3{0.0, radius, 0.0}, radius, mass,
                                  {{0.0, s_.speed, 0.0}, s_.step});
    add_contact(problem_, {hit, ball, 0, {0.0, -1.0, 0.0}, front, 0.0}, s_.friction, s_.step);
  }

  static constexpr double half_ = 0.5 * brick.x;
  static constexpr double mass_ = brick_density * brick.x * brick.y * brick.z;
  const GenerateSettings& s_;
  Index bricks_;
  Index width_;
  BodyProblem problem_;
};

}  // namespace

BodyProblem make_wall(const GenerateSettings& settings) {
  return Wall(settings).build();
}

}  // namespace talus
