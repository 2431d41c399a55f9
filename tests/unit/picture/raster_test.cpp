// Pixels against areas and depths that geometry gives.

#include "picture/raster.hpp"

#include "talus/geometry/triangle_mesh.hpp"

#include "core/elementary.hpp"
#include "picture/solids.hpp"
#include "support/png_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus {
namespace {

using picture::Camera;
using picture::Colour;
using picture::Layer;
using picture::Raster;

constexpr Colour red{0.9, 0.1, 0.1}, blue{0.1, 0.1, 0.9};
constexpr double half_a_byte = 0.51 / 255.0;

void expect_colour(const Colour& seen, const Colour& wanted) {
  EXPECT_NEAR(seen.r, wanted.r, half_a_byte);
  EXPECT_NEAR(seen.g, wanted.g, half_a_byte);
  EXPECT_NEAR(seen.b, wanted.b, half_a_byte);
}

/// From the x axis: y to the right, z up, `scale` pixels per m, the origin in the middle.
Camera side_camera(double scale, double width, double height) {
  return {picture::view_from(0.0, 0.0), {}, scale, 0.5 * width, 0.5 * height};
}

TEST(Raster, ASphereCoversItsDiscAndIsLitAsLambertSays) {
  Raster raster(400, 300);
  const std::int64_t count = raster.sphere({200.5, 150.5, 0.0}, 100.0, {red, Layer::Solid});
  EXPECT_EQ(count, raster.covered());
  EXPECT_NEAR(static_cast<double>(count), pi * 100.0 * 100.0, 40.0) << "of the 31416";
  const picture::Image image = raster.resolved(1, picture::white);
  expect_colour(image.at(200, 150), picture::shaded(red, {0.0, 0.0, 1.0}));
  // 60 pixels to the right and 0 down: a normal of (0.6, 0, 0.8)
  expect_colour(image.at(260, 150), picture::shaded(red, {0.6, 0.0, 0.8}));
  expect_colour(image.at(200, 49), picture::white);
  EXPECT_EQ(support::pixels_unlike(image, picture::white), count);
}

TEST(Raster, LightFromTheUpperLeftIsStrongestWhereTheSurfaceFacesIt) {
  const Colour full = picture::shaded(red, {-0.40, -0.56, 0.726});
  EXPECT_NEAR(full.r, red.r, 1e-3);
  EXPECT_LT(picture::shaded(red, {0.6, 0.8, 0.0}).r, 0.5 * full.r);
  EXPECT_GT(picture::shaded(red, {0.6, 0.8, 0.0}).r, 0.2 * full.r) << "nothing is black";
}

// 20 pixels apart, the left one nearer: their edge in front is that of the left one, whichever is
// drawn first.
TEST(Raster, WhatIsNearerHidesInAnyOrder) {
  const auto draw = [](bool left_first) {
    Raster raster(120, 80);
    const auto left = [&] { raster.sphere({50.5, 40.5, 30.0}, 30.0, {red, Layer::Solid}); };
    const auto right = [&] { raster.sphere({70.5, 40.5, 0.0}, 30.0, {blue, Layer::Solid}); };
    if (left_first) left();
    right();
    if (!left_first) left();
    return raster.resolved(1, picture::white);
  };
  const picture::Image image = draw(true);
  EXPECT_EQ(image.bytes, draw(false).bytes);
  EXPECT_GT(image.at(70, 40).r, image.at(70, 40).b) << "the middle of the right one is hidden";
  EXPECT_GT(image.at(85, 40).b, image.at(85, 40).r);
}

// Their depths cross where both are equally near: half way.
TEST(Raster, SpheresThatCutEachOtherMeetHalfWay) {
  Raster raster(120, 80);
  raster.sphere({50.0, 40.5, 0.0}, 25.0, {red, Layer::Solid});
  raster.sphere({70.0, 40.5, 0.0}, 25.0, {blue, Layer::Solid});
  const picture::Image image = raster.resolved(1, picture::white);
  for (int y = 30; y < 50; ++y) {
    EXPECT_GT(image.at(59, y).r, image.at(59, y).b);
    EXPECT_GT(image.at(60, y).b, image.at(60, y).r);
  }
}

TEST(Raster, ASphereSmallerThanAPixelIsOne) {
  Raster raster(10, 10);
  EXPECT_EQ(raster.sphere({3.9, 4.1, 0.0}, 0.01, {red, Layer::Solid}), 1);
  EXPECT_EQ(raster.sphere({-0.1, 4.1, 0.0}, 0.01, {red, Layer::Solid}), 0);
  EXPECT_EQ(support::pixels_unlike(raster.resolved(1, picture::white), picture::white), 1);
}

// Any triangulation of a square has each of its pixels once: what glass needs.
TEST(Raster, TrianglesThatShareEdgesShareNoPixel) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> inside(5.0, 95.0);
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 middle{inside(random), inside(random), inside(random)};
    const std::array<Vec3, 4> corners{
        {{0.0, 0.0, 0.0}, {100.0, 0.0, 0.0}, {100.0, 100.0, 0.0}, {0.0, 100.0, 0.0}}};
    Raster raster(110, 110);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < 4; ++i)
      count += raster.triangle({corners[i], corners[(i + 1) % 4], middle}, {red, Layer::Glass});
    EXPECT_EQ(count, 100 * 100) << middle.x << " " << middle.y;
  }
}

TEST(Raster, DepthOfATriangleIsThatOfItsPlane) {
  Raster raster(100, 100);
  // rises from -50 at the left to 50 at the right; a wall at depth 0 hides the left half
  raster.triangle({{{0.0, 0.0, -50.0}, {100.0, 0.0, 50.0}, {0.0, 200.0, -50.0}}},
                  {red, Layer::Solid});
  raster.triangle({{{0.0, 0.0, 0.0}, {200.0, 0.0, 0.0}, {0.0, 200.0, 0.0}}}, {blue, Layer::Solid});
  const picture::Image image = raster.resolved(1, picture::white);
  EXPECT_GT(image.at(49, 10).b, image.at(49, 10).r);
  EXPECT_GT(image.at(50, 10).r, image.at(50, 10).b);
}

TEST(Raster, GlassTintsAndTrialsOnlyCount) {
  Raster raster(100, 100);
  raster.sphere({50.0, 50.0, 0.0}, 20.0, {red, Layer::Solid});
  const std::int64_t covered = raster.covered();
  const std::array<Vec3, 3> front{
      {{-10.0, -10.0, 90.0}, {300.0, -10.0, 90.0}, {-10.0, 300.0, 90.0}}};
  std::array<Vec3, 3> behind = front;
  for (Vec3& corner : behind) corner.z = -90.0;

  EXPECT_EQ(raster.triangle(front, {blue, Layer::Trial}), covered);
  EXPECT_EQ(raster.triangle(behind, {blue, Layer::Trial}), 0);
  EXPECT_EQ(raster.covered(), covered);
  EXPECT_EQ(support::pixels_unlike(raster.resolved(1, picture::white), picture::white), covered);

  const Colour before = raster.resolved(1, picture::white).at(50, 50);
  raster.triangle(front, {blue, Layer::Glass});
  const Colour after = raster.resolved(1, picture::white).at(50, 50);
  EXPECT_LT(after.r, before.r);
  EXPECT_GT(after.r, 0.8 * before.r);
  EXPECT_GT(after.b, before.b);
  EXPECT_EQ(raster.covered(), covered);
}

TEST(Raster, ALineIsAsLongAndWideAsItIsAndHiddenBehindSurfaces) {
  Raster raster(100, 100);
  raster.line({10.0, 50.0, 0.0}, {90.0, 50.0, 0.0}, red, 2.0);
  EXPECT_NEAR(static_cast<double>(
                  support::pixels_unlike(raster.resolved(1, picture::white), picture::white)),
              160.0, 4.0);
  raster.sphere({50.0, 50.0, 10.0}, 20.0, {blue, Layer::Solid});
  raster.line({50.0, -1e6, 0.0}, {50.0, 1e6, 0.0}, red, 2.0);
  const picture::Image image = raster.resolved(1, picture::white);
  EXPECT_GT(image.at(50, 45).b, image.at(50, 45).r) << "behind the sphere";
  expect_colour(image.at(50, 5), red);
}

// A cube turned by 45 degrees about the vertical, seen from the side: sqrt(2) wide; from above: its
// area is that of the unturned one.
TEST(Solids, ATurnedBoxHasItsSilhouette) {
  const Shape box = Box{{0.5, 0.5, 0.5}};
  const Pose turned{{}, rotation_by({0.0, 0.0, pi / 4.0})};
  Raster side(300, 300), above(300, 300);
  picture::draw(side, side_camera(100.0, 300.0, 300.0), box, 1.0, turned, {red, Layer::Solid});
  EXPECT_NEAR(static_cast<double>(side.covered()), std::sqrt(2.0) * 100.0 * 100.0, 200.0);
  Camera camera = side_camera(100.0, 300.0, 300.0);
  camera.view = picture::view_from(0.0, 90.0);
  picture::draw(above, camera, box, 1.0, turned, {red, Layer::Solid});
  EXPECT_NEAR(static_cast<double>(above.covered()), 100.0 * 100.0, 100.0);
  // its two sides that are seen face left and right by 45 degrees: the left one is brighter
  const picture::Image image = side.resolved(1, picture::white);
  expect_colour(image.at(120, 150), picture::shaded(red, {-std::sqrt(0.5), 0.0, std::sqrt(0.5)}));
  expect_colour(image.at(180, 150), picture::shaded(red, {std::sqrt(0.5), 0.0, std::sqrt(0.5)}));
}

TEST(Solids, AMeshAndACompoundOfABoxHaveTheirPixels) {
  const Box box{{0.4, 0.3, 0.2}};
  const Pose pose{{0.1, -0.2, 0.1}, rotation_by({0.3, 0.8, -0.5})};
  std::vector<std::array<Vec3, 3>> triangles;
  const auto corner = [&](unsigned i) {
    return Vec3{(i & 1U) != 0 ? box.half.x : -box.half.x, (i & 2U) != 0 ? box.half.y : -box.half.y,
                (i & 4U) != 0 ? box.half.z : -box.half.z};
  };
  // counter-clockwise from outside
  for (const auto& f : std::vector<std::array<unsigned, 4>>{
           {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}) {
    triangles.push_back({corner(f[0]), corner(f[1]), corner(f[2])});
    triangles.push_back({corner(f[0]), corner(f[2]), corner(f[3])});
  }
  Compound compound;
  compound.parts.push_back({box, {}});
  std::vector<picture::Image> images;
  for (const Shape& shape :
       {Shape(box), Shape(Mesh{std::make_shared<TriangleMesh>(triangles)}), Shape(compound)}) {
    Raster raster(200, 200);
    picture::draw(raster, side_camera(80.0, 200.0, 200.0), shape, 1.5, pose, {red, Layer::Solid});
    EXPECT_GT(raster.covered(), 2000);
    images.push_back(raster.resolved(1, picture::white));
  }
  EXPECT_EQ(images[0].bytes, images[2].bytes);
  // diagonals of faces may be the others: some pixels of the rim change sides
  std::int64_t different = 0;
  for (std::size_t i = 0; i < images[0].bytes.size(); ++i)
    different += std::abs(images[0].bytes[i] - images[1].bytes[i]) > 2 ? 1 : 0;
  EXPECT_LT(different, 30);
}

TEST(Solids, FacingEdgesOfABoxAreDrawnAndPlanesHaveNone) {
  Raster raster(200, 200);
  const Camera camera = side_camera(100.0, 200.0, 200.0);
  picture::draw_edges(raster, camera, Box{{0.5, 0.5, 0.5}}, 1.0, {}, {red, 2.0, 1.0});
  // the outline of a square of 100 pixels, two pixels wide
  EXPECT_NEAR(static_cast<double>(
                  support::pixels_unlike(raster.resolved(1, picture::white), picture::white)),
              800.0, 20.0);
  Raster empty(200, 200);
  picture::draw_edges(empty, camera, Plane{}, 1.0, {}, {red, 2.0, 1.0});
  EXPECT_EQ(picture::draw(empty, camera, Plane{}, 1.0, {}, {red, Layer::Solid}), 0);
  EXPECT_EQ(picture::draw(empty, camera, Mesh{}, 1.0, {}, {red, Layer::Solid}), 0);
}

}  // namespace
}  // namespace talus
