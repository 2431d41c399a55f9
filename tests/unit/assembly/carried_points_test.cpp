// What arcs have beyond their tangents, against numbers made by hand.

#include "assembly/carried_points.hpp"

#include "assembly/joint_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A (0), a table whose centre is the origin, and B (1), which lies on it at (1, 0, 0.1).
World on_table(const Shape& lying, Motion table) {
  World world;
  world.shapes = {Box{{2.0, 2.0, 0.1}}, lying};
  NewBody a, b;
  a.motion = table;
  a.mass = infinite;
  b.id = 1;
  b.shape = 1;
  b.mass = 1.0;
  b.inertia = {0.4, 0.0, 0.0, 0.4, 0.0, 0.4};
  b.pose.position = {1.0, 0.0, 0.3};
  append(world.bodies, a, 3.0);
  append(world.bodies, b, 0.4);
  ContactSet& c = world.contacts;
  c.name = {{0, 1, {}, 0}};
  c.body_a = {0};
  c.body_b = {1};
  c.point = {{1.2, 0.0, 0.1}};
  c.normal = {{0.0, 0.0, 1.0}};
  c.gap = {0.0};
  c.impulse = {{}};
  return world;
}

void expect_near(const Vec3& got, const Vec3& expected) {
  EXPECT_NEAR(length(got - expected), 0.0, 1e-14);
}

TEST(CarriedVelocity, IsThatOfTheCentreForABoxThatTurnsWithItsTable) {
  World world = on_table(Box{{0.2, 0.2, 0.2}}, Motion::Kinematic);
  const double h = 0.1, w = 3.0, a = h * w;
  world.bodies.angular_velocity[0] = {0.0, 0.0, w};

  // the point of the table, 1.2 from the axis
  const Vec3 table{1.2 * (std::cos(a) - 1.0) / h, 1.2 * (std::sin(a) / h - w), 0.0};
  expect_near(carried_velocity(world, 0, h), -table);

  // the box's own point, 0.2 from its centre; of what a dynamic body will do a share is left out
  world.bodies.angular_velocity[1] = {0.0, 0.0, w};
  const double trust = 1.0 / (1.0 + a * a);
  expect_near(carried_velocity(world, 0, h), (0.2 / 1.2 * trust) * table - table);
}

TEST(CarriedVelocity, OfADynamicTableLeavesAShareOut) {
  World world = on_table(Box{{0.2, 0.2, 0.2}}, Motion::Dynamic);
  const double h = 0.1, w = 3.0, a = h * w, trust = 1.0 / (1.0 + a * a);
  world.bodies.angular_velocity[0] = {0.0, 0.0, w};
  const Vec3 table{1.2 * (std::cos(a) - 1.0) / h, 1.2 * (std::sin(a) / h - w), 0.0};
  expect_near(carried_velocity(world, 0, h), -trust * table);
}

TEST(CarriedVelocity, WhereASphereTouchesThePlaceGoesWithTheSphere) {
  World world = on_table(Sphere{0.2}, Motion::Kinematic);
  world.contacts.point[0] = {1.0, 0.0, 0.1};
  const double h = 0.1, w = 3.0, a = h * w;
  world.bodies.angular_velocity[0] = {0.0, 0.0, w};
  const Vec3 table{(std::cos(a) - 1.0) / h, std::sin(a) / h - w, 0.0};

  world.bodies.angular_velocity[1] = {0.0, 0.0, w};
  expect_near(carried_velocity(world, 0, h), -table);

  // it rolls outwards over the table at 5 rad/s * 0.2 m: along x
  world.bodies.angular_velocity[1] = {0.0, 5.0, w};
  expect_near(carried_velocity(world, 0, h), -table - Vec3{0.0, 0.5 * h * w * 1.0, 0.0});
}

TEST(CarriedVelocity, IsZeroOfSpheresAndOfBodiesThatDoNotTurn) {
  World world = on_table(Sphere{0.2}, Motion::Fixed);
  world.bodies.angular_velocity[1] = {1.0, 2.0, 3.0};
  world.bodies.velocity[1] = {1.0, 2.0, 3.0};
  const Vec3 carried = carried_velocity(world, 0, 0.1);
  EXPECT_EQ(carried.x, 0.0);
  EXPECT_EQ(carried.y, 0.0);
  EXPECT_EQ(carried.z, 0.0);
}

/// A body at (1, 0, 0) on a joint to the world at the origin.
World swinging(JointType type) {
  World world;
  NewBody body;
  body.mass = 1.0;
  body.inertia = {0.4, 0.0, 0.0, 0.4, 0.0, 0.4};
  body.pose.position = {1.0, 0.0, 0.0};
  append(world.bodies, body, 0.5);
  Joint joint;
  joint.type = type;
  joint.body_b = 0;
  joint.frame_b.position = {-1.0, 0.0, 0.0};
  world.joints = {joint};
  return world;
}

std::vector<JointRow> rows_of(const World& world, double h) {
  std::vector<JointRow> rows;
  std::vector<Vec6> wrench(world.bodies.id.size());
  joint_rows(world, h, rows, wrench);
  return rows;
}

TEST(CarriedRows, OfAJointAreTheArcOfItsPoint) {
  const double h = 0.1, w = 2.0, a = h * w, trust = 1.0 / (1.0 + a * a);
  World world = swinging(JointType::Spherical);
  world.bodies.angular_velocity[0] = {0.0, 0.0, w};
  world.bodies.velocity[0] = {0.0, w, 0.0};
  const auto rows = rows_of(world, h);
  ASSERT_EQ(rows.size(), 3U);
  // x + h v + R (-1, 0, 0) has left the origin by this
  EXPECT_NEAR(rows[0].carried, trust * (1.0 - std::cos(a)) / h, 1e-14);
  EXPECT_NEAR(rows[1].carried, trust * (w - std::sin(a) / h), 1e-14);
  EXPECT_NEAR(rows[2].carried, 0.0, 1e-14);
  world.bodies.angular_velocity[0] = {};
  for (const JointRow& row : rows_of(world, h)) EXPECT_EQ(row.carried, 0.0) << "nothing turns";
}

TEST(CarriedRows, OfADistanceIsTheArcAcrossIt) {
  World world = swinging(JointType::Distance);
  world.joints[0].frame_b = {};
  world.joints[0].length = 1.0;
  world.bodies.velocity[0] = {0.0, 2.0, 0.0};
  // the line turns by 0.2
  EXPECT_NEAR(rows_of(world, 0.1).at(0).carried, (std::hypot(1.0, 0.2) - 1.0) / 0.1 / 1.04, 1e-14);
}

TEST(CarriedRows, OfSpringsAndMotorsAreZero) {
  World world = swinging(JointType::Spring);
  world.joints[0].stiffness = 1.0;
  world.bodies.angular_velocity[0] = {0.0, 0.0, 2.0};
  EXPECT_EQ(rows_of(world, 0.1).at(0).carried, 0.0);
  world = swinging(JointType::Revolute);
  world.joints[0].angle_motor.type = MotorType::Speed;
  world.bodies.angular_velocity[0] = {2.0, 0.0, 2.0};
  EXPECT_EQ(rows_of(world, 0.1).back().carried, 0.0);
}

}  // namespace
}  // namespace talus
