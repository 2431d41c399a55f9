#include "talus/geometry/triangle_mesh.hpp"

#include "talus/core/error.hpp"

#include "geometry/mesh_topology.hpp"
#include "unit/geometry/mesh_shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

namespace talus {
namespace {

using test::box_triangles;
using test::Triangles;

const Vec3 origin{}, ex{1.0, 0.0, 0.0}, ey{0.0, 1.0, 0.0}, ez{0.0, 0.0, 1.0};

TEST(TriangleMesh, EqualVerticesAreOneAndMinusZeroIsZero) {
  const TriangleMesh mesh({{origin, ex, ey}, {Vec3{-0.0, -0.0, 0.0}, Vec3{0.0, 1.0, -0.0}, ez}});

  EXPECT_EQ(mesh.vertices().size(), 4U);
  EXPECT_EQ(mesh.faults().open_edges, 4) << "and they share one edge";
  for (const Vec3& v : mesh.vertices())
    EXPECT_FALSE(std::signbit(v.x) || std::signbit(v.y) || std::signbit(v.z));
}

TEST(TriangleMesh, AClosedBoxHasNoFaults) {
  const TriangleMesh mesh(box_triangles({-1.0, -2.0, -3.0}, {1.0, 2.0, 3.0}));

  EXPECT_TRUE(mesh.faults().closed());
  EXPECT_FALSE(mesh.faults().inside_out);
  EXPECT_EQ(mesh.vertices().size(), 8U);
  EXPECT_EQ(mesh.topology().edges.size(), 18U) << "12 of the box, 6 diagonals";
  expect_near(mesh.bounds().low, {-1.0, -2.0, -3.0}, 0.0);
  expect_near(mesh.bounds().high, {1.0, 2.0, 3.0}, 0.0);
}

TEST(TriangleMesh, TrianglesWithoutAreaAreLeftOut) {
  const TriangleMesh mesh({{origin, ex, 2.0 * ex},
                           {origin, origin, ex},
                           {ey, ey, ey},
                           {origin, ex, Vec3{0.5, 1e-12, 0.0}},  // area 5e-13
                           {origin, ex, Vec3{0.5, 1e-11, 0.0}}});

  EXPECT_EQ(mesh.faults().degenerate, 4);
  EXPECT_EQ(mesh.triangles().size(), 1U);
  EXPECT_EQ(mesh.vertices().size(), 3U) << "no vertices of triangles that are left out";
}

TEST(TriangleMesh, SmallTrianglesAreNotDegenerate) {
  const TriangleMesh mesh({{origin, 1e-70 * ex, 1e-70 * ey}});

  EXPECT_EQ(mesh.triangles().size(), 1U);
  expect_near(mesh.normal(0), ez, 0.0);
}

TEST(TriangleMesh, DuplicatesAreLeftOutHoweverTheyAreWritten) {
  const TriangleMesh mesh({{origin, ex, ey}, {ex, ey, origin}, {ey, ex, origin}, {origin, ex, ez}});

  EXPECT_EQ(mesh.faults().duplicate, 2);
  ASSERT_EQ(mesh.triangles().size(), 2U);
  expect_near(mesh.normal(0), ez, 0.0);
}

TEST(TriangleMesh, OpenFlippedAndCrowdedEdgesAreCounted) {
  Triangles open = box_triangles(origin, {1.0, 1.0, 1.0});
  open.pop_back();
  EXPECT_EQ(TriangleMesh(open).faults().open_edges, 3);
  EXPECT_FALSE(TriangleMesh(open).faults().closed());

  Triangles flipped = box_triangles(origin, {1.0, 1.0, 1.0});
  std::swap(flipped[3][0], flipped[3][1]);
  EXPECT_EQ(TriangleMesh(flipped).faults().flipped, 3);
  EXPECT_FALSE(TriangleMesh(flipped).faults().closed());

  const TriangleMesh crowded({{origin, ex, ey}, {ex, origin, ez}, {origin, ex, -1.0 * ey}});
  EXPECT_EQ(crowded.faults().crowded_edges, 1);
  EXPECT_EQ(crowded.faults().open_edges, 6);
  EXPECT_FALSE(crowded.faults().closed());
}

TEST(TriangleMesh, InsideOutIsToldByTheVolume) {
  Triangles triangles = box_triangles({5.0, 5.0, 5.0}, {6.0, 6.0, 6.0});
  for (auto& t : triangles) std::swap(t[0], t[1]);
  const TriangleMesh mesh(triangles);

  EXPECT_TRUE(mesh.faults().closed());
  EXPECT_TRUE(mesh.faults().inside_out);
}

TEST(TriangleMesh, TwoShellsAreAClosedMesh) {
  Triangles triangles = box_triangles({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});
  for (const auto& t : box_triangles({3.0, 0.0, 0.0}, {4.0, 1.0, 1.0})) triangles.push_back(t);

  EXPECT_TRUE(TriangleMesh(triangles).faults().closed());
}

TEST(TriangleMesh, NoTrianglesAreAMeshToo) {
  const TriangleMesh mesh({});
  std::vector<Index> found;
  mesh.search({{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}}, found);

  EXPECT_TRUE(found.empty());
  expect_near(mesh.bounds().low, origin, 0.0);
}

TEST(TriangleMesh, TrianglesOfAPlaneAreOneGroupWithOneNormal) {
  std::mt19937 random(1);
  Triangles triangles = test::wall_triangles(random, 6);
  const Pose pose{{10.0, -3.0, 2.0}, test::random_turn(random)};
  const TriangleMesh mesh(test::placed(triangles, pose));

  const Vec3 normal = rotate(pose.orientation, ez);
  for (std::size_t t = 0; t < mesh.triangles().size(); ++t) {
    EXPECT_EQ(mesh.topology().plane_group[t], 0);
    expect_near(mesh.normal(static_cast<Index>(t)), normal, 1e-14);
  }
  std::size_t features = 0;
  for (const MeshEdge& edge : mesh.topology().edges) features += edge.feature ? 1 : 0;
  EXPECT_EQ(features, 24U) << "the border only, 6 edges on each of 4 sides";
  std::size_t corners = 0;
  for (const auto corner : mesh.topology().corner) corners += corner;
  EXPECT_EQ(corners, 4U);
}

TEST(TriangleMesh, FacesOfABoxAreItsGroups) {
  const TriangleMesh mesh(box_triangles(origin, {1.0, 1.0, 1.0}));
  const auto& group = mesh.topology().plane_group;

  EXPECT_EQ(std::set<Index>(group.begin(), group.end()), (std::set<Index>{0, 2, 4, 6, 8, 10}));
  EXPECT_THAT(mesh.topology().corner, testing::Each(1));
}

TEST(TriangleMesh, PlanesInSinglePrecisionHaveNoFeaturesInside) {
  std::mt19937 random(2);
  Triangles triangles =
      test::placed(test::wall_triangles(random, 5), {{1.0, 2.0, 3.0}, test::random_turn(random)});
  for (auto& triangle : triangles)
    for (Vec3& v : triangle)
      v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  const TriangleMesh mesh(triangles);

  std::size_t features = 0;
  for (const MeshEdge& edge : mesh.topology().edges) features += edge.feature ? 1 : 0;
  EXPECT_EQ(features, 20U) << "the border only";
}

TEST(TriangleMesh, AFoldedSheetIsAFeature) {
  const TriangleMesh mesh({{origin, ex, ey}, {ex, origin, Vec3{0.2, 0.9, 1e-8}}});

  for (const MeshEdge& edge : mesh.topology().edges) EXPECT_TRUE(edge.feature);
}

TEST(TriangleMesh, SearchFindsWhatBruteForceFinds) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0), extent(0.0, 0.3);
  const auto point = [&] {
    const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
    return Vec3{x, y, z};
  };
  Triangles triangles;
  for (int i = 0; i < 500; ++i) {
    const Vec3 a = point();
    triangles.push_back({a, a + 0.1 * point(), a + 0.1 * point()});
  }
  const TriangleMesh mesh(triangles);
  ASSERT_EQ(mesh.triangles().size(), 500U);
  for (int k = 0; k < 200; ++k) {
    const Vec3 middle = point();
    const Vec3 out{extent(random), extent(random), extent(random)};
    const Bounds box{middle - out, middle + out};
    std::vector<Index> expected{-7}, found{-7};  // appended
    for (Index t = 0; t < 500; ++t) {
      const Vec3 &a = mesh.corner(t, 0), &b = mesh.corner(t, 1), &c = mesh.corner(t, 2);
      const Bounds around{{std::fmin(a.x, std::fmin(b.x, c.x)), std::fmin(a.y, std::fmin(b.y, c.y)),
                           std::fmin(a.z, std::fmin(b.z, c.z))},
                          {std::fmax(a.x, std::fmax(b.x, c.x)), std::fmax(a.y, std::fmax(b.y, c.y)),
                           std::fmax(a.z, std::fmax(b.z, c.z))}};
      if (overlap(around, box)) expected.push_back(t);
    }
    mesh.search(box, found);
    EXPECT_EQ(found, expected);
  }
}

TEST(TriangleMesh, MovedVerticesAreFoundWhereTheyAre) {
  const TriangleMesh mesh = TriangleMesh({{origin, ex, ey}}).moved_by({0.0, 0.0, 5.0});
  std::vector<Index> there, here;
  mesh.search({{0.0, 0.0, 4.0}, {1.0, 1.0, 6.0}}, there);
  mesh.search({{0.0, 0.0, -1.0}, {1.0, 1.0, 1.0}}, here);

  EXPECT_EQ(there.size(), 1U);
  EXPECT_TRUE(here.empty());
}

TEST(TriangleMesh, CornersThatAreNotFiniteAreRefused) {
  using Limits = std::numeric_limits<double>;
  for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    Triangles triangles = box_triangles({}, {1.0, 1.0, 1.0});
    triangles[3][1].y = bad;
    try {
      const TriangleMesh mesh(triangles);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "triangle 3 of a mesh has a corner that is not finite");
    }
  }
}

/// Corners on a coarse grid: many meet, some triangles have no area or are there twice.
Triangles triangles_by_chance(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto corner = [&] {
    const auto one = [&] { return 0.1 * static_cast<double>(random() % 3) - 0.1; };
    return Vec3{one(), one(), one()};
  };
  Triangles triangles;
  for (int t = 0; t < 40; ++t) triangles.push_back({corner(), corner(), corner()});
  return triangles;
}

TEST(TriangleMesh, OfItsOwnCornersIsTheSameMesh) {
  int dropped = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TriangleMesh mesh(triangles_by_chance(seed));
    Triangles corners;
    for (Index t = 0; t < static_cast<Index>(mesh.triangles().size()); ++t)
      corners.push_back({mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)});

    const TriangleMesh again(corners);

    ASSERT_EQ(again.triangles(), mesh.triangles()) << seed;
    ASSERT_EQ(again.vertices().size(), mesh.vertices().size());
    using Bits = std::array<std::uint64_t, 3>;
    for (std::size_t v = 0; v < mesh.vertices().size(); ++v)
      EXPECT_EQ(std::bit_cast<Bits>(again.vertices()[v]), std::bit_cast<Bits>(mesh.vertices()[v]));
    for (Index t = 0; t < static_cast<Index>(corners.size()); ++t) {
      EXPECT_EQ(std::bit_cast<Bits>(mesh.normal(t)), std::bit_cast<Bits>(again.normal(t)));
    }
    EXPECT_EQ(again.topology().edges.size(), mesh.topology().edges.size());
    EXPECT_EQ(again.faults().open_edges, mesh.faults().open_edges);
    dropped += static_cast<int>(mesh.faults().degenerate + mesh.faults().duplicate);
  }
  EXPECT_GT(dropped, 100);
}

}  // namespace
}  // namespace talus
