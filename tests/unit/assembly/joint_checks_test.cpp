// What is told of joints before the first step.

#include "talus/core/error.hpp"

#include "assembly/joint_rows.hpp"
#include "support/joint_stepper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::JointStepper;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Sym3 ball{1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
constexpr double infinite = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

/// Two bodies 1 m apart along x; a joint in the middle between them.
JointStepper two_bodies(JointType type) {
  JointStepper make(1e-3);
  make.add_body({}, 1.0, ball);
  make.add_body({{1.0, 0.0, 0.0}, {}}, 1.0, ball);
  Joint& joint = make.add_joint(type, 0, 1, {{0.5, 0.0, 0.0}, {}});
  joint.name = "axle";
  if (type == JointType::Distance || type == JointType::Spring) {
    joint.frame_a.position = joint.frame_b.position = {};
    joint.length = 1.0;
  }
  if (type == JointType::Spring) joint.stiffness = 100.0;
  return make;
}

std::vector<std::string> faults_of(const World& world) {
  try {
    validate_joints(world, std::vector<std::string>(world.joints.size(), "pile.yaml:3:5"));
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

/// Faults of the joint after a change.
template <class Change>
std::vector<std::string> faults(JointType type, const Change& change) {
  JointStepper make = two_bodies(type);
  change(make.world.joints[0]);
  return faults_of(make.world);
}

TEST(JointChecks, GoodJointsOfAllTypesPass) {
  for (const JointType type :
       {JointType::Fixed, JointType::Spherical, JointType::Revolute, JointType::Prismatic,
        JointType::Cylindrical, JointType::Universal, JointType::Distance, JointType::Spring})
    EXPECT_THAT(faults_of(two_bodies(type).world), IsEmpty()) << name_of(type);
}

TEST(JointChecks, GoodLimitsMotorsAndCompliancePass) {
  EXPECT_THAT(faults(JointType::Cylindrical,
                     [](Joint& j) {
                       j.angle_limits = {-1.0, infinite};
                       j.way_limits = {0.0, 0.0};
                       j.angle_motor = {MotorType::Position, 0.005, infinite, true};
                       j.way_motor = {MotorType::Speed, 3.0, 10.0, true};
                       j.compliance = 1e-6;
                     }),
              IsEmpty());
  EXPECT_THAT(faults(JointType::Distance,
                     [](Joint& j) {
                       j.length = 0.0;
                       j.way_limits = {0.5, 1.0};
                     }),
              IsEmpty());
}

TEST(JointChecks, PartnersMustBeThereAndTwoAndMovable) {
  EXPECT_THAT(faults(JointType::Fixed, [](Joint& j) { j.body_a = 7; }),
              ElementsAre("pile.yaml:3:5: joints.axle.between = 7 must be a body that is there"));
  EXPECT_THAT(faults(JointType::Fixed, [](Joint& j) { j.body_b = -4; }),
              ElementsAre("pile.yaml:3:5: joints.axle.between = -4 must be a body that is there"));
  EXPECT_THAT(faults(JointType::Fixed,
                     [](Joint& j) {
                       j.body_b = 0;
                       j.frame_b = j.frame_a;
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.between = [0, 0] must name two different "
                          "bodies"));
  JointStepper make = two_bodies(JointType::Fixed);
  make.world.bodies.motion[0] = Motion::Kinematic;
  EXPECT_THAT(faults_of(make.world), IsEmpty());
  make.world.joints[0].body_b = world_id;
  make.world.joints[0].frame_b = {{0.5, 0.0, 0.0}, {}};
  EXPECT_THAT(faults_of(make.world),
              ElementsAre("pile.yaml:3:5: joints.axle.between = [0, world] must have a body that "
                          "forces move: neither is dynamic"));
}

TEST(JointChecks, FramesMustCoincideAsTheTypeWants) {
  EXPECT_THAT(faults(JointType::Spherical, [](Joint& j) { j.frame_b.position.z = 0.25; }),
              ElementsAre("pile.yaml:3:5: joints.axle.position = 0.25 must be at most 1e-06 (m "
                          "between the joint's places on its two bodies at the start)"));
  EXPECT_THAT(faults(JointType::Spherical, [](Joint& j) { j.frame_b.position.z = 0.9e-6; }),
              IsEmpty());
  // along its axis a prismatic joint may be anywhere, a spherical one may be turned
  EXPECT_THAT(faults(JointType::Prismatic, [](Joint& j) { j.frame_b.position.x = 0.25; }),
              IsEmpty());
  const auto turn = [](Joint& j) { j.frame_b.orientation = {0.0, 0.0, 1.0, 0.0}; };
  EXPECT_THAT(faults(JointType::Spherical, turn), IsEmpty());
  EXPECT_THAT(faults(JointType::Fixed, turn),
              ElementsAre("pile.yaml:3:5: joints.axle.axis = 2 must be at most 1e-06 (rad between "
                          "the joint's axes on its two bodies at the start)"));
}

TEST(JointChecks, BodiesWithoutASizeHaveAnAbsoluteTolerance) {
  JointStepper make = two_bodies(JointType::Spherical);
  make.world.bodies.reach = {0.0, infinite};
  make.world.joints[0].frame_b.position.z = 0.9e-9;
  EXPECT_THAT(faults_of(make.world), IsEmpty());
  make.world.joints[0].frame_b.position.z = 2e-9;
  EXPECT_EQ(faults_of(make.world).size(), 1U);
}

TEST(JointChecks, FramesMustBeFiniteAndUnit) {
  EXPECT_THAT(faults(JointType::Fixed,
                     [](Joint& j) {
                       j.frame_a.orientation = {0.0, 0.0, 0.0, 0.0};
                       j.frame_b.position.y = infinite;
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.frame_a.orientation = 0 must have length 1",
                          "pile.yaml:3:5: joints.axle.frame_b.position = [-0.5, inf, 0] must be "
                          "finite (m)"));
  EXPECT_THAT(faults(JointType::Fixed, [](Joint& j) { j.frame_b.orientation.w = nan; }),
              ElementsAre("pile.yaml:3:5: joints.axle.frame_b.orientation = nan must have length "
                          "1"));
}

TEST(JointChecks, LimitsMustFitTheTypeAndTheStart) {
  EXPECT_THAT(
      faults(JointType::Revolute,
             [](Joint& j) {
               j.angle_limits = {0.5, -0.5};
               j.way_limits = {0.0, 1.0};
             }),
      ElementsAre("pile.yaml:3:5: joints.axle.limits.angle = [0.5, -0.5] must be [lower, upper]",
                  "pile.yaml:3:5: joints.axle.limits.way = [0, 1] must be left out: a revolute "
                  "joint does not slide along its axis"));
  EXPECT_THAT(faults(JointType::Prismatic, [](Joint& j) { j.angle_limits[0] = -1.0; }),
              ElementsAre("pile.yaml:3:5: joints.axle.limits.angle = [-1, inf] must be left out: a "
                          "prismatic joint does not turn about its axis"));
  EXPECT_THAT(faults(JointType::Prismatic, [](Joint& j) { j.way_limits[1] = nan; }),
              ElementsAre("pile.yaml:3:5: joints.axle.limits.way = [-inf, nan] must be [lower, "
                          "upper]"));
  EXPECT_THAT(faults(JointType::Prismatic,
                     [](Joint& j) {
                       j.way_limits = {0.1, 0.2};
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.limits.way = [0.1, 0.2] must contain the "
                          "value at the start, 0 m"));
  EXPECT_THAT(faults(JointType::Revolute,
                     [](Joint& j) {
                       j.angle_limits = {-0.2, -0.1};
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.limits.angle = [-0.2, -0.1] must contain the "
                          "value at the start, 0 rad"));
  EXPECT_THAT(faults(JointType::Distance,
                     [](Joint& j) {
                       j.length = 0.0;
                       j.way_limits = {0.2, 0.7};
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.limits.way = [0.2, 0.7] must contain the "
                          "value at the start, 1 m"));
}

TEST(JointChecks, MotorsMustFitTheTypeAndTheStart) {
  EXPECT_THAT(faults(JointType::Spherical,
                     [](Joint& j) {
                       j.angle_motor = {MotorType::Speed, 1.0, 1.0, true};
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.motor must be left out: a spherical "
                          "joint does not turn about its axis"));
  EXPECT_THAT(
      faults(JointType::Cylindrical,
             [](Joint& j) {
               j.angle_motor = {MotorType::Speed, nan, 0.0, true};
               j.way_motor = {MotorType::Force, 1.0, nan, true};
             }),
      ElementsAre("pile.yaml:3:5: joints.axle.motors.angle.limit = 0 must be positive (N m)",
                  "pile.yaml:3:5: joints.axle.motors.angle.value = nan must be finite",
                  "pile.yaml:3:5: joints.axle.motors.way.limit = nan must be positive (N)"));
  const auto far = [](Joint& j) {
    j.angle_motor = {MotorType::Position, 0.5, infinite, true};
    j.way_motor = {MotorType::Position, -0.02, infinite, true};
  };
  EXPECT_THAT(faults(JointType::Cylindrical, far),
              ElementsAre("pile.yaml:3:5: joints.axle.motors.angle.value = 0.5 must be within 0.01 "
                          "rad of the value at the start, 0: else the motor jumps (or give it a "
                          "limit)",
                          "pile.yaml:3:5: joints.axle.motors.way.value = -0.02 must be within 0.01 "
                          "m of the value at the start, 0: else the motor jumps (or give it a "
                          "limit)"));
  EXPECT_THAT(faults(JointType::Prismatic, [](Joint& j) { j.way_motor.value = nan; }), IsEmpty());
  EXPECT_THAT(faults(JointType::Prismatic,
                     [](Joint& j) {
                       j.way_motor = {MotorType::Speed, nan, 1.0, true};
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.motor.value = nan must be finite"));
  const auto limited = [&](Joint& j) {
    far(j);
    j.angle_motor.limit = j.way_motor.limit = 3.0;
  };
  EXPECT_THAT(faults(JointType::Cylindrical, limited), IsEmpty());
}

TEST(JointChecks, SpringsNeedStiffnessAndADirection) {
  EXPECT_THAT(
      faults(JointType::Spring,
             [](Joint& j) {
               j.stiffness = 0.0;
               j.damping = -1.0;
               j.compliance = 0.1;
               j.length = infinite;
             }),
      ElementsAre("pile.yaml:3:5: springs.axle.stiffness = 0 must be finite and positive "
                  "(N/m)",
                  "pile.yaml:3:5: springs.axle.damping = -1 must be finite and not negative "
                  "(N s/m)",
                  "pile.yaml:3:5: springs.axle.compliance = 0.1 must be left out of a "
                  "spring, whose stiffness says it",
                  "pile.yaml:3:5: springs.axle.length = inf must be finite and not negative "
                  "(m)"));
  const auto met = [](Joint& j) { j.frame_a.position.x = 1.0; };
  EXPECT_THAT(faults(JointType::Spring, met),
              ElementsAre("pile.yaml:3:5: springs.axle.length = 1 must be 0 where both ends are in "
                          "one place at the start: the spring has no direction"));
}

TEST(JointChecks, LengthsMustBeThoseOfTheStart) {
  EXPECT_THAT(faults(JointType::Distance, [](Joint& j) { j.length = 0.7; }),
              ElementsAre("pile.yaml:3:5: joints.axle.length = 0.7 must be the distance at the "
                          "start, 1 m"));
  EXPECT_THAT(faults(JointType::Distance,
                     [](Joint& j) {
                       j.length = 0.0;
                       j.frame_a.position.x = 1.0;
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.length = 0 must be finite and positive (m): "
                          "for points that coincide take a spherical joint"));
  // between limits a length says nothing: it may stay as it was found
  const auto between = [](Joint& j) {
    j.way_limits[1] = 2.0;
    j.length = 0.3;
  };
  EXPECT_THAT(faults(JointType::Distance, between), IsEmpty());
}

TEST(JointChecks, WhatATypeDoesNotHaveMustBeLeftOut) {
  EXPECT_THAT(faults(JointType::Revolute,
                     [](Joint& j) {
                       j.stiffness = 1.0;
                       j.damping = 1.0;
                       j.compliance = nan;
                       j.length = 1.0;
                     }),
              ElementsAre("pile.yaml:3:5: joints.axle.stiffness = 1 must be left out: only springs "
                          "have one (of joints: compliance, m/N)",
                          "pile.yaml:3:5: joints.axle.damping = 1 must be left out: only springs "
                          "have it",
                          "pile.yaml:3:5: joints.axle.compliance = nan must be finite and not "
                          "negative (m/N)",
                          "pile.yaml:3:5: joints.axle.length = 1 must be left out: only distance "
                          "joints and springs have one"));
}

TEST(JointChecks, FaultsOfAllJointsAreToldTogether) {
  JointStepper make = two_bodies(JointType::Revolute);
  make.world.joints[0].compliance = -1.0;
  make.world.joints.push_back(make.world.joints[0]);
  make.world.joints[1].name = "other";
  EXPECT_THAT(
      faults_of(make.world),
      ElementsAre("pile.yaml:3:5: joints.axle.compliance = -1 must be finite and not negative "
                  "(m/N)",
                  "pile.yaml:3:5: joints.other.compliance = -1 must be finite and not negative "
                  "(m/N)"));
}

}  // namespace
}  // namespace talus
