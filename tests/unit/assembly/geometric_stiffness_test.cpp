// The stiffness of a loaded lever against differences of its torque, and what is added to inertias
// against numbers made by hand.

#include "assembly/geometric_stiffness.hpp"

#include "assembly/contact_rows.hpp"
#include "core/elementary.hpp"
#include "support/joint_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

using support::JointStepper;

constexpr double h = 1e-2;

double part(const Vec3& v, std::size_t k) {
  return k == 0 ? v.x : k == 1 ? v.y : v.z;
}
Vec3 axis(std::size_t k) {
  return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
}

TEST(GeometricStiffness, IsTheSymmetricPartOfWhatTheTorqueOfATurnedLeverLoses) {
  const Vec3 arm{0.3, -0.2, 0.5}, force{40.0, 70.0, -20.0};
  const double step = 1e-5;
  const auto torque = [&](const Vec3& turn) {
    return cross(rotate(rotation_by(turn), arm), force);
  };
  const Sym3 k = lever_stiffness(arm, force);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const auto slope = [&](std::size_t row, std::size_t column) {
        const Vec3 difference = torque(step * axis(column)) - torque(-step * axis(column));
        return -part(difference, row) / (2.0 * step);
      };
      EXPECT_NEAR(part(k * axis(j), i), 0.5 * (slope(i, j) + slope(j, i)), 1e-7) << i << j;
    }
}

TEST(GeometricStiffness, StepAngleIsThatOfTheStiffestDirection) {
  const Sym3 inertia{1.0, 0.0, 0.0, 2.0, 0.0, 4.0};
  EXPECT_DOUBLE_EQ(step_angle(inertia, {100.0, 0.0, 0.0, 1800.0, 0.0, -5.0}, h), 0.3);
  EXPECT_EQ(step_angle(inertia, {-100.0, 0.0, 0.0, 0.0, 0.0, -5.0}, h), 0.0);
  // a turned body in a turned load is the same
  const Quaternion q = rotation_by({0.4, -1.1, 0.7});
  EXPECT_NEAR(step_angle(rotated(q, inertia), rotated(q, {100.0, 0.0, 0.0, 1800.0, 0.0, -5.0}), h),
              0.3, 1e-14);
}

TEST(GeometricStiffness, InertiaIsAddedWhereItIsMissingAndNowhereElse) {
  const Sym3 inertia{1.0, 0.0, 0.0, 2.0, 0.0, 4.0};
  // h^2 k = 0.9, 5, -1: only the second is above its inertia, by 3
  const Sym3 stiffness{9e3, 0.0, 0.0, 5e4, 0.0, -1e4};
  const Sym3 missing = missing_inertia(inertia, stiffness, h);
  EXPECT_NEAR(missing.yy, 3.0, 1e-14);
  for (const double other : {missing.xx, missing.xy, missing.xz, missing.yz, missing.zz})
    EXPECT_NEAR(other, 0.0, 1e-15);
}

TEST(GeometricStiffness, WithWhatIsMissingNoDirectionIsTooStiff) {
  const Sym3 inertia = rotated(rotation_by({0.2, 0.5, -0.3}), {1.0, 0.0, 0.0, 2.0, 0.0, 2.5});
  const Sym3 stiffness = lever_stiffness({0.3, -0.2, 0.5}, {4e4, -7e4, 9e4});
  ASSERT_GT(step_angle(inertia, stiffness, h), 2.0);
  const Sym3 m = missing_inertia(inertia, stiffness, h);
  const Sym3 with{inertia.xx + m.xx, inertia.xy + m.xy, inertia.xz + m.xz,
                  inertia.yy + m.yy, inertia.yz + m.yz, inertia.zz + m.zz};
  EXPECT_NEAR(step_angle(with, stiffness, h), followed_angle, 1e-12);
}

/// A rod along x between two joints at its ends, 0.2 m from its centre; they pull by `force` N.
World pulled_rod(double force, JointType type = JointType::Spherical) {
  JointStepper make(h);
  const GlobalId rod = make.add_body({}, 3.0, {1e-3, 0.0, 0.0, 0.04, 0.0, 0.04});
  make.add_joint(type, world_id, rod, {{-0.2, 0.0, 0.0}, {}});
  make.add_joint(type, rod, world_id, {{0.2, 0.0, 0.0}, {}});
  // on B: the rod of the first, the world of the second
  make.world.joints[0].reaction_force = {-force, 0.0, 0.0};
  make.world.joints[1].reaction_force = {-force, 0.0, 0.0};
  return make.world;
}

TEST(GeometricStiffness, BothEndsOfARodPullItBack) {
  const World world = pulled_rod(5000.0);
  const StiffBodies stiff = stiff_bodies(world, h);
  ASSERT_EQ(stiff.beyond.size(), 1U);
  // 2 T l / I = 2 * 5000 * 0.2 / 0.04
  EXPECT_NEAR(stiff.stiffest.step_angle, h * std::sqrt(5e4), 1e-12);
  EXPECT_EQ(stiff.stiffest.body, 0);
  EXPECT_DOUBLE_EQ(stiff.stiffest.force, 5000.0);
  EXPECT_FALSE(stiff.stiffest.sways);
  // nothing about its own axis
  const Sym3 added = added_inertia(world, h, stiff).at(0);
  EXPECT_NEAR(added.xx, 0.0, 1e-16);
  EXPECT_NEAR(added.yy, h * h * 2000.0 - 0.04, 1e-14);
}

TEST(GeometricStiffness, WhatIsPushedOrLightlyLoadedOrLedGetsNone) {
  EXPECT_TRUE(stiff_bodies(pulled_rod(-5000.0), h).beyond.empty());
  EXPECT_EQ(stiff_bodies(pulled_rod(-5000.0), h).stiffest.body, no_body);
  const World light = pulled_rod(50.0);
  const StiffBodies followed = stiff_bodies(light, h);
  EXPECT_NEAR(followed.stiffest.step_angle, h * std::sqrt(500.0), 1e-12);
  EXPECT_TRUE(added_inertia(light, h, followed).empty());
  World led = pulled_rod(5000.0);
  led.bodies.motion[0] = Motion::Kinematic;
  EXPECT_EQ(stiff_bodies(led, h).stiffest.body, no_body);
  World off = pulled_rod(5000.0);
  for (Joint& joint : off.joints) joint.on = false;
  EXPECT_EQ(stiff_bodies(off, h).stiffest.body, no_body);
  constexpr double endless = std::numeric_limits<double>::infinity();
  World everything = pulled_rod(5000.0);  // a body that nothing turns
  everything.bodies.inertia[0] = {endless, 0.0, 0.0, endless, 0.0, endless};
  EXPECT_TRUE(stiff_bodies(everything, h).beyond.empty());
}

TEST(GeometricStiffness, AForceThatTurnsWithTheBodyHasNone) {
  // the rod is B of the first slide and A of the second
  const World world = pulled_rod(5000.0, JointType::Prismatic);
  EXPECT_NEAR(stiff_bodies(world, h).stiffest.step_angle, h * std::sqrt(2.5e4), 1e-12);
}

TEST(GeometricStiffness, ARopePullsItsEndBackAndItsBodySideways) {
  JointStepper make(h);
  const GlobalId body = make.add_body({{0.0, 0.0, -2.0}, {}}, 4.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0});
  Joint& rope = make.add_joint(JointType::Distance, world_id, body, {});
  rope.frame_b = {};
  rope.length = 2.0;
  rope.reaction_force = {0.0, 0.0, 8e4};
  const StiffBodies stiff = stiff_bodies(make.world, h);
  ASSERT_EQ(stiff.beyond.size(), 1U);
  EXPECT_DOUBLE_EQ(stiff.stiffest.sideways, 2.0 * 8e4 / 2.0);
  EXPECT_NEAR(stiff.stiffest.step_angle, h * std::sqrt(2e4), 1e-12);
  EXPECT_TRUE(stiff.stiffest.sways);
  EXPECT_EQ(added_inertia(make.world, h, stiff).at(0).xx, 0.0);
  // 0.1 m above the centre the rope turns the body too: 4 T/L 0.1^2, and the lever, T 0.1
  make.world.joints[0].frame_b.position = {0.0, 0.0, 0.1};
  make.world.joints[0].reaction_force = {0.0, 0.0, 1.9e4};
  const Sym3 turning = stiff_bodies(make.world, h).stiffest.turning;
  EXPECT_NEAR(turning.xx, 4e4 * 0.01 + 1.9e3, 1e-9);
  EXPECT_NEAR(turning.zz, 0.0, 1e-9);
  // one that pushes has no length to pull back over
  make.world.joints[0].reaction_force = {0.0, 0.0, -1.9e4};
  EXPECT_EQ(stiff_bodies(make.world, h).stiffest.body, no_body);
}

TEST(GeometricStiffness, BeforeTheFirstStepItIsThatOfThreeTimesTheWeightThatHangs) {
  JointStepper make(h);
  const Sym3 ball{0.04, 0.0, 0.0, 0.04, 0.0, 0.04};
  const GlobalId first = make.add_body({{0.2, 0.0, 0.0}, {}}, 3.0, ball);
  const GlobalId second =
      make.add_body({{0.6, 0.0, 0.0}, {}}, 100.0, {9.0, 0.0, 0.0, 9.0, 0.0, 9.0});
  make.add_joint(JointType::Spherical, first, second, {{0.4, 0.0, 0.0}, {}});
  make.add_joint(JointType::Spherical, world_id, first, {});
  const StiffBody stiff = stiffest_at_start(make.world, h, 10.0);
  EXPECT_EQ(stiff.body, 0);
  EXPECT_EQ(stiff.joint, 1) << "that carries both";
  EXPECT_DOUBLE_EQ(stiff.force, 3.0 * 10.0 * 103.0);
  EXPECT_NEAR(stiff.step_angle, h * std::sqrt(30.0 * (103.0 + 100.0) * 0.2 / 0.04), 1e-12);
  // what hangs on nothing, and weightlessness, pull on nothing
  EXPECT_EQ(stiffest_at_start(make.world, h, 0.0).body, no_body);
  make.world.joints.pop_back();
  EXPECT_EQ(stiffest_at_start(make.world, h, 10.0).body, no_body);
}

TEST(GeometricStiffness, AddedInertiaIsInTheMomentumToo) {
  World world = pulled_rod(5000.0);
  const Vec3 w{1.0, -2.0, 3.0};
  world.bodies.angular_velocity[0] = w;
  BodyProblem plain, problem;
  const std::vector<Vec6> none(1, Vec6{});
  body_rows(world, h, none, plain);
  body_rows(world, h, none, problem);
  EXPECT_EQ(problem.momentum, plain.momentum);
  body_rows(world, h, none, problem, {Sym3{}});
  EXPECT_EQ(problem.momentum, plain.momentum);
  body_rows(world, h, none, problem, {{0.0, 0.0, 0.0, 0.5, 0.0, 0.25}});
  // the problem's velocity is that of half the step
  const auto velocity_of = [](const BodyProblem& of) {
    const Vec6& f = of.momentum[0];
    return of.inverse_inertia[0] * Vec3{f[3], f[4], f[5]};
  };
  const Vec3 half = velocity_of(plain);
  EXPECT_LT(length(half - w), 0.05);
  EXPECT_NEAR(problem.momentum[0][3] - plain.momentum[0][3], 0.0, 1e-14);
  EXPECT_NEAR(problem.momentum[0][4] - plain.momentum[0][4], 0.5 * half.y, 1e-14);
  EXPECT_NEAR(problem.momentum[0][5] - plain.momentum[0][5], 0.25 * half.z, 1e-14);
  // nothing acts: the velocity stays
  EXPECT_LT(length(velocity_of(problem) - half), 1e-13);
  const Sym3 with = inverse(problem.inverse_inertia[0]),
             without = inverse(plain.inverse_inertia[0]);
  EXPECT_NEAR(with.yy - without.yy, 0.5, 1e-12);
  EXPECT_NEAR(with.zz - without.zz, 0.25, 1e-12);
  EXPECT_NEAR(with.xx - without.xx, 0.0, 1e-12);
}

}  // namespace
}  // namespace talus
