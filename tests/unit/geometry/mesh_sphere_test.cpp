// Spheres against meshes: a wall is a plane however it is cut, corners and edges are what they are.

#include "geometry/mesh_contacts.hpp"
#include "unit/geometry/mesh_shapes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace talus {
namespace {

using test::mesh_shape;
using test::Triangles;

std::vector<ContactPoint> touch(const Shape& mesh, const Vec3& centre, double radius, double margin,
                                const Pose& pose = {}, double scale = 1.0) {
  const Shape sphere = Sphere{radius};
  std::vector<ContactPoint> contacts;
  collide_mesh({&sphere, 1.0, {centre, {}}}, {&mesh, scale, pose}, margin, contacts);
  return contacts;
}

TEST(NearestPoint, IsNearerThanAllOtherPointsOfTheTriangle) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto point = [&] {
    const double x = normal(random), y = normal(random), z = normal(random);
    return Vec3{x, y, z};
  };
  std::array<int, 3> parts{};
  for (int k = 0; k < 300; ++k) {
    const std::array<Vec3, 3> triangle{point(), point(), point()};
    const Vec3 to = 2.0 * point();
    const NearestPoint nearest = nearest_point(triangle, to);
    ++parts[static_cast<std::size_t>(nearest.part)];
    const double distance = length(nearest.point - to);
    double smallest = 1e300;
    constexpr int steps = 60;
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; i + j <= steps; ++j) {
        const Vec3 p = triangle[0] +
                       (static_cast<double>(i) / steps) * (triangle[1] - triangle[0]) +
                       (static_cast<double>(j) / steps) * (triangle[2] - triangle[0]);
        smallest = std::fmin(smallest, length(p - to));
      }
    EXPECT_LE(distance, smallest + 1e-12);
    EXPECT_GE(distance, smallest - 0.15);  // a step along the sides
    const auto i = static_cast<std::size_t>(nearest.which);
    if (nearest.part == TrianglePart::Vertex) {
      expect_near(nearest.point, triangle[i], 0.0);
    } else if (nearest.part == TrianglePart::Edge) {
      const Vec3 &a = triangle[i], &b = triangle[(i + 1) % 3];
      EXPECT_NEAR(length(nearest.point - a) + length(b - nearest.point), length(b - a), 1e-12);
    }
  }
  for (const int count : parts) EXPECT_GT(count, 10) << "all parts were nearest";
}

class SphereOnWall : public testing::TestWithParam<int> {};

TEST_P(SphereOnWall, TouchesItLikeAPlane) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::uniform_real_distribution<double> coordinate(-1.5, 1.5), height(-0.45, 0.6), part(0.0, 1.0);
  const Triangles flat = test::wall_triangles(random, 2 + GetParam());
  const Pose turned{{3.0, -1.0, 2.0}, test::random_turn(random)},
      pose{{0.5, 0.25, -7.0}, test::random_turn(random)};
  const double scale = 2.5, radius = 0.5 * scale, margin = 0.05 * scale;
  const Shape mesh = mesh_shape(test::placed(flat, turned));
  const Vec3 normal = rotate(pose.orientation, rotate(turned.orientation, {0.0, 0.0, 1.0}));
  for (int k = 0; k < 300; ++k) {
    Vec3 at{coordinate(random), coordinate(random), 0.0};
    const auto& triangle = flat[random() % flat.size()];
    if (k % 3 == 0) at = triangle[0];  // over a vertex
    if (k % 3 == 1) {                  // over an edge
      const double s = part(random);
      at = s * triangle[0] + (1.0 - s) * triangle[1];
    }
    if (std::fmax(std::fabs(at.x), std::fabs(at.y)) > 1.9) continue;  // of the border
    at.z = height(random);
    const Vec3 centre = to_world(pose, scale * to_world(turned, at));

    const auto contacts = touch(mesh, centre, radius, margin, pose, scale);

    const double gap = scale * std::fabs(at.z) - radius;
    ASSERT_EQ(contacts.size(), gap <= margin ? 1U : 0U);
    if (contacts.empty()) continue;
    const Vec3 expected = at.z < 0.0 ? normal : -normal;
    EXPECT_NEAR(contacts[0].gap, gap, 1e-13);
    expect_near(contacts[0].normal, expected, 1e-14);
    expect_near(contacts[0].point, centre + (radius + 0.5 * gap) * expected, 1e-13);
    EXPECT_EQ(contacts[0].feature, 0U) << "one plane, one feature";
  }
}

TEST_P(SphereOnWall, InSinglePrecisionTouchesItOnce) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::uniform_real_distribution<double> coordinate(-1.5, 1.5);
  const Pose turned{{3.0, -1.0, 2.0}, test::random_turn(random)};
  Triangles triangles = test::placed(test::wall_triangles(random, 2 + GetParam()), turned);
  for (auto& triangle : triangles)
    for (Vec3& v : triangle)
      v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  const Shape mesh = mesh_shape(triangles);
  for (int k = 0; k < 200; ++k) {
    const Vec3 at{coordinate(random), coordinate(random), 0.49};

    const auto contacts = touch(mesh, to_world(turned, at), 0.5, 0.05);

    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_NEAR(contacts[0].gap, -0.01, 1e-6);  // a few roundings of 3 m
    expect_near(contacts[0].normal, -rotate(turned.orientation, {0.0, 0.0, 1.0}), 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Tessellations, SphereOnWall, testing::Range(0, 8));

TEST(SphereOnMesh, OverABoxTouchesTheNearestPoint) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> coordinate(-1.5, 1.5);
  const Vec3 half{0.5, 0.75, 1.0};
  const Shape mesh = mesh_shape(test::box_triangles(-half, half));
  std::set<unsigned> kinds;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 c{coordinate(random), coordinate(random), coordinate(random)};
    const Vec3 nearest{std::fmin(std::fmax(c.x, -half.x), half.x),
                       std::fmin(std::fmax(c.y, -half.y), half.y),
                       std::fmin(std::fmax(c.z, -half.z), half.z)};
    const double distance = length(c - nearest);
    if (distance == 0.0) continue;  // inside
    const auto contacts = touch(mesh, c, 0.25, 0.125);

    ASSERT_EQ(contacts.size(), distance <= 0.375 ? 1U : 0U);
    if (contacts.empty()) continue;
    EXPECT_NEAR(contacts[0].gap, distance - 0.25, 1e-14);
    expect_near(contacts[0].normal, unit(nearest - c), 1e-13);
    kinds.insert(contacts[0].feature & 3U);
  }
  EXPECT_EQ(kinds.size(), 3U) << "faces, edges and vertices";
}

TEST(SphereOnMesh, FeaturesOfABoxStayWhileTheSphereSlides) {
  const Shape mesh = mesh_shape(test::box_triangles({-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}));
  std::set<std::uint32_t> on_face, on_edge;
  for (int k = 0; k < 50; ++k) {
    const double along = -0.98 + 0.04 * k;
    on_face.insert(touch(mesh, {along, 0.3, 1.2}, 0.25, 0.0).at(0).feature);
    on_edge.insert(touch(mesh, {along, 1.1, 1.1}, 0.25, 0.0).at(0).feature);
  }
  EXPECT_EQ(on_face.size(), 1U);
  EXPECT_EQ(on_edge.size(), 1U);
}

TEST(SphereOnMesh, InsideADrumTouchesItsWallOnItsSide) {
  const Shape mesh = mesh_shape(test::drum_triangles(64, 5));
  const double inner = cosine(pi / 64.0);  // of the facets
  const double middle = pi / 64.0;         // of a facet
  const Vec3 out{cosine(middle), sine(middle), 0.0};

  const auto contacts = touch(mesh, (inner - 0.099) * out, 0.1, 0.01);

  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_NEAR(contacts[0].gap, -0.001, 1e-14);
  expect_near(contacts[0].normal, out, 1e-14);
}

TEST(SphereOnMesh, BetweenFacetsOfADrumTouchesBoth) {
  const Shape mesh = mesh_shape(test::drum_triangles(64, 5));

  const auto contacts = touch(mesh, {0.9, 0.0, 0.1}, 0.1, 0.01);

  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_NEAR(contacts[0].gap, contacts[1].gap, 1e-14);
  EXPECT_NEAR(contacts[0].gap, cosine(pi / 64.0) * 0.1 - 0.1, 1e-14);
  EXPECT_NE(contacts[0].normal.y * contacts[1].normal.y, 0.0);
  EXPECT_LT(contacts[0].feature, contacts[1].feature);
}

TEST(SphereOnMesh, InTheCornerOfWallAndEndTouchesBoth) {
  const Shape mesh = mesh_shape(test::drum_triangles(32, 3));
  const double inner = cosine(pi / 32.0);
  const Vec3 out{cosine(pi / 32.0), sine(pi / 32.0), 0.0};
  const Vec3 centre = (inner - 0.1) * out + Vec3{0.0, 0.0, -0.905};

  const auto contacts = touch(mesh, centre, 0.1, 0.01);

  ASSERT_EQ(contacts.size(), 2U);
  const std::size_t wall = std::fabs(contacts[0].normal.z) < 0.5 ? 0 : 1;
  expect_near(contacts[wall].normal, out, 1e-14);
  EXPECT_NEAR(contacts[wall].gap, 0.0, 1e-14);
  expect_near(contacts[1 - wall].normal, {0.0, 0.0, -1.0}, 1e-14);
  EXPECT_NEAR(contacts[1 - wall].gap, -0.005, 1e-14);
}

TEST(SphereOnMesh, BehindAnotherWallIsNotTouched) {
  // two sheets, one just behind the other
  Triangles triangles;
  for (const double z : {0.0, -0.01})
    test::add_quad(triangles, {-1.0, -1.0, z}, {1.0, -1.0, z}, {1.0, 1.0, z}, {-1.0, 1.0, z});

  const auto contacts = touch(mesh_shape(triangles), {0.1, 0.2, 0.5}, 0.5, 0.05);

  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_NEAR(contacts[0].gap, 0.0, 1e-15);
}

TEST(SphereOnMesh, TrianglesThatOnlyTouchAreOneWall) {
  // a T-junction: two triangles on one side of an edge, one on the other
  const Shape mesh = mesh_shape({{Vec3{-1.0, 0.0, 0.0}, Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}},
                                 {Vec3{0.0, 0.0, 0.0}, Vec3{-1.0, 0.0, 0.0}, Vec3{0.0, -1.0, 0.0}},
                                 {Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 0.0, 0.0}, Vec3{0.0, -1.0, 0.0}}});
  for (const double y : {-0.2, -0.01, -1e-7, 0.0, 1e-7, 0.01, 0.2})
    for (const double x : {-0.3, 0.0, 1e-8, 0.2}) {
      const auto contacts = touch(mesh, {x, y, 0.24}, 0.25, 0.05);
      ASSERT_EQ(contacts.size(), 1U) << x << " " << y;
      expect_near(contacts[0].normal, {0.0, 0.0, -1.0}, 1e-6);
    }
}

TEST(SphereOnMesh, WhoseCentreIsOnTheSurfaceIsPushedAlongItsNormal) {
  const Shape mesh = mesh_shape(test::box_triangles({-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}));

  const auto on_face = touch(mesh, {0.1, 0.2, 1.0}, 0.25, 0.0);
  ASSERT_EQ(on_face.size(), 1U);
  expect_near(on_face[0].normal, {0.0, 0.0, -1.0}, 0.0);
  EXPECT_EQ(on_face[0].gap, -0.25);

  const auto on_edge = touch(mesh, {1.0, 0.2, 1.0}, 0.25, 0.0);
  ASSERT_EQ(on_edge.size(), 1U);
  for (const auto& contact : on_edge) {
    EXPECT_NEAR(length(contact.normal), 1.0, 1e-15);
    EXPECT_NEAR(contact.gap, -0.25, 1e-15);
  }
}

TEST(SphereOnMesh, ContactsAreAppended) {
  const Shape sphere = Sphere{0.5};
  const Shape mesh = mesh_shape(test::box_triangles({-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}));
  std::vector<ContactPoint> contacts(1);
  contacts[0].gap = 7.0;

  collide_mesh({&sphere, 1.0, {{0.0, 0.0, 1.4}, {}}}, {&mesh, 1.0, {}}, 0.0, contacts);

  ASSERT_EQ(contacts.size(), 2U);
  EXPECT_EQ(contacts[0].gap, 7.0);
}

}  // namespace
}  // namespace talus
