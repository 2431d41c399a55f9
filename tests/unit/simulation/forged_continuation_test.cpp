// What goes on from a checkpoint whose numbers somebody has changed: a seal does not say who wrote
// it.

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "model/world_archive.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace talus {
namespace {

using support::SmallScene;
using ::testing::HasSubstr;

/// A ball on an axle above a floor, after a step.
Checkpoint some_checkpoint() {
  SmallScene small(1e-3, 0.5);
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.5});
  JointSpec axle;
  axle.joint.name = "axle";
  axle.joint.type = JointType::Revolute;
  axle.joint.angle_limits = {-1.0, 1.0};
  axle.a = "world";
  axle.b = "ball";
  axle.position = {0.0, 0.0, 0.5};
  small.SceneBuilder::add(axle);
  Simulation simulation = small.start();
  simulation.step();
  return simulation.checkpoint();
}

/// What going on says where `forge` has been at it.
std::string fault_of(const std::function<void(Checkpoint&)>& forge) {
  Checkpoint checkpoint = some_checkpoint();
  forge(checkpoint);
  try {
    Simulation simulation(std::move(checkpoint), {}, Communicator::self());
    simulation.step();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(ForgedContinuation, AsItWasWrittenItGoesOn) {
  EXPECT_EQ(fault_of([](Checkpoint&) {}), "none");
}

TEST(ForgedContinuation, PairsThatNoSceneMayHaveAreRefused) {
  const auto with = [](double friction) {
    return fault_of([friction](Checkpoint& checkpoint) {
      PairProperties pair = checkpoint.world.materials.pair(0, 0);
      pair.friction = friction;
      checkpoint.world.materials.set_pair(0, 0, pair);
    });
  };
  EXPECT_THAT(with(-0.5), HasSubstr("the pair stone - stone: friction = -0.5"));
  EXPECT_THAT(with(std::numeric_limits<double>::quiet_NaN()), HasSubstr("must be finite"));
}

TEST(ForgedContinuation, JointsThatNoSceneMayHaveAreRefused) {
  EXPECT_THAT(fault_of([](Checkpoint& checkpoint) {
                checkpoint.world.joints[0].angle_limits = {1.0, -1.0};
              }),
              HasSubstr("joints.axle.limits.angle = [1, -1] must be [lower, upper]"));
  EXPECT_THAT(
      fault_of([](Checkpoint& checkpoint) { checkpoint.world.joints[0].compliance = -1.0; }),
      HasSubstr("joints.axle.compliance = -1"));
}

TEST(ForgedContinuation, StepsThatCannotBeTakenAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double h : {-1e-3, 0.0, nan, infinity})
    EXPECT_THAT(fault_of([h](Checkpoint& checkpoint) { checkpoint.settings.h = h; }),
                HasSubstr("step settings: h = "))
        << h;
  EXPECT_THAT(fault_of([](Checkpoint& checkpoint) { checkpoint.settings.ticks = 0; }),
              HasSubstr("step settings: ticks = 0"));
}

TEST(ForgedContinuation, WhatIsMovedToItsCentreIsAMesh) {
  World world;
  world.shapes = {Plane{}, Sphere{}};
  world.shapes[1] = Mesh{std::make_shared<TriangleMesh>(
      std::vector<std::array<Vec3, 3>>{{Vec3{}, Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}}})};
  world.centred = {{0, 1}};
  EXPECT_THROW(unpacked<World>(packed(world)), InputError);
}

TEST(ForgedContinuation, AMeshThatHasLostItsTrianglesIsEmpty) {
  Mesh mesh = unpacked<Mesh>(packed(Mesh{}));
  ASSERT_NE(mesh.triangles, nullptr);
  EXPECT_TRUE(mesh.triangles->triangles().empty());
}

}  // namespace
}  // namespace talus
