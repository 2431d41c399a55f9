// Scenes written in code: the same as those of files, with the same words for what is wrong.

#include "talus/model/scene_builder.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/scene_file.hpp"
#include "talus/simulation/run_defaults.hpp"
#include "talus/simulation/simulation.hpp"

#include "support/fault_of.hpp"
#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace talus {
namespace {

using support::SceneFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

constexpr const char* swing_of_file = R"(
talus: 1
time: {step: 1.0e-3, end: 1.0}
gravity: [0, 0, -9.81]
domain: {min: [-5, -5, -5], max: [5, 5, 5]}
materials: {wood: {density: 700}, steel: {}}
pairs:
  - {between: [wood, wood], friction: 0.4}
  - {between: [wood, steel], friction: 0.3, restitution: 0.2, rolling_radius: 1.0e-4}
bodies:
  - {name: floor, motion: fixed, material: wood, shape: {type: plane, normal: [0, 0, 1]}, position: [0, 0, -2]}
  - {name: bob, group: bobs, material: steel, mass: 2.0, shape: {type: sphere, radius: 0.1}, position: [1, 0, 0]}
  - {name: brick, material: wood, shape: {type: box, size: [0.1, 0.2, 0.3]}, position: [0, 0, 1], velocity: [1, 0, 0],
     angular_velocity: [0, 3, 0], orientation: [0.8, 0.6, 0, 0]}
  - {name: belt, motion: kinematic, material: wood, shape: {type: box, size: [1, 1, 0.1]}, position: [0, 3, 0],
     movement: {velocity: [0.1, 0, 0]}}
joints:
  - {name: rope, type: distance, between: [world, bob], position: [0, 0, 0],
     second_position: [1, 0, 0]}
  - {name: hinge, type: revolute, between: [bob, brick], position: [0.5, 0, 0.5], axis: [0, 2, 0],
     motor: {type: speed, value: 1.5, limit: 3.0}}
forces:
  - {on: bobs, force: [0, 0.5, 0], torque: [0, 0, 0.1]}
)";

SceneBuilder swing() {
  SceneBuilder builder(1e-3);
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.scene.world.domain.low = {-5.0, -5.0, -5.0};
  builder.scene.world.domain.high = {5.0, 5.0, 5.0};
  builder.scene.time.end = 1.0;
  builder.add_material("wood", 700.0);
  builder.add_material("steel");
  PairProperties wooden, mixed;
  wooden.friction = 0.4;
  mixed.friction = 0.3;
  mixed.restitution = 0.2;
  mixed.rolling_friction = 1e-4;
  builder.set_pair("wood", "wood", wooden);
  builder.set_pair("wood", "steel", mixed);
  BodySpec floor, bob, brick, belt;
  floor.name = "floor";
  floor.motion = Motion::Fixed;
  floor.material = brick.material = belt.material = "wood";
  floor.shape = Plane{{0.0, 0.0, 1.0}};
  floor.pose.position = {0.0, 0.0, -2.0};
  bob.name = "bob";
  bob.group = "bobs";
  bob.material = "steel";
  bob.mass = 2.0;
  bob.shape = Sphere{0.1};
  bob.pose.position = {1.0, 0.0, 0.0};
  brick.name = "brick";
  brick.shape = Box{{0.05, 0.1, 0.15}};
  brick.pose = {{0.0, 0.0, 1.0}, {0.8, 0.6, 0.0, 0.0}};
  brick.velocity = {1.0, 0.0, 0.0};
  brick.angular_velocity = {0.0, 3.0, 0.0};
  belt.name = "belt";
  belt.motion = Motion::Kinematic;
  belt.shape = Box{{0.5, 0.5, 0.05}};
  belt.pose.position = {0.0, 3.0, 0.0};
  belt.movement.emplace();
  belt.movement->velocity[0] = Expression(0.1);
  for (const BodySpec& body : {floor, bob, brick, belt}) builder.add(body);
  JointSpec rope, hinge;
  rope.b = "bob";
  rope.points = {{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}};
  rope.joint.name = "rope";
  rope.joint.type = JointType::Distance;
  hinge.a = "bob";
  hinge.b = "brick";
  hinge.position = {0.5, 0.0, 0.5};
  hinge.axis = {0.0, 2.0, 0.0};
  hinge.joint.name = "hinge";
  hinge.joint.type = JointType::Revolute;
  hinge.joint.angle_motor.type = MotorType::Speed;
  hinge.joint.angle_motor.value = Expression(1.5);
  hinge.joint.angle_motor.limit = 3.0;
  builder.add(rope);
  builder.add(hinge);
  builder.add_force("bobs", {0.0, 0.5, 0.0}, {0.0, 0.0, 0.1});
  return builder;
}

std::vector<std::string> faults_of(const SceneBuilder& builder) {
  return support::messages_of([&] { builder.build(); });
}

/// Without the place in front: "file:14:5: " or "scene: body: ".
std::string words_of(const std::string& message, const std::string& first) {
  const std::size_t at = message.find(first);
  return at == std::string::npos ? message : message.substr(at);
}

TEST(SceneBuilder, MakesTheSceneThatAFileMakes) {
  const SceneFolder files;
  Simulation of_file(read_scene(files.write("swing.yaml", swing_of_file), {}), run_defaults(),
                     Communicator::self());
  Simulation of_code(swing().build(), run_defaults(), Communicator::self());
  for (int step = 0; step < 50; ++step) {
    of_file.step();
    of_code.step();
  }
  EXPECT_EQ(trajectory_hash(of_file.world().bodies), trajectory_hash(of_code.world().bodies));
  EXPECT_EQ(of_code.world().joints[1].angle, of_file.world().joints[1].angle);
  EXPECT_GT(of_code.world().joints[1].angle, 0.0);
  EXPECT_EQ(of_code.world().groups, of_file.world().groups);
  EXPECT_EQ(of_code.world().find_group("bobs"), 1);
}

TEST(SceneBuilder, ReturnsTheIdsOfItsBodies) {
  SceneBuilder builder = swing();
  BodySpec more;
  more.name = "more";
  more.material = "wood";
  more.shape = Sphere{0.1};
  more.pose.position = {3.0, 3.0, 3.0};
  EXPECT_EQ(builder.add(more), 4U);
  EXPECT_EQ(builder.scene.bodies[4].shape, builder.scene.bodies[1].shape);  // spheres of one size
  Simulation simulation(builder.build(), run_defaults(), Communicator::self());
  EXPECT_EQ(simulation.world().bodies.position[4].x, 3.0);
}

TEST(SceneBuilder, BodiesThatAreAlikeShareTheirShape) {
  SceneBuilder builder(1e-3);
  builder.add_material("wood", 700.0);
  const auto shape_of = [&](const Shape& shape) {
    BodySpec body;
    body.name = "body" + std::to_string(builder.scene.bodies.size());
    body.material = "wood";
    body.shape = shape;
    return builder.scene.bodies[builder.add(body)].shape;
  };
  const auto clump = [](double radius, double apart) {
    return Compound{{{Sphere{radius}, {}}, {Box{{0.1, 0.1, 0.1}}, {{apart, 0.0, 0.0}, {}}}}};
  };
  EXPECT_EQ(shape_of(clump(0.1, 0.2)), 0);
  EXPECT_EQ(shape_of(clump(0.1, 0.2)), 0);
  EXPECT_EQ(shape_of(clump(0.1, 0.3)), 1);
  EXPECT_EQ(shape_of(clump(0.2, 0.2)), 2);
  EXPECT_EQ(shape_of(Box{{0.1, 0.1, 0.1}}), 3);
  EXPECT_EQ(shape_of(Box{{0.1, 0.1, 0.2}}), 4);
  EXPECT_EQ(shape_of(Plane{{0.0, 0.0, 1.0}}), 5);
  EXPECT_EQ(shape_of(Plane{{0.0, 0.0, 1.0}}), 5);
  EXPECT_EQ(shape_of(Plane{{0.0, 1.0, 0.0}}), 6);
}

// ---- what is wrong

TEST(SceneBuilder, SaysAllFaultsAtOnce) {
  SceneBuilder builder(0.0, "toy");
  builder.add_material("wood", -1.0);
  builder.add_material("wood", 1.0);
  builder.scene.world.domain.low.x = 1.0;
  builder.scene.world.domain.high.x = 0.0;
  builder.scene.world.domain.periodic[1] = true;
  BodySpec body;
  body.name = "a b";
  body.material = "woood";
  body.shape = Sphere{-1.0};
  builder.add(body);
  builder.add(body);
  EXPECT_THAT(
      faults_of(builder),
      ElementsAre("toy: a b: material 'woood' is not one of materials: did you mean 'wood'? known "
                  "are wood, wood",
                  "toy: a b: material 'woood' is not one of materials: did you mean 'wood'? known "
                  "are wood, wood",
                  "toy: time.step = 0 must be > 0", "toy: max = 0 must be above min = 1 along x",
                  "toy: periodic along y needs min and max there: the period is their distance",
                  "toy: name = 'wood' is given twice: rename one",
                  "toy: wood: density = -1 must be > 0",
                  "toy: name = 'a b' is given twice: rename one",
                  "toy: a b: name = 'a b' must have no blank, dot, slash, equals sign, comma, "
                  "quote or control character: -s and "
                  "files use it",
                  "toy: a b: radius = -1 must be > 0",
                  "toy: a b: name = 'a b' must have no blank, dot, slash, equals sign, comma, "
                  "quote or control character: -s and "
                  "files use it",
                  "toy: a b: radius = -1 must be > 0"));
}

/// A fault that a file and a program make alike, and the first word of what is said.
struct Fault {
  const char *from, *to;  ///< in the file
  void (*in_code)(SceneBuilder&);
  const char* first;
};

TEST(SceneBuilder, SaysWhatIsSaidOfFiles) {
  const std::vector<Fault> faults{
      {"step: 1.0e-3", "step: -1", [](SceneBuilder& b) { b.scene.time.step = -1.0; },
       "step = -1 must be > 0"},
      {"mass: 2.0", "mass: -2", [](SceneBuilder& b) { b.scene.bodies[1].mass = -2.0; }, "mass = "},
      {"mass: 2.0, ", "", [](SceneBuilder& b) { b.scene.bodies[1].mass.reset(); }, "material "},
      {"orientation: [0.8, 0.6", "orientation: [0.8, 0.7",
       [](SceneBuilder& b) { b.scene.bodies[2].pose.orientation.x = 0.7; }, "orientation = "},
      {"name: belt", "name: bobs, group: belt",
       [](SceneBuilder& b) { b.scene.bodies[3].name = "bobs"; }, "name = "},
      {"name: belt", "name: world", [](SceneBuilder& b) { b.scene.bodies[3].name = "world"; },
       "name = "},
      {"friction: 0.3", "friction: -0.3",
       [](SceneBuilder& b) {
         PairProperties pair = b.scene.world.materials.pair(0, 1);
         pair.friction = -0.3;
         b.set_pair("wood", "steel", pair);
       },
       "friction = "},
      {"restitution: 0.2", "restitution: 2",
       [](SceneBuilder& b) {
         PairProperties pair = b.scene.world.materials.pair(0, 1);
         pair.restitution = 2.0;
         b.set_pair("wood", "steel", pair);
       },
       "restitution = "},
      {"friction: 0.4", "damping_time: 0.1",
       [](SceneBuilder& b) {
         PairProperties pair;
         pair.damping_time = 0.1;
         b.set_pair("wood", "wood", pair);
       },
       "damping_time = "},
      {"movement: {velocity", "inertia: [1, 1, 9], movement: {velocity",
       [](SceneBuilder& b) { b.scene.bodies[3].inertia = Sym3{1.0, 0.0, 0.0, 1.0, 0.0, 9.0}; },
       "must be that of a body"},
      {"max: [5", "max: [-6", [](SceneBuilder& b) { b.scene.world.domain.high.x = -6.0; },
       "max = "},
      {"motion: fixed", "motion: dynamic",
       [](SceneBuilder& b) { b.scene.bodies[0].motion = Motion::Dynamic; }, "a plane cannot"},
      {"- {between: [wood, wood], friction: 0.4}", " ",
       [](SceneBuilder& b) {
         PairProperties mixed = b.scene.world.materials.pair(0, 1);
         b.scene.world.materials = {};
         b.add_material("wood", 700.0);
         b.add_material("steel");
         b.set_pair("wood", "steel", mixed);
       },
       "pairs: none"},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.to);
    SceneBuilder builder = swing();
    fault.in_code(builder);
    std::vector<std::string> of_file, of_code;
    for (const std::string& said :
         support::faults_of(support::changed(swing_of_file, fault.from, fault.to)))
      of_file.push_back(words_of(said, fault.first));
    for (const std::string& said : faults_of(builder))
      of_code.push_back(words_of(said, fault.first));
    ASSERT_FALSE(of_file.empty());
    // what only a file can say, or does
    for (const std::string more : {", or {axis, angle}", ": the length of a time step in s"})
      for (std::string& message : of_file)
        if (const std::size_t at = message.find(more); at != std::string::npos)
          message.erase(at, more.size());
    EXPECT_THAT(of_code, UnorderedElementsAreArray(of_file));
  }
}

TEST(SceneBuilder, SaysWhichNamesAreNotThere) {
  SceneBuilder builder = swing();
  builder.set_pair("wood", "stel", {});
  builder.add_force("bob", {});
  JointSpec joint;
  joint.joint.name = "pin";
  joint.a = "brik";
  joint.b = "nobody";
  builder.add(joint);
  EXPECT_THAT(
      faults_of(builder),
      ElementsAre("scene: material 'stel' is not one of materials: did you mean 'steel'? known are "
                  "wood, steel",
                  "scene: on = 'bob' is no body, group or generator: did you mean 'bobs'? known "
                  "are floor, bobs, brick, belt",
                  "scene: pin: between: no body is called 'brik': did you mean 'brick'? known are "
                  "world, floor, bob, brick, belt",
                  "scene: pin: between: no body is called 'nobody': known are world, floor, bob, "
                  "brick, belt"));
}

TEST(SceneBuilder, LooksAtNumbersAndShapes) {
  SceneBuilder builder = swing();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BodySpec body;
  body.material = "wood";
  body.scale = 0.0;
  body.shape = Box{{0.1, nan, 0.1}};
  body.pose.position.x = nan;
  body.velocity.y = nan;
  body.angular_velocity.z = nan;
  body.motion = Motion::Kinematic;
  builder.add(body);
  body = {};
  body.name = "tilted";
  body.material = "wood";
  body.motion = Motion::Fixed;
  body.shape = Plane{{0.0, 0.0, 2.0}};
  builder.add(body);
  body.name = "nothing";
  body.shape = Mesh{};
  builder.add(body);
  body.motion = Motion::Dynamic;
  body.name = "nothing_that_moves";
  builder.add(body);
  EXPECT_THAT(
      faults_of(builder),
      ElementsAre("scene: : a body needs the key name: what others call it by",
                  "scene: : size = nan must be finite", "scene: : scale = 0 must be > 0",
                  "scene: : position = [nan, 0, 0] must be finite",
                  "scene: : velocity = [0, nan, 0] must be finite",
                  "scene: : angular_velocity = [0, 0, nan] must be finite",
                  "scene: : a kinematic body needs the key movement: how it moves, whatever "
                  "touches it",
                  "scene: tilted: normal = [0, 0, 2] must have length 1",
                  "scene: nothing: a mesh has no triangles",
                  "scene: nothing_that_moves: a mesh has no triangles",
                  "scene: nothing and nothing_that_moves are both meshes and may touch, which is "
                  "not computed: build one of them as a compound, or let neither move by forces"));
}

TEST(SceneBuilder, LooksAtPartsOfCompounds) {
  SceneBuilder builder = swing();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BodySpec body;
  body.material = "wood";
  body.name = "clump";
  body.shape = Compound{{{Sphere{-0.1}, {}},
                         {Box{{0.1, nan, 0.1}}, {{nan, 0.0, 0.0}, {}}},
                         {Sphere{0.1}, {{}, {2.0, 0.0, 0.0, 0.0}}}}};
  builder.add(body);
  body.name = "empty";
  body.shape = Compound{};
  builder.add(body);
  EXPECT_THAT(faults_of(builder),
              ElementsAre("scene: clump: part 1: radius = -0.1 must be > 0",
                          "scene: clump: part 2: size = nan must be finite",
                          "scene: clump: part 2: position = [nan, 0, 0] must be finite",
                          "scene: clump: part 3: orientation = [2, 0, 0, 0] must have length 1: "
                          "[w, x, y, z] of a unit quaternion",
                          "scene: empty: a compound needs at least one part"));
}

TEST(SceneBuilder, LooksAtGravityForcesAndMovements) {
  SceneBuilder builder = swing();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  builder.set_gravity({0.0, nan, 0.0});
  builder.add_force("bobs", {nan, 0.0, 0.0}, {0.0, 0.0, nan});
  KinematicMotion& motion = *builder.scene.bodies[3].kinematic;
  motion.velocity[0] = Expression(nan);
  motion.way[1] = Expression(nan);
  motion.through.x = nan;
  motion.axis = {0.0, 0.0, 2.0};
  motion.angle = motion.rate = Expression(nan);
  EXPECT_THAT(faults_of(builder),
              ElementsAre("scene: gravity = [0, nan, 0] must be finite",
                          "scene: bobs: force = [nan, 0, 0] must be finite",
                          "scene: bobs: torque = [0, 0, nan] must be finite",
                          "scene: belt: movement: way = [0, nan, 0] must be finite",
                          "scene: belt: movement: velocity = [nan, 0, 0] must be finite",
                          "scene: belt: movement: through = [nan, 0, 0] must be finite",
                          "scene: belt: movement: axis = [0, 0, 2] must have length 1",
                          "scene: belt: movement: angle = nan must be finite",
                          "scene: belt: movement: rate = nan must be finite"));
}

TEST(SceneBuilder, MeshesThatMayMeetAreToldByName) {
  const auto triangles = std::make_shared<const TriangleMesh>(
      std::vector<std::array<Vec3, 3>>{{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}},
                                       {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}},
                                       {{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}},
                                       {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}});
  SceneBuilder builder = swing();
  BodySpec body;
  body.material = "wood";
  body.shape = Mesh{triangles};
  for (const char* name : {"one", "two"}) {
    body.name = name;
    builder.add(body);
  }
  EXPECT_THAT(faults_of(builder),
              ElementsAre(HasSubstr("one and two are both meshes and may touch")));
}

TEST(SceneBuilder, FaultsOfJointsAreSaidAtTheStart) {
  SceneBuilder builder = swing();
  builder.scene.world.joints[1].angle_motor.limit = -1.0;
  ASSERT_THAT(faults_of(builder), IsEmpty());
  try {
    const Simulation simulation(builder.build(), run_defaults(), Communicator::self());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("scene: hinge"));
  }
}

}  // namespace
}  // namespace talus
