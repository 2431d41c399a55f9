#include "model/detection.hpp"
#include "unit/model/placed_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace talus {
namespace {

World two_spheres(double apart) {
  World world;
  world.shapes = {Sphere{0.5}};
  append(world, resting(1, 0, {}));
  append(world, resting(5, 0, {apart, 0.0, 0.0}));
  return world;
}

TEST(Detection, ContactsOfSpheresHaveTheirKnownPlaces) {
  const World world = two_spheres(1.5);
  ContactSet contacts;

  Detection().find(world, {0.2, 0.25}, contacts);
  EXPECT_EQ(contacts.count(), 0);  // 0.5 away, the margins end at 0.45

  Detection().find(world, {0.2, 0.35}, contacts);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0], (ContactName{1, 5, {0, 0, 0}, 0}));
  EXPECT_EQ(contacts.body_b[0], 1);
  EXPECT_EQ(contacts.gap[0], 0.5);
  EXPECT_EQ(contacts.point[0].x, 0.75);
  EXPECT_EQ(contacts.normal[0].x, 1.0);
}

TEST(Detection, ABodyThatIsWrappedKeepsItsContactWithAnotherImage) {
  World world = two_spheres(9.0);
  world.domain.low = {-0.5, -1.0, -1.0};
  world.domain.high = {9.5, 1.0, 1.0};
  world.domain.periodic = {true, false, false};
  Detection detection;
  ContactSet contacts;
  const std::vector<double> margin{0.1, 0.1};

  detection.find(world, margin, contacts);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0].image, (std::array<std::int8_t, 3>{-1, 0, 0}));
  EXPECT_EQ(contacts.normal[0].x, -1.0);

  world.bodies.position[0].x += 10.0;
  EXPECT_TRUE(detection.find(world, margin, contacts).searched);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0].image, (std::array<std::int8_t, 3>{0, 0, 0}));
  EXPECT_EQ(contacts.normal[0].x, -1.0);
}

TEST(Detection, SearchesWhereBodiesOrMarginsMayHaveLeftTheirBounds) {
  World world = two_spheres(1.2);
  world.shapes.emplace_back(Box{{0.5, 0.1, 0.1}});
  append(world, resting(6, 1, {0.0, 5.0, 0.0}));
  std::vector<double> margin{0.0, 0.0, 0.0};
  Detection detection;
  ContactSet contacts;
  const auto searched = [&] { return detection.find(world, margin, contacts).searched; };

  EXPECT_TRUE(searched());
  EXPECT_FALSE(searched());
  world.bodies.position[1].x += 0.01;
  EXPECT_FALSE(searched());
  margin[1] = 0.01;
  EXPECT_FALSE(searched());
  margin[1] = 0.1;  // 10 % of the size are allowed, one is used
  EXPECT_TRUE(searched());
  EXPECT_FALSE(searched());
  margin[1] = 0.0;
  EXPECT_FALSE(searched());

  world.bodies.orientation[0] = rotation_by({1.0, 1.0, 1.0});  // a sphere
  EXPECT_FALSE(searched());
  world.bodies.orientation[2] = rotation_by({0.0, 0.0, 0.005});
  EXPECT_FALSE(searched());
  world.bodies.orientation[2] = rotation_by({0.0, 0.0, 0.1});
  EXPECT_TRUE(searched());
  const Quaternion q = world.bodies.orientation[2];
  world.bodies.orientation[2] = {-q.w, -q.x, -q.y, -q.z};  // the same rotation
  EXPECT_FALSE(searched());

  detection.forget();
  EXPECT_TRUE(searched());
  world.bodies.motion[1] = Motion::Fixed;
  EXPECT_TRUE(searched());
  world.bodies.keep({1, 0, 1});
  margin.pop_back();
  EXPECT_TRUE(searched());
  EXPECT_FALSE(searched());
  world.bodies.position[0].x = std::nan("");
  EXPECT_TRUE(searched());
  EXPECT_EQ(contacts.count(), 0);
}

TEST(Detection, BodiesOfAJointDoNotTouchWhileItIsOn) {
  World world = two_spheres(0.9);
  append(world, resting(7, 0, {0.9, 0.9, 0.0}));
  world.joints.resize(2);
  world.joints[0].body_a = 5;  // the higher id first
  world.joints[0].body_b = 1;
  world.joints[1].body_a = 7;  // to the world: excludes nothing
  Detection detection;
  ContactSet contacts;
  bool searched = false;
  const auto count = [&] {
    searched = detection.find(world, {0.0, 0.0, 0.0}, contacts).searched;
    return contacts.count();
  };
  ASSERT_EQ(count(), 1);
  EXPECT_EQ(contacts.name[0], (ContactName{5, 7, {0, 0, 0}, 0}));
  EXPECT_EQ(count(), 1);
  EXPECT_FALSE(searched);

  world.joints[0].on = false;
  EXPECT_EQ(count(), 2);
  EXPECT_TRUE(searched);
  world.joints[0].on = true;
  EXPECT_EQ(count(), 1);
  EXPECT_TRUE(searched);
  world.joints[0].collide = true;
  EXPECT_EQ(count(), 2);
  world.joints[0].collide.reset();
  for (const JointType rope : {JointType::Distance, JointType::Spring}) {
    world.joints[0].type = rope;
    EXPECT_EQ(count(), 2);
    world.joints[0].collide = false;
    EXPECT_EQ(count(), 1);
    world.joints[0].collide.reset();
  }
}

TEST(Detection, FollowsABodyThatLeavesAndComesBack) {
  World world = two_spheres(1.01);
  world.bodies.motion[1] = Motion::Kinematic;
  Detection detection;
  ContactSet contacts;
  for (int step = 0; step < 60; ++step) {
    world.bodies.position[1].x = 1.01 + 0.01 * std::min(step, 60 - step);
    detection.find(world, {0.01, 0.015}, contacts);
    EXPECT_EQ(contacts.count(), world.bodies.position[1].x <= 1.025 ? 1 : 0) << step;
  }
}

TEST(Detection, PlanesThatMoveOrTurnAreFollowed) {
  World world = two_spheres(3.0);
  world.shapes.emplace_back(Plane{});
  NewBody plane = resting(9, 1, {0.0, 0.0, -2.0});
  plane.motion = Motion::Kinematic;
  append(world, plane);
  const std::vector<double> margin(3, 0.001);
  Detection detection;
  ContactSet contacts;
  int searches = 0;
  for (int step = 0; step <= 150; ++step) {
    world.bodies.position[2].z = -2.0 + 0.01 * step;
    searches += detection.find(world, margin, contacts).searched ? 1 : 0;
    EXPECT_EQ(contacts.count(), step >= 150 ? 2 : 0) << step;
  }
  EXPECT_GT(searches, 2);
  EXPECT_LT(searches, 60);

  // now at z = -0.5 under both: one of them touches when it is tilted
  world.bodies.position[2].z = -0.6;
  world.bodies.orientation[2] = rotation_by({0.0, -0.1, 0.0});
  detection.find(world, margin, contacts);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0].a, 5);
}

TEST(Detection, NothingButPlanesMovesAndNoBodiesAtAll) {
  World world;
  ContactSet contacts;
  contacts.gap.push_back(1.0);  // is overwritten
  EXPECT_EQ(Detection().find(world, {}, contacts).candidates, 0);
  EXPECT_EQ(contacts.count(), 0);

  world.shapes = {Plane{}, Sphere{0.5}};
  append(world, resting(0, 0, {}));
  append(world, resting(1, 0, {}));
  NewBody ball = resting(2, 1, {0.0, 0.0, 0.5});
  ball.motion = Motion::Fixed;
  append(world, ball);
  EXPECT_EQ(Detection().find(world, {0.0, 0.0, 0.01}, contacts).candidates, 2);
  EXPECT_EQ(contacts.count(), 2);  // the planes with the ball, not with each other
}

TEST(Detection, AngularImpulsesAreThereWhereSomethingRolls) {
  World world = two_spheres(1.0);
  world.materials.add({"a", 1.0});
  world.materials.add({"b", 1.0});
  ContactSet contacts;
  world.materials.set_pair(0, 0, {.friction = 1.0});
  Detection().find(world, {0.1, 0.1}, contacts);
  EXPECT_TRUE(contacts.angular_impulse.empty());

  world.materials.set_pair(1, 0, {.spinning_friction = 0.1});
  Detection().find(world, {0.1, 0.1}, contacts);
  EXPECT_EQ(contacts.angular_impulse.size(), 1U);
}

TEST(Detection, BugsOfTheNarrowPhaseLeaveTheLoopOfThreads) {
  World world;
  Compound endless;  // more pairs of parts than features can count
  endless.parts.resize(70000, {Sphere{0.5}, Pose{}});
  world.shapes = {endless};
  append(world, resting(0, 0, {}));
  append(world, resting(1, 0, {0.5, 0.0, 0.0}));
  ContactSet contacts;

  EXPECT_THROW(Detection().find(world, {0.0, 0.0}, contacts), std::logic_error);
}

}  // namespace
}  // namespace talus
