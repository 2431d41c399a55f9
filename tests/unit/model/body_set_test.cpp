#include "talus/model/body_set.hpp"

#include "talus/model/contact_set.hpp"
#include "talus/model/joint.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace talus {
namespace {

/// Every number of a body tells its id.
NewBody numbered(GlobalId id) {
  const auto x = static_cast<double>(id);
  const auto i = static_cast<Index>(id);
  NewBody body;
  body.id = id;
  body.motion = id % 2 == 0 ? Motion::Dynamic : Motion::Kinematic;
  body.shape = i + 1;
  body.scale = x + 2;
  body.material = i + 3;
  body.group = i + 4;
  body.mass = x + 5;
  body.inertia = {x + 6, 0, 0, x + 7, 0, x + 8};
  body.pose = {{x + 9, 0, 0}, {x + 10, 0, 0, 0}};
  body.velocity = {x + 11, 0, 0};
  body.angular_velocity = {x + 12, 0, 0};
  return body;
}

void expect_numbered(const BodySet& bodies, std::size_t i, GlobalId id) {
  const NewBody expected = numbered(id);
  EXPECT_EQ(bodies.id[i], id);
  EXPECT_EQ(bodies.motion[i], expected.motion);
  EXPECT_EQ(bodies.shape[i], expected.shape);
  EXPECT_EQ(bodies.scale[i], expected.scale);
  EXPECT_EQ(bodies.material[i], expected.material);
  EXPECT_EQ(bodies.group[i], expected.group);
  EXPECT_EQ(bodies.mass[i], expected.mass);
  EXPECT_EQ(bodies.inertia[i].zz, expected.inertia.zz);
  EXPECT_EQ(bodies.reach[i], static_cast<double>(id) + 13);
  EXPECT_EQ(bodies.position[i].x, expected.pose.position.x);
  EXPECT_EQ(bodies.orientation[i].w, expected.pose.orientation.w);
  EXPECT_EQ(bodies.velocity[i].x, expected.velocity.x);
  EXPECT_EQ(bodies.angular_velocity[i].x, expected.angular_velocity.x);
}

BodySet some_bodies() {
  BodySet bodies;
  for (const GlobalId id : {3, 4, 10, 11, 20})
    append(bodies, numbered(id), static_cast<double>(id) + 13);
  return bodies;
}

TEST(BodySet, AppendsWithAllThatABodyHas) {
  const BodySet bodies = some_bodies();

  ASSERT_EQ(bodies.count(), 5);
  EXPECT_EQ(bodies.owned, 5);
  expect_numbered(bodies, 0, 3);
  expect_numbered(bodies, 4, 20);
}

TEST(BodySet, FindsByIdAlsoAmongGhosts) {
  BodySet bodies = some_bodies();
  for (const Index owned : {5, 3, 0}) {
    bodies.owned = owned;
    EXPECT_EQ(bodies.find(3), 0);
    EXPECT_EQ(bodies.find(10), 2);
    EXPECT_EQ(bodies.find(20), 4);
    EXPECT_EQ(bodies.find(12), -1);
    EXPECT_EQ(bodies.find(-1), -1);
    EXPECT_EQ(bodies.find(99), -1);
  }
}

TEST(BodySet, KeepsThoseThatAreMarkedInTheirOrder) {
  BodySet bodies = some_bodies();
  bodies.owned = 3;

  bodies.keep({1, 0, 1, 0, 1});

  ASSERT_EQ(bodies.count(), 3);
  EXPECT_EQ(bodies.owned, 2);
  expect_numbered(bodies, 0, 3);
  expect_numbered(bodies, 1, 10);
  expect_numbered(bodies, 2, 20);

  bodies.keep({0, 0, 0});
  EXPECT_EQ(bodies.count(), 0);
  EXPECT_EQ(bodies.owned, 0);
  EXPECT_TRUE(bodies.angular_velocity.empty());
}

TEST(BodySet, IdsThatDoNotRiseAreABug) {
  BodySet bodies = some_bodies();

  EXPECT_THROW(append(bodies, numbered(20), 1.0), std::logic_error);
  EXPECT_THROW(bodies.keep({1, 0}), std::logic_error);
  bodies.owned = 2;
  EXPECT_THROW(append(bodies, numbered(30), 1.0), std::logic_error);
}

TEST(ContactSet, ClearsAllItsArrays) {
  ContactSet contacts;
  contacts.name.resize(1);
  contacts.body_a.resize(1);
  contacts.body_b.resize(1);
  contacts.point.resize(1);
  contacts.normal.resize(1);
  contacts.gap.resize(1);
  contacts.impulse.resize(1);
  contacts.angular_impulse.resize(1);
  EXPECT_EQ(contacts.count(), 1);

  contacts.clear();

  EXPECT_EQ(contacts.count(), 0);
  EXPECT_TRUE(contacts.name.empty() && contacts.body_a.empty() && contacts.body_b.empty());
  EXPECT_TRUE(contacts.point.empty() && contacts.normal.empty());
  EXPECT_TRUE(contacts.impulse.empty() && contacts.angular_impulse.empty());
}

TEST(ContactNames, AreOrderedByIdsThenImageThenFeature) {
  const ContactName first{1, 9, {1, 1, 1}, 9}, second{2, 3, {-1, 1, 1}, 9},
      third{2, 3, {0, 0, 0}, 7}, fourth{2, 3, {0, 0, 0}, 8};

  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, fourth);
}

TEST(JointTypes, HaveTheNamesOfSceneFiles) {
  EXPECT_STREQ(name_of(JointType::Fixed), "fixed");
  EXPECT_STREQ(name_of(JointType::Spherical), "spherical");
  EXPECT_STREQ(name_of(JointType::Revolute), "revolute");
  EXPECT_STREQ(name_of(JointType::Prismatic), "prismatic");
  EXPECT_STREQ(name_of(JointType::Cylindrical), "cylindrical");
  EXPECT_STREQ(name_of(JointType::Universal), "universal");
  EXPECT_STREQ(name_of(JointType::Distance), "distance");
  EXPECT_STREQ(name_of(JointType::Spring), "spring");
}

}  // namespace
}  // namespace talus
