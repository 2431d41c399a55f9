// Joints in motion against equations of motion that know nothing of rows.

#include "core/elementary.hpp"
#include "support/joint_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace talus {
namespace {

using support::frame_at;
using support::JointStepper;
using support::rod_inertia;

constexpr double gravity = 9.81;
constexpr Vec3 down{0.0, 0.0, -gravity};
constexpr Vec3 y_axis{0.0, 1.0, 0.0};
constexpr Sym3 ball{1.0, 0.0, 0.0, 1.0, 0.0, 1.0};

template <std::size_t n>
using State = std::array<double, n>;

/// Classical Runge-Kutta, so fine that its error is of no account.
template <std::size_t n>
State<n> runge_kutta(const std::function<State<n>(const State<n>&)>& rate, State<n> s, double end) {
  constexpr int steps = 4000;
  const double h = end / steps;
  const auto plus = [](State<n> a, double f, const State<n>& b) {
    for (std::size_t i = 0; i < n; ++i) a[i] += f * b[i];
    return a;
  };
  for (int i = 0; i < steps; ++i) {
    const State<n> k1 = rate(s), k2 = rate(plus(s, 0.5 * h, k1));
    const State<n> k3 = rate(plus(s, 0.5 * h, k2)), k4 = rate(plus(s, h, k3));
    s = plus(plus(plus(plus(s, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
  }
  return s;
}

/// A rod that hangs from `pivot`, turned from straight down by `angle` about y (towards -x).
Pose hanging(const Vec3& pivot, double angle, double to_centre) {
  const Vec3 along{-sine(angle), 0.0, -cosine(angle)};
  return {pivot + to_centre * along, rotation_between({1.0, 0.0, 0.0}, along)};
}

/// Errors of steps that are halved each time.
void expect_first_order(const std::vector<double>& errors) {
  for (std::size_t i = 1; i < errors.size(); ++i) {
    EXPECT_NEAR(errors[i - 1] / errors[i], 2.0, 0.2) << errors[i - 1] << ", " << errors[i];
  }
}

struct Pendulum {
  double mass = 2.0, l = 0.4, start = 1.0;
  double inertia() const { return rod_inertia(mass, 2.0 * l).yy + mass * l * l; }

  JointStepper stepper(double h) const {
    JointStepper made(h);
    made.gravity = down;
    const GlobalId rod = made.add_body(hanging({}, start, l), mass, rod_inertia(mass, 2.0 * l));
    made.add_joint(JointType::Revolute, world_id, rod, frame_at({}, y_axis));
    return made;
  }
};

TEST(JointMotion, PendulumFollowsItsEquationToFirstOrder) {
  const Pendulum p;
  const double end = 0.5;  // not where the error, which swings too, goes through zero
  const auto exact = runge_kutta<2>(
      [&](const State<2>& s) {
        return State<2>{s[1], -p.mass * gravity * p.l / p.inertia() * sine(s[0])};
      },
      {p.start, 0.0}, end);
  std::vector<double> errors;
  for (const int steps : {100, 200, 400}) {
    JointStepper stepper = p.stepper(end / steps);
    stepper.run(steps);
    errors.push_back(std::fabs(p.start + stepper.world.joints[0].angle - exact[0]));
    // a step along the tangent leaves the circle by l (h w)^2 / 2; a fifth of what has gathered is
    // taken back per step: 2.5 l (h w)^2 = 17 h^2 stay at most
    for (std::size_t row = 0; row < 3; ++row)
      EXPECT_LT(std::fabs(stepper.rows()[row].error), 17.0 * stepper.h() * stepper.h());
  }
  expect_first_order(errors);
  EXPECT_LT(errors.back(), 0.01);
}

TEST(JointMotion, DoublePendulumFollowsItsEquationsToFirstOrder) {
  const double m1 = 1.0, m2 = 0.7, l1 = 0.5, l2 = 0.6, c1 = 0.5 * l1, c2 = 0.5 * l2;
  const State<4> start{1.2, 0.4, 0.0, 0.0};
  const double end = 0.5;
  const double i1 = rod_inertia(m1, l1).yy, i2 = rod_inertia(m2, l2).yy;
  // Lagrange's equations, angles from straight down
  const auto exact = runge_kutta<4>(
      [&](const State<4>& s) {
        const double cross = m2 * l1 * c2, c = cosine(s[0] - s[1]), d = sine(s[0] - s[1]);
        const double a = i1 + m1 * c1 * c1 + m2 * l1 * l1, b = cross * c, e = i2 + m2 * c2 * c2;
        const double r1 = -cross * d * s[3] * s[3] - (m1 * c1 + m2 * l1) * gravity * sine(s[0]);
        const double r2 = cross * d * s[2] * s[2] - m2 * c2 * gravity * sine(s[1]);
        const double det = a * e - b * b;
        return State<4>{s[2], s[3], (e * r1 - b * r2) / det, (a * r2 - b * r1) / det};
      },
      start, end);
  std::vector<double> errors;
  for (const int steps : {125, 250, 500}) {
    JointStepper stepper(end / steps);
    stepper.gravity = down;
    const Vec3 elbow{-l1 * sine(start[0]), 0.0, -l1 * cosine(start[0])};
    stepper.add_body(hanging({}, start[0], c1), m1, rod_inertia(m1, l1));
    stepper.add_body(hanging(elbow, start[1], c2), m2, rod_inertia(m2, l2));
    stepper.add_joint(JointType::Revolute, world_id, 0, frame_at({}, y_axis));
    stepper.add_joint(JointType::Revolute, 0, 1, frame_at(elbow, y_axis));
    stepper.run(steps);
    const double first = start[0] + stepper.world.joints[0].angle;
    const double second = start[1] + stepper.world.joints[0].angle + stepper.world.joints[1].angle;
    errors.push_back(std::hypot(first - exact[0], second - exact[1]));
  }
  expect_first_order(errors);
  EXPECT_LT(errors.back(), 0.01);
}

TEST(JointMotion, PendulumOnASphericalOrUniversalJointSwingsTheSame) {
  // in a plane they leave what a hinge leaves
  const double end = 0.5;
  const int steps = 250;
  const Pendulum p;
  JointStepper hinge = p.stepper(end / steps);
  hinge.run(steps);
  const Vec3 expected = hinge.pose(0).position;
  for (const JointType type : {JointType::Spherical, JointType::Universal}) {
    JointStepper other = p.stepper(end / steps);
    other.world.joints.clear();
    // the axes of the world: the universal joint turns about y
    other.add_joint(type, world_id, 0, {{}, {}});
    other.run(steps);
    EXPECT_LT(length(other.pose(0).position - expected), 1e-6) << name_of(type);
  }
}

TEST(JointMotion, SpringAndDamperFollowTheDampedOscillatorToFirstOrder) {
  const double mass = 2.0, k = 200.0, c = 4.0, rest = 0.5, stretch = 0.1, end = 1.0;
  const double decay = 0.5 * c / mass, omega = std::sqrt(k / mass - decay * decay);
  const auto exact = [&](double t) {
    return stretch * exponential(-decay * t) *
           (cosine(omega * t) + decay / omega * sine(omega * t));
  };
  std::vector<double> errors;
  for (const int steps : {500, 1000, 2000}) {
    JointStepper stepper(end / steps);
    const Vec3 at{rest + stretch, 0.0, 0.0};
    stepper.add_body({at, {}}, mass, ball);
    Joint& spring = stepper.add_joint(JointType::Spring, world_id, 0, {});
    spring.frame_b.position = {};
    spring.length = rest;
    spring.stiffness = k;
    spring.damping = c;
    double largest = 0.0;
    for (int i = 0; i < steps; ++i) {
      stepper.step();
      const double way = stepper.pose(0).position.x - rest;
      largest = std::fmax(largest, std::fabs(way - exact(stepper.world.time)));
    }
    errors.push_back(largest);
  }
  expect_first_order(errors);
  EXPECT_LT(errors.back(), 1e-3);  // 1 % of the stretch
}

TEST(JointMotion, StiffSpringHoldsAWeightWhereItsLawSays) {
  JointStepper stepper(1e-2);  // far above the period of the spring: 6 ms
  stepper.gravity = down;
  stepper.add_body({{0.0, 0.0, -1.0}, {}}, 1.0, ball);
  Joint& spring = stepper.add_joint(JointType::Spring, world_id, 0, {});
  spring.frame_b.position = {};
  spring.length = 1.0;
  spring.stiffness = 1e6;
  spring.damping = 2e4;
  stepper.run(200);
  EXPECT_NEAR(stepper.pose(0).position.z, -1.0 - gravity / 1e6, 1e-12);
  EXPECT_NEAR(stepper.world.joints[0].reaction_force.z, gravity, 1e-6);
}

TEST(JointMotion, LimitStopsASwingWithoutBeingPassed) {
  const Pendulum p;
  JointStepper stepper = p.stepper(2e-3);
  stepper.world.joints[0].angle_limits = {-0.7, 2.0};
  bool touched = false;
  for (int i = 0; i < 500; ++i) {
    stepper.step();
    const Joint& hinge = stepper.world.joints[0];
    // the axis of the hinge stays: turns of steps add up, and the row uses the way that is left
    ASSERT_GE(hinge.angle, -0.7 - 1e-8);
    ASSERT_GE(hinge.impulse[5], 0.0);
    touched = touched || hinge.impulse[5] > 0.0;
  }
  EXPECT_TRUE(touched);
  // no bounce: it leans on the limit, which carries the moment of its weight
  const Joint& hinge = stepper.world.joints[0];
  EXPECT_NEAR(hinge.angle, -0.7, 1e-6);
  EXPECT_NEAR(hinge.impulse[5] / stepper.h(), p.mass * gravity * p.l * sine(0.3), 1e-5);
  EXPECT_EQ(hinge.impulse[6], 0.0);
}

TEST(JointMotion, RopeOfADistanceJointPullsOnlyWhereItIsTaut) {
  JointStepper stepper(2e-3);
  stepper.gravity = down;
  stepper.add_body({{0.0, 0.0, -0.5}, {}}, 1.0, ball);
  Joint& rope = stepper.add_joint(JointType::Distance, world_id, 0, {});
  rope.frame_b.position = {};
  rope.way_limits[1] = 0.6;
  stepper.run(40);  // 0.08 s: fallen by 3 cm
  EXPECT_NEAR(stepper.pose(0).position.z, -0.5 - 0.5 * gravity * 0.08 * 0.082, 1e-12);
  EXPECT_EQ(stepper.world.joints[0].impulse[2], 0.0);
  stepper.run(160);
  EXPECT_NEAR(stepper.pose(0).position.z, -0.6, 1e-9);
  EXPECT_NEAR(stepper.world.joints[0].reaction_force.z, gravity, 1e-6);
}

TEST(JointMotion, RodOfADistanceJointKeepsItsLength) {
  JointStepper stepper(1e-3);
  stepper.gravity = down;
  stepper.add_body({{0.6, 0.0, 0.0}, {}}, 1.0, ball);
  Joint& rod = stepper.add_joint(JointType::Distance, world_id, 0, {});
  rod.frame_b.position = {};
  rod.length = 0.6;
  stepper.run(300);
  // a step along the tangent leaves the circle by (h v)^2 / 2 l, 1.4e-5 m, and a fifth of what has
  // gathered is taken back
  EXPECT_NEAR(length(stepper.pose(0).position), 0.6, 5e-5);
  EXPECT_LT(stepper.pose(0).position.z, -0.3);
}

TEST(JointMotion, CompliantJointSagsUnderItsLoad) {
  JointStepper stepper(1e-3);
  stepper.gravity = down;
  stepper.add_body({{0.5, 0.0, 0.0}, {}}, 2.0, ball);
  stepper.add_joint(JointType::Fixed, world_id, 0, frame_at({0.5, 0.0, 0.0})).compliance = 1e-6;
  stepper.run(200);
  EXPECT_NEAR(stepper.pose(0).position.z, -1e-6 * 2.0 * gravity, 1e-12);
}

/// Momentum, and angular momentum about the origin, of balls.
std::array<Vec3, 2> momenta(const World& world) {
  Vec3 linear, angular;
  const BodySet& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    const Vec3 p = bodies.mass[i] * bodies.velocity[i];
    linear = linear + p;
    angular =
        angular + cross(bodies.position[i], p) + bodies.inertia[i] * bodies.angular_velocity[i];
  }
  return {linear, angular};
}

class JointMotionOfTypes : public testing::TestWithParam<JointType> {};
INSTANTIATE_TEST_SUITE_P(Types, JointMotionOfTypes,
                         testing::Values(JointType::Fixed, JointType::Spherical,
                                         JointType::Revolute, JointType::Prismatic,
                                         JointType::Cylindrical, JointType::Universal,
                                         JointType::Distance, JointType::Spring),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST_P(JointMotionOfTypes, FreeChainTumblesWithItsMomenta) {
  JointStepper stepper(5e-3);
  stepper.add_body({{0.0, 0.0, 0.0}, {}}, 1.0, ball);
  stepper.add_body({{1.0, 0.2, 0.0}, {}}, 2.0, ball);
  stepper.add_body({{1.8, 0.0, 0.5}, rotation_by({0.3, 0.2, 0.1})}, 0.5, ball);
  stepper.add_joint(GetParam(), 0, 1, frame_at({0.5, 0.0, 0.1}, {1.0, 1.0, 0.0}));
  stepper.add_joint(GetParam(), 1, 2, frame_at({1.4, 0.3, 0.1}, {0.0, 1.0, 1.0}));
  for (Joint& joint : stepper.world.joints) {
    if (joint.type == JointType::Spring) joint.stiffness = 100.0;
    if (joint.type == JointType::Distance) joint.length = 0.1;
    if (joint.type == JointType::Spring || joint.type == JointType::Distance)
      joint.frame_b.position = joint.frame_b.position + Vec3{0.0, 0.0, 0.1};
  }
  stepper.world.bodies.velocity = {{1.0, 0.0, 0.5}, {-0.5, 1.0, 0.0}, {0.0, -2.0, 1.0}};
  stepper.world.bodies.angular_velocity = {{1.0, 2.0, 0.0}, {0.0, -1.0, 1.0}, {0.5, 0.0, 2.0}};
  const auto before = momenta(stepper.world);
  stepper.run(100);
  const auto after = momenta(stepper.world);
  EXPECT_LT(length(after[0] - before[0]), 1e-12);
  EXPECT_LT(length(after[1] - before[1]), 1e-12);
}

TEST_P(JointMotionOfTypes, JointThatWasTornApartComesTogether) {
  if (GetParam() == JointType::Spring) return;  // nothing can tear it
  JointStepper stepper(5e-3);
  stepper.add_body({{0.3, 0.1, 0.0}, {}}, 1.0, ball);
  Joint& joint =
      stepper.add_joint(GetParam(), world_id, 0, frame_at({0.0, 0.0, 0.1}, {1.0, 1.0, 0.0}));
  if (joint.type == JointType::Distance) joint.length = 0.3;
  stepper.world.bodies.position[0] = {1.0, -1.0, 0.5};
  stepper.world.bodies.orientation[0] = rotation_by({1.1, -0.4, 0.9});
  stepper.stabilisation = 0.05;
  stepper.run(400);
  for (const JointRow& row : stepper.rows()) EXPECT_LT(std::fabs(row.error), 1e-3) << row.place;
}

}  // namespace
}  // namespace talus
