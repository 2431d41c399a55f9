// States of ours: written, read back, imported.

#include "talus/io/state_file.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/scene_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "io/output_file.hpp"
#include "support/scene_folder.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

namespace talus {
namespace {

using support::SceneFolder;
using support::SmallScene;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A ball, a box and an L of boxes and a ball, on a plane; in groups of their names.
SmallScene three_kinds() {
  SmallScene small(1e-2, 0.4);
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.07), {0.0, 0.0, 0.3});
  small.add("box", Motion::Dynamic, small.box({0.1, 0.2, 0.3}), {0.5, 0.0, 0.4});
  Compound clump;
  clump.parts.push_back({Box{{0.1, 0.05, 0.05}}, {}});
  clump.parts.push_back({Sphere{0.06}, {{0.12, 0.01, 0.0}, rotation_by({0.1, 0.2, 0.3})}});
  small.scene.world.shapes.emplace_back(clump);
  const std::size_t b =
      small.add("clump", Motion::Dynamic, static_cast<Index>(small.scene.world.shapes.size()) - 1,
                {-0.5, 0.0, 0.4});
  small.body(b).angular_velocity = {1.0, -2.0, 3.0};
  small.solver.tolerance = 1e-6;
  return small;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are what is asked for
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

TEST(StateFile, ReadsBackBitForBitAndHasTheSameBytes) {
  const SceneFolder folder;
  const std::string one = (folder.path() / "1.h5").string(),
                    two = (folder.path() / "2.h5").string();
  Simulation simulation = three_kinds().start();
  for (int step = 0; step < 20; ++step) simulation.step();
  const World& world = simulation.world();

  write_state(one, world);
  write_state(two, world);
  const SavedState state = read_state(one);

  EXPECT_EQ(bytes_of(one), bytes_of(two));
  EXPECT_EQ(state.time, world.time);
  EXPECT_EQ(state.step, 20);
  EXPECT_THAT(state.materials, ElementsAre("stone"));
  EXPECT_THAT(state.groups, ElementsAre("floor", "ball", "box", "clump"));
  ASSERT_EQ(state.shapes.size(), world.shapes.size());
  ASSERT_EQ(state.bodies.size(), 4U);
  for (std::size_t b = 0; b < 4; ++b) {
    const NewBody& body = state.bodies[b];
    const BodySet& bodies = world.bodies;
    EXPECT_EQ(body.id, bodies.id[b]);
    EXPECT_EQ(body.motion, bodies.motion[b]);
    EXPECT_EQ(body.shape, bodies.shape[b]);
    EXPECT_EQ(body.group, bodies.group[b]);
    EXPECT_TRUE(same_bits(body.mass, bodies.mass[b]));
    EXPECT_TRUE(same_bits(body.inertia, bodies.inertia[b]));
    EXPECT_TRUE(same_bits(body.pose.position, bodies.position[b]));
    EXPECT_TRUE(same_bits(body.pose.orientation, bodies.orientation[b]));
    EXPECT_TRUE(same_bits(body.velocity, bodies.velocity[b]));
    EXPECT_TRUE(same_bits(body.angular_velocity, bodies.angular_velocity[b]));
  }
  EXPECT_TRUE(std::isinf(state.bodies[0].mass)) << "a plane's is not known";
  const auto& clump =
      std::get<Compound>(state.shapes[static_cast<std::size_t>(state.bodies[3].shape)]);
  EXPECT_EQ(clump.parts.size(), 2U);
  EXPECT_EQ(reach_of(clump, 1.0), world.bodies.reach[3]);
}

std::vector<std::string> faults_of_state(const std::string& path) {
  try {
    read_state(path);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

// Two triangles that share an edge, as shape after another one.
TEST(StateFile, MeshesHaveTheirTriangles) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "m.h5").string();
  const Vec3 a{0.1, 0.2, 0.3}, b{1.1, 0.0, 1.0 / 3.0}, c{0.0, 1.7, 0.0}, d{2.0, 2.0, 1.0};
  World world;
  world.shapes.emplace_back(Sphere{0.5});
  world.shapes.emplace_back(
      Mesh{std::make_shared<TriangleMesh>(std::vector<std::array<Vec3, 3>>{{a, b, c}, {b, d, c}})});
  world.shapes.emplace_back(Mesh{});
  write_state(path, world);
  const SavedState state = read_state(path);
  ASSERT_EQ(state.shapes.size(), 3U);
  const TriangleMesh& mesh = *std::get<Mesh>(state.shapes[1]).triangles;
  ASSERT_EQ(mesh.triangles().size(), 2U);
  const std::array<std::array<Vec3, 3>, 2> wanted{{{a, b, c}, {b, d, c}}};
  for (Index t = 0; t < 2; ++t)
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(same_bits(mesh.corner(t, i),
                            wanted[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)]));
  EXPECT_EQ(std::get<Mesh>(state.shapes[2]).triangles, nullptr);

  {
    io::OutputFile file(path, io::OutputFile::Start::CopyOfGoal);
    std::vector<double> corners(18, 0.5);
    corners[7] = infinity;
    file.remove("/triangles/corners");
    file.write("/triangles/corners", corners, 9);
    file.commit();
  }
  EXPECT_THAT(faults_of_state(path), ElementsAre(HasSubstr("/triangles/corners")));
  write_state(path, world);

  io::OutputFile file(path, io::OutputFile::Start::CopyOfGoal);
  file.remove("/triangles/shape");
  file.write("/triangles/shape", std::vector<std::int64_t>{1, 0});
  file.commit();
  try {
    read_state(path);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), EndsWith("/triangles/shape[1] = 0: must be a mesh"));
  }
}

TEST(StateFile, AWorldWithoutBodiesIsOneToo) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "none.h5").string();
  write_state(path, World{});
  EXPECT_TRUE(read_state(path).bodies.empty());
}

constexpr const char* second_scene = R"yaml(
talus: 1
time: {step: 0.01, end: 1}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}, felt: {density: 100}}
pairs:
  - {between: [stone, stone], friction: 0.4}
  - {between: [stone, felt], friction: 0.4}
bodies:
  - {name: floor, motion: fixed, material: felt, shape: {type: plane, normal: [0, 0, 1]}}
generators:
  - {name: old, type: import, file: state.h5, material: felt}
)yaml";

TEST(StateFile, ASceneImportsItsBodiesBitForBit) {
  const SceneFolder folder;
  Simulation first = three_kinds().start();
  for (int step = 0; step < 100; ++step) first.step();
  write_state((folder.path() / "state.h5").string(), first.world());
  const Scene scene = read_scene(folder.write("second.yaml", second_scene));

  Simulation second(scene, {}, Communicator::self());

  const BodySet &from = first.world().bodies, &to = second.world().bodies;
  ASSERT_EQ(to.count(), 4);
  EXPECT_EQ(second.world().groups[static_cast<std::size_t>(to.group[2])], "old");
  for (std::size_t b = 1; b < 4; ++b) {
    EXPECT_TRUE(same_bits(from.position[b], to.position[b]));
    EXPECT_TRUE(same_bits(from.orientation[b], to.orientation[b]));
    EXPECT_TRUE(same_bits(from.velocity[b], to.velocity[b]));
    EXPECT_TRUE(same_bits(from.angular_velocity[b], to.angular_velocity[b]));
    EXPECT_TRUE(same_bits(from.mass[b], to.mass[b]));
    EXPECT_TRUE(same_bits(from.inertia[b], to.inertia[b]));
    EXPECT_EQ(from.reach[b], to.reach[b]);
    EXPECT_EQ(to.material[b], 0) << "stone is known here";
  }
  EXPECT_EQ(trajectory_hash(from), trajectory_hash(to));
  const std::int64_t contacts = first.world().contacts.count();
  EXPECT_EQ(second.step().contacts, contacts) << "what rested goes on resting";
  EXPECT_LT(length(second.world().bodies.velocity[1]), 1e-2);
}

TEST(StateFile, MaterialsThatTheSceneHasNotAreThoseOfTheGenerator) {
  const SceneFolder folder;
  write_state((folder.path() / "state.h5").string(), three_kinds().start().world());
  const std::string renamed =
      support::changed(support::changed(support::changed(second_scene, "stone: {", "rock: {"),
                                        "[stone, stone]", "[felt, felt]"),
                       "[stone, felt]", "[rock, felt]");
  const Scene scene = read_scene(folder.write("second.yaml", renamed));
  for (const NewBody& body : scene.generators[0].imported) EXPECT_EQ(body.material, 1);
}

TEST(StateFile, VelocitiesOfTheGeneratorAreAdded) {
  const SceneFolder folder;
  write_state((folder.path() / "state.h5").string(), three_kinds().start().world());
  const Scene scene = read_scene(
      folder.write("second.yaml", support::changed(second_scene, "material: felt}\n",
                                                   "material: felt, velocity: [0, 0, 2], "
                                                   "angular_velocity: [1, 0, 0]}\n")),
      {});
  const Simulation simulation(scene, {}, Communicator::self());
  EXPECT_EQ(simulation.world().bodies.velocity[1].z, 2.0);
  EXPECT_EQ(simulation.world().bodies.angular_velocity[3].x, 2.0);
}

std::vector<std::string> import_faults(const SceneFolder& folder) {
  try {
    read_scene(folder.write("second.yaml", second_scene));
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

TEST(StateFile, WhatCannotBeImportedIsRefusedByName) {
  const SceneFolder folder;
  World world = three_kinds().start().world();
  world.shapes[static_cast<std::size_t>(world.bodies.shape[2])] = Mesh{};
  write_state((folder.path() / "state.h5").string(), world);
  EXPECT_THAT(import_faults(folder),
              ElementsAre(EndsWith("state.h5: body 2 (box) is a mesh, which cannot be imported: "
                                   "make it in the scene")));
}

TEST(StateFile, AMissingPairOfImportedMaterialsIsTold) {
  const SceneFolder folder;
  write_state((folder.path() / "state.h5").string(), three_kinds().start().world());
  const std::string text =
      support::changed(second_scene, "  - {between: [stone, stone], friction: 0.4}\n", "");
  try {
    read_scene(folder.write("second.yaml", text));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none between stone and stone"));
  }
}

// ---- bad files

/// A sound state with one dataset that is not as it was.
std::vector<std::string> faults_of_changed(const std::string& dataset,
                                           const std::function<void(io::OutputFile&)>& write) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "bad.h5").string();
  write_state(path, three_kinds().start().world());
  {
    io::OutputFile file(path, io::OutputFile::Start::CopyOfGoal);
    if (!dataset.empty()) file.remove(dataset);
    write(file);
    file.commit();
  }
  try {
    read_state(path);
  } catch (const InputError& error) {
    std::vector<std::string> messages = error.messages();
    for (std::string& message : messages) message.erase(0, path.size() + 2);
    return messages;
  }
  return {};
}

TEST(StateFile, FaultsAreToldWithTheirPlace) {
  const double nan = std::nan("");
  const auto reals = [](const std::string& name, const std::vector<double>& values,
                        hsize_t columns = 0) {
    return faults_of_changed(name,
                             [&](io::OutputFile& file) { file.write(name, values, columns); });
  };
  const auto integers = [](const std::string& name, const std::vector<std::int64_t>& values) {
    return faults_of_changed(name, [&](io::OutputFile& file) { file.write(name, values); });
  };
  EXPECT_THAT(reals("/bodies/mass", {0.0, 1.0, -1.0, nan}),
              ElementsAre("/bodies/mass[3] = nan: must be a finite number",
                          "/bodies/mass[2] = -1: must be > 0 (0, not known: only where it is "
                          "fixed)"));
  EXPECT_THAT(reals("/bodies/mass", {0.0, 1.0}),
              ElementsAre("/bodies/mass: has 2 entries: must have 4, one for each in its group"));
  EXPECT_THAT(reals("/bodies/scale", {1.0, 0.0, 1.0, 1.0}),
              ElementsAre("/bodies/scale[1] = 0: must be > 0"));
  EXPECT_THAT(integers("/bodies/material", {0, 0, 1, 0}),
              ElementsAre("/bodies/material[2] = 1: must be from 0 to 0: of /materials"));
  EXPECT_THAT(integers("/bodies/id", {0, 1, 1, 2}),
              ElementsAre("/bodies/id[2] = 1: ids must grow from body to body"));
  EXPECT_THAT(reals("/bodies/orientation", {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0}, 4),
              ElementsAre("/bodies/orientation[3]: is [0.5, 0, 0, 0]: must have length 1"));
  EXPECT_THAT(reals("/bodies/inertia",
                    {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1, 2, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1}, 6),
              ElementsAre("/bodies/inertia[2] = 1: the inertia must be positive definite, or all "
                          "zero"));
  EXPECT_THAT(reals("/parts/size", {0.1, 0.05, 0.0, 0.06, 0, 0, 0.1, 0.05, 0.05, 0.06, 0, 0}, 3),
              ElementsAre(HasSubstr("/parts/size[0]: is [0.1, 0.05, 0]: must be a radius > 0")));
  EXPECT_THAT(integers("/parts/shape", {0, 3, 4, 4}),
              ElementsAre("/parts/shape[0] = 0: must be a compound"));
}

TEST(StateFile, OtherNamesAreRefused) {
  EXPECT_THAT(
      faults_of_changed(
          "", [](io::OutputFile& file) { file.write("/bodies/masses", std::vector<double>{1.0}); }),
      ElementsAre(HasSubstr("/bodies/masses: the layout has nothing of that name: did you "
                            "mean mass?")));
  EXPECT_THAT(faults_of_changed("", [](io::OutputFile& file) { file.group("/bodie"); }),
              ElementsAre(HasSubstr("/bodie: the layout has nothing of that name: did you mean "
                                    "bodies?")));
  EXPECT_THAT(faults_of_changed("/groups/1", [](io::OutputFile&) {}),
              ElementsAre(HasSubstr("/groups/1: must be a name"),
                          HasSubstr("/bodies/group[3] = 3: must be from 0 to 2")));
  EXPECT_THAT(faults_of_changed("/bodies/velocity", [](io::OutputFile&) {}),
              ElementsAre(HasSubstr("/bodies/velocity")));
  EXPECT_THAT(faults_of_changed("/parts/kind",
                                [](io::OutputFile& file) {
                                  file.write("/parts/kind", std::vector<std::int64_t>{1, 0, 2, 0});
                                }),
              ElementsAre("/parts/kind[2] = 2: must be from 0 to 1: sphere, box"));
}

std::string faults_of_empty(std::int64_t version, double time) {
  const SceneFolder folder;
  const std::string path = (folder.path() / "p.h5").string();
  io::OutputFile file(path);
  for (const char* group : {"/bodies", "/shapes", "/parts", "/materials", "/groups"})
    file.group(group);
  if (version > 0) file.attribute("/", "talus_state", version);
  file.attribute("/", "time", time);
  file.commit();
  try {
    read_state(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StateFile, VersionsAndTimesAreChecked) {
  EXPECT_THAT(faults_of_empty(0, 0.0),
              EndsWith("/@talus_state = 0: this program reads version 1 of the layout"));
  EXPECT_THAT(faults_of_empty(2, 0.0), HasSubstr("/@talus_state = 2"));
  EXPECT_THAT(
      faults_of_empty(1, std::nan("")),
      AllOf(HasSubstr("/@time = nan: must be a time in s, 0 or more"), HasSubstr("/bodies/id")));
}

}  // namespace
}  // namespace talus
