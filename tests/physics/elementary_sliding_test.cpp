// Sticking and sliding against elementary mechanics: an incline, two boards that lean on each
// other, a turntable. Rows of docs/truth.md.

#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace talus {
namespace {

using support::expect_on_page;
using support::measured;
using support::run_until;
using support::SmallScene;
using support::TruthRow;

constexpr double g = 9.81;
constexpr double degree = std::numbers::pi / 180.0;

/// Where `moves` begins to be true, between two numbers.
double threshold(double holds, double goes, const std::function<bool(double)>& moves) {
  for (int k = 0; k < 34; ++k) {
    const double middle = 0.5 * (holds + goes);
    (moves(middle) ? goes : holds) = middle;
  }
  return 0.5 * (holds + goes);
}

// ---- incline ------------------------------------------------------------------------------------

constexpr double incline_friction = 0.4;

/// A brick, or a sphere, on a floor under gravity that leans by an angle.
SmallScene incline(double angle, double friction, double h, bool sphere) {
  SmallScene small(h, friction);
  small.set_gravity({g * std::sin(angle), 0.0, -g * std::cos(angle)});
  small.add_floor();
  if (sphere)
    small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.1});
  else
    small.add("brick", Motion::Dynamic, small.box({0.2, 0.1, 0.05}), {0.0, 0.0, 0.025});
  return small;
}

TEST(TruthOfSliding, InclineBeginsToSlideAtTheAngleOfFriction) {
  expect_on_page(measured(
      "Incline: angle at which a brick begins to slide, degrees",
      std::atan(incline_friction) / degree, 1e-2,
      [](double h) {
        return threshold(20.0, 24.0, [&](double angle) {
          Simulation simulation = incline(angle * degree, incline_friction, h, false).start();
          for (int k = 0; k < 3; ++k) simulation.step();
          return simulation.world().bodies.velocity[1].x > 1e-8;
        });
      },
      1e-6));
}

/// Way of the body in half a second.
double way_down(double angle, double friction, double h, bool sphere) {
  Simulation simulation = incline(angle, friction, h, sphere).start();
  run_until(simulation, 0.5);
  return simulation.world().bodies.position[1].x;
}

TEST(TruthOfSliding, InclineWaysAreHalfATSquared) {
  const double angle = 30.0 * degree, t = 0.5;
  const auto row = [&](const char* name, double friction, bool sphere, double a) {
    const TruthRow made = measured(name, 0.5 * a * t * t, 4e-3,
                                   [&](double h) { return way_down(angle, friction, h, sphere); });
    EXPECT_NEAR(made.order(), 1.0, 0.02) << name;
    expect_on_page(made);
  };
  const double slides = g * (std::sin(angle) - 0.1 * std::cos(angle));
  row("Incline of 30 degrees: way of a brick, friction 0.4, m", 0.4, false,
      g * (std::sin(angle) - 0.4 * std::cos(angle)));
  row("Incline of 30 degrees: way of a sphere that rolls, m", 0.4, true,
      5.0 / 7.0 * g * std::sin(angle));
  row("Incline of 30 degrees: way of a sphere that slips, friction 0.1, m", 0.1, true, slides);
}

TEST(TruthOfSliding, SphereOnAnInclineRollsFromTwoSeventhsOfItsSlope) {
  const double angle = 30.0 * degree;
  expect_on_page(measured(
      "Incline of 30 degrees: friction from which a sphere rolls", 2.0 / 7.0 * std::tan(angle),
      4e-3,
      [&](double h) {
        return threshold(0.3, 0.1, [&](double friction) {
          Simulation simulation = incline(angle, friction, h, true).start();
          for (int k = 0; k < 3; ++k) simulation.step();
          const BodySet& bodies = simulation.world().bodies;
          return bodies.velocity[1].x - 0.1 * bodies.angular_velocity[1].y > 1e-9;
        });
      },
      1e-6));
}

// ---- two boards that lean on each other ---------------------------------------------------------

// Boxes, whose upper edges meet. By symmetry the ridge pushes level; moments about a foot say how
// hard, against half the weight's lever. That the feet hold is then a matter of friction.
struct Frame {
  double length = 1.0, thickness = 0.02;  // m
  double alpha = 30.0 * degree;           // of a board from the vertical

  double limit() const {
    return 0.5 * (length * std::sin(alpha) - thickness * std::cos(alpha)) /
           (length * std::cos(alpha));
  }
};

/// The ridge has the same friction as the feet.
Simulation lean(const Frame& frame, double friction, double h) {
  SmallScene small(h, friction);
  small.add_floor();
  const Index board = small.box({frame.thickness, 0.3, frame.length});
  const double sine = std::sin(frame.alpha), cosine = std::cos(frame.alpha);
  for (const double side : {-1.0, 1.0}) {
    const double x = 0.5 * side * (frame.length * sine + frame.thickness * cosine);
    const double z = 0.5 * (frame.length * cosine + frame.thickness * sine);
    const std::size_t body =
        small.add(side < 0.0 ? "left" : "right", Motion::Dynamic, board, {x, 0.0, z});
    small.body(body).pose.orientation = rotation_by({0.0, -side * frame.alpha, 0.0});
  }
  return small.start();
}

TEST(TruthOfSliding, LeaningBoardsStandOnTheirSideOfTheLimit) {
  const Frame frame;
  {
    Simulation simulation = lean(frame, 1.02 * frame.limit(), 5e-3);
    const double z = simulation.world().bodies.position[1].z;
    run_until(simulation, 5.0);
    EXPECT_NEAR(simulation.world().bodies.position[1].z, z, 1e-6);
    EXPECT_NEAR(simulation.world().bodies.position[2].z, z, 1e-6);
  }
  Simulation simulation = lean(frame, 0.98 * frame.limit(), 5e-3);
  const double z = simulation.world().bodies.position[1].z;
  run_until(simulation, 1.0);
  EXPECT_LT(simulation.world().bodies.position[1].z, z - 0.05);
}

TEST(TruthOfSliding, LimitOfLeaningBoards) {
  const auto limit_by_steps = [](const Frame& frame, double h) {
    return threshold(0.8, 0.05, [&](double friction) {
      Simulation simulation = lean(frame, friction, h);
      for (int k = 0; k < 3; ++k) simulation.step();
      return length(simulation.world().bodies.velocity[1]) > 1e-6 * h;
    });
  };
  for (const double degrees : {15.0, 45.0}) {
    Frame frame;
    frame.alpha = degrees * degree;
    EXPECT_NEAR(limit_by_steps(frame, 1e-2) / frame.limit(), 1.0, 1e-6) << degrees;
  }
  const Frame frame;
  expect_on_page(measured(
      "A-frame of two boards, 30 degrees: friction from which it stands", frame.limit(), 1e-2,
      [&](double h) { return limit_by_steps(frame, h); }, 1e-6));
}

// ---- turntable ----------------------------------------------------------------------------------

/// A small brick that goes with a table at a distance of half a metre.
Simulation turntable(double share, double h) {
  const double r = 0.5, friction = 0.5, w = std::sqrt(share * friction * g / r);
  SmallScene small(h, friction);
  const std::size_t table =
      small.add("table", Motion::Kinematic, small.box({2.0, 2.0, 0.1}), {0.0, 0.0, -0.05});
  KinematicMotion motion;
  motion.rate = Expression(w);
  small.body(table).kinematic = motion;
  const std::size_t brick =
      small.add("brick", Motion::Dynamic, small.box({0.02, 0.02, 0.004}), {r, 0.0, 0.002});
  small.body(brick).velocity = {0.0, w * r, 0.0};
  small.body(brick).angular_velocity = {0.0, 0.0, w};
  return small.start();
}

double distance_from_axis(const Simulation& simulation) {
  const Vec3& x = simulation.world().bodies.position[1];
  return std::hypot(x.x, x.y);
}

TEST(TruthOfSliding, TurntableKeepsABrickUntilItsThreshold) {
  expect_on_page(measured(
      "Turntable: w^2 r / (mu g) at which a brick begins to slide", 1.0, 1e-3,
      [](double h) {
        return threshold(0.9, 1.1, [&](double share) {
          Simulation simulation = turntable(share, h);
          simulation.step();
          const BodySet& bodies = simulation.world().bodies;
          const Vec3 before = bodies.position[1];
          simulation.step();
          // against the place of the table that was under it
          const Vec3 carried = rotate(rotation_by(h * bodies.angular_velocity[0]), before);
          return length(bodies.position[1] - carried) > 1e-4 * h * h;
        });
      },
      3e-5));
}

TEST(TruthOfSliding, TurntableOnBothSidesOfItsThreshold) {
  Simulation slides = turntable(1.02, 1e-3);
  run_until(slides, 1.0);
  EXPECT_GT(distance_from_axis(slides), 0.55);
}

TEST(TruthOfSliding, TurntableDrift) {
  const TruthRow row = measured("Turntable at 0.98 of it: distance of the brick after 1 s, m", 0.5,
                                1e-3, [](double h) {
                                  Simulation simulation = turntable(0.98, h);
                                  run_until(simulation, 1.0);
                                  return distance_from_axis(simulation);
                                });
  expect_on_page(row);
}

}  // namespace
}  // namespace talus
