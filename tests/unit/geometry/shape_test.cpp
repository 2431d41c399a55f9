#include "talus/geometry/shape.hpp"

#include "core/elementary.hpp"
#include "unit/geometry/geometry_checks.hpp"
#include "unit/geometry/mesh_shapes.hpp"

#include <string>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
const Shape ball = Sphere{2.0};
const Shape brick = Box{{1.0, 2.0, 3.0}};
const Shape half_space = Plane{{1.0, 0.0, 0.0}};
/// A ball and a brick that lies on its side.
const Shape clump =
    Compound{{{Sphere{1.0}, {{-2.0, 0.0, 0.0}, {}}},
              {Box{{1.0, 2.0, 3.0}}, {{4.0, 1.0, 0.0}, rotation_by({0.5 * pi, 0.0, 0.0})}}}};

/// The brick again, in triangles; its origin elsewhere.
Shape brick_of_triangles(const Vec3& centre) {
  const Vec3 h{1.0, 2.0, 3.0};
  return Mesh{std::make_shared<const TriangleMesh>(test::box_triangles(centre - h, centre + h))};
}

TEST(Shape, HasItsName) {
  EXPECT_STREQ(name_of(ball), "sphere");
  EXPECT_STREQ(name_of(brick), "box");
  EXPECT_STREQ(name_of(half_space), "plane");
  EXPECT_STREQ(name_of(clump), "compound");
  EXPECT_STREQ(name_of(Mesh{}), "mesh");
}

TEST(Shape, BoundsOfSimplePlacesAreKnown) {
  const Pose pose{{1.0, 1.0, 1.0}, rotation_by({0.0, 0.0, 0.5 * pi})};
  expect_near(bounds_of(ball, 0.5, pose).low, {0.0, 0.0, 0.0}, 0.0);
  expect_near(bounds_of(ball, 0.5, pose).high, {2.0, 2.0, 2.0}, 0.0);
  expect_near(bounds_of(brick, 2.0, pose).low, {-3.0, -1.0, -5.0}, 1e-14);
  expect_near(bounds_of(brick, 2.0, pose).high, {5.0, 3.0, 7.0}, 1e-14);
  // as it lies the brick reaches 1, 3, 2 from (4, 1, 0)
  expect_near(bounds_of(clump, 1.0, {}).low, {-3.0, -2.0, -2.0}, 1e-14);
  expect_near(bounds_of(clump, 1.0, {}).high, {5.0, 4.0, 2.0}, 1e-14);
  EXPECT_EQ(bounds_of(half_space, 1.0, pose).low.x, -infinite);
  EXPECT_EQ(bounds_of(half_space, 1.0, pose).high.z, infinite);
}

/// Corners of the brick in the frame of the clump, and the ball's points along `direction`.
TEST(Shape, BoundsAndReachAreThoseOfThePoints) {
  RandomPlaces random(21);
  for (int i = 0; i < 50; ++i) {
    const Pose pose = random.pose(3.0);
    const double scale = random.number(0.5, 2.0);
    const auto& brick_part = std::get<Compound>(clump).parts[1];
    const Vec3 ball_at = to_world(pose, {-2.0 * scale, 0.0, 0.0});
    Vec3 high = ball_at + scale * Vec3{1.0, 1.0, 1.0};
    double reach = 3.0 * scale;
    for (int k = 0; k < 8; ++k) {
      const Vec3 corner{k % 2 ? 1.0 : -1.0, k / 2 % 2 ? 2.0 : -2.0, k / 4 ? 3.0 : -3.0};
      const Vec3 local = scale * to_world(brick_part.pose, corner);
      const Vec3 at = to_world(pose, local);
      reach = std::max(reach, length(local));
      high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
    }
    expect_near(bounds_of(clump, scale, pose).high, high, 1e-13);
    EXPECT_NEAR(reach_of(clump, scale), reach, 1e-13);
  }
}

TEST(Shape, ReachAndSize) {
  EXPECT_EQ(reach_of(ball, 0.25), 0.5);
  EXPECT_EQ(reach_of(brick, 2.0), 2.0 * std::sqrt(14.0));
  EXPECT_EQ(reach_of(half_space, 1.0), infinite);
  EXPECT_EQ(size_of(ball, 0.25), 1.0);
  EXPECT_EQ(size_of(brick, 2.0), 4.0);
  EXPECT_EQ(size_of(half_space, 1.0), infinite);
  EXPECT_EQ(size_of(clump, 3.0), 6.0);
}

TEST(Shape, MassOfSphereAndBoxIsThatOfTextbooks) {
  const MassProperties of_ball = mass_properties(ball);
  EXPECT_NEAR(of_ball.volume, 32.0 / 3.0 * pi, 1e-13);
  EXPECT_NEAR(of_ball.inertia.yy, 0.4 * 4.0 * of_ball.volume, 1e-13);
  const MassProperties of_brick = mass_properties(brick);
  EXPECT_NEAR(of_brick.volume, 48.0, 1e-13);
  EXPECT_NEAR(of_brick.inertia.xx, 48.0 / 12.0 * (16.0 + 36.0), 1e-13);
  EXPECT_NEAR(of_brick.inertia.yy, 48.0 / 12.0 * (4.0 + 36.0), 1e-13);
  EXPECT_NEAR(of_brick.inertia.zz, 48.0 / 12.0 * (4.0 + 16.0), 1e-13);
  EXPECT_EQ(mass_properties(half_space).volume, 0.0);
}

TEST(Shape, MassOfACompoundIsThatOfItsPartsByHand) {
  // two balls of radius 1 at x = 0 and x = 6, and a unit cube at (3, 4, 0)
  const Shape three = Compound{{{Sphere{1.0}, {}},
                                {Sphere{1.0}, {{6.0, 0.0, 0.0}, {}}},
                                {Box{}, {{3.0, 4.0, 0.0}, rotation_by({0.3, -0.2, 0.9})}}}};
  const double m = 4.0 / 3.0 * pi, whole = 2.0 * m + 1.0, y = 4.0 / whole;
  const MassProperties mass = mass_properties(three);
  EXPECT_NEAR(mass.volume, whole, 1e-13);
  expect_near(mass.centre, {3.0, y, 0.0}, 1e-14);
  // distances to the centre: balls (3, y), cube 4 - y; own moments 2/5 m and 1/6, however turned
  EXPECT_NEAR(mass.inertia.xx, 2.0 * m * (0.4 + y * y) + 1.0 / 6.0 + (4.0 - y) * (4.0 - y), 1e-12);
  EXPECT_NEAR(mass.inertia.yy, 2.0 * m * (0.4 + 9.0) + 1.0 / 6.0, 1e-12);
  EXPECT_NEAR(mass.inertia.zz, 2.0 * m * (0.4 + 9.0 + y * y) + 1.0 / 6.0 + (4.0 - y) * (4.0 - y),
              1e-12);
  EXPECT_NEAR(mass.inertia.xy, 0.0, 1e-13);
  EXPECT_NEAR(mass.inertia.xz, 0.0, 1e-13);
}

TEST(Shape, MassOfABrickIsThatOfItsPieces) {
  // cut in two at x = 0.2, and turned as one
  const Quaternion q = rotation_by({0.3, 0.5, -0.7});
  const Shape pieces = Compound{{{Box{{0.6, 2.0, 3.0}}, {rotate(q, {-0.4, 0.0, 0.0}), q}},
                                 {Box{{0.4, 2.0, 3.0}}, {rotate(q, {0.6, 0.0, 0.0}), q}}}};
  const MassProperties whole = mass_properties(brick), parts = mass_properties(pieces);
  const Sym3 expected = rotated(q, whole.inertia);
  EXPECT_NEAR(parts.volume, whole.volume, 1e-13);
  expect_near(parts.centre, {}, 1e-15);
  EXPECT_NEAR(parts.inertia.xx, expected.xx, 1e-12);
  EXPECT_NEAR(parts.inertia.xy, expected.xy, 1e-12);
  EXPECT_NEAR(parts.inertia.xz, expected.xz, 1e-12);
  EXPECT_NEAR(parts.inertia.yz, expected.yz, 1e-12);
}

TEST(Shape, MeshOfABrickIsABrick) {
  const Shape mesh = brick_of_triangles({});
  RandomPlaces random(22);
  const Pose pose = random.pose(3.0);
  expect_near(bounds_of(mesh, 1.5, pose).low, bounds_of(brick, 1.5, pose).low, 1e-14);
  expect_near(bounds_of(mesh, 1.5, pose).high, bounds_of(brick, 1.5, pose).high, 1e-14);
  EXPECT_NEAR(reach_of(mesh, 2.0), reach_of(brick, 2.0), 1e-14);
  EXPECT_EQ(size_of(mesh, 2.0), size_of(brick, 2.0));
  EXPECT_NEAR(mass_properties(mesh).volume, 48.0, 1e-12);
  EXPECT_NEAR(mass_properties(mesh).inertia.xx, mass_properties(brick).inertia.xx, 1e-11);

  const Vec3 centre{4.0, 5.0, 6.0};
  const Shape moved = moved_to(brick_of_triangles(centre), centre);
  expect_near(mass_properties(moved).centre, {}, 1e-13);
  expect_near(bounds_of(moved, 1.0, {}).high, {1.0, 2.0, 3.0}, 1e-14);
}

TEST(Shape, SizeOfAFlatMeshIsThatOfItsPlane) {
  const Shape flat = Mesh{std::make_shared<const TriangleMesh>(
      test::Triangles{{{{0.0, 0.0, 1.0}, {4.0, 0.0, 1.0}, {0.0, 3.0, 1.0}}}})};
  EXPECT_EQ(size_of(flat, 2.0), 6.0);
  EXPECT_EQ(size_of(Mesh{std::make_shared<const TriangleMesh>(test::Triangles{})}, 1.0), 0.0);
}

TEST(Shape, PartsWithoutVolumeHaveNoMass) {
  EXPECT_EQ(mass_properties(Compound{{{Sphere{0.0}, {{1.0, 0.0, 0.0}, {}}}}}).inertia.yy, 0.0);
}

TEST(Shape, MovedToItsCentreItIsWhereItWas) {
  const Vec3 centre{0.5, -1.0, 2.0};
  for (const Shape& shape : {ball, brick, clump}) {
    const Shape moved = moved_to(shape, centre);
    const Bounds before = bounds_of(shape, 1.0, {}), after = bounds_of(moved, 1.0, {centre, {}});
    expect_near(after.low, before.low, 1e-14);
    expect_near(after.high, before.high, 1e-14);
    expect_near(mass_properties(moved).centre, mass_properties(shape).centre - centre, 1e-14);
  }
  EXPECT_STREQ(name_of(moved_to(ball, {})), "sphere") << "as before where nothing moves";
  EXPECT_STREQ(name_of(moved_to(brick, {})), "box");
}

TEST(Shape, PlanesAreNotMovedAndCompoundsHaveParts) {
  EXPECT_THROW(moved_to(half_space, {}), std::logic_error);
  EXPECT_THROW(bounds_of(Compound{}, 1.0, {}), std::logic_error);
}

}  // namespace
}  // namespace talus
