#include "geometry/mesh_mass.hpp"

#include "unit/geometry/mesh_shapes.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

using test::Triangles;

void expect_same(const Sym3& found, const Sym3& expected, double tolerance) {
  EXPECT_NEAR(found.xx, expected.xx, tolerance);
  EXPECT_NEAR(found.xy, expected.xy, tolerance);
  EXPECT_NEAR(found.xz, expected.xz, tolerance);
  EXPECT_NEAR(found.yy, expected.yy, tolerance);
  EXPECT_NEAR(found.yz, expected.yz, tolerance);
  EXPECT_NEAR(found.zz, expected.zz, tolerance);
}

TEST(MeshMass, OfABoxIsItsFormula) {
  const MassProperties found =
      mass_properties_of(TriangleMesh(test::box_triangles({1.0, 2.0, 3.0}, {2.0, 4.0, 6.0})));

  const double volume = 6.0, a = 1.0, b = 2.0, c = 3.0;
  EXPECT_NEAR(found.volume, volume, 1e-14);
  expect_near(found.centre, {1.5, 3.0, 4.5}, 1e-14);
  expect_same(found.inertia,
              {volume / 12.0 * (b * b + c * c), 0.0, 0.0, volume / 12.0 * (a * a + c * c), 0.0,
               volume / 12.0 * (a * a + b * b)},
              1e-13);
}

TEST(MeshMass, OfATurnedBoxFarAwayTurnsWithIt) {
  std::mt19937 random(4);
  const Pose pose{{100.0, -50.0, 20.0}, test::random_turn(random)};
  const MassProperties found = mass_properties_of(
      TriangleMesh(test::placed(test::box_triangles({-0.5, -1.0, -1.5}, {0.5, 1.0, 1.5}), pose)));

  EXPECT_NEAR(found.volume, 6.0, 1e-12);  // 100 m away: vertices are rounded to 1e-14
  expect_near(found.centre, pose.position, 1e-12);
  expect_same(found.inertia, rotated(pose.orientation, {6.5, 0.0, 0.0, 5.0, 0.0, 2.5}), 1e-12);
}

TEST(MeshMass, OfATetrahedronHasProducts) {
  // corners at 0 and the unit points: products of inertia about the origin are V/20, moments V/5
  const Vec3 o{}, x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
  const MassProperties found =
      mass_properties_of(TriangleMesh({{o, y, x}, {o, x, z}, {o, z, y}, {x, y, z}}));

  const double volume = 1.0 / 6.0, moment = volume / 5.0 - volume * 2.0 / 16.0;
  const double product = -(volume / 20.0 - volume / 16.0);
  EXPECT_NEAR(found.volume, volume, 1e-15);
  expect_near(found.centre, {0.25, 0.25, 0.25}, 1e-15);
  expect_same(found.inertia, {moment, product, product, moment, product, moment}, 1e-15);
}

TEST(MeshMass, OfBallsConvergesWithTheSquareOfTheirTriangles) {
  double last = 0.0;
  for (const int rows : {8, 16, 32}) {
    const MassProperties found = mass_properties_of(TriangleMesh(test::ball_triangles(rows)));
    const double volume = 4.0 / 3.0 * pi, error = volume - found.volume;
    if (last != 0.0) {
      EXPECT_NEAR(last / error, 4.0, 0.2);
    }
    last = error;
    expect_near(found.centre, {}, 1e-14);
    EXPECT_NEAR(found.inertia.zz / (0.4 * volume), 1.0, 12.0 / (rows * rows));
  }
}

TEST(MeshMass, InsideOutBoundsTheSameSolid) {
  Triangles triangles = test::box_triangles({1.0, 2.0, 3.0}, {2.0, 4.0, 6.0});
  const MassProperties right = mass_properties_of(TriangleMesh(triangles));
  for (auto& t : triangles) std::swap(t[1], t[2]);
  const MassProperties found = mass_properties_of(TriangleMesh(triangles));

  EXPECT_NEAR(found.volume, right.volume, 1e-14);
  expect_near(found.centre, right.centre, 1e-14);
  expect_same(found.inertia, right.inertia, 1e-13);
}

TEST(MeshMass, OpenMeshesHaveNone) {
  Triangles triangles = test::box_triangles({}, {1.0, 1.0, 1.0});
  triangles.pop_back();

  EXPECT_EQ(mass_properties_of(TriangleMesh(triangles)).volume, 0.0);
  EXPECT_EQ(mass_properties_of(TriangleMesh({})).volume, 0.0);
}

TEST(MeshMass, AMovedMeshHasItsCentreAtTheOrigin) {
  const TriangleMesh mesh(test::box_triangles({1.0, 2.0, 3.0}, {2.0, 4.0, 6.0}));
  const MassProperties before = mass_properties_of(mesh);

  const MassProperties after = mass_properties_of(moved(mesh, before.centre));

  expect_near(after.centre, {}, 1e-15);
  expect_same(after.inertia, before.inertia, 1e-13);
}

}  // namespace
}  // namespace talus
