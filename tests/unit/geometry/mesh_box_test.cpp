// Boxes against meshes: a wall is a plane however it is cut; over edges and vertices a box has the
// manifold that keeps it from falling.

#include "geometry/mesh_contacts.hpp"
#include "unit/geometry/mesh_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace talus {
namespace {

using test::box_triangles;
using test::mesh_shape;
using test::Triangles;

const Vec3 up{0.0, 0.0, 1.0};

std::vector<ContactPoint> touch(const Shape& mesh, const Vec3& half, const Pose& at, double margin,
                                const Pose& pose = {}, double scale = 1.0) {
  const Shape box = Box{half};
  std::vector<ContactPoint> contacts;
  collide_mesh({&box, 1.0, at}, {&mesh, scale, pose}, margin, contacts);
  for (std::size_t i = 1; i < contacts.size(); ++i)
    EXPECT_LT(contacts[i - 1].feature, contacts[i].feature) << "unique and ascending";
  return contacts;
}

void expect_all(const std::vector<ContactPoint>& contacts, const Vec3& normal, double gap,
                double tolerance) {
  for (const ContactPoint& contact : contacts) {
    expect_near(contact.normal, normal, tolerance);
    EXPECT_NEAR(contact.gap, gap, tolerance);
  }
}

bool has_point(const std::vector<ContactPoint>& contacts, const Vec3& point, double tolerance) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& contact) {
    return length(contact.point - point) <= tolerance;
  });
}

class BoxOnWall : public testing::TestWithParam<int> {};

TEST_P(BoxOnWall, TouchesItLikeAPlane) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0), height(0.05, 0.6);
  const Triangles flat = test::wall_triangles(random, 2 + GetParam());
  const Pose turned{{3.0, -1.0, 2.0}, test::random_turn(random)};
  const Pose pose{{0.5, 0.25, -7.0}, test::random_turn(random)};
  const double scale = 2.5, margin = 0.1 * scale;
  const Vec3 half{0.25 * scale, 0.375 * scale, 0.5 * scale};
  const Shape mesh = mesh_shape(test::placed(flat, turned));
  const Quaternion to_world_of_wall = pose.orientation * turned.orientation;
  std::set<std::size_t> counts;
  for (int k = 0; k < 300; ++k) {
    Pose at{{coordinate(random), coordinate(random), height(random)}, {}};
    // a third of them flat, on any of their faces; on the other side as well
    if (k % 3 != 0) at.orientation = test::random_turn(random);
    const double side = k % 2 == 0 ? 1.0 : -1.0;
    at.position.z *= side;
    const Pose box{to_world(pose, scale * to_world(turned, at.position)),
                   to_world_of_wall * at.orientation};

    const auto contacts = touch(mesh, half, box, margin, pose, scale);

    const Vec3 normal = rotate(to_world_of_wall, -side * up);
    std::size_t count = 0;
    for (unsigned c = 0; c < 8; ++c) {
      const Vec3 corner{(c & 1U) != 0 ? half.x : -half.x, (c & 2U) != 0 ? half.y : -half.y,
                        (c & 4U) != 0 ? half.z : -half.z};
      const Vec3 local = scale * at.position + rotate(at.orientation, corner);
      const double gap = side * local.z;
      if (gap > margin) continue;
      ASSERT_LT(count, contacts.size());
      EXPECT_NEAR(contacts[count].gap, gap, 1e-13);
      expect_near(contacts[count].normal, normal, 1e-14);
      expect_near(contacts[count].point, to_world(box, corner) + (0.5 * gap) * normal, 1e-13);
      ++count;
    }
    EXPECT_EQ(contacts.size(), count);
    counts.insert(count);
  }
  EXPECT_TRUE(counts.count(0) == 1 && counts.count(1) == 1 && counts.count(4) == 1);
}

TEST_P(BoxOnWall, LyingFlatInSinglePrecisionHasFourContacts) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  const Pose turned{{3.0, -1.0, 2.0}, test::random_turn(random)};
  Triangles triangles = test::placed(test::wall_triangles(random, 2 + GetParam()), turned);
  for (auto& triangle : triangles)
    for (Vec3& v : triangle)
      v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  const Shape mesh = mesh_shape(triangles);
  for (int k = 0; k < 100; ++k) {
    const Vec3 at{coordinate(random), coordinate(random), 0.249};

    const auto contacts =
        touch(mesh, {0.5, 0.5, 0.25}, {to_world(turned, at), turned.orientation}, 0.01);

    ASSERT_EQ(contacts.size(), 4U);
    expect_all(contacts, -rotate(turned.orientation, up), -0.001, 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Tessellations, BoxOnWall, testing::Range(0, 8));

/// A table with x, y from -1 to 1 and its top at z = 0.
Shape table() {
  return mesh_shape(box_triangles({-1.0, -1.0, -2.0}, {1.0, 1.0, 0.0}));
}

// The manifold is the same just above the table, on it, and in it; nearly flat boxes have it too.
class BoxOnTable : public testing::TestWithParam<double> {
 protected:
  double gap() const { return GetParam(); }
  Pose at(double x, double y, double half_height) const {
    return {{x, y, half_height + gap()}, {}};
  }
};

TEST_P(BoxOnTable, LyingFlatHasFourCorners) {
  const auto contacts = touch(table(), {0.25, 0.5, 0.5}, at(0.1, 0.2, 0.5), 0.01);

  EXPECT_EQ(contacts.size(), 4U);
  expect_all(contacts, -up, gap(), 1e-14);
}

TEST_P(BoxOnTable, OverhangingIsHeldAtTheTablesEdge) {
  for (const double x : {0.9, 1.0, 1.05}) {  // the centre over the table, over the edge, beyond
    const auto contacts = touch(table(), {0.25, 0.5, 0.5}, at(x, 0.2, 0.5), 0.01);

    ASSERT_EQ(contacts.size(), 4U) << x;
    expect_all(contacts, -up, gap(), 1e-14);
    for (const double y : {-0.3, 0.7}) {
      EXPECT_TRUE(has_point(contacts, {x - 0.25, y, 0.5 * gap()}, 1e-14));
      EXPECT_TRUE(has_point(contacts, {1.0, y, 0.5 * gap()}, 1e-14));
    }
  }
}

TEST_P(BoxOnTable, OverACornerOfTheTableIsHeldByItsVertex) {
  const auto contacts = touch(table(), {0.25, 0.5, 0.5}, at(0.9, 0.8, 0.5), 0.01);

  ASSERT_EQ(contacts.size(), 4U);
  expect_all(contacts, -up, gap(), 1e-14);
  EXPECT_TRUE(has_point(contacts, {0.65, 0.3, 0.5 * gap()}, 1e-14));
  EXPECT_TRUE(has_point(contacts, {1.0, 0.3, 0.5 * gap()}, 1e-14));
  EXPECT_TRUE(has_point(contacts, {0.65, 1.0, 0.5 * gap()}, 1e-14));
  EXPECT_TRUE(has_point(contacts, {1.0, 1.0, 0.5 * gap()}, 1e-14));
}

TEST_P(BoxOnTable, LargerThanTheTableIsHeldByItsFourVertices) {
  const auto contacts = touch(table(), {3.0, 3.0, 0.5}, at(0.1, 0.2, 0.5), 0.01);

  EXPECT_EQ(contacts.size(), 4U);
  expect_all(contacts, -up, gap(), 1e-14);
  EXPECT_TRUE(has_point(contacts, {1.0, -1.0, 0.5 * gap()}, 1e-14));
}

TEST_P(BoxOnTable, OfTheSameSizeHasFourContacts) {
  for (const double shift : {0.0, 1e-17, 1e-9, -1e-9}) {
    const auto contacts = touch(table(), {1.0, 1.0, 0.5}, at(shift, shift, 0.5), 0.01);

    EXPECT_EQ(contacts.size(), 4U);
    expect_all(contacts, -up, gap(), 1e-8);
  }
}

TEST_P(BoxOnTable, LyingAcrossAPlankIsHeldWhereEdgesCross) {
  const Shape plank = mesh_shape(box_triangles({-0.125, -3.0, -2.0}, {0.125, 3.0, 0.0}));

  const auto contacts = touch(plank, {1.0, 0.25, 0.5}, at(0.3, 0.0, 0.5), 0.01);

  ASSERT_EQ(contacts.size(), 4U);
  expect_all(contacts, -up, gap(), 1e-14);
  EXPECT_TRUE(has_point(contacts, {0.125, -0.25, 0.5 * gap()}, 1e-14));
}

TEST_P(BoxOnTable, TurnedAboutTheVerticalHasTheSameNormals) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1.1, 1.1), angle(0.0, pi);
  for (int k = 0; k < 200; ++k) {
    Pose box = at(place(random), place(random), 0.5);
    box.orientation = rotation_by({0.0, 0.0, angle(random)});

    const auto contacts = touch(table(), {0.3, 0.2, 0.5}, box, 0.01);

    expect_all(contacts, -up, gap(), 1e-13);
    EXPECT_LE(contacts.size(), 8U);
    const bool over = std::fmax(std::fabs(box.position.x), std::fabs(box.position.y)) < 0.95;
    EXPECT_GE(contacts.size(), over ? 3U : 0U);
  }
}

TEST_P(BoxOnTable, TiltedALittleKeepsItsManifold) {
  for (const double tilt : {-1e-4, -1e-9, 1e-9, 1e-4})
    for (const double x : {0.3, 0.9, 1.05}) {
      Pose box = at(x, 0.2, 0.5);
      box.orientation = rotation_by({0.0, tilt, 0.0});
      const auto contacts = touch(table(), {0.25, 0.5, 0.5}, box, 0.01);

      EXPECT_EQ(contacts.size(), 4U) << tilt << " " << x;
      expect_all(contacts, -up, gap(), 2e-4);
    }
}

INSTANTIATE_TEST_SUITE_P(Gaps, BoxOnTable,
                         testing::Values(0.005, 1e-12, 0.0, -1e-12, -1e-6, -0.002));

TEST(BoxOnMesh, InACornerOfWallsTouchesAllOfThem) {
  // a room: x, y, z > 0, seen from inside
  Triangles room = box_triangles({0.0, 0.0, 0.0}, {5.0, 5.0, 5.0});
  const Shape mesh = mesh_shape(room);
  const Vec3 half{0.25, 0.25, 0.25};
  for (const double floor : {-0.003, -1e-5, 0.0, 0.002})
    for (const double wall : {-0.004, -1e-9, 0.0, 0.003}) {
      const auto contacts = touch(mesh, half, {{0.25 + wall, 2.0, 0.25 + floor}, {}}, 0.01);

      ASSERT_EQ(contacts.size(), 8U) << floor << " " << wall;
      for (const ContactPoint& contact : contacts) {
        const bool down = contact.normal.z < -0.5;
        expect_near(contact.normal, down ? -up : Vec3{-1.0, 0.0, 0.0}, 1e-14);
        EXPECT_NEAR(contact.gap, down ? floor : wall, 1e-14);
      }
    }
  EXPECT_EQ(touch(mesh, half, {{0.249, 0.249, 0.249}, {}}, 0.01).size(), 12U);
}

TEST(BoxOnMesh, BesideAStepIsNotHeldByItsUnderside) {
  // a step up at x = 0 that is as high as the box; the box is a little in the riser
  Triangles steps;
  test::add_quad(steps, {-2.0, -2.0, 1.0}, {0.0, -2.0, 1.0}, {0.0, 2.0, 1.0}, {-2.0, 2.0, 1.0});
  test::add_quad(steps, {0.0, -2.0, 1.0}, {0.0, -2.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 2.0, 1.0});
  test::add_quad(steps, {0.0, -2.0, 0.0}, {2.0, -2.0, 0.0}, {2.0, 2.0, 0.0}, {0.0, 2.0, 0.0});

  const auto contacts =
      touch(mesh_shape(steps), {0.5, 0.5, 0.4975}, {{0.499, 0.0, 0.4975}, {}}, 0.01);

  for (const ContactPoint& contact : contacts)
    EXPECT_LT(contact.normal.z, 0.5) << "nothing pushes it down";
  EXPECT_EQ(contacts.size(), 8U) << "four on the floor, four on the riser";
}

TEST(BoxOnMesh, EdgeAcrossEdgeTouchesOnce) {
  // a ridge along y with its top at z = 0, a box on its edge along x above it
  Triangles ridge;
  test::add_quad(ridge, {-1.0, -2.0, -1.0}, {0.0, -2.0, 0.0}, {0.0, 2.0, 0.0}, {-1.0, 2.0, -1.0});
  test::add_quad(ridge, {0.0, -2.0, 0.0}, {1.0, -2.0, -1.0}, {1.0, 2.0, -1.0}, {0.0, 2.0, 0.0});
  const double half = 0.5, diagonal = half * std::sqrt(2.0);
  const Quaternion on_edge = rotation_by({pi / 4.0, 0.0, 0.0});
  for (const double gap : {0.005, -0.005}) {
    const auto contacts =
        touch(mesh_shape(ridge), {half, half, half}, {{0.1, 0.2, diagonal + gap}, on_edge}, 0.01);

    ASSERT_EQ(contacts.size(), 1U);
    expect_all(contacts, -up, gap, 1e-14);
    expect_near(contacts[0].point, {0.0, 0.2, 0.5 * gap}, 1e-14);
  }
}

TEST(BoxOnMesh, OnASpikeTouchesOnce) {
  Triangles spike;
  const Vec3 top{0.0, 0.0, 0.0}, a{-1.0, -1.0, -3.0}, b{1.0, -1.0, -3.0}, c{0.0, 1.0, -3.0};
  spike = {{a, b, top}, {b, c, top}, {c, a, top}, {a, c, b}};
  for (const double gap : {0.005, -0.005}) {
    const auto contacts =
        touch(mesh_shape(spike), {0.5, 0.5, 0.5}, {{0.1, 0.2, 0.5 + gap}, {}}, 0.01);

    ASSERT_EQ(contacts.size(), 1U);
    expect_all(contacts, -up, gap, 1e-14);
    expect_near(contacts[0].point, {0.0, 0.0, 0.5 * gap}, 1e-14);
  }
}

TEST(BoxOnMesh, LeaningOnATablesEdgeHasTheNormalOfItsFace) {
  // its lower left face lies on the table's edge x = 1
  const Quaternion lean = rotation_by({0.0, -pi / 4.0, 0.0});
  const Vec3 half{0.5, 0.25, 2.0}, face = rotate(lean, {-1.0, 0.0, 0.0});
  for (const double gap : {0.005, -0.005}) {
    const Vec3 centre = Vec3{1.0, 0.0, 0.0} - (0.5 + gap) * face;

    const auto contacts = touch(table(), half, {centre, lean}, 0.01);

    ASSERT_EQ(contacts.size(), 2U);
    expect_all(contacts, face, gap, 1e-13);
    for (const double y : {-0.25, 0.25})
      EXPECT_TRUE(has_point(contacts, Vec3{1.0, y, 0.0} - (0.5 * gap) * face, 1e-13));
  }
}

TEST(BoxOnMesh, OnAThinPlateIsNotTouchedByItsUnderside) {
  const Shape plate = mesh_shape(box_triangles({-1.0, -1.0, -0.005}, {1.0, 1.0, 0.0}));

  const auto contacts = touch(plate, {0.25, 0.25, 0.25}, {{0.0, 0.0, 0.249}, {}}, 0.01);

  EXPECT_EQ(contacts.size(), 4U);
  expect_all(contacts, -up, -0.001, 1e-14);
}

TEST(BoxOnMesh, PiercedByAFinIsHeldByItsTopOnly) {
  const Shape fin = mesh_shape(box_triangles({-0.005, -2.0, -1.0}, {0.005, 2.0, 0.0}));

  const auto contacts = touch(fin, {0.5, 0.25, 0.25}, {{0.1, 0.0, 0.248}, {}}, 0.01);

  EXPECT_EQ(contacts.size(), 4U) << "two edges of the fin cross two of the box";
  expect_all(contacts, -up, -0.002, 1e-14);
}

TEST(BoxOnMesh, InADrumTouchesWithItsCornersOnly) {
  const Shape drum = mesh_shape(test::drum_triangles(32, 4));
  const double inner = cosine(pi / 32.0), middle = pi / 32.0;
  const Vec3 out{cosine(middle), sine(middle), 0.0};
  const Quaternion turn = rotation_by({0.0, 0.0, middle});
  // flat on a facet, narrower than it
  const auto flat = touch(drum, {0.05, 0.05, 0.1}, {(inner - 0.051) * out, turn}, 0.002);

  EXPECT_EQ(flat.size(), 4U);
  expect_all(flat, out, 0.001, 1e-14);
  // wider: its corners reach two facets
  const double x = 0.9;
  for (const ContactPoint& contact : touch(drum, {0.05, 0.3, 0.1}, {x * out, turn}, 0.01))
    EXPECT_GT(dot(contact.normal, contact.point), 0.0) << "outwards";
}

TEST(BoxOnMesh, SlidingOntoATableDoesNotCatchOnItsRim) {
  for (const double sunk : {0.0, 1e-12, 1e-6, 1e-4})
    for (const double x : {-1.4, -1.2501, -1.249, -1.1, -1.0, -0.9}) {
      const auto contacts = touch(table(), {0.25, 0.25, 0.25}, {{x, 0.0, 0.25 - sunk}, {}}, 0.01);
      for (const ContactPoint& contact : contacts)
        EXPECT_NEAR(contact.normal.x, 0.0, 1e-14) << sunk << " " << x;
      EXPECT_EQ(contacts.size(), x < -1.25 ? 0U : 4U) << sunk << " " << x;
    }
}

TEST(BoxOnMesh, BesideATableIsKeptOffItByAllFourCornersOfItsFace) {
  const auto contacts = touch(table(), {0.25, 0.25, 0.25}, {{-1.251, 0.0, -0.2505}, {}}, 0.01);

  EXPECT_EQ(contacts.size(), 4U);
  expect_all(contacts, {1.0, 0.0, 0.0}, 0.001, 1e-14);
}

/// Separation of a box and one at the origin by their 15 axes; negative: how deep they overlap.
double separation(const Vec3& half, const Pose& at, const Vec3& other) {
  const Mat3 turn = matrix_of(at.orientation);
  std::vector<Vec3> normals;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 own{turn[i], turn[3 + i], turn[6 + i]};
    normals.push_back(own);
    for (const Vec3& axis : {Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}, up}) {
      normals.push_back(axis);
      if (length(cross(own, axis)) > 1e-6) normals.push_back(unit(cross(own, axis)));
    }
  }
  double best = -1e300;
  for (const Vec3& n : normals) {
    const Vec3 own = rotate_back(at.orientation, n);
    const double reach = std::fabs(n.x) * other.x + std::fabs(n.y) * other.y +
                         std::fabs(n.z) * other.z + std::fabs(own.x) * half.x +
                         std::fabs(own.y) * half.y + std::fabs(own.z) * half.z;
    best = std::fmax(best, std::fabs(dot(n, at.position)) - reach);
  }
  return best;
}

TEST(BoxOnMesh, IsFoundAsDeepInABoxOfTrianglesAsSeparatingAxesSay) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> coordinate(-2.0, 2.0);
  const Vec3 half{0.5, 0.4, 0.3}, other{1.0, 0.8, 0.6};
  const Shape mesh = mesh_shape(box_triangles(-other, other));
  int tried = 0, too_deep = 0;
  while (tried < 2000) {
    const Vec3 at{coordinate(random), coordinate(random), coordinate(random)};
    const Pose pose{at, test::random_turn(random)};
    const double expected = separation(half, pose, other);
    if (expected < -0.01 || expected > -1e-4) continue;
    ++tried;

    double found = 1e300;
    for (const ContactPoint& contact : touch(mesh, half, pose, 0.01))
      found = std::fmin(found, contact.gap);

    EXPECT_LE(found, 0.999 * expected) << "nothing is missed";
    if (found < 2.0 * expected) ++too_deep;
  }
  // where a corner is near an edge, its depth below a face may count beside that of the edge
  EXPECT_LE(too_deep, 20);
}

TEST(BoxOnMesh, FarAwayHasNoContacts) {
  EXPECT_TRUE(touch(table(), {0.5, 0.5, 0.5}, {{0.0, 0.0, 5.0}, {}}, 0.01).empty());
  EXPECT_TRUE(touch(table(), {0.5, 0.5, 0.5}, {{1.52, 1.52, 0.52}, {}}, 0.01).empty());
}

}  // namespace
}  // namespace talus
