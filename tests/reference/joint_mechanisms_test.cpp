// Mechanisms driven by motors against their closed forms.

#include "core/elementary.hpp"
#include "support/joint_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::frame_at;
using support::JointStepper;
using support::rod_inertia;

constexpr Vec3 z_axis{0.0, 0.0, 1.0};
constexpr Sym3 ball{1.0, 0.0, 0.0, 1.0, 0.0, 1.0};

/// A rod between two points of a plane, as a body.
GlobalId add_rod(JointStepper& stepper, const Vec3& from, const Vec3& to) {
  const Vec3 along = to - from;
  return stepper.add_body({0.5 * (from + to), rotation_between({1.0, 0.0, 0.0}, unit(along))}, 1.0,
                          rod_inertia(1.0, length(along)));
}

Motor speed_motor(double speed) {
  Motor motor;
  motor.type = MotorType::Speed;
  motor.value = speed;
  return motor;
}

TEST(JointMechanisms, SliderCrankFollowsItsClosedForm) {
  const double r = 0.1, l = 0.3, speed = 4.0 * pi;
  std::vector<double> errors;
  for (const int steps : {250, 500}) {  // one turn
    JointStepper stepper(0.5 / steps);
    const Vec3 pin{r, 0.0, 0.0}, slide{r + l, 0.0, 0.0};
    const GlobalId crank = add_rod(stepper, {}, pin), rod = add_rod(stepper, pin, slide);
    const GlobalId slider = stepper.add_body({slide, {}}, 0.5, ball);
    stepper.add_joint(JointType::Revolute, world_id, crank, frame_at({}, z_axis)).angle_motor =
        speed_motor(speed);
    stepper.add_joint(JointType::Revolute, crank, rod, frame_at(pin, z_axis));
    stepper.add_joint(JointType::Revolute, rod, slider, frame_at(slide, z_axis));
    stepper.add_joint(JointType::Prismatic, world_id, slider, frame_at(slide));
    double largest = 0.0;
    for (int i = 0; i < steps; ++i) {
      stepper.step();
      const double angle = speed * stepper.world.time;
      const double across = r * sine(angle);
      const double x = r * cosine(angle) + std::sqrt(l * l - across * across);
      largest = std::fmax(largest, std::fabs(stepper.pose(slider).position.x - x));
    }
    EXPECT_NEAR(stepper.world.joints[0].angle, 2.0 * pi, 1e-6);
    errors.push_back(largest);
  }
  EXPECT_LT(errors[1], 1e-3 * r);
  EXPECT_GT(errors[0] / errors[1], 3.5);  // second order: the motor's way of a step is exact
}

TEST(JointMechanisms, FourBarFollowsFreudenstein) {
  const double a = 0.1, b = 0.25, c = 0.2, d = 0.3;  // crank, coupler, rocker, ground
  const double speed = 2.0 * pi;
  // the rocker's angle from the triangle of its pivot, the crank's end and its own end
  const auto rocker_at = [&](double crank) {
    const Vec3 to_crank{a * cosine(crank) - d, a * sine(crank), 0.0};
    const double s = length(to_crank);
    return arc_tangent(to_crank.y, to_crank.x) -
           arc_cosine((s * s + c * c - b * b) / (2.0 * s * c));
  };
  const double start = 0.5 * pi;
  std::vector<double> errors;
  for (const int steps : {250, 500}) {
    JointStepper stepper(1.0 / steps);
    const double rocker_start = rocker_at(start);
    const Vec3 pin{a * cosine(start), a * sine(start), 0.0}, pivot{d, 0.0, 0.0};
    const Vec3 end = pivot + c * Vec3{cosine(rocker_start), sine(rocker_start), 0.0};
    const GlobalId crank = add_rod(stepper, {}, pin), coupler = add_rod(stepper, pin, end);
    const GlobalId rocker = add_rod(stepper, pivot, end);
    stepper.add_joint(JointType::Revolute, world_id, crank, frame_at({}, z_axis)).angle_motor =
        speed_motor(speed);
    stepper.add_joint(JointType::Revolute, crank, coupler, frame_at(pin, z_axis));
    stepper.add_joint(JointType::Revolute, coupler, rocker, frame_at(end, z_axis));
    stepper.add_joint(JointType::Revolute, world_id, rocker, frame_at(pivot, z_axis));
    double largest = 0.0, equation = 0.0;
    for (int i = 0; i < steps; ++i) {
      stepper.step();
      const double angle = start + speed * stepper.world.time;
      const double rocker_now = rocker_start + stepper.world.joints[3].angle;
      const double off = rocker_now - rocker_at(angle);
      largest = std::fmax(largest, std::fabs(off - 2.0 * pi * std::nearbyint(off / (2.0 * pi))));
      // the same in Freudenstein's equation
      equation = std::fmax(equation, std::fabs(d / a * cosine(rocker_now) - d / c * cosine(angle) +
                                               (a * a - b * b + c * c + d * d) / (2.0 * a * c) -
                                               cosine(angle - rocker_now)));
    }
    errors.push_back(largest);
    EXPECT_LT(equation, (d / a + 1.0) * largest);  // its slope in the rocker's angle
  }
  EXPECT_LT(errors[1], 1e-3);
  EXPECT_GT(errors[0] / errors[1], 3.5);
}

TEST(JointMechanisms, CardanShaftRunsUnevenlyAsItsBendSays) {
  const double bend = 0.5, speed = 2.0 * pi;
  const Vec3 out{cosine(bend), 0.0, sine(bend)};
  std::vector<double> errors;
  for (const int steps : {200, 400}) {
    JointStepper stepper(1.0 / steps);
    const Sym3 shaft{0.02, 0.0, 0.0, 0.1, 0.0, 0.1};
    const GlobalId in = stepper.add_body({{-0.5, 0.0, 0.0}, {}}, 1.0, shaft);
    const GlobalId driven = stepper.add_body(frame_at(0.5 * out, out), 1.0, shaft);
    stepper.add_joint(JointType::Revolute, world_id, in, frame_at({-0.5, 0.0, 0.0})).angle_motor =
        speed_motor(speed);
    stepper.add_joint(JointType::Revolute, world_id, driven, frame_at(0.5 * out, out));
    // pins: x of the cross on the first shaft, normal to both; y on the other
    const Vec3 x{0.0, 1.0, 0.0}, y{-sine(bend), 0.0, cosine(bend)}, z = cross(x, y);
    stepper.add_joint(JointType::Universal, in, driven,
                      {{}, quaternion_of({x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z})});
    double largest = 0.0;
    for (int i = 0; i < steps; ++i) {
      stepper.step();
      const double angle = speed * stepper.world.time;
      const double exact = arc_tangent(sine(angle) * cosine(bend), cosine(angle));
      const double off = stepper.world.joints[1].angle - exact;
      largest = std::fmax(largest, std::fabs(off - 2.0 * pi * std::nearbyint(off / (2.0 * pi))));
    }
    errors.push_back(largest);
    EXPECT_NEAR(stepper.world.joints[1].angle, 2.0 * pi, 1e-3);
  }
  EXPECT_LT(errors[1], 5e-4);  // of the 0.13 rad by which the two angles differ at most
  EXPECT_GT(errors[0] / errors[1], 3.5);
}

TEST(JointMechanisms, AnglesCountThroughSeveralTurnsAlsoWithMoreThanHalfATurnPerStep) {
  for (const double per_step : {0.1, 0.8, -0.8}) {
    JointStepper stepper(1e-2);
    stepper.add_body({}, 1.0, ball);
    stepper.add_joint(JointType::Revolute, world_id, 0, frame_at({}, {1.0, 2.0, 3.0})).angle_motor =
        speed_motor(2.0 * pi * per_step / stepper.h());
    for (int i = 1; i <= 40; ++i) {
      stepper.step();
      ASSERT_NEAR(stepper.world.joints[0].angle, 2.0 * pi * per_step * i, 1e-7);
    }
  }
}

TEST(JointMechanisms, PositionMotorIsAtItsValueAtEveryStep) {
  JointStepper stepper(1e-2);
  const GlobalId base = stepper.add_body({}, 1.0, ball), arm = stepper.add_body({}, 1.0, ball);
  stepper.world.bodies.motion[0] = Motion::Fixed;
  Joint& joint = stepper.add_joint(JointType::Cylindrical, base, arm, frame_at({}, z_axis));
  joint.angle_motor.type = joint.way_motor.type = MotorType::Position;
  joint.angle_motor.value = Expression("1.5*sin(3*t)", {}, {"t"});
  joint.way_motor.value = Expression("0.2*t", {}, {"t"});
  for (int i = 0; i < 100; ++i) {
    stepper.step();
    const double t = stepper.world.time;
    ASSERT_NEAR(stepper.world.joints[0].angle, 1.5 * sine(3.0 * t), 1e-8);
    ASSERT_NEAR(stepper.pose(arm).position.z, 0.2 * t, 1e-8);
  }
}

TEST(JointMechanisms, MotorWithALimitStallsWhereTheLoadIsAsLarge) {
  // an arm that a motor lifts slowly, until the moment of its weight is what the motor can do
  const double mass = 1.0, l = 0.5, limit = 0.5 * 9.81 * mass * l, start = 0.45, speed = 0.05;
  JointStepper stepper(5e-3);
  stepper.gravity = {0.0, 0.0, -9.81};
  stepper.add_body({{l * sine(start), 0.0, -l * cosine(start)}, {}}, mass, ball);
  Joint& hinge =
      stepper.add_joint(JointType::Revolute, world_id, 0, frame_at({}, {0.0, -1.0, 0.0}));
  hinge.angle_motor = speed_motor(speed);
  hinge.angle_motor.limit = limit;
  stepper.run(100);  // on the way it needs less
  EXPECT_NEAR(length(stepper.world.bodies.angular_velocity[0]), speed, 1e-9);
  EXPECT_LT(stepper.world.joints[0].impulse[7] / stepper.h(), limit - 0.01);
  stepper.run(900);
  // it swings about where sin(angle) = 1/2, no faster than the motor turned
  const double swing = speed / std::sqrt(9.81 * mass * l * std::sqrt(0.75) / (1.0 + mass * l * l));
  EXPECT_NEAR(start + stepper.world.joints[0].angle, pi / 6.0, 1.05 * swing);
  EXPECT_NEAR(stepper.world.joints[0].impulse[7] / stepper.h(), limit, 1e-9);
}

TEST(JointMechanisms, LiftWithTooWeakAMotorFallsWithTheRest) {
  for (const double limit : {8.0, 12.0}) {
    JointStepper stepper(1e-2);
    stepper.gravity = {0.0, 0.0, -10.0};
    stepper.add_body({}, 1.0, ball);
    Joint& lift = stepper.add_joint(JointType::Prismatic, world_id, 0, frame_at({}, z_axis));
    lift.way_motor = speed_motor(0.1);
    lift.way_motor.limit = limit;
    stepper.run(50);
    // 12 N: 2 m/s2 up until 0.1 m/s; 8 N: 2 m/s2 down
    const double expected = limit > 10.0 ? 0.1 : -2.0 * 0.5;
    EXPECT_NEAR(stepper.world.bodies.velocity[0].z, expected, 1e-8);
    EXPECT_NEAR(stepper.world.joints[0].reaction_force.z, limit > 10.0 ? 10.0 : 8.0, 1e-6);
  }
}

TEST(JointMechanisms, ForceMotorPushesBothBodiesAlikeWithinItsLimit) {
  JointStepper stepper(1e-2);
  stepper.add_body({{-1.0, 0.0, 0.0}, {}}, 1.0, ball);
  stepper.add_body({{1.0, 0.0, 0.0}, {}}, 2.0, {2.0, 0.0, 0.0, 2.0, 0.0, 2.0});
  Joint& joint = stepper.add_joint(JointType::Cylindrical, 0, 1, frame_at({0.5, 0.0, 0.0}));
  joint.way_motor.type = joint.angle_motor.type = MotorType::Force;
  joint.way_motor.value = 3.0;
  joint.angle_motor.value = -7.0;
  joint.angle_motor.limit = 4.0;
  stepper.run(100);
  const BodySet& bodies = stepper.world.bodies;
  EXPECT_NEAR(bodies.velocity[0].x, -3.0, 1e-9);
  EXPECT_NEAR(bodies.velocity[1].x, 1.5, 1e-9);
  EXPECT_NEAR(bodies.angular_velocity[0].x, 4.0, 1e-9);
  EXPECT_NEAR(bodies.angular_velocity[1].x, -2.0, 1e-9);
}

TEST(JointMechanisms, ReactionsOfABracketAreItsWeightAndMoment) {
  // two boxes in line, one fixed to the world, the other to the first
  JointStepper stepper(1e-3);
  stepper.gravity = {0.0, 0.0, -10.0};
  stepper.add_body({{0.5, 0.2, 0.0}, {}}, 2.0, ball);
  stepper.add_body({{1.5, 0.0, 0.0}, {}}, 3.0, ball);
  stepper.add_joint(JointType::Fixed, world_id, 0, {});
  stepper.add_joint(JointType::Fixed, 1, 0, frame_at({1.0, 0.0, 0.0}, {1.0, -2.0, 0.5}));
  stepper.run(3);
  const Joint &wall = stepper.world.joints[0], &between = stepper.world.joints[1];
  const auto expect_near = [](const Vec3& is, const Vec3& wanted) {
    EXPECT_LT(length(is - wanted), 1e-6) << is.x << " " << is.y << " " << is.z;
  };
  // on B: the wall holds both; moments r x weight with the other sign
  expect_near(wall.reaction_force, {0.0, 0.0, 50.0});
  expect_near(wall.reaction_torque, {0.2 * 20.0, -(0.5 * 20.0 + 1.5 * 30.0), 0.0});
  // here B is the first box: the second hangs on it
  expect_near(between.reaction_force, {0.0, 0.0, -30.0});
  expect_near(between.reaction_torque, {0.0, 0.5 * 30.0, 0.0});
}

TEST(JointMechanisms, ReactionsOfAJointToTheWorldAreThoseOnTheWorldWhereItIsB) {
  JointStepper stepper(1e-3);
  stepper.gravity = {0.0, 0.0, -10.0};
  stepper.add_body({{0.5, 0.0, 0.0}, {}}, 2.0, ball);
  stepper.add_joint(JointType::Fixed, 0, world_id, {});
  stepper.run(3);
  EXPECT_NEAR(stepper.world.joints[0].reaction_force.z, -20.0, 1e-6);
  EXPECT_NEAR(stepper.world.joints[0].reaction_torque.y, 10.0, 1e-6);
}

}  // namespace
}  // namespace talus
