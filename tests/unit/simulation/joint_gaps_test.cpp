// How far open joints are, by hand.

#include "simulation/joint_gaps.hpp"

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

/// Two boxes of edges 0.4 and 0.1 m, 0.5 m apart along x.
World two_boxes() {
  support::SmallScene scene(1e-3);
  scene.add("large", Motion::Dynamic, scene.box({0.4, 0.4, 0.4}), {0.0, 0.0, 0.0});
  scene.add("small", Motion::Dynamic, scene.box({0.1, 0.1, 0.1}), {0.5, 0.0, 0.0});
  return make_world(scene.scene);
}

JointGaps gaps_of(const World& world) {
  std::vector<JointRow> rows;
  std::vector<Vec6> wrench(world.bodies.id.size());
  joint_rows(world, 1e-3, rows, wrench);
  return joint_gaps(world, rows);
}

Joint joint_of(JointType type, const Vec3& on_large, const Vec3& on_small) {
  Joint joint;
  joint.type = type;
  joint.body_a = 0;
  joint.body_b = 1;
  joint.frame_a.position = on_large;
  joint.frame_b.position = on_small;
  return joint;
}

TEST(JointGaps, AreDistancesAndAnglesOfTheWorstJoint) {
  World world = two_boxes();
  EXPECT_EQ(gaps_of(world).gap, 0.0);
  world.joints.push_back(joint_of(JointType::Spherical, {0.3, 0.0, 0.0}, {-0.2, 0.0, 0.0}));
  EXPECT_NEAR(gaps_of(world).gap, 0.0, 1e-16);
  world.joints.push_back(joint_of(JointType::Spherical, {0.3, 0.003, 0.0}, {-0.2, 0.0, 0.004}));
  const double smaller =
      size_of(world.shapes[static_cast<std::size_t>(world.bodies.shape[1])], 1.0);
  JointGaps gaps = gaps_of(world);
  EXPECT_NEAR(gaps.gap, 0.005, 1e-16);
  EXPECT_NEAR(gaps.share, 0.005 / smaller, 1e-15);
  EXPECT_EQ(gaps.angle, 0.0);
  EXPECT_EQ(gaps.joint, 1);
  world.joints[0].type = JointType::Fixed;
  world.joints[0].frame_b.orientation = rotation_by({0.0, 0.0, 0.02});
  gaps = gaps_of(world);
  EXPECT_NEAR(gaps.angle, 0.02, 1e-6);
  EXPECT_NEAR(gaps.gap, 0.005, 1e-16);
  EXPECT_EQ(gaps.joint, 1) << "5 % and 0.02 rad";
}

TEST(JointGaps, OfLimitsAreWhatIsBeyond) {
  World world = two_boxes();
  Joint rope = joint_of(JointType::Distance, {}, {});
  rope.way_limits[1] = 0.48;
  world.joints.push_back(rope);
  EXPECT_NEAR(gaps_of(world).gap, 0.02, 1e-15);
  world.joints[0].way_limits[1] = 0.50001;
  EXPECT_EQ(gaps_of(world).gap, 0.0);
}

TEST(JointGaps, OfWhatIsMadeToGiveWayAreNone) {
  World world = two_boxes();
  Joint spring = joint_of(JointType::Spring, {}, {});
  spring.length = 0.3;
  spring.stiffness = 10.0;
  world.joints.push_back(spring);
  Joint soft = joint_of(JointType::Spherical, {0.3, 0.0, 0.0}, {-0.1, 0.0, 0.0});
  soft.compliance = 1e-6;
  world.joints.push_back(soft);
  Joint driven = joint_of(JointType::Revolute, {0.3, 0.0, 0.0}, {-0.2, 0.0, 0.0});
  driven.angle_motor.type = MotorType::Position;
  driven.angle_motor.value = Expression(0.5);
  world.joints.push_back(driven);
  const JointGaps gaps = gaps_of(world);
  EXPECT_NEAR(gaps.gap, 0.0, 1e-16);
  EXPECT_EQ(gaps.angle, 0.0);
}

}  // namespace
}  // namespace talus
