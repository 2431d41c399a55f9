// Law box bounds friction along two axes, each for itself: a pair of materials may name the first.
// A plate that slides over a floor, with answers by hand.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace talus {
namespace {

using support::SmallScene;

constexpr double step = 1e-3, mu = 0.3, g = 10.0;
constexpr int steps = 100;

/// A flat plate on the floor, pushed off with the velocity.
struct Slide {
  Vec3 velocity;           ///< after 100 steps
  std::vector<Vec3> sums;  ///< of the impulses on the plate, of each step
  double friction = 0.0;   ///< J, that it took so far
};

struct Given {
  Vec3 axis;
  Vec3 velocity;
  Law law = Law::Box;
  Method method = Method::Apgd;
  double rolling = 0.0;  ///< m: contacts are rolling cones
  bool along_slip = false;
};

Slide slide(const Given& given) {
  SmallScene small(step, mu);
  small.set_gravity({0.0, 0.0, -g});
  small.pair().friction_axis = given.axis;
  small.pair().friction_along_slip = given.along_slip;
  small.pair().rolling_friction = given.rolling;
  small.set_pair();
  small.add_floor();
  const std::size_t plate =
      small.add("plate", Motion::Dynamic, small.box({0.4, 0.4, 0.02}), {0.0, 0.0, 0.01});
  small.body(plate).velocity = given.velocity;
  small.solver.law = given.law;
  small.solver.method = given.method;
  small.solver.tolerance = 1e-10;
  Simulation simulation = small.start();
  Slide done;
  for (int k = 0; k < steps; ++k) {
    done.friction += simulation.step().energy.friction;
    Vec3 sum;
    for (const Vec3& impulse : simulation.world().contacts.impulse) sum = sum + impulse;
    done.sums.push_back(sum);
  }
  done.velocity = simulation.world().bodies.velocity[plate];
  return done;
}

/// The components of v0 along an axis of the plane and across it fall by mu g each, to 0.
Vec3 by_hand(const Vec3& along, const Vec3& v0) {
  const Vec3 across = cross({0.0, 0.0, 1.0}, along);
  const auto left = [&](double v) {
    return std::copysign(std::max(0.0, std::abs(v) - mu * g * step * steps), v);
  };
  return left(dot(along, v0)) * along + left(dot(across, v0)) * across;
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

const Vec3 first_axis{1.0, 0.0, 0.0}, diagonal{std::sqrt(0.5), std::sqrt(0.5), 0.0};
const Vec3 push{1.0, 0.5, 0.0};
constexpr double mass = 1000.0 * 0.4 * 0.4 * 0.02;  // kg

class BoxFriction : public testing::TestWithParam<Method> {};

TEST_P(BoxFriction, BrakesAlongTheNamedAxisAndAcrossIt) {
  for (const double rolling : {0.0, 1e-4})
    for (const Vec3& axis : {first_axis, diagonal}) {
      const Slide done = slide({axis, push, Law::Box, GetParam(), rolling});

      // 1e-10 m/s of each of 100 steps, times a few
      expect_near(done.velocity, by_hand(axis, push), 1e-7);
      const double bound = mu * mass * g * step;  // N s: of each tangent
      const Vec3 across = cross({0.0, 0.0, 1.0}, axis);
      EXPECT_NEAR(dot(done.sums[10], axis), -std::copysign(bound, dot(push, axis)), 1e-6 * bound);
      EXPECT_NEAR(dot(done.sums[10], across), -std::copysign(bound, dot(push, across)),
                  1e-6 * bound);
    }
}
INSTANTIATE_TEST_SUITE_P(Methods, BoxFriction,
                         testing::Values(Method::Jacobi, Method::Psor, Method::Pspgfb, Method::Apgd,
                                         Method::Auto),
                         [](const auto& test) { return name_of(test.param); });

// (1, 0.5) along x and y: (0.7, 0.2). Along the diagonals: 1.0607 and -0.3536 become 0.7607 and
// -0.0536, which is (0.5757, 0.5000): slower along x, hardly slower along y.
TEST(BoxFriction, OfTheTwoAxesGoesTwoWays) {
  expect_near(slide({first_axis, push}).velocity, {0.7, 0.2, 0.0}, 1e-7);
  expect_near(slide({diagonal, push}).velocity, {0.575736, 0.5, 0.0}, 1e-6);
}

// What is lost of the plate's energy went into friction: the ledger takes the named axes, too.
TEST(BoxFriction, IsWhatTheLedgerSays) {
  for (const Vec3& axis : {first_axis, diagonal}) {
    const Slide done = slide({axis, push});
    const Vec3 left = done.velocity;
    EXPECT_NEAR(done.friction, 0.5 * mass * (dot(push, push) - dot(left, left)), 1e-6);
  }
}

// Along the slip friction is mu m g in whatever direction, as Coulomb's law has it, and not up to
// sqrt(2) times that along a diagonal: the plate goes straight on, slows down by mu g and stops.
TEST(BoxFriction, AlongTheSlipIsOneFrictionInAllDirections) {
  const double bound = mu * mass * g * step;  // N s
  for (const double rolling : {0.0, 1e-4})
    for (const double angle : {0.0, 0.3, 0.25 * std::numbers::pi, 2.0, -1.1}) {
      const Vec3 way{std::cos(angle), std::sin(angle), 0.0};
      const Slide done = slide({{}, way, Law::Box, Method::Apgd, rolling, true});

      expect_near(done.velocity, (1.0 - mu * g * step * steps) * way, 1e-7);
      for (const std::size_t k : {0U, 50U})
        EXPECT_NEAR(std::hypot(done.sums[k].x, done.sums[k].y), bound, 1e-6 * bound);
      const Slide slow = slide({{}, 0.2 * way, Law::Box, Method::Apgd, rolling, true});
      expect_near(slow.velocity, {}, 1e-9);  // it has come to rest on the way
    }
  const Slide diagonally = slide({{}, diagonal, Law::Box});
  EXPECT_NEAR(std::hypot(diagonally.sums[0].x, diagonally.sums[0].y), std::sqrt(2.0) * bound,
              1e-6 * bound)
      << "without";
}

// It is made orthogonal to the normal: an axis that leaves the plane has the direction of its
// shadow, and one along the normal has none.
TEST(BoxFriction, TakesTheAxisInThePlaneOfTheContact) {
  const Vec3 raised = (1.0 / std::sqrt(2.0)) * (diagonal + Vec3{0.0, 0.0, 1.0});
  expect_near(slide({raised, push}).velocity, slide({diagonal, push}).velocity, 1e-7);

  const Slide none = slide({Vec3{}, push}), normal = slide({{0.0, 0.0, 1.0}, push});
  EXPECT_EQ(normal.velocity.x, none.velocity.x);
  EXPECT_EQ(normal.velocity.y, none.velocity.y);
}

// Friction that is the same in all directions has no use for it.
TEST(BoxFriction, HasAnAxisUnderItsOwnLawOnly) {
  for (const Law law : {Law::Coulomb, Law::Associated}) {
    const Vec3 none = slide({Vec3{}, push, law}).velocity;
    const Vec3 named = slide({diagonal, push, law}).velocity;
    expect_near(named, none, 1e-7);
    EXPECT_NEAR(named.y / named.x, 0.5, 1e-6) << "straight on";
  }
}

}  // namespace
}  // namespace talus
