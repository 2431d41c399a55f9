// Who may meet whom, and what is missing then.

#include "model/meetings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace talus {
namespace {

using ::testing::ElementsAre;

/// Of glass with itself alone something is said.
MaterialTable glass_and_wood() {
  MaterialTable table;
  table.add({"glass", 2500.0});
  table.add({"wood", 700.0});
  table.set_pair(0, 0, {});
  return table;
}

TEST(Meetings, OnlyWhatMovesMeetsOthersAndPlanesMeetNoPlanes) {
  const MaterialTable table = glass_and_wood();
  const Kind wall{1, Form::Other, false}, ball{1, Form::Other, true}, floor{1, Form::Plane, false},
      servo{1, Form::Plane, true}, mesh{0, Form::Mesh, false}, shard{0, Form::Mesh, true},
      bead{0, Form::Other, true};
  const auto says = [&](const Kind& a, const Kind& b) {
    const Clash clash = clash_of(table, a, b), other = clash_of(table, b, a);
    EXPECT_EQ(clash.of_meshes, other.of_meshes);
    EXPECT_EQ(clash.of_pairs, other.of_pairs);
    return std::string(clash.of_meshes ? "meshes" : "") + (clash.of_pairs ? "pairs" : "");
  };
  EXPECT_EQ(says(wall, wall), "");
  EXPECT_EQ(says(wall, ball), "pairs");
  EXPECT_EQ(says(ball, ball), "pairs");
  EXPECT_EQ(says(floor, ball), "pairs");
  EXPECT_EQ(says(floor, servo), "");
  EXPECT_EQ(says(wall, servo), "pairs");
  EXPECT_EQ(says(mesh, mesh), "");
  EXPECT_EQ(says(mesh, shard), "meshes");
  EXPECT_EQ(says(shard, bead), "");
  EXPECT_EQ(says(shard, ball), "pairs");
}

TEST(Meetings, APopulationKnowsItsKinds) {
  Population population(2);
  EXPECT_TRUE(population.kinds().empty());
  population.add({1, Form::Plane, false});
  population.add({1, Form::Mesh, true});
  population.add({1, Form::Mesh, true});
  population.add({0, Form::Other, true});
  std::vector<std::string> kinds;
  for (const Kind& kind : population.kinds())
    kinds.push_back(std::to_string(kind.material) + std::to_string(static_cast<int>(kind.form)) +
                    (kind.moves ? "m" : "f"));
  EXPECT_THAT(kinds, ElementsAre("02m", "10f", "11m"));
}

TEST(Meetings, ARunMeetsWhatIsStillToCome) {
  Scene scene;
  World& world = scene.world;
  world.groups = {"beads", "door"};
  world.shapes = {Sphere{0.1}};
  Generator heap, stream;
  heap.kind = Generator::Kind::Lattice;
  heap.name = "heap";
  stream.kind = Generator::Kind::Stream;
  stream.name = "stream";
  stream.until = 5.0;
  scene.generators = {heap, stream};
  Event release, add;
  release.kind = Event::Kind::Release;
  release.target = "door";
  add.kind = Event::Kind::Add;
  SceneBody post;
  post.name = "post";
  post.motion = Motion::Fixed;
  post.group = 1;
  add.added = {post};
  scene.events = {release, add};
  const auto names = [&](std::optional<double> time) {
    std::vector<std::string> all;
    for (const Comer& comer : comers(scene, world, time))
      all.push_back(comer.name + (comer.kind.moves ? "+" : "-"));
    return all;
  };
  EXPECT_THAT(names({}), ElementsAre("heap+", "heap+", "stream+", "stream+", "post+"));
  EXPECT_THAT(names(1.0), ElementsAre("stream+", "stream+", "post+"));
  scene.events[0].done = true;
  EXPECT_THAT(names(6.0), ElementsAre("post-"));
  scene.events[1].done = true;
  EXPECT_THAT(names(6.0), ElementsAre());
}

}  // namespace
}  // namespace talus
