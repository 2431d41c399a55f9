// Every fault of a scene file with its place, its value and its remedy.

#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using support::changed;
using support::faults_of;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

const std::string plain = R"(talus: 1
time: {step: 0.001, end: 1}
materials:
  a: {density: 1000}
pairs:
  - {between: [a, a], friction: 0.5}
bodies:
  - {name: floor, motion: fixed, material: a, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: ball, material: a, shape: {type: sphere, radius: 0.1}}
  - {name: box, material: a, shape: {type: box, size: [1, 1, 1]}, position: [0, 0, 2]}
)";

std::vector<std::string> faults_with(const std::string& from, const std::string& to) {
  return faults_of(changed(plain, from, to));
}

std::vector<std::string> faults_and(const std::string& more) {
  return faults_of(plain + more);
}

TEST(SceneFaults, PlainSceneHasNone) {
  EXPECT_THAT(faults_of(plain), IsEmpty());
}

// A line of the table below: what is replaced in the plain scene, by what, and what is said then.
struct Case {
  const char *from, *to;
  std::vector<std::string> said;
};

void expect_each(const std::vector<Case>& cases) {
  for (const Case& c : cases)
    EXPECT_THAT(faults_with(c.from, c.to), ElementsAreArray(c.said)) << c.to;
}

TEST(SceneFaults, OfNumbers) {
  expect_each({
      {"friction: 0.5",
       "friction: -0.5",
       {"pile.yaml:6:33: friction = -0.5 must be >= 0: Coulomb's coefficient; a negative one would "
        "make energy"}},
      {"friction: 0.5",
       "restitution: 1.5",
       {"pile.yaml:6:36: restitution = 1.5 must lie in [0, 1]: Newton's coefficient; above 1 every "
        "impact would make energy"}},
      {"friction: 0.5",
       "restitution: -0.1",
       {"pile.yaml:6:36: restitution = -0.1 must lie in [0, 1]: Newton's coefficient; above 1 "
        "every impact would make energy"}},
      {"friction: 0.5", "friction: .nan", {"pile.yaml:6:33: friction = .nan must be finite"}},
      {"friction: 0.5", "friction: .inf", {"pile.yaml:6:33: friction = .inf must be finite"}},
      {"friction: 0.5",
       "friction: \"1/0\"",
       {"pile.yaml:6:33: friction = inf ('1/0') must be finite"}},
      {"friction: 0.5",
       "friction: \"2 - 3\"",
       {"pile.yaml:6:33: friction = -1 ('2 - 3') must be >= 0: Coulomb's coefficient; a negative "
        "one would make energy"}},
      {"friction: 0.5", "friction: [1]", {"pile.yaml:6:33: friction must be a number, is a list"}},
      {"friction: 0.5",
       "friction: abc",
       {"pile.yaml:6:33: friction must be a number or a formula: 'abc', character 1: unknown name "
        "'abc': known are pi"}},
      {"friction: 0.5", "friction: ", {"pile.yaml:6:33: friction must be a number, is nothing"}},
      {"radius: 0.1}}",
       "radius: 0.1}, mass: 0}",
       {"pile.yaml:9:73: mass = 0 must be > 0: a body that nothing moves is `motion: fixed`"}},
      {"radius: 0.1}}",
       "radius: 0.1}, mass: -2}",
       {"pile.yaml:9:73: mass = -2 must be > 0: a body that nothing moves is `motion: fixed`"}},
      {"radius: 0.1", "radius: 0", {"pile.yaml:9:61: radius = 0 must be > 0"}},
      {"step: 0.001",
       "step: 0",
       {"pile.yaml:2:14: step = 0 must be > 0: the length of a time step in s"}},
      {"step: 0.001",
       "step: auto",
       {"pile.yaml:2:14: step = auto needs longest: the longest step that may be taken, in s"}},
      {"step: 0.001",
       "step: auto, longest: 1e-3, shortest: 2e-3",
       {"pile.yaml:2:45: shortest = 0.002 s must be at most longest = 0.001 s"}},
      {"step: 0.001",
       "step: 0.001, accuracy: 0.1",
       {"pile.yaml:2:31: accuracy is of automatic steps: say step: auto"}},
      {"step: 0.001",
       "step: 0.001, stabilisation: 1.5",
       {"pile.yaml:2:36: stabilisation = 1.5 must lie in (0, 1]: the share of a gap's error that "
        "one step takes away"}},
      {"density: 1000", "density: -5", {"pile.yaml:4:16: density = -5 must be > 0"}},
      {"size: [1, 1, 1]",
       "size: [1, 1]",
       {"pile.yaml:10:55: size must be a list of 3 numbers, is a list of 2"}},
      {"size: [1, 1, 1]", "size: [1, -1, 1]", {"pile.yaml:10:59: size = -1 must be > 0"}},
      {"size: [1, 1, 1]", "size: 1", {"pile.yaml:10:55: size must be a list of 3 numbers, is '1'"}},
      {"normal: [0, 0, 1]",
       "normal: [0, 0, 0]",
       {"pile.yaml:8:76: normal = [0, 0, 0] must have a direction"}},
      {"friction: 0.5",
       "friction: 0.5, friction_axis: [0, 0, 0]",
       {"pile.yaml:6:53: friction_axis = [0, 0, 0] must have a direction"}},
      {"friction: 0.5",
       "friction: 0.5, friction_axis: [1, 0]",
       {"pile.yaml:6:53: friction_axis must be a list of 3 numbers, is a list of 2"}},
      {"friction: 0.5",
       "friction: 0.5, friction_axis: slope",
       {"pile.yaml:6:53: friction_axis must be a list of 3 numbers, is 'slope'"}},
      {"friction: 0.5",
       "friction: 0.5, friction_axis: [1, 0, .inf]",
       {"pile.yaml:6:60: friction_axis = .inf must be finite"}},
  });
}

TEST(SceneFaults, OfKeys) {
  expect_each({
      {"friction: 0.5",
       "fricton: 0.5",
       {"pile.yaml:6:23: unknown key 'fricton' of a pair of materials: did you mean 'friction'? "
        "known are between, friction, restitution, friction_axis, rolling_radius, spinning_radius, "
        "cohesion, compliance, damping_time"}},
      {"friction: 0.5",
       "damping_time: 0.01",
       {"pile.yaml:6:37: damping_time = 0.01 s: a rigid contact (compliance 0) has none in the "
        "scheme anitescu-tasora: give the pair a compliance, say time.scheme: spook, or leave it "
        "out"}},
      {"radius: 0.1",
       "radius: 0.1, size: [1, 1, 1]",
       {"pile.yaml:9:66: size of a shape has no use with type: sphere; it is for box"}},
      {"radius: 0.1",
       "radius: 0.1, diameter: 0.2",
       {"pile.yaml:9:61: a sphere has a diameter or a radius, not both"}},
      {"{type: sphere, radius: 0.1}",
       "{type: sphere}",
       {"pile.yaml:9:38: a sphere needs the key diameter or radius, in m"}},
      {"{type: sphere, radius: 0.1}",
       "{type: spher, radius: 0.1}",
       {"pile.yaml:9:45: type = 'spher' must be one of sphere, box, plane, compound, mesh: did you "
        "mean 'sphere'?"}},
      {"{type: sphere, radius: 0.1}",
       "{radius: 0.1}",
       {"pile.yaml:9:38: a shape needs the key type: kind of shape"}},
      {"{type: sphere, radius: 0.1}",
       "sphere",
       {"pile.yaml:9:38: a shape must be a table of keys, is 'sphere'"}},
      {"name: ball, material: a,",
       "name: ball,",
       {"pile.yaml:9:5: a body needs the key material: one of `materials`"}},
      {"name: ball, material: a",
       "name: ball, material: aa",
       {"pile.yaml:9:28: material 'aa' is not one of materials: did you mean 'a'? known are a"}},
      {"name: ball",
       "name: floor",
       {"pile.yaml:9:12: name = 'floor' is given twice, first at pile.yaml:8:12: rename one"}},
      {"name: ball",
       "name: world",
       {"pile.yaml:9:12: name = 'world' is the immovable world of joints: choose another"}},
      {"name: ball",
       "name: b.c",
       {"pile.yaml:9:12: name = 'b.c' must have no blank, dot, slash, equals sign, comma, quote or "
        "control character: -s and files "
        "use it"}},
      {"name: ball",
       "name: ball, name: bell",
       {"pile.yaml:9:18: name is given twice, first at pile.yaml:9:12: leave one"}},
      {"name: ball",
       "name: ball, motion: fixed, velocity: [1, 0, 0]",
       {"pile.yaml:9:33: velocity of a body has no use with motion: fixed; it is for dynamic, "
        "servo"}},
      {"name: ball",
       "name: ball, motion: kinematic",
       {"pile.yaml:9:5: a body needs the key movement: how it moves, whatever touches it"}},
      {"name: ball",
       "name: ball, motion: kinematic, movement: {}",
       {"pile.yaml:9:47: a movement needs displacement, velocity, rotation or vibration"}},
      {"name: ball",
       "name: ball, orientation: [1, 1, 0, 0]",
       {"pile.yaml:9:31: orientation = [1, 1, 0, 0] must have length 1: [w, x, y, z] of a unit "
        "quaternion, or {axis, angle}"}},
      {"name: ball",
       "name: ball, inertia: [1, 1, 3]",
       {"pile.yaml:9:27: inertia = [1, 1, 3] must be that of a body: no moment is above the sum of "
        "the others"}},
      {"name: ball",
       "name: ball, inertia: [1, 1, -1]",
       {"pile.yaml:9:27: inertia = [1, 1, -1] must be positive definite"}},
      {"name: floor, motion: fixed",
       "name: floor",
       {"pile.yaml:8:39: a plane cannot be dynamic: it has no size; make it fixed, kinematic or a "
        "servo"}},
      {"talus: 1",
       "talus: 2",
       {"pile.yaml:1:8: talus = '2': this program reads version 1 of the format only"}},
      {"talus: 1\n", "", {"pile.yaml:1:1: a scene needs the key talus: version of the format: 1"}},
      {"time: {step: 0.001, end: 1}",
       "time: {step: 0.001}",
       {"pile.yaml:2:7: time needs the key end: simulated time in s"}},
      {"  a: {density: 1000}",
       "  a: {}",
       {"pile.yaml:9:28: material a has no density: give it one, or give ball a mass",
        "pile.yaml:10:27: material a has no density: give it one, or give box a mass"}},
      {"  - {between: [a, a], friction: 0.5}",
       "  []",
       {"pile.yaml:6:3: pairs: none between a and a, whose bodies floor and ball may touch: add "
        "{between: [a, a], friction: ..., restitution: ...}"}},
      {"  - {between: [a, a], friction: 0.5}",
       "  - {between: [a, a]}\n  - {between: [a, a]}",
       {"pile.yaml:7:15: the pair a - a is given twice, first at pile.yaml:6:15: leave one"}},
      {"  - {between: [a, a], friction: 0.5}",
       "  - {between: [a, b]}",
       {"pile.yaml:6:3: pairs: none between a and a, whose bodies floor and ball may touch: add "
        "{between: [a, a], friction: ..., restitution: ...}",
        "pile.yaml:6:15: material 'b' is not one of materials: known are a"}},
      {"pairs:", "pairs", {"pile.yaml:6:13: is no YAML: illegal map value"}},
      {"{step: 0.001", "{step: 0.001, {", {"pile.yaml:2:21: a key must be a name"}},
  });
}

TEST(SceneFaults, OfMoreSections) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> cases{
      {"gravity: [0, 0]\n",
       {"pile.yaml:11:10: gravity must be a list of 3 formulas, is a list of 2"}},
      {"gravity: [0, 0, \"1/t\"]\n",
       {"pile.yaml:11:17: gravity = 1/t must be finite: it is not at the start"}},
      {"variables: {x: \"y\", y: \"x\"}\n",
       {"pile.yaml:11:16: variables.x = y cannot be found: what it needs needs it, too, or is "
        "faulty",
        "pile.yaml:11:24: variables.y = x cannot be found: what it needs needs it, too, or is "
        "faulty"}},
      {"variables: {sin: 1}\n",
       {"pile.yaml:11:13: variables: sin has a meaning in formulas: choose another name"}},
      {"variables: {2a: 1}\n",
       {"pile.yaml:11:13: variables: '2a' must be of letters, digits and _, and begin with no "
        "digit"}},
      {"variables: {z: 1, x: \"2*zz\"}\n",
       {"pile.yaml:11:22: variables.x: '2*zz', character 3: unknown name 'zz': did you mean 'z'? "
        "known are z, pi"}},
      {"domain: {min: [0, 0, 0], max: [1, 1, 0]}\n",
       {"pile.yaml:11:31: max = 0 must be above min = 0 along z"}},
      {"domain: {periodic: [x]}\n",
       {"pile.yaml:11:20: periodic along x needs min and max there: the period is their distance"}},
      {"domain: {outside: bounce}\n",
       {"pile.yaml:11:19: outside = 'bounce' must be one of stop, remove"}},
      {"joints:\n  - {name: j, type: revolute, between: [ball, bxo], position: [0, 0, 0]}\n",
       {"pile.yaml:12:47: between: no body is called 'bxo': did you mean 'box'? known are world, "
        "floor, ball, box"}},
      {"joints:\n  - {name: j, type: revolute, between: [ball, ball], position: [0, 0, 0]}\n",
       {"pile.yaml:12:40: between = [ball, ball] must name two different bodies"}},
      {"joints:\n  - {name: j, type: revolute, between: [floor, world], position: [0, 0, 0]}\n",
       {"pile.yaml:12:40: between = [floor, world] must have a body that forces move: neither is "
        "dynamic"}},
      {"joints:\n  - {name: j, type: spherical, between: [ball, box], position: [0, 0, 0], motor: "
       "{type: "
       "speed, value: 1}}\n",
       {"pile.yaml:12:75: motor of a joint has no use with type: spherical; it is for revolute, "
        "prismatic, cylindrical"}},
      {"joints:\n  - {name: j, type: revolute, between: [ball, box], position: [0, 0, 0], limits: "
       "{way: "
       "[0, 1]}}\n",
       {"pile.yaml:12:88: way cannot be limited: the joint does not leave it free"}},
      {"joints:\n  - {name: j, type: revolute, between: [ball, box], position: [0, 0, 0], limits: "
       "{angle: [2, 1]}}\n",
       {"pile.yaml:12:90: angle = [2, 1] must be [least, largest]"}},
      {"joints:\n  - {name: j, type: cylindrical, between: [ball, box], position: [0, 0, 0], "
       "motor: "
       "{type: speed, value: 1}}\n",
       {"pile.yaml:12:84: the motor of a cylindrical joint needs the key of: angle or way"}},
      {"joints:\n  - {name: j, type: universal, between: [ball, box], position: [0, 0, 0], "
       "second_axis: [0, 1, 1]}\n",
       {"pile.yaml:12:88: second_axis must be normal to axis: their cosine is 0.707"}},
      {"joints:\n  - {name: j, type: distance, between: [ball, box], position: [0, 0, 0], "
       "second_position: [0, 0, 1], length: 1, limits: {way: [0, 1]}}\n",
       {"pile.yaml:12:110: a distance joint keeps a length or stays within limits, not both"}},
      {"springs:\n  - {name: s, between: [ball, box], at: [[0, 0, 0], [0, 0]], stiffness: 0}\n",
       {"pile.yaml:12:53: at must be a list of 3 numbers, is a list of 2",
        "pile.yaml:12:73: stiffness = 0 must be > 0"}},
      {"generators:\n  - {name: g, type: random, material: a, shape: {type: sphere, diameter: "
       "0.1}, region: "
       "{type: box, min: [0, 0, 0], max: [1, 1, 0]}}\n",
       {"pile.yaml:12:5: random needs the key count or solid_fraction",
        "pile.yaml:12:121: max = [1, 1, 0] must be above min = [0, 0, 0]: the region has no "
        "volume"}},
      {"generators:\n  - {name: ball, type: lattice, material: a, shape: {type: sphere, diameter: "
       "{type: uniform, min: 2, max: 1}}, region: {type: box, min: [0, 0, 0], max: [1, 1, 1]}, "
       "spacing: "
       "1}\n",
       {"pile.yaml:12:12: name = 'ball' is given twice, first at pile.yaml:9:12: rename one",
        "pile.yaml:12:107: max = 1 must be at least min = 2"}},
      {"generators:\n  - {name: g, type: packing, material: a, shape: {type: sphere, diameter: "
       "0.1}, "
       "region: {type: box, min: [0, 0, 0], max: [1, 1, 1]}, solid_fraction: 1}\n",
       {"pile.yaml:12:150: solid_fraction = 1 must lie in (0, 1): bodies cannot fill a region; "
        "random packings of spheres reach 0.64"}},
      {"generators:\n  - {name: g, type: lattice, material: a, shape: {type: sphere, diameter: "
       "0.1}, region: {type: box, min: [0, 0, 0], max: [1, 1, 1]}, spacing: [1, 1], place: high}\n",
       {"pile.yaml:12:143: spacing must be a list of 3 numbers, is a list of 2",
        "pile.yaml:12:158: place = 'high' must be one of low, middle"}},
      {"generators:\n  - {name: g, type: lattice, material: a, shape: {type: sphere, diameter: "
       "0.1}, region: {type: box, min: [0, 0, 0], max: [1, 1, 1]}, spacing: -1}\n",
       {"pile.yaml:12:143: spacing = -1 must be > 0"}},
      {"joints:\n  - {name: j, type: fixed, between: [ball, box], position: [0, 0, 0], collide: "
       "perhaps}\n",
       {"pile.yaml:12:80: collide = 'perhaps' must be true or false"}},
      {"events:\n  - {type: remove, target: ball}\n",
       {"pile.yaml:12:5: an event needs the key at (s) or when (a condition)"}},
      {"events:\n  - {at: 1, when: \"t > 2\", type: remove, target: ball}\n",
       {"pile.yaml:12:19: an event has at or when, not both"}},
      {"events:\n  - {at: -1, type: remove, target: bll}\n",
       {"pile.yaml:12:10: at = -1 must be >= 0: simulated time counts from 0",
        "pile.yaml:12:36: target = 'bll' is no body, group or generator: did you mean 'ball'? "
        "known are floor, ball, box"}},
      {"events:\n  - {when: \"speed > 2\", type: switch, target: ball, on: false}\n",
       {"pile.yaml:12:12: when must be a number or a formula: 'speed > 2', character 1: unknown "
        "name 'speed': known are t, step, bodies, contacts, kinetic_energy, largest_speed, pi",
        "pile.yaml:12:47: target = 'ball' cannot be switched: the scene has no joint, stream or "
        "force"}},
      {"forces:\n  - {on: ball}\n",
       {"pile.yaml:12:5: a force needs the key force (N), torque (N m) or acceleration (m/s2)"}},
      {"solver: {method: apgdd, tolerance: 0, psr: 1}\n",
       {"pile.yaml:11:18: method = 'apgdd' must be one of auto, jacobi, psor, pspgfb, apgd, cg, "
        "minres: did you mean 'apgd'?",
        "pile.yaml:11:36: tolerance = 0 must be > 0",
        "pile.yaml:11:39: unknown key 'psr' of the solver: did you mean 'psor'? known are method, "
        "methods, candidates, law, measure, tolerance, max_iterations, stall_iterations, "
        "time_limit, unconverged, auto, jacobi, psor, pspgfb, apgd, cg, minres"}},
      {"solver: {psor: 1.2}\n",
       {"pile.yaml:11:16: solver.psor must be a table of its options, is '1.2'"}},
      {"output: {log: {every: 0, columns: [tme]}}\n",
       {"pile.yaml:11:23: every = 0 must be > 0",
        "pile.yaml:11:36: columns = 'tme' must be one of step, time, bodies, contacts, joint_rows, "
        "iterations, error, largest_error, impulse_error, largest_impulse_error, penetration, "
        "overlap, joint_gap, joint_angle, time_step, time_error, time_error_speed, kinetic, "
        "potential, energy, seconds: did you mean 'time'?"}},
      {"monitors: 3\n", {"pile.yaml:11:11: monitors must be a list of tables of keys, is '3'"}},
  };
  for (const auto& [more, said] : cases)
    EXPECT_THAT(faults_and(more), ElementsAreArray(said)) << more;
}

TEST(SceneFaults, OfStreamsWithoutTime) {
  const std::string stream =
      "generators:\n  - {name: g, type: stream, material: a, shape: {type: sphere, diameter: 0.1}, "
      "region: {type: box, min: [0, 0, 0], max: [1, 1, 0]}, mass_rate: 1, from: 2";
  EXPECT_THAT(faults_and(stream + ", until: 2}\n"),
              ElementsAreArray(
                  {"pile.yaml:12:163: until = 2 must be later than from = 2: nothing would come"}));
  EXPECT_THAT(faults_and(stream + ", until: 2.5}\n"), IsEmpty());
  const std::string rate = "mass_rate: 1";
  std::string negative = stream + "}\n";
  negative.replace(negative.find(rate), rate.size(), "mass_rate: -1");
  EXPECT_THAT(faults_and(negative),
              ::testing::ElementsAre(
                  ::testing::HasSubstr("mass_rate = -1 must not be negative: nothing would come")));
}

}  // namespace
}  // namespace talus
