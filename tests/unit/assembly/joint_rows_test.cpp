// Which joints have which rows, and what updating them keeps.

#include "assembly/joint_rows.hpp"

#include "core/elementary.hpp"
#include "support/joint_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::frame_at;
using support::JointStepper;

constexpr Sym3 ball{1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
constexpr double h = 1e-2;

/// One body at the origin, jointed to the world along x.
World body_on(JointType type) {
  JointStepper make(h);
  make.add_body({}, 1.0, ball);
  make.add_joint(type, world_id, 0, {});
  return make.world;
}

std::vector<JointRow> rows_of(const World& world, std::vector<Vec6>* wrench = nullptr) {
  std::vector<JointRow> rows{JointRow{}};  // of the last step: overwritten
  std::vector<Vec6> none(world.bodies.id.size());
  joint_rows(world, h, rows, wrench != nullptr ? *wrench : none);
  return rows;
}

/// The row at a place; null where there is none.
const JointRow* row_at(const std::vector<JointRow>& rows, int place) {
  for (const JointRow& row : rows)
    if (row.place == place) return &row;
  return nullptr;
}

TEST(JointRows, JointsThatAreOffOrLostABodyOrCannotMoveHaveNone) {
  World world = body_on(JointType::Fixed);
  EXPECT_EQ(rows_of(world).size(), 6U);
  world.joints[0].on = false;
  EXPECT_TRUE(rows_of(world).empty());
  world.joints[0].on = true;
  world.joints[0].body_b = 7;
  EXPECT_TRUE(rows_of(world).empty());
  std::swap(world.joints[0].body_a, world.joints[0].body_b);
  EXPECT_TRUE(rows_of(world).empty());
  world = body_on(JointType::Fixed);
  for (const Motion motion : {Motion::Fixed, Motion::Kinematic}) {
    world.bodies.motion[0] = motion;
    EXPECT_TRUE(rows_of(world).empty());
  }
  std::swap(world.joints[0].body_a, world.joints[0].body_b);
  EXPECT_TRUE(rows_of(world).empty());
}

TEST(JointRows, ComeByJointAndPlaceWithKeysOfTheirOwn) {
  World world = body_on(JointType::Cylindrical);
  Joint& joint = world.joints[0];
  joint.angle_limits = joint.way_limits = {0.0, 0.0};
  joint.angle_motor.type = joint.way_motor.type = MotorType::Speed;
  world.joints.push_back(joint);
  world.joints.push_back(body_on(JointType::Fixed).joints[0]);
  const std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 26U);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(key_of(rows[i - 1]), key_of(rows[i]));
    EXPECT_LT(rows[i].place, joint_places);
  }
}

TEST(JointRows, LimitsAppearWhereTheStepCouldReachThem) {
  World world = body_on(JointType::Prismatic);
  world.joints[0].way_limits = {-0.5, 0.4};
  EXPECT_EQ(rows_of(world).size(), 5U);
  world.bodies.velocity[0].x = 20.0;  // 0.2 m per step: twice that is looked ahead
  std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows.back().place, 6);
  EXPECT_EQ(rows.back().kind, JointRow::Kind::AtLeast);
  EXPECT_EQ(rows.back().error, 0.4);
  EXPECT_EQ(rows.back().block_b[0], -1.0);  // pushes back
  world.bodies.velocity[0].x = -24.4;
  EXPECT_EQ(rows_of(world).size(), 5U);
  world.bodies.velocity[0].x = -24.6;  // 0.492 and the reserve of 0.01 (reach 1 m)
  rows = rows_of(world);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows.back().place, 5);
  EXPECT_EQ(rows.back().error, 0.5);
  EXPECT_EQ(rows.back().block_b[0], 1.0);
  // past it: there, whatever the velocity
  world.bodies.position[0].x = 0.7;
  world.bodies.velocity[0].x = -5.0;
  rows = rows_of(world);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_NEAR(rows.back().error, -0.3, 1e-15);
}

TEST(JointRows, AnglesOfLimitsCountFullTurns) {
  World world = body_on(JointType::Revolute);
  world.joints[0].angle_limits = {-100.0, 4.0 * pi + 0.1};
  world.bodies.orientation[0] = rotation_by({0.2, 0.0, 0.0});
  EXPECT_EQ(rows_of(world).size(), 5U);
  world.joints[0].angle = 4.0 * pi + 0.1;  // so far
  const std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_NEAR(rows.back().error, -0.1, 1e-13);
}

TEST(JointRows, DistanceBetweenLimitsHasNoRowForItsLength) {
  World world = body_on(JointType::Distance);
  world.bodies.position[0] = {0.0, 0.3, 0.0};
  world.joints[0].length = 0.3;
  std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].place, 0);
  EXPECT_EQ(rows[0].error, 0.0);
  world.joints[0].way_limits = {0.3, 0.3};
  rows = rows_of(world);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].place, 1);
  EXPECT_EQ(rows[1].place, 2);
  EXPECT_EQ(rows[0].block_b[1], 1.0);
  EXPECT_EQ(rows[1].block_b[1], -1.0);
}

TEST(JointRows, SpringWithoutALengthHasADirectionWhereItsEndsMeet) {
  World world = body_on(JointType::Spring);
  world.joints[0].stiffness = 50.0;
  world.joints[0].damping = 2.0;
  world.joints[0].frame_a.orientation = rotation_by({0.0, 0.0, 0.5 * pi});
  const std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].error, 0.0);
  EXPECT_NEAR(rows[0].block_b[1], 1.0, 1e-15);
  EXPECT_EQ(rows[0].compliance, 0.02);
  EXPECT_EQ(rows[0].damping_time, 0.04);
}

TEST(JointRows, ComplianceIsOnAllRowsOfPositions) {
  World world = body_on(JointType::Cylindrical);
  Joint& joint = world.joints[0];
  joint.compliance = 1e-5;
  joint.angle_limits = {0.0, 1.0};
  joint.angle_motor.type = MotorType::Position;
  joint.way_motor.type = MotorType::Speed;
  const std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 7U);
  for (const JointRow& row : rows) {
    EXPECT_EQ(row.compliance, row.kind == JointRow::Kind::Velocity ? 0.0 : 1e-5);
    EXPECT_LT(row.damping_time, 0.0);
  }
}

TEST(JointRows, MotorsAskForValuesOfTheStep) {
  World world = body_on(JointType::Cylindrical);
  Joint& joint = world.joints[0];
  world.time = 2.0;
  world.bodies.position[0].x = 0.7;
  joint.way_motor = {MotorType::Position, Expression("0.5*t", {}, {"t"}), 12.0, true};
  joint.angle_motor = {MotorType::Speed, Expression("3*t", {}, {"t"}), 5.0, true};
  const std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 6U);
  const JointRow &speed = rows[4], &position = rows[5];
  EXPECT_EQ(speed.place, 6);
  EXPECT_EQ(speed.kind, JointRow::Kind::Velocity);
  EXPECT_NEAR(speed.target, 3.0 * (2.0 + 0.5 * h), 1e-14);  // middle of the step
  EXPECT_EQ(speed.error, 0.0);
  EXPECT_EQ(speed.largest_force, 5.0);
  EXPECT_EQ(position.place, 9);
  EXPECT_EQ(position.kind, JointRow::Kind::Position);
  EXPECT_NEAR(position.error, 0.7 - 0.5 * (2.0 + h), 1e-14);  // end of the step
  EXPECT_NEAR(position.target, 0.5, 1e-12);
  EXPECT_EQ(position.largest_force, 12.0);
}

TEST(JointRows, MotorsThatAreOffDoNothing) {
  World world = body_on(JointType::Cylindrical);
  Joint& joint = world.joints[0];
  joint.angle_motor = {MotorType::Speed, 1.0, 1.0, false};
  joint.way_motor = {MotorType::Force, 1.0, 1.0, false};
  std::vector<Vec6> wrench(1);
  EXPECT_EQ(rows_of(world, &wrench).size(), 4U);
  EXPECT_EQ(wrench[0], Vec6{});
}

TEST(JointRows, ForceMotorsAddWrenchesAndHaveNoRow) {
  JointStepper make(h);
  make.add_body({{0.0, 1.0, 0.0}, {}}, 1.0, ball);
  make.add_body({{0.0, 3.0, 0.0}, {}}, 1.0, ball);
  Joint& joint = make.add_joint(JointType::Prismatic, 0, 1, frame_at({}));
  joint.way_motor = {MotorType::Force, Expression("100*t+5", {}, {"t"}), 5.2, true};
  std::vector<Vec6> wrench(2);
  wrench[1][2] = 7.0;  // what others have added stays
  EXPECT_EQ(rows_of(make.world, &wrench).size(), 5U);
  // 5.5 N in the middle of the step, 5.2 N at most, along the x axis: torque -y F about z
  const Vec6 on_a{-5.2, 0.0, 0.0, 0.0, 0.0, -5.2}, on_b{5.2, 0.0, 7.0, 0.0, 0.0, 3.0 * 5.2};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(wrench[0][k], on_a[k], 1e-14);
    EXPECT_NEAR(wrench[1][k], on_b[k], 1e-14);
  }
}

TEST(JointRows, UpdatingKeepsImpulsesByPlaceAndForgetsThoseOfRowsThatAreGone) {
  World world = body_on(JointType::Revolute);
  Joint& joint = world.joints[0];
  joint.angle_motor.type = MotorType::Speed;
  joint.impulse.fill(9.0);
  joint.reaction_force = {9.0, 9.0, 9.0};
  const std::vector<JointRow> rows = rows_of(world);
  ASSERT_EQ(rows.size(), 6U);
  update_joints(world, h, rows, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  const std::array<double, joint_places> expected{0.1, 0.2, 0.3, 0.4, 0.5, 0.0, 0.0, 0.6};
  EXPECT_EQ(joint.impulse, expected);
  const Vec3 &f = joint.reaction_force, &t = joint.reaction_torque;
  EXPECT_NEAR(length(f - Vec3{10.0, 20.0, 30.0}), 0.0, 1e-12);
  EXPECT_NEAR(length(t - Vec3{60.0, 40.0, 50.0}), 0.0, 1e-12);
  joint.on = false;
  update_joints(world, h, {}, {});
  EXPECT_EQ(joint.impulse, (std::array<double, joint_places>{}));
  EXPECT_EQ(length(joint.reaction_force) + length(joint.reaction_torque), 0.0);
}

TEST(JointRows, UpdatingLeavesTheAngleOfAJointWithoutItsBody) {
  World world = body_on(JointType::Revolute);
  world.joints[0].angle = 3.0;
  world.joints[0].body_b = 5;
  update_joints(world, h, {}, {});
  EXPECT_EQ(world.joints[0].angle, 3.0);
}

TEST(JointRows, PlanesHaveNoSizeToReserve) {
  JointStepper make(h);
  make.add_body({}, 1.0, ball);
  make.add_body({}, 1.0, ball);
  make.world.bodies.reach = {std::numeric_limits<double>::infinity(), 0.5};
  make.add_joint(JointType::Prismatic, 0, 1, {}).way_limits = {-0.006, 0.004};
  const std::vector<JointRow> rows = rows_of(make.world);
  EXPECT_EQ(row_at(rows, 5), nullptr);  // 0.005 of reserve
  EXPECT_NE(row_at(rows, 6), nullptr);
}

TEST(JointRows, BodiesOnTwoSidesOfAPeriodicDomainAreNeighbours) {
  const auto rows_with_b_at = [](const Vec3& b) {
    JointStepper make(h);
    make.add_body({{0.9, 0.1, 0.0}, {}}, 1.0, ball);
    make.add_body({{1.2, -0.1, 0.0}, {}}, 1.0, ball);
    make.add_joint(JointType::Fixed, 0, 1, {{1.0, 0.0, 0.0}, {}});
    Domain& domain = make.world.domain;
    domain.low = {0.0, 0.0, -5.0};
    domain.high = {1.0, 2.0, 5.0};
    domain.periodic = {true, true, false};
    make.world.bodies.position[1] = b;
    return rows_of(make.world);
  };
  const std::vector<JointRow> together = rows_with_b_at({1.2, -0.1, 0.3});
  const std::vector<JointRow> apart =
      rows_with_b_at({0.2, 1.9, 0.3});  // where it has come in again
  ASSERT_EQ(apart.size(), 6U);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    EXPECT_NEAR(apart[i].error, i == 2 ? 0.3 : 0.0, 1e-15);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(apart[i].block_a[k], together[i].block_a[k], 1e-15);
      EXPECT_NEAR(apart[i].block_b[k], together[i].block_b[k], 1e-15);
    }
  }
}

}  // namespace
}  // namespace talus
