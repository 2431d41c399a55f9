// Colours, cameras, numbers on axes, letters and files.

#include "core/elementary.hpp"
#include "picture/image.hpp"
#include "picture/legend.hpp"
#include "picture/raster.hpp"
#include "picture/solids.hpp"
#include "support/png_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using picture::Colour;
using picture::Image;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// From matplotlib 3.6: colours between the anchors of our table.
TEST(Colours, ViridisIsThatOfMatplotlib) {
  const std::vector<std::pair<int, Colour>> known{
      {0, {0.267004, 0.004874, 0.329415}},   {7, {0.276022, 0.044167, 0.370164}},
      {64, {0.229739, 0.322361, 0.545706}},  {127, {0.128729, 0.563265, 0.551229}},
      {200, {0.440137, 0.811138, 0.340967}}, {248, {0.926106, 0.897330, 0.104071}},
      {255, {0.993248, 0.906157, 0.143936}}};
  for (const auto& [number, colour] : known) {
    const Colour seen = picture::viridis(number / 255.0);
    EXPECT_NEAR(seen.r, colour.r, 0.02) << number;
    EXPECT_NEAR(seen.g, colour.g, 0.02) << number;
    EXPECT_NEAR(seen.b, colour.b, 0.02) << number;
  }
  EXPECT_EQ(picture::viridis(-3.0).r, picture::viridis(0.0).r);
  EXPECT_EQ(picture::viridis(3.0).g, picture::viridis(1.0).g);
}

TEST(Camera, SeesRightUpAndTheViewerWhereTheyAre) {
  const auto expect = [](const Vec3& a, const Vec3& b) { EXPECT_LT(length(a - b), 1e-15); };
  const picture::View from_x = picture::view_from(0.0, 0.0),
                      above = picture::view_from(-90.0, 90.0),
                      from_minus_y = picture::view_from(-90.0, 0.0);
  expect(from_x.right, {0.0, 1.0, 0.0});
  expect(from_x.up, {0.0, 0.0, 1.0});
  expect(from_x.towards, {1.0, 0.0, 0.0});
  expect(from_minus_y.right, {1.0, 0.0, 0.0});
  expect(from_minus_y.towards, {0.0, -1.0, 0.0});
  expect(above.right, {1.0, 0.0, 0.0});
  expect(above.up, {0.0, 1.0, 0.0});
  expect(above.towards, {0.0, 0.0, 1.0});
}

// 2 m wide and 1 m high into 200 x 200 pixels with a margin of a twentieth: 90 pixels per m.
TEST(Camera, FitsTheFrameIntoItsWindow) {
  const picture::View view = picture::view_from(-90.0, 0.0);
  picture::Frame frame;
  picture::hold(frame, view, {1.0, 0.0, 0.5}, 0.5);
  picture::hold(frame, view, Box{{0.5, 3.0, 0.5}}, 1.0, {{2.0, 7.0, 0.5}, {}});
  const picture::Camera camera = picture::camera_for(view, frame, {10.0, 20.0, 200.0, 200.0});
  EXPECT_DOUBLE_EQ(camera.scale, 90.0);
  const Vec3 corner = camera.project({0.5, 0.0, 0.0});
  EXPECT_NEAR(corner.x, 20.0, 1e-9);
  EXPECT_NEAR(corner.y, 165.0, 1e-9);
  EXPECT_GT(camera.project({0.5, -1.0, 0.0}).z, corner.z) << "nearer to the viewer";
}

TEST(Ticks, AreRoundAndSayNoMoreDigitsThanNeeded) {
  EXPECT_DOUBLE_EQ(picture::round_step(1.0, 4), 0.2);
  EXPECT_DOUBLE_EQ(picture::round_step(1.0, 5), 0.2);
  EXPECT_DOUBLE_EQ(picture::round_step(1.0, 6), 0.1);
  EXPECT_DOUBLE_EQ(picture::round_step(3.7e-5, 4), 5e-6);
  EXPECT_DOUBLE_EQ(picture::round_step(2400.0, 4), 500.0);
  EXPECT_EQ(picture::round_step(0.0, 4), 1.0);
  EXPECT_THAT(picture::ticks(-0.21, 0.4, 0.2), ElementsAre(-0.2, 0.0, 0.2, 0.4));
  EXPECT_THAT(picture::ticks(0.1, 0.3, 1.0), IsEmpty());
  // a body that has left for 1e157 m
  EXPECT_THAT(picture::ticks(1e157, 1e157 + 1e150, 0.1), IsEmpty());
  EXPECT_THAT(picture::ticks(-1e157, 1e157, 0.1), IsEmpty());
  EXPECT_EQ(picture::tick_label(0.6000000000000001, 0.2), "0.6");
  EXPECT_EQ(picture::tick_label(-1e-17, 0.2), "0");
  EXPECT_EQ(picture::tick_label(20.0, 2.0), "20");
  EXPECT_EQ(picture::tick_label(-1.5, 0.5), "-1.5");
  EXPECT_EQ(picture::tick_label(1.0, 0.5), "1.0");
  EXPECT_EQ(picture::tick_label(3.5e-5, 5e-6), "3.5e-05");
  EXPECT_EQ(picture::tick_label(2e7, 1e7), "2e+07");
}

/// Dots of a line of text, as rows of signs.
std::vector<std::string> dots(const std::string& text) {
  Image image(picture::width_of(text, 1), 7, picture::white);
  picture::write(image, 0, 0, text, 1, {});
  std::vector<std::string> rows;
  for (int y = 0; y < image.height; ++y) {
    rows.emplace_back();
    for (int x = 0; x < image.width; ++x) rows.back() += image.at(x, y).r < 0.5 ? '#' : '.';
  }
  return rows;
}

TEST(Letters, LookLikeThemselves) {
  EXPECT_THAT(dots("L4"), ElementsAre("#........#.",  //
                                      "#.......##.",  //
                                      "#......#.#.",  //
                                      "#.....#..#.",  //
                                      "#.....#####",  //
                                      "#........#.",  //
                                      "#####....#."));
  EXPECT_EQ(dots("\xc3"), dots("?")) << "not one that it has";
}

TEST(Letters, OutsideOfTheImageNothingHappens) {
  Image image(8, 8, picture::white);
  picture::write(image, -3, -3, "WWWWWW", 3);
  EXPECT_GT(support::pixels_unlike(image, picture::white), 0);
}

TEST(Legend, ColoursOfTheBarAreThoseOfItsNumbers) {
  Image image(120, 300, picture::white);
  picture::draw_colour_bar(image, {5, 5, 290}, 0.0, 1.0, "v", 1);
  const auto is = [](const Colour& a, const Colour& b) {
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) < 0.01;
  };
  int first = -1, last = -1;
  for (int y = 0; y < image.height; ++y) {
    if (is(image.at(8, y), picture::viridis(1.0)) && first < 0) first = y;
    if (is(image.at(8, y), picture::viridis(0.0))) last = y;
  }
  ASSERT_GE(first, 0);
  EXPECT_NEAR(last - first, 268, 3) << "height less three lines";
  EXPECT_TRUE(is(image.at(8, (first + last) / 2), picture::viridis(0.5)));
}

TEST(Legend, MoreKindsThanThereIsRoomForAreCounted) {
  Image few(200, 100, picture::white), many(200, 100, picture::white);
  const std::vector<picture::Kind> kinds(20, {"kind", picture::of_kind(0)});
  picture::draw_kinds(few, {0, 0, 100}, {kinds.begin(), kinds.begin() + 3}, "group", 1);
  picture::draw_kinds(many, {0, 0, 100}, kinds, "group", 1);
  EXPECT_GT(support::pixels_unlike(many, picture::white),
            support::pixels_unlike(few, picture::white));
}

TEST(Png, IsReadBackByLibpngAndHasTheSameBytes) {
  Image image(37, 11, picture::white);
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 37; ++x) image.set(x, y, {x / 37.0, y / 11.0, 0.5});
  const std::string bytes = picture::png_of(image);
  const Image back = support::decoded_png(bytes);
  EXPECT_EQ(back.width, 37);
  EXPECT_EQ(back.height, 11);
  EXPECT_EQ(back.bytes, image.bytes);
  EXPECT_EQ(picture::png_of(image), bytes);
}

}  // namespace
}  // namespace talus
