#include "talus/model/scene.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "core/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

/// Two boxes side by side along x, of lengths 2 and 1: volumes 8 and 1, centres at 0 and 3.
Compound two_boxes() {
  Compound compound;
  compound.parts.push_back({Box{{1.0, 1.0, 1.0}}, Pose{}});
  compound.parts.push_back({Box{{0.5, 0.5, 0.5}}, Pose{{3.0, 0.0, 0.0}, {}}});
  return compound;
}
constexpr double off = 1.0 / 3.0;  // of its centre: 1 * 3 / (8 + 1)

std::shared_ptr<const TriangleMesh> one_triangle() {
  return std::make_shared<TriangleMesh>(
      std::vector<std::array<Vec3, 3>>{{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}});
}

Scene scene_of(const Shape& shape) {
  Scene scene;
  scene.world.shapes = {shape};
  scene.world.materials.add({"steel", 2.0});
  scene.world.materials.add({"ghostly", 0.0});
  SceneBody body;
  body.name = "block";
  body.place = "a.yaml:3:5";
  scene.bodies.push_back(body);
  return scene;
}

TEST(Scenes, MassComesFromShapeAndDensity) {
  Scene scene = scene_of(Sphere{0.5});
  scene.bodies[0].scale = 4.0;
  scene.bodies[0].pose.position = {1.0, 2.0, 3.0};
  scene.bodies[0].velocity = {4.0, 5.0, 6.0};

  const World world = make_world(scene);

  ASSERT_EQ(world.bodies.count(), 1);
  EXPECT_EQ(world.next_id, 1);
  const double mass = 2.0 * 4.0 / 3.0 * pi * 8.0;  // radius 2
  EXPECT_NEAR(world.bodies.mass[0], mass, 1e-14 * mass);
  EXPECT_NEAR(world.bodies.inertia[0].yy, 0.4 * mass * 4.0, 1e-13 * mass);
  EXPECT_EQ(world.bodies.reach[0], 2.0);
  EXPECT_EQ(world.bodies.position[0].y, 2.0);
  EXPECT_EQ(world.bodies.velocity[0].z, 6.0);
  EXPECT_EQ(world.shapes.size(), 1U);
}

TEST(Scenes, WhatIsGivenCountsBeforeShapeAndDensity) {
  Scene scene = scene_of(Sphere{1.0});
  scene.bodies.resize(3, scene.bodies[0]);
  scene.bodies[0].mass = 5.0;
  scene.bodies[0].material = 1;  // needs no density
  scene.bodies[1].mass = 5.0;
  scene.bodies[1].inertia = Sym3{1.0, 0.0, 0.0, 2.0, 0.0, 3.0};
  scene.bodies[2].inertia = Sym3{1.0, 0.0, 0.0, 2.0, 0.0, 3.0};

  const BodySet bodies = make_world(scene).bodies;

  EXPECT_EQ(bodies.mass[0], 5.0);
  EXPECT_NEAR(bodies.inertia[0].zz, 0.4 * 5.0, 1e-14);
  EXPECT_EQ(bodies.mass[1], 5.0);
  EXPECT_EQ(bodies.inertia[1].zz, 3.0);
  EXPECT_NEAR(bodies.mass[2], 2.0 * 4.0 / 3.0 * pi, 1e-14);
  EXPECT_EQ(bodies.inertia[2].xx, 1.0);
}

TEST(Scenes, BodiesStandWhereTheirCentreIsAndShareAMovedShape) {
  Scene scene = scene_of(two_boxes());
  scene.bodies.resize(2, scene.bodies[0]);
  // a quarter turn about z takes x to y
  scene.bodies[1].pose = {{10.0, 0.0, 0.0}, rotation_by({0.0, 0.0, 0.5 * pi})};
  scene.bodies[1].scale = 2.0;

  const World world = make_world(scene);

  ASSERT_EQ(world.shapes.size(), 2U);
  EXPECT_EQ(world.bodies.shape, (std::vector<Index>{1, 1}));
  EXPECT_NEAR(world.bodies.position[0].x, off, 1e-15);
  EXPECT_NEAR(world.bodies.position[1].x, 10.0, 1e-14);
  EXPECT_NEAR(world.bodies.position[1].y, 2.0 * off, 1e-15);
  EXPECT_NEAR(length(mass_properties(world.shapes[1]).centre), 0.0, 1e-15);
  EXPECT_NEAR(world.bodies.mass[1], 2.0 * 8.0 * 9.0, 1e-12);
  // cubes about the common centre: 8 (4/6 + (1/3)^2) + 1 (1/6 + (8/3)^2), density 2, scale^5 = 32
  const double yy = 8.0 * (4.0 / 6.0 + off * off) + 1.0 / 6.0 + 64.0 / 9.0;
  EXPECT_NEAR(world.bodies.inertia[1].yy, 2.0 * 32.0 * yy, 1e-10);
  // no point of the world has moved
  const Bounds before = bounds_of(scene.world.shapes[0], 2.0, scene.bodies[1].pose);
  const Bounds after =
      bounds_of(world.shapes[1], 2.0, {world.bodies.position[1], world.bodies.orientation[1]});
  EXPECT_NEAR(length(before.low - after.low), 0.0, 1e-14);
  EXPECT_NEAR(length(before.high - after.high), 0.0, 1e-14);
}

TEST(Scenes, BodiesOfLaterEventsShareTheMovedShapeToo) {
  const Scene scene = scene_of(two_boxes());
  World world = make_world(scene);

  add_body(world, scene.bodies[0]);

  EXPECT_EQ(world.shapes.size(), 2U);
  EXPECT_EQ(world.bodies.id, (std::vector<GlobalId>{0, 1}));
  EXPECT_EQ(world.next_id, 2);
}

TEST(Scenes, WhatNothingMovesHasTheMassThatItWouldHaveOrAnInfiniteOne) {
  Scene scene = scene_of(two_boxes());
  scene.world.shapes.emplace_back(Plane{});
  scene.bodies.resize(3, scene.bodies[0]);
  scene.bodies[0].motion = Motion::Fixed;
  scene.bodies[0].material = 1;  // needs no density
  scene.bodies[1].motion = Motion::Kinematic;
  scene.bodies[1].kinematic = KinematicMotion{};
  scene.bodies[1].kinematic->angle = Expression(3.0);
  scene.bodies[2].motion = Motion::Fixed;
  scene.bodies[2].shape = 1;
  scene.bodies[2].pose.position = {0.0, 0.0, 4.0};

  const World world = make_world(scene);

  for (const std::size_t i : {0, 2}) {  // no density; no volume
    EXPECT_TRUE(std::isinf(world.bodies.mass[i]));
    EXPECT_TRUE(std::isinf(world.bodies.inertia[i].xx));
  }
  EXPECT_TRUE(std::isfinite(world.bodies.mass[1]));  // what an event that releases it needs
  EXPECT_TRUE(std::isinf(world.bodies.reach[2]));
  EXPECT_EQ(world.bodies.position[2].z, 4.0);
  ASSERT_EQ(world.motions.size(), 1U);
  EXPECT_EQ(world.motions[0].body, 1);
  EXPECT_EQ(world.motions[0].start.position.x, world.bodies.position[1].x);
  EXPECT_NEAR(world.motions[0].start.position.x, off, 1e-15);
  EXPECT_EQ(world.motions[0].angle.at(0.0), 3.0);
}

TEST(Scenes, APlaneWithAMassIsAServoWallThatDoesNotTurn) {
  Scene scene = scene_of(Plane{});
  scene.bodies[0].mass = 3.0;

  const World world = make_world(scene);

  EXPECT_EQ(world.bodies.mass[0], 3.0);
  EXPECT_TRUE(std::isinf(world.bodies.inertia[0].xx));
}

TEST(Scenes, JointsGetIdsAndFramesAboutCentres) {
  Scene scene = scene_of(two_boxes());
  scene.world.shapes.emplace_back(Sphere{1.0});
  scene.world.next_id = 100;
  scene.bodies.resize(2, scene.bodies[0]);
  scene.bodies[0].shape = 1;
  scene.bodies[1].scale = 2.0;
  scene.bodies[1].pose = {{3.0, 4.0, 5.0}, rotation_by({0.1, 0.2, 0.3})};
  Joint joint;
  joint.body_a = 0;
  joint.body_b = 1;
  joint.frame_a = joint.frame_b = {{0.5, 0.6, 0.7}, rotation_by({0.3, 0.0, 0.0})};
  scene.world.joints.push_back(joint);
  joint.body_a = 1;
  joint.body_b = world_id;
  scene.world.joints.push_back(joint);

  const World world = make_world(scene);

  const Joint& first = world.joints[0];
  EXPECT_EQ(first.body_a, 100);
  EXPECT_EQ(first.body_b, 101);
  EXPECT_EQ(first.frame_a.position.x, 0.5);  // its centre is its origin
  const Pose about_centre{world.bodies.position[1], world.bodies.orientation[1]};
  EXPECT_NEAR(length(to_world(about_centre, first.frame_b.position) -
                     to_world(scene.bodies[1].pose, joint.frame_b.position)),
              0.0, 1e-14);
  EXPECT_EQ(first.frame_b.orientation.x, joint.frame_b.orientation.x);
  EXPECT_EQ(world.joints[1].body_a, 101);
  EXPECT_EQ(world.joints[1].body_b, world_id);
  EXPECT_EQ(world.joints[1].frame_b.position.x, 0.5);
}

TEST(Scenes, AllMissingMassesAreToldAtOnce) {
  Scene scene = scene_of(Mesh{one_triangle()});
  scene.world.shapes.emplace_back(Sphere{1.0});
  scene.world.shapes.emplace_back(Plane{});
  scene.bodies.resize(4, scene.bodies[0]);
  scene.bodies[1].mass = 1.0;
  scene.bodies[2].shape = 1;
  scene.bodies[2].material = 1;
  scene.bodies[3].shape = 2;

  std::vector<std::string> messages;
  try {
    make_world(scene);
  } catch (const InputError& error) {
    messages = error.messages();
  }

  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "a.yaml:3:5: block.mass must be given: a mesh without volume has no mass",
                "a.yaml:3:5: block.inertia must be given: the mesh bounds no volume",
                "a.yaml:3:5: block.mass must be given: its material ghostly has no density",
                "a.yaml:3:5: block.mass must be given: a plane without volume has no mass"}));
}

}  // namespace
}  // namespace talus
