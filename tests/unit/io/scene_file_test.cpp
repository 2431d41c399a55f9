#include "talus/io/scene_file.hpp"

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"

#include "core/elementary.hpp"
#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using support::box_stl;
using support::changed;
using support::example_scene;
using support::faults_of;
using support::SceneFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string head = R"(talus: 1
time: {step: 0.001, end: 2}
materials:
  a: {density: 1000}
pairs:
  - {between: [a, a]}
)";

Scene read(const std::string& content, const std::vector<std::string>& overrides = {}) {
  const SceneFolder folder;
  return read_scene(folder.write("pile.yaml", content), overrides);
}

void expect_vector(const Vec3& v, double x, double y, double z) {
  EXPECT_DOUBLE_EQ(v.x, x);
  EXPECT_DOUBLE_EQ(v.y, y);
  EXPECT_DOUBLE_EQ(v.z, z);
}

TEST(SceneFile, ReadsTheWholeOfTheExample) {
  const Scene scene = read(example_scene());
  EXPECT_EQ(scene.title, "dam break beside a motor-driven drum");
  EXPECT_EQ(scene.time.step, 1e-3);
  EXPECT_EQ(scene.time.end, 3.0);
  EXPECT_EQ(scene.time.scheme, Scheme::AnitescuTasora);
  EXPECT_EQ(scene.world.gravity[2].at(0.0), -9.81);
  expect_vector(scene.world.domain.high, 1.5, 0.3, 0.8);
  EXPECT_EQ(scene.world.domain.outside, Outside::Remove);
  EXPECT_FALSE(scene.stop_unconverged);
  EXPECT_EQ(scene.log.every, 0.1);
  EXPECT_THAT(scene.log.columns,
              ElementsAre("step", "time", "contacts", "iterations", "error", "penetration"));
  EXPECT_THAT(scene.solver_assignments,
              ElementsAre("solver.method=auto", "solver.law=coulomb", "solver.tolerance=0.0001",
                          "solver.max_iterations=500"));
  EXPECT_THAT(scene.solver_places[2], HasSubstr("pile.yaml:50:49"));
}

TEST(SceneFile, MaterialsOfTheExample) {
  const MaterialTable& table = read(example_scene()).world.materials;
  ASSERT_EQ(table.count(), 2);
  EXPECT_EQ(table.materials()[0].name, "glass");
  EXPECT_EQ(table.materials()[1].density, 7850.0);
  EXPECT_EQ(table.pair(0, 0).friction, 0.5);
  EXPECT_EQ(table.pair(0, 0).rolling_friction, 0.01 * 0.01);
  EXPECT_EQ(table.pair(1, 0).friction, 0.3);
  EXPECT_EQ(table.pair(1, 1).restitution, 0.1);
}

TEST(SceneFile, AxisOfFrictionHasADirectionAndIsNotedWhereNoLawUsesIt) {
  const std::string with_axis =
      changed(head, "{between: [a, a]}", "{between: [a, a], friction_axis: [0, 3, 4]}");

  const Scene idle = read(with_axis);
  expect_vector(idle.world.materials.pair(0, 0).friction_axis, 0.0, 0.6, 0.8);
  ASSERT_EQ(idle.notes.size(), 1U);
  EXPECT_THAT(idle.notes[0], HasSubstr("pile.yaml:6:38: friction_axis was given, but the law of "
                                       "friction is not box"));

  EXPECT_THAT(read(with_axis, {"solver.law=box"}).notes, IsEmpty());
  const Scene none = read(head);
  expect_vector(none.world.materials.pair(0, 0).friction_axis, 0.0, 0.0, 0.0);
  EXPECT_FALSE(none.world.materials.pair(0, 0).friction_along_slip);
  EXPECT_THAT(none.notes, IsEmpty());

  const std::string along_slip =
      changed(head, "{between: [a, a]}", "{between: [a, a], friction_axis: slip}");
  EXPECT_TRUE(read(along_slip).world.materials.pair(0, 0).friction_along_slip);
  EXPECT_EQ(read(along_slip).notes.size(), 1U);
}

TEST(SceneFile, BodiesOfTheExample) {
  const Scene scene = read(example_scene());
  ASSERT_EQ(scene.bodies.size(), 6u);
  const SceneBody &right = scene.bodies[3], &gate = scene.bodies[4], &drum = scene.bodies[5];
  EXPECT_EQ(right.motion, Motion::Fixed);
  expect_vector(std::get<Plane>(scene.world.shapes[3]).normal, 0.0, -1.0, 0.0);
  expect_vector(right.pose.position, 0.0, 0.2, 0.0);
  expect_vector(std::get<Box>(scene.world.shapes[4]).half, 0.005, 0.1, 0.15);
  EXPECT_EQ(scene.world.groups[static_cast<std::size_t>(gate.group)], "gate");
  EXPECT_EQ(drum.motion, Motion::Dynamic);
  EXPECT_EQ(drum.mass, 4.0);
  ASSERT_TRUE(drum.inertia.has_value());
  EXPECT_EQ(drum.inertia->yy, 0.090);
  EXPECT_THAT(drum.place, HasSubstr("pile.yaml:20:5"));
  const Bounds bounds = std::get<Mesh>(scene.world.shapes[5]).triangles->bounds();
  expect_vector(bounds.high, 0.1, 0.1, 0.1);
}

TEST(SceneFile, JointOfTheExampleHasItsMotorAndFrames) {
  const Scene scene = read(example_scene());
  ASSERT_EQ(scene.world.joints.size(), 1u);
  const Joint& axle = scene.world.joints[0];
  EXPECT_EQ(axle.type, JointType::Revolute);
  EXPECT_EQ(axle.body_a, 5);
  EXPECT_EQ(axle.body_b, world_id);
  expect_vector(axle.frame_a.position, 0.0, 0.0, 0.0);
  expect_vector(axle.frame_b.position, 0.9, 0.1, 0.25);
  const Vec3 axis = rotate(axle.frame_b.orientation, {1.0, 0.0, 0.0});
  EXPECT_NEAR(axis.y, 1.0, 1e-15);
  EXPECT_EQ(axle.angle_motor.type, MotorType::Speed);
  EXPECT_EQ(axle.angle_motor.limit, 5.0);
  EXPECT_EQ(axle.angle_motor.value.at(0.25), 2.0 * pi * 12.0 / 60.0 * 0.5);
  ASSERT_EQ(scene.joint_places.size(), 1u);
  EXPECT_THAT(scene.joint_places[0], HasSubstr("pile.yaml:28:5"));
}

TEST(SceneFile, GeneratorsOfTheExample) {
  const Scene scene = read(example_scene());
  ASSERT_EQ(scene.generators.size(), 2u);
  const Generator &dam = scene.generators[0], &fill = scene.generators[1];
  EXPECT_EQ(dam.kind, Generator::Kind::Packing);
  EXPECT_EQ(dam.sizes.kind, SizeDistribution::Kind::Uniform);
  EXPECT_DOUBLE_EQ(dam.sizes.high, 0.0105);
  EXPECT_EQ(dam.solid_fraction, 0.55);
  EXPECT_EQ(scene.world.groups[static_cast<std::size_t>(dam.group)], "dam");
  EXPECT_EQ(dam.shape, fill.shape) << "spheres share one shape";
  EXPECT_EQ(std::get<Sphere>(scene.world.shapes[static_cast<std::size_t>(dam.shape)]).radius, 0.5);
  EXPECT_EQ(fill.kind, Generator::Kind::Lattice);
  EXPECT_EQ(fill.sizes.low, 0.01);
  EXPECT_DOUBLE_EQ(fill.spacing.x, 0.011);
  EXPECT_DOUBLE_EQ(fill.spacing.z, 0.011);
  EXPECT_FALSE(fill.low);
  EXPECT_EQ(fill.count, -1);
}

TEST(SceneFile, SaysWhenCheckpointsAreWritten) {
  const Scene scene = read(example_scene());
  EXPECT_TRUE(scene.notes.empty());
  EXPECT_EQ(scene.checkpoint.every, 0.5);
  EXPECT_EQ(scene.checkpoint.wall, 900.0);
  EXPECT_EQ(scene.checkpoint.keep, 2);
}

TEST(SceneFile, TellsSeveralFaultsAtOnceInTheOrderOfTheFile) {
  std::string text = changed(example_scene(), "friction: 0.3", "friction: -0.3");
  text = changed(text, "step: 1.0e-3", "step: 0");
  text = changed(text, "mass: 4.0", "mass: -4");
  text = changed(text, "between: [drum, world]", "between: [drm, world]");
  EXPECT_THAT(
      faults_of(text, {"mu=2*nu"}),
      ElementsAre(
          "pile.yaml:4:14: step = 0 must be > 0: the length of a time step in s",
          "pile.yaml:12:41: friction = -0.3 must be >= 0: Coulomb's coefficient; a negative "
          "one would make energy",
          "pile.yaml:25:11: mass = -4 must be > 0: a body that nothing moves is `motion: "
          "fixed`",
          "pile.yaml:30:15: between: no body is called 'drm': did you mean 'drum'? known are "
          "world, floor, back, left, right, gate, drum",
          "-s mu: variables.mu: '2*nu', character 3: unknown name 'nu': known are d, open, rpm, "
          "pi"));
}

TEST(SceneFile, VariablesNeedNoOrder) {
  const Scene scene = read(head + R"(variables: {end: "2*half", half: "x/2", x: 3}
max_overlap: "end"
)");
  EXPECT_EQ(scene.max_overlap, 3.0);
}

TEST(SceneFile, KinematicBodiesMoveAsTheyAreTold) {
  const Scene scene = read(head + R"yaml(variables: {amp: 0.1, w: 3}
bodies:
  - name: shaker
    motion: kinematic
    material: a
    shape: {type: compound, parts: [{shape: {type: box, size: [1, 1, 0.1]}}, {shape: {type: sphere, radius: 0.2}, position: [0, 0, 1]}]}
    position: [1, 2, 3]
    orientation: {axis: [0, 0, 2], angle: "pi/2"}
    movement:
      displacement: ["amp*t", 0, 0]
      velocity: [0, "sin(t)", 0]
      rotation: {axis: [0, 3, 0], through: [0, 0, 1], angle: "w*t", rate: 2}
      vibration: {amplitude: [0.5, 0, "amp"], frequency: 2, phase: 0.3}
)yaml");
  const KinematicMotion& motion = *scene.bodies[0].kinematic;
  EXPECT_EQ(std::get<Compound>(scene.world.shapes[0]).parts.size(), 2u);
  EXPECT_NEAR(scene.bodies[0].pose.orientation.z, std::sqrt(0.5), 1e-15);
  const double t = 0.37, swing = sine(2.0 * pi * 2.0 * t + 0.3) - sine(0.3);
  EXPECT_DOUBLE_EQ(motion.way[0].at(t), 0.1 * t + 0.5 * swing);
  EXPECT_EQ(motion.way[1].at(t), 0.0);
  EXPECT_DOUBLE_EQ(motion.way[2].at(t), 0.1 * swing);
  EXPECT_EQ(motion.way[2].at(0.0), 0.0) << "it begins where the body is";
  EXPECT_EQ(motion.velocity[1].at(t), sine(t));
  expect_vector(motion.axis, 0.0, 1.0, 0.0);
  expect_vector(motion.through, 0.0, 0.0, 1.0);
  EXPECT_EQ(motion.angle.at(2.0), 6.0);
  EXPECT_EQ(motion.rate.at(0.0), 2.0);
  expect_vector(motion.start.position, 1.0, 2.0, 3.0);
}

TEST(SceneFile, ServoIsABodyOnASlideThatAForceDrives) {
  const Scene scene = read(head + R"(bodies:
  - {name: lid, motion: servo, material: a, mass: 2, shape: {type: plane, normal: [0, 0, -1]}, position: [0, 0, 1], servo: {axis: [0, 0, -1], force: "10*t"}}
)");
  EXPECT_EQ(scene.bodies[0].motion, Motion::Dynamic);
  ASSERT_EQ(scene.world.joints.size(), 1u);
  const Joint& slide = scene.world.joints[0];
  EXPECT_EQ(slide.name, "lid");
  EXPECT_EQ(slide.type, JointType::Prismatic);
  EXPECT_EQ(slide.body_a, world_id);
  EXPECT_EQ(slide.body_b, 0);
  EXPECT_EQ(slide.way_motor.type, MotorType::Force);
  EXPECT_EQ(slide.way_motor.value.at(2.0), 20.0);
  EXPECT_NEAR(rotate(slide.frame_a.orientation, {1.0, 0.0, 0.0}).z, -1.0, 1e-15);
  expect_vector(slide.frame_a.position, 0.0, 0.0, 1.0);
  expect_vector(slide.frame_b.position, 0.0, 0.0, 0.0);
  EXPECT_EQ(scene.joint_places.size(), 1u);
}

TEST(SceneFile, FramesOfJointsAreThoseOfTheirBodies) {
  const Scene scene = read(head + R"(bodies:
  - {name: a, material: a, shape: {type: sphere, diameter: 0.2}, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: "pi/2"}}
  - {name: b, material: a, shape: {type: sphere, radius: 0.1}, position: [2, 0, 0]}
joints:
  - {name: hinge, type: universal, between: [a, b], position: [1, 1, 0], axis: [0, 0, 2], second_axis: [1, 0, 0], on: false}
  - {name: tube, type: cylindrical, between: [a, world], position: [0, 0, 0], limits: {angle: [-1, .inf], way: [0, 2]},
     motors: [{type: position, value: t, of: angle}, {type: force, value: 3, of: way, on: off}], compliance: 0.1}
  - {name: rope, type: distance, between: [a, world], position: [1, 0, 0], second_position: [1, 0, 4]}
springs:
  - {name: spring, between: [a, b], at: [[1, 0, 0], [2, 0, 0]], stiffness: 100, damping: 2}
)");
  const Joint& hinge = scene.world.joints[0];
  EXPECT_FALSE(hinge.on);
  EXPECT_NEAR(hinge.frame_a.position.x, 1.0, 1e-15);
  EXPECT_NEAR(hinge.frame_a.position.y, 0.0, 1e-15);
  const Pose in_world = scene.bodies[1].pose * hinge.frame_b;
  EXPECT_NEAR(rotate(in_world.orientation, {1.0, 0.0, 0.0}).z, 1.0, 1e-15);
  EXPECT_NEAR(rotate(in_world.orientation, {0.0, 1.0, 0.0}).x, 1.0, 1e-15);
  const Joint& tube = scene.world.joints[1];
  EXPECT_EQ(tube.angle_limits[0], -1.0);
  EXPECT_EQ(tube.angle_limits[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(tube.way_limits[1], 2.0);
  EXPECT_EQ(tube.angle_motor.value.at(7.0), 7.0);
  EXPECT_FALSE(tube.way_motor.on);
  EXPECT_EQ(tube.compliance, 0.1);
  EXPECT_EQ(scene.world.joints[2].length, 4.0);
  EXPECT_EQ(scene.world.joints[3].type, JointType::Spring);
  EXPECT_EQ(scene.world.joints[3].length, 1.0);
  EXPECT_EQ(scene.world.joints[3].stiffness, 100.0);
}

TEST(SceneFile, LengthsThatAreNotGivenAreThoseOfTheNearestImages) {
  const Scene scene = read(head + R"(domain: {min: [-1, -1, -1], max: [1, 1, 1], periodic: [x]}
bodies:
  - {name: a, material: a, shape: {type: sphere, diameter: 0.2}, position: [-0.8, 0, 0]}
  - {name: b, material: a, shape: {type: sphere, radius: 0.1}, position: [0.8, 0, 0]}
joints:
  - {name: rope, type: distance, between: [a, b], position: [-0.8, 0, 0], second_position: [0.8, 0, 0.3]}
springs:
  - {name: spring, between: [a, b], at: [[-0.8, 0, 0], [0.8, 0, 0]], stiffness: 100}
)");
  EXPECT_NEAR(scene.world.joints[0].length, 0.5, 1e-15);
  EXPECT_NEAR(scene.world.joints[1].length, 0.4, 1e-15);
}

TEST(SceneFile, GeneratorsOfAllKinds) {
  const Scene scene = read(head + R"(generators:
  - {name: r, type: random, material: a, count: 5, seed: 7, orientation: random, velocity: [1, 0, 0],
     shape: {type: box, size: [1, 2, 3], factor: {type: lognormal, min: 0.5, max: 2, median: 1, deviation: 0.3, by: mass}},
     region: {type: sphere, centre: [0, 0, 1], radius: 2}}
  - {name: s, type: stream, material: a, mass_rate: "2*t", from: 0.5, mass_limit: 9, on: off,
     shape: {type: sphere, diameter: {type: table, table: [[0.1, 1], [0.2, 3]]}},
     region: {type: cylinder, base: [0, 0, 1], axis: [0, 0, 5], radius: 2, height: 0}}
)");
  const Generator &r = scene.generators[0], &s = scene.generators[1];
  EXPECT_EQ(r.count, 5);
  EXPECT_EQ(r.seed, 7u);
  EXPECT_TRUE(r.turned);
  EXPECT_TRUE(r.sizes.by_mass);
  EXPECT_EQ(r.sizes.deviation, 0.3);
  EXPECT_EQ(r.velocity.x, 1.0);
  EXPECT_EQ(r.region.kind, Region::Kind::Sphere);
  EXPECT_EQ(s.mass_rate.at(2.0), 4.0);
  EXPECT_EQ(s.until, std::numeric_limits<double>::infinity()) << "in a run beyond time.end, too";
  EXPECT_FALSE(s.on);
  EXPECT_EQ(s.sizes.table[1][1], 0.75);
  expect_vector(s.region.axis, 0.0, 0.0, 1.0);
}

TEST(SceneFile, EventsAndForces) {
  const Scene scene = read(head + R"(bodies:
  - {name: ball, group: balls, material: a, shape: {type: sphere, radius: 0.1}}
forces:
  - {on: balls, force: ["t", 0, 0], acceleration: [0, 0, 1]}
events:
  - {when: "kinetic_energy < 1 && t > 0.1", type: gravity, value: [0, 0, -1]}
  - {at: 1, type: add, bodies: [{name: late, material: a, shape: {type: sphere, radius: 0.1}}]}
  - {at: 1.5, type: remove, target: late}
  - {at: 0.5, type: switch, target: balls, on: false}
)");
  EXPECT_EQ(scene.world.forces[0].force[0].at(3.0), 3.0);
  ASSERT_EQ(scene.events.size(), 4u);
  EXPECT_LT(scene.events[0].at, 0.0);
  EXPECT_EQ(scene.events[0].when(std::vector<double>{0.2, 0.0, 0.0, 0.0, 0.5, 0.0}), 1.0);
  EXPECT_EQ(scene.events[0].gravity[2].at(0.0), -1.0);
  EXPECT_EQ(scene.events[1].added[0].name, "late");
  EXPECT_FALSE(scene.events[3].on);
}

TEST(SceneFile, SolverOptionsOfMethodsAreNestedOrDotted) {
  const Scene scene = read(head + R"(variables: {w: 1.1}
solver: {psor: {relaxation: "w", symmetric: true}, pspgfb.armijo: 1e-3, candidates: [apgd, pspgfb], unconverged: stop}
)");
  EXPECT_TRUE(scene.stop_unconverged);
  EXPECT_THAT(scene.solver_assignments,
              ElementsAre("solver.psor.relaxation=1.1", "solver.psor.symmetric=true",
                          "solver.pspgfb.armijo=1e-3", "solver.methods=apgd,pspgfb"));
}

// ---- meshes
// ---------------------------------------------------------------------------------------

const std::string with_mesh = R"(bodies:
  - {name: mesh, motion: dynamic, material: a, shape: {type: mesh, file: box.stl}}
)";

TEST(SceneFile, OpenMeshThatMovesNeedsMassAndInertia) {
  const SceneFolder folder;
  folder.write("box.stl", box_stl(1.0, 1));
  const std::string path = folder.write("pile.yaml", head + with_mesh);
  try {
    read_scene(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("pile.yaml:8:55: the mesh is not closed (3 edges of one triangle only), so "
                  "that it bounds no volume: give mass and inertia, or repair the mesh"));
  }
  const std::vector<std::string> given{"bodies.mesh.mass=1", "bodies.mesh.inertia=[1, 1, 1]"};
  EXPECT_EQ(read_scene(path, given).bodies[0].mass, 1.0);
  EXPECT_NO_THROW(read_scene(path, {"bodies.mesh.motion=fixed"}));
}

TEST(SceneFile, MeshesThatMayMeetAreRefused) {
  const SceneFolder folder;
  folder.write("box.stl", box_stl(1.0));
  const std::string path = folder.write(
      "pile.yaml",
      head + with_mesh +
          "  - {name: other, motion: fixed, material: a, shape: {type: mesh, file: box.stl}}\n");
  try {
    read_scene(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("pile.yaml:9:5: mesh and other are both meshes and may touch, "
                          "which is not computed"));
  }
  const Scene scene = read_scene(path, {"bodies.mesh.motion=fixed"});
  EXPECT_EQ(std::get<Mesh>(scene.world.shapes[0]).triangles,
            std::get<Mesh>(scene.world.shapes[1]).triangles)
      << "one file is read once";
}

TEST(SceneFile, MissingMeshIsNamed) {
  EXPECT_THAT(faults_of(head + with_mesh), ElementsAre(HasSubstr("pile.yaml:8:74: box.stl")));
}

TEST(SceneFile, PairsAreNotNeededWhereNothingMoves) {
  const std::string still = R"(talus: 1
time: {step: 0.001, end: 2}
materials: {a: {}, b: {}}
bodies:
  - {name: floor, motion: fixed, material: a, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: post, motion: fixed, material: b, shape: {type: box, size: [1, 1, 1]}}
)";
  EXPECT_THAT(faults_of(still), IsEmpty());
  EXPECT_THAT(
      faults_of(still, {"bodies.post.motion=dynamic", "bodies.post.mass=1"}),
      ElementsAre("pile.yaml:1:1: pairs: none between a and b, whose bodies floor and post may "
                  "touch: add {between: [a, b], friction: ..., restitution: ...}"));
  EXPECT_THAT(faults_of(still + "events: [{at: 1, type: release, target: post}]\n"),
              ElementsAre(HasSubstr("none between a and b")));
}

}  // namespace
}  // namespace talus
