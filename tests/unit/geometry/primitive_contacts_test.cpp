#include "core/elementary.hpp"
#include "geometry/placed.hpp"
#include "unit/geometry/geometry_checks.hpp"

namespace talus {
namespace {

const Shape small_ball = Sphere{0.5};
const Shape cube = Box{{1.0, 1.0, 1.0}};
const Shape floor_below = Plane{};

TEST(PrimitiveContacts, SpheresTouchBetweenTheirCentres) {
  const Shape big = Sphere{1.0};
  const PlacedShape a{&big, 2.0, {{1.0, 0.0, 0.0}, {}}}, b{&small_ball, 1.0, {{4.0, 0.0, 0.0}, {}}};
  const std::vector<ContactPoint> contacts = contacts_of(a, b, 0.5);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_EQ(contacts[0].gap, 0.5);
  EXPECT_EQ(contacts[0].feature, 0U);
  expect_near(contacts[0].normal, {1.0, 0.0, 0.0}, 0.0);
  expect_near(contacts[0].point, {3.25, 0.0, 0.0}, 0.0);
  EXPECT_TRUE(contacts_of(a, b, 0.499).empty());
}

TEST(PrimitiveContacts, SpheresWithOneCentreArePushedApartUpwards) {
  const PlacedShape a{&small_ball, 1.0, {{1.0, 2.0, 3.0}, {}}};
  const std::vector<ContactPoint> contacts = contacts_of(a, a, 0.0);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_EQ(contacts[0].gap, -1.0);
  expect_near(contacts[0].normal, {0.0, 0.0, 1.0}, 0.0);
  expect_near(contacts[0].point, {1.0, 2.0, 3.0}, 0.0);
}

TEST(PrimitiveContacts, SphereOnAPlane) {
  // the plane leans by 30 degrees about y, through (1, 0, 0)
  const PlacedShape plane{&floor_below, 1.0, {{1.0, 0.0, 0.0}, rotation_by({0.0, pi / 6.0, 0.0})}};
  const Vec3 up{0.5, 0.0, std::sqrt(0.75)};
  const PlacedShape ball{&small_ball, 1.0, {Vec3{1.0, 0.0, 0.0} + 0.6 * up, {}}};
  const std::vector<ContactPoint> contacts = contacts_of(ball, plane, 0.2);
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_NEAR(contacts[0].gap, 0.1, 1e-15);
  expect_near(contacts[0].normal, -up, 1e-15);
  expect_near(contacts[0].point, Vec3{1.0, 0.0, 0.0} + 0.05 * up, 1e-15);
  EXPECT_TRUE(contacts_of(ball, plane, 0.05).empty());
}

TEST(PrimitiveContacts, SphereOutsideABoxTouchesItsNearestPoint) {
  struct Case {
    Vec3 centre, nearest;
  };
  for (const Case& c : {Case{{1.6, 0.3, -0.2}, {1.0, 0.3, -0.2}},     // a face
                        Case{{-1.3, 1.4, 0.5}, {-1.0, 1.0, 0.5}},     // an edge
                        Case{{1.2, -1.2, 1.1}, {1.0, -1.0, 1.0}}}) {  // a corner
    const PlacedShape box{&cube, 1.0, {}}, ball{&small_ball, 1.0, {c.centre, {}}};
    const Vec3 way = c.nearest - c.centre;
    const std::vector<ContactPoint> contacts = contacts_of(ball, box, 0.2);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, length(way) - 0.5, 1e-15);
    expect_near(contacts[0].normal, unit(way), 1e-15);
    expect_near(contacts[0].point, c.nearest - (0.5 * contacts[0].gap) * unit(way), 1e-15);
    EXPECT_TRUE(contacts_of(ball, box, contacts[0].gap - 1e-6).empty());
  }
}

TEST(PrimitiveContacts, SphereInsideABoxGoesThroughTheNearestFace) {
  struct Case {
    Vec3 centre, out;
    double depth = 0.0;
  };
  for (const Case& c :
       {Case{{0.1, -0.8, 0.2}, {0.0, -1.0, 0.0}, 0.2}, Case{{0.1, 0.2, 0.7}, {0.0, 0.0, 1.0}, 0.3},
        Case{{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0}, Case{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 1.0}}) {
    const PlacedShape box{&cube, 1.0, {}}, ball{&small_ball, 1.0, {c.centre, {}}};
    const std::vector<ContactPoint> contacts = contacts_of(ball, box, 0.0);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, -c.depth - 0.5, 1e-15);
    expect_near(contacts[0].normal, -c.out, 1e-15);
    expect_near(contacts[0].point, c.centre + (0.5 * (c.depth - 0.5)) * c.out, 1e-15);
  }
}

TEST(PrimitiveContacts, CornersOfABoxThatAreNearAPlane) {
  const PlacedShape plane{&floor_below, 1.0, {}};
  const std::vector<ContactPoint> flat =
      contacts_of({&cube, 0.5, {{0.0, 0.0, 0.52}, {}}}, plane, 0.1);
  ASSERT_EQ(flat.size(), 4U);
  expect_in_order(flat, 0.1);
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(flat[k].feature, k);
    EXPECT_NEAR(flat[k].gap, 0.02, 1e-15);
    expect_near(flat[k].normal, {0.0, 0.0, -1.0}, 0.0);
    expect_near(flat[k].point, {k % 2 == 0 ? -0.5 : 0.5, k < 2 ? -0.5 : 0.5, 0.01}, 1e-15);
  }
  const Quaternion on_corner = rotation_between(unit({1.0, 1.0, 1.0}), {0.0, 0.0, -1.0});
  const std::vector<ContactPoint> corner =
      contacts_of({&cube, 0.5, {{0.0, 0.0, 0.8}, on_corner}}, plane, 0.0);
  ASSERT_EQ(corner.size(), 1U);
  EXPECT_EQ(corner[0].feature, 7U);
  EXPECT_NEAR(corner[0].gap, 0.8 - std::sqrt(0.75), 1e-15);
}

TEST(PrimitiveContacts, AreTheSameFromTheOtherSide) {
  RandomPlaces random(13);
  const Shape shapes[] = {small_ball, cube, floor_below};
  for (int i = 0; i < 300; ++i) {
    const Shape &s = shapes[i % 3], &t = shapes[(i + 1) % 3];
    const PlacedShape a{&s, 1.0, random.pose(1.0)}, b{&t, 1.0, random.pose(1.0)};
    const std::vector<ContactPoint> forth = contacts_of(a, b, 0.5), back = contacts_of(b, a, 0.5);
    ASSERT_EQ(forth.size(), back.size());
    for (std::size_t k = 0; k < forth.size(); ++k) {
      EXPECT_EQ(forth[k].gap, back[k].gap);
      EXPECT_EQ(forth[k].feature, back[k].feature);
      expect_near(forth[k].normal, -back[k].normal, 0.0);
      expect_near(forth[k].point, back[k].point, 0.0);
    }
  }
}

TEST(PrimitiveContacts, TurnWithTheirBodies) {
  RandomPlaces random(14);
  const Shape shapes[] = {small_ball, cube, floor_below};
  for (int i = 0; i < 300; ++i) {
    const Pose by = random.pose(1.0), at_a = random.pose(1.0), at_b = random.pose(1.0);
    const Shape &s = shapes[i % 3], &t = shapes[i % 2];
    if (i % 6 >= 4 && i % 2 == 1) continue;  // boxes have a test of their own
    const auto before = contacts_of({&s, 1.0, at_a}, {&t, 1.0, at_b}, 0.5);
    const auto after = contacts_of({&s, 1.0, by * at_a}, {&t, 1.0, by * at_b}, 0.5);
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t k = 0; k < before.size(); ++k) {
      EXPECT_NEAR(after[k].gap, before[k].gap, 1e-12);
      expect_near(after[k].normal, rotate(by.orientation, before[k].normal), 1e-12);
      expect_near(after[k].point, to_world(by, before[k].point), 1e-12);
    }
  }
}

TEST(PrimitiveContacts, PlanesDoNotMeet) {
  const PlacedShape plane{&floor_below, 1.0, {}};
  EXPECT_THROW(contacts_of(plane, plane, 0.0), std::logic_error);
}

}  // namespace
}  // namespace talus
