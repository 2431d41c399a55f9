// talus render as a user sees it.

#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/state_file.hpp"

#include "core/elementary.hpp"
#include "picture/image.hpp"
#include "support/png_reader.hpp"
#include "support/run_program.hpp"
#include "support/scene_folder.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>

namespace talus {
namespace {

using picture::Colour;
using picture::Image;
using support::ProgramRun;
using support::SmallScene;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string path_in(const Workplace& place, const std::string& name) {
  return place.path(name).string();
}

/// A ball of radius 0.1 m and nothing else.
void write_ball(const Workplace& place, const std::string& name, double time = 0.0) {
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.3, 0.0, 0.2});
  small.body(0).velocity = {0.5, 0.0, 0.0};
  World world = small.start().world();
  world.time = time;
  write_state(path_in(place, name), world);
}

Image rendered(const Workplace& place, std::vector<std::string> words) {
  words.insert(words.begin(), "render");
  words.insert(words.end(), {"--output", "p.png"});
  const ProgramRun run = place.run(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, IsEmpty());
  return support::decoded_png(place.read("p.png"));
}

/// Pixels in which a colour of a kind dominates; `share`: by how much.
template <class Is>
std::int64_t count_of(const Image& image, int right, const Is& is) {
  std::int64_t count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < right; ++x) count += is(image.at(x, y)) ? 1 : 0;
  return count;
}

// One ball fills nine tenths of the height that is left above the caption (28 pixels): d = 0.9 *
// 372.
TEST(RenderCommand, ABallHasTheAreaOfItsDisc) {
  const Workplace place;
  write_ball(place, "s.h5");
  const Image image = rendered(place, {"s.h5", "--size", "800x400", "--view", "x"});
  EXPECT_EQ(image.width, 800);
  EXPECT_EQ(image.height, 400);
  const int right = 800 - 14 * 12;  // the colour bar: "velocity, m/s" and a letter
  const double diameter = 0.9 * 372.0;
  const auto is_painted = [](const Colour& c) { return c.r + c.g + c.b < 2.97; };
  Image above = image;  // without its caption
  above.height = 372;
  EXPECT_NEAR(static_cast<double>(count_of(above, right, is_painted)),
              0.25 * pi * diameter * diameter, 0.004 * diameter * diameter);
}

TEST(RenderCommand, TheColourIsThatOfTheField) {
  const Workplace place;
  write_ball(place, "s.h5");
  // half way on a scale to 1 m/s; the middle of a ball is lit by its factor towards the viewer
  const Image half = rendered(place, {"s.h5", "--size", "800x400", "--min", "0", "--max", "1"});
  const Colour middle = half.at((800 - 14 * 12) / 2, 186);
  const Colour wanted = picture::viridis(0.5);
  const double light = 0.38 + 0.62 * 0.726;
  EXPECT_NEAR(middle.r, light * wanted.r, 0.02);
  EXPECT_NEAR(middle.g, light * wanted.g, 0.02);
  EXPECT_NEAR(middle.b, light * wanted.b, 0.02);
  EXPECT_NE(half.bytes, rendered(place, {"s.h5", "--size", "800x400", "--max", "0.5"}).bytes);
}

TEST(RenderCommand, SameInputSameBytesAndEveryFieldHasItsOwn) {
  const Workplace place;
  write_ball(place, "s.h5");
  for (const std::string field : {"velocity", "angular_velocity", "kinetic_energy", "size", "mass",
                                  "id", "x", "y", "z", "group", "material", "shape"}) {
    rendered(place, {"s.h5", "--color", field});
    const std::string first = place.read("p.png");
    rendered(place, {"s.h5", "--color", field});
    EXPECT_EQ(place.read("p.png"), first) << field;
  }
}

bool is_grey(const Colour& c) {
  return std::abs(c.r - c.g) < 0.05 && std::abs(c.g - c.b) < 0.05;
}

/// A ball behind a fixed board as seen from -y.
void write_board(const Workplace& place) {
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.5, 0.0});
  small.add("board", Motion::Fixed, small.box({0.4, 0.05, 0.4}), {0.0, 0.0, 0.0});
  write_state(path_in(place, "s.h5"), small.start().world());
}

TEST(RenderCommand, AWallThatHidesEverythingIsOfGlass) {
  const Workplace place;
  write_board(place);
  const auto middle = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"s.h5", "--size", "800x400", "--view"});
    return rendered(place, words).at((800 - 14 * 12) / 2, 186);
  };
  EXPECT_FALSE(is_grey(middle({"y"}))) << "the ball, through the board";
  EXPECT_TRUE(is_grey(middle({"y", "--walls", "solid"})));
  EXPECT_FALSE(is_grey(middle({"y", "--walls", "hidden"})));
  EXPECT_FALSE(is_grey(middle({"90,0"}))) << "the board is behind";
  const Image in_front = rendered(place, {"s.h5", "--view", "90,0", "--size", "800x400"});
  EXPECT_TRUE(is_grey(in_front.at(40, 186))) << "and solid there";
  EXPECT_LT(in_front.at(40, 186).r, 0.95);
}

// A closed shell of triangles that moves, with balls in it.
TEST(RenderCommand, WhatIsInsideOfAMovingShellIsSeen) {
  const Workplace place;
  place.write("shell.stl", support::box_stl(1.0));
  place.write("s.yaml", R"yaml(
talus: 1
time: {step: 0.01, end: 0.01}
gravity: [0, 0, 0]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: shell, motion: dynamic, material: stone, shape: {type: mesh, file: shell.stl}, mass: 1, inertia: [1, 1, 1]}
  - {name: one, motion: dynamic, material: stone, shape: {type: sphere, diameter: 0.1}, position: [0.5, 0.3, 0.5]}
  - {name: two, motion: dynamic, material: stone, shape: {type: sphere, diameter: 0.1}, position: [0.5, 0.7, 0.5]}
)yaml");
  ASSERT_EQ(place.run({"run", "s.yaml", "--output", "d"}).exit_code, 0);
  const SavedState state = read_state(path_in(place, "d/state.h5"));
  const auto& mesh = std::get<Mesh>(state.shapes[static_cast<std::size_t>(state.bodies[0].shape)]);
  ASSERT_NE(mesh.triangles, nullptr);
  EXPECT_EQ(mesh.triangles->triangles().size(), 12U);
  // seen from the x axis the two balls are a fifth of the edge to the left and right of the middle
  const auto seen = [&](const std::string& walls) {
    const Image image = rendered(
        place, {"d", "--view", "x", "--color", "shape", "--size", "800x428", "--walls", walls});
    const int right = 800 - 12 * 12, edge = 360;
    return std::array<Colour, 2>{image.at(right / 2 - edge / 5, 200), image.at(right / 2, 200)};
  };
  const auto is_blue = [](const Colour& c) { return c.b > 4.0 * c.r; };  // of_kind(0): spheres
  EXPECT_TRUE(is_blue(seen("auto")[0]));
  EXPECT_FALSE(is_blue(seen("auto")[1]));
  EXPECT_LT(seen("auto")[1].b, 0.99) << "tinted: the shell is there";
  EXPECT_FALSE(is_blue(seen("solid")[0]));
  EXPECT_GT(seen("hidden")[1].b, 0.99);
}

TEST(RenderCommand, AFolderHasTheStateNearestToATime) {
  const Workplace place;
  for (const char* folder : {"d", "d/snapshots", "e"})
    std::filesystem::create_directory(place.path(folder));
  write_ball(place, "d/state.h5", 3.0);
  write_ball(place, "d/snapshots/000100.h5", 1.0);
  write_ball(place, "d/snapshots/000200.h5", 2.0);
  place.write("d/snapshots/other.h5", "no HDF5");
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"render", "d", "--output", "p.png", "--verbose"});
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.err;
  };
  EXPECT_THAT(said({}), HasSubstr("d/state.h5: t = 3 s"));
  EXPECT_THAT(said({"--time", "2"}), HasSubstr("000200.h5: t = 2 s"));
  EXPECT_THAT(said({"--time", "1.2"}),
              AllOf(HasSubstr("000100.h5: t = 1 s"), HasSubstr("there is no state at t = 1.2 s")));
  EXPECT_THAT(said({"--time", "9"}), HasSubstr("state.h5: t = 3 s"));
  EXPECT_EQ(place.run({"render", "e", "--output", "p.png"}).exit_code, 2);
}

// Files of earlier builds have no triangles.
TEST(RenderCommand, AMeshWithoutTrianglesIsLeftOutAndTold) {
  const Workplace place;
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.0});
  small.add("hull", Motion::Dynamic, small.sphere(0.1), {1.0, 0.0, 0.0});
  small.add("hall", Motion::Fixed, small.sphere(0.1), {0.0, 1.0, 0.0});
  World world = small.start().world();
  for (const std::size_t b : {1U, 2U})
    world.shapes[static_cast<std::size_t>(world.bodies.shape[b])] = Mesh{};
  write_state(path_in(place, "s.h5"), world);
  for (const std::string field : {"velocity", "size", "shape", "rank"}) {
    std::vector<std::string> words{"render", "s.h5", "--color", field, "--output", "p.png"};
    if (field == "rank") words.insert(words.end(), {"--ranks", "2"});
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("2 bodies are meshes whose triangles are not in s.h5"));
  }
}

TEST(RenderCommand, NoBodiesAreAnEmptyPicture) {
  const Workplace place;
  write_state(path_in(place, "none.h5"), World{});
  const Image image = rendered(place, {"none.h5", "--color", "mass"});
  EXPECT_EQ(image.width, 960);
}

TEST(RenderCommand, BadInputLeavesNothingAndTellsAllFaults) {
  const Workplace place;
  write_ball(place, "s.h5");
  place.write("bad.h5", "not HDF5");
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "render");
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(place.files(), ElementsAre("bad.h5", "s.h5"));
    return run.err;
  };
  EXPECT_THAT(refused({}), AllOf(HasSubstr("give a run or a state"), HasSubstr("--output P.png")));
  EXPECT_THAT(refused({"none.h5", "--output", "p.png"}), HasSubstr("none.h5: is not there"));
  EXPECT_THAT(refused({"bad.h5", "--output", "p.png"}), HasSubstr("bad.h5"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--color", "velocty"}),
              HasSubstr("--color velocty: no field is called so: did you mean velocity?"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--color", "rank"}),
              HasSubstr("--color rank: needs --ranks N"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--ranks", "2"}),
              HasSubstr("--ranks: is for --color rank"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--color", "rank", "--ranks", "0",
                       "--partition", "blocks", "--max", "1"}),
              AllOf(HasSubstr("--ranks = 0 must lie in 1 to"), HasSubstr("--partition blocks: "),
                    HasSubstr("--min, --max: rank is one of kinds")));
  EXPECT_THAT(refused({"s.h5", "--output", "none/p.png"}), HasSubstr("does not exist"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.jpg"}), HasSubstr("pictures are .png"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--size", "10x10", "--view", "up", "--walls",
                       "gone", "--min", "2", "--max", "1"}),
              AllOf(HasSubstr("--size 10x10: sides must lie in 160 to 4096"),
                    HasSubstr("--view up: must be x, y, z or"), HasSubstr("--walls gone"),
                    HasSubstr("--min = 2 must be below --max = 1")));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--color", "group", "--max", "1"}),
              HasSubstr("--min, --max: group is one of kinds"));
  EXPECT_THAT(refused({"s.h5", "--output", "p.png", "--view", "0,100"}),
              HasSubstr("must lie in -90 to 90"));
}

}  // namespace
}  // namespace talus
