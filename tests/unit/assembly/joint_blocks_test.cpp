// Blocks of joint rows against differences of their errors.

#include "assembly/joint_rows.hpp"
#include "core/elementary.hpp"
#include "support/joint_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace talus {
namespace {

using support::JointStepper;

/// A motor and limits that are always near, so that every row is there.
void give_all(Joint& joint) {
  const std::array<double, 2> near{-1e-3, 1e-3};
  if (joint.type == JointType::Revolute || joint.type == JointType::Cylindrical) {
    joint.angle_limits = near;
    joint.angle_motor.type = MotorType::Position;
  }
  if (joint.type == JointType::Prismatic || joint.type == JointType::Cylindrical) {
    joint.way_limits = near;
    joint.way_motor.type = MotorType::Position;
  }
}

/// Two bodies somewhere, a joint between them; then body B is moved by `violation` times a twist.
World two_bodies(JointType type, double violation) {
  JointStepper make(1e-3);
  const Pose pose_a{{0.3, -0.2, 0.5}, rotation_by({0.4, 1.1, -0.7})};
  const Pose pose_b{{-0.6, 0.4, 0.1}, rotation_by({-1.3, 0.2, 0.9})};
  make.add_body(pose_a, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0});
  make.add_body(pose_b, 2.0, {1.0, 0.0, 0.0, 2.0, 0.0, 3.0});
  const Pose frame{{-0.1, 0.2, 0.4}, rotation_by({0.5, -0.8, 1.7})};
  Joint& joint = make.add_joint(type, 0, 1, frame);
  if (type == JointType::Distance || type == JointType::Spring) {
    joint.frame_b.position = {0.2, 0.1, 0.0};
    joint.stiffness = 10.0;
    joint.length = 0.4;
  }
  give_all(joint);
  Vec3& x = make.world.bodies.position[1];
  x = x + violation * Vec3{0.3, -0.5, 0.4};
  Quaternion& q = make.world.bodies.orientation[1];
  q = rotation_by(violation * Vec3{0.6, 0.5, -0.7}) * q;
  return make.world;
}

std::vector<JointRow> rows_of(const World& world) {
  std::vector<JointRow> rows;
  std::vector<Vec6> wrench(world.bodies.id.size());
  joint_rows(world, 1e-3, rows, wrench);
  return rows;
}

/// One body moved or turned along one of its six directions.
World moved(World world, std::size_t body, std::size_t direction, double by) {
  std::array<double, 6> d{};
  d[direction] = by;
  world.bodies.position[body] = world.bodies.position[body] + Vec3{d[0], d[1], d[2]};
  world.bodies.orientation[body] = rotation_by({d[3], d[4], d[5]}) * world.bodies.orientation[body];
  return world;
}

/// The row of the same place in other rows.
const JointRow& same_place(const std::vector<JointRow>& rows, int place) {
  for (const JointRow& row : rows)
    if (row.place == place) return row;
  throw std::logic_error("no row at this place");
}

constexpr std::array all_types{JointType::Fixed,     JointType::Spherical,   JointType::Revolute,
                               JointType::Prismatic, JointType::Cylindrical, JointType::Universal,
                               JointType::Distance,  JointType::Spring};

class JointBlocks : public testing::TestWithParam<JointType> {};
INSTANTIATE_TEST_SUITE_P(Types, JointBlocks, testing::ValuesIn(all_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST_P(JointBlocks, AreDerivativesOfTheirErrorsAlsoWhereTheJointIsViolated) {
  for (const double violation : {0.0, 0.01, 1.0}) {
    const World world = two_bodies(GetParam(), violation);
    std::size_t checked = 0;
    for (const JointRow& row : rows_of(world))
      for (std::size_t body = 0; body < 2; ++body)
        for (std::size_t k = 0; k < 6; ++k) {
          constexpr double d = 1e-5;
          if (row.kind == JointRow::Kind::AtLeast && row.error > 5e-3) continue;
          const double plus = same_place(rows_of(moved(world, body, k, d)), row.place).error;
          const double minus = same_place(rows_of(moved(world, body, k, -d)), row.place).error;
          const double block = (body == 0 ? row.block_a : row.block_b)[k];
          // differences are right to d^2 times third derivatives
          EXPECT_NEAR(block, (plus - minus) / (2.0 * d), 1e-8)
              << "place " << row.place << ", body " << body << ", direction " << k << ", violation "
              << violation;
          ++checked;
        }
    EXPECT_GE(checked, 12U);
  }
}

TEST_P(JointBlocks, KeepMomentumAlsoWhereTheJointIsViolated) {
  const World world = two_bodies(GetParam(), 1.0);
  for (const JointRow& row : rows_of(world)) {
    const auto linear = [](const Vec6& b) { return Vec3{b[0], b[1], b[2]}; };
    const auto about_origin = [&](std::size_t body, const Vec6& b) {
      return cross(world.bodies.position[body], linear(b)) + Vec3{b[3], b[4], b[5]};
    };
    EXPECT_LT(length(linear(row.block_a) + linear(row.block_b)), 1e-15);
    EXPECT_LT(length(about_origin(0, row.block_a) + about_origin(1, row.block_b)), 1e-15);
  }
}

TEST_P(JointBlocks, OfAConsistentJointHaveNoErrors) {
  const JointType type = GetParam();
  if (type == JointType::Distance || type == JointType::Spring) return;
  for (const JointRow& row : rows_of(two_bodies(type, 0.0))) {
    EXPECT_NEAR(row.error, row.kind == JointRow::Kind::AtLeast ? 1e-3 : 0.0, 1e-14);
  }
}

TEST_P(JointBlocks, AreAsManyAsTheTypeHas) {
  const std::map<JointType, std::size_t> expected{
      {JointType::Fixed, 6},         {JointType::Spherical, 3},       {JointType::Revolute, 5 + 3},
      {JointType::Prismatic, 5 + 3}, {JointType::Cylindrical, 4 + 6}, {JointType::Universal, 4},
      {JointType::Distance, 1},      {JointType::Spring, 1}};
  const std::vector<JointRow> rows = rows_of(two_bodies(GetParam(), 0.0));
  ASSERT_EQ(rows.size(), expected.at(GetParam()));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].place, static_cast<int>(i));
}

TEST(JointBlocks, LockedTurnsGrowUpToHalfATurnWithoutASignThatFlips) {
  // of all ways to lock axes, these must push back towards the start from far away, too
  for (const JointType type : {JointType::Fixed, JointType::Prismatic})
    for (const double sign : {1.0, -1.0}) {
      double before = 0.0;
      for (double turn = 0.1; turn < 3.1; turn += 0.1) {
        World world = two_bodies(type, 0.0);
        const Vec3 axis = rotate(
            (Pose{world.bodies.position[0], world.bodies.orientation[0]} * world.joints[0].frame_a)
                .orientation,
            {0.0, 1.0, 0.0});
        world.bodies.orientation[1] = rotation_by(turn * sign * axis) * world.bodies.orientation[1];
        // turning about the centre of B moves the origin of B's frame: rows of rotation only
        const double error = same_place(rows_of(world), type == JointType::Fixed ? 4 : 3).error;
        EXPECT_NEAR(error, sign * 2.0 * sine(turn / 2.0), 1e-12);
        EXPECT_GT(sign * error, before);
        before = sign * error;
      }
    }
}

TEST(JointBlocks, OfTheWorldAsPartnerAreTheSame) {
  // the world is a body at the origin that nothing moves
  World world = two_bodies(JointType::Prismatic, 0.3);
  const std::vector<JointRow> between = rows_of(world);
  world.joints[0].frame_a =
      Pose{world.bodies.position[0], world.bodies.orientation[0]} * world.joints[0].frame_a;
  world.joints[0].body_a = world_id;
  const std::vector<JointRow> with_world = rows_of(world);
  ASSERT_EQ(between.size(), with_world.size());
  for (std::size_t i = 0; i < between.size(); ++i) {
    EXPECT_EQ(with_world[i].body_a, no_body);
    EXPECT_EQ(with_world[i].body_b, 1);
    EXPECT_NEAR(between[i].error, with_world[i].error, 1e-15);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(between[i].block_b[k], with_world[i].block_b[k], 1e-15);
  }
}

}  // namespace
}  // namespace talus
