// Includes, what -s sets, and the text that has both in it.

#include "talus/core/error.hpp"
#include "talus/io/scene_file.hpp"

#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace talus {
namespace {

using support::changed;
using support::example_scene;
using support::faults_of;
using support::SceneFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string plain = R"(talus: 1
variables: {d: 0.1, mu: 0.5}
time: {step: 0.001, end: 1}
materials:
  a: {density: 1000}
pairs:
  - {between: [a, a], friction: "mu"}
bodies:
  - {name: ball, material: a, shape: {type: sphere, radius: "d"}}
)";

Scene read(const std::vector<std::string>& overrides) {
  const SceneFolder folder;
  return read_scene(folder.write("pile.yaml", plain), overrides);
}

TEST(SceneOverrides, SetVariablesAndKeys) {
  const Scene scene =
      read({"d=0.2", "time.step=2e-3", "bodies.ball.mass=4", "pairs.a-a.restitution=0.3",
            "solver.tolerance=1e-5", "solver.psor.relaxation=1.2", "gravity=[0, 0, -1]",
            "max_overlap=0.5", "variables.mu=d*3", "bodies.0.position=[1, 2, 3]", "title=a b"});
  EXPECT_EQ(std::get<Sphere>(scene.world.shapes[0]).radius, 0.2);
  EXPECT_EQ(scene.time.step, 2e-3);
  EXPECT_EQ(scene.bodies[0].mass, 4.0);
  EXPECT_EQ(scene.bodies[0].pose.position.z, 3.0);
  EXPECT_EQ(scene.world.materials.pair(0, 0).restitution, 0.3);
  EXPECT_DOUBLE_EQ(scene.world.materials.pair(0, 0).friction, 0.6);
  EXPECT_THAT(scene.solver_assignments,
              ElementsAre("solver.psor.relaxation=1.2", "solver.tolerance=1e-05"));
  EXPECT_THAT(scene.solver_places, ElementsAre("-s solver.psor.relaxation", "-s solver.tolerance"));
  EXPECT_EQ(scene.world.gravity[2].at(0.0), -1.0);
  EXPECT_EQ(scene.max_overlap, 0.5);
  EXPECT_EQ(scene.title, "a b");
}

TEST(SceneOverrides, TheLastOneCounts) {
  EXPECT_EQ(read({"time.step=2e-3", "time.step=3e-3"}).time.step, 3e-3);
}

TEST(SceneOverrides, DottedKeysOfTheSolverAreReplaced) {
  const SceneFolder folder;
  const std::string path =
      folder.write("pile.yaml", plain + "solver: {psor.relaxation: 1.1, method: psor}\n");
  EXPECT_THAT(read_scene(path, {"solver.psor.relaxation=1.3"}).solver_assignments,
              ElementsAre("solver.psor.relaxation=1.3", "solver.method=psor"));
}

TEST(SceneOverrides, UnknownOnesAreTold) {
  const auto told = [](const std::string& text) { return faults_of(plain, {text}); };
  EXPECT_THAT(told("D=1"), ElementsAre("-s D: unknown variable: known are d, mu"));
  EXPECT_THAT(told("mv=1"),
              ElementsAre("-s mv: unknown variable: did you mean mu? known are d, mu"));
  EXPECT_THAT(told("variables.mv=1"),
              ElementsAre("-s variables.mv: unknown variable: did you mean mu? known are d, mu"));
  EXPECT_THAT(told("time.stp=1"),
              ElementsAre("-s time.stp: unknown key 'stp' of time: did you mean 'step'? known are "
                          "step, longest, shortest, accuracy, end, scheme, stabilisation, "
                          "recovery_speed, bounce_speed, damping_time, restitution_law, "
                          "error_share"));
  EXPECT_THAT(told("tim.step=1"),
              ElementsAre(HasSubstr("-s tim.step: unknown key 'tim' of a scene: "
                                    "did you mean 'time'?")));
  EXPECT_THAT(told("bodies.bal.mass=1"),
              ElementsAre("-s bodies.bal.mass: no 'bal' in bodies: did you mean 'ball'? known are "
                          "ball"));
  EXPECT_THAT(told("time.step.x=1"),
              ElementsAre("-s time.step.x: step is '0.001', not a table of keys"));
  EXPECT_THAT(told("time.step=-1"),
              ElementsAre("-s time.step: step = -1 must be > 0: the length of a "
                          "time step in s"));
  EXPECT_THAT(told("d"), ElementsAre("-s d: write KEY=VALUE, such as -s d=0.002 or -s "
                                     "solver.tolerance=1e-5"));
  EXPECT_THAT(told("d="), ElementsAre("-s d: has no value: write KEY=VALUE"));
  EXPECT_THAT(told("=1"), ElementsAre(HasSubstr("write KEY=VALUE")));
  EXPECT_THAT(told("time..step=1"), ElementsAre("-s time..step: has an empty name in its path"));
  EXPECT_THAT(told("d=[1"), ElementsAre(HasSubstr("-s d: is no YAML")));
  EXPECT_THAT(told("solver.method=fast"), ElementsAre(HasSubstr("-s solver.method: method = 'fast' "
                                                                "must be one of auto, jacobi")));
}

// ---- includes
// -------------------------------------------------------------------------------------

const std::string parts = R"(talus: 1
variables: {mu: 0.1, e: 0.2}
materials:
  b: {density: 2000}
pairs:
  - {between: [b, b], friction: "mu", restitution: "e"}
  - {between: [a, b]}
bodies:
  - {name: mesh, motion: fixed, material: b, shape: {type: mesh, file: box.stl}}
)";

TEST(SceneInclude, ComesBeforeTheFilesOwnKeys) {
  const SceneFolder folder;
  folder.write("lib/parts.yaml", parts);
  folder.write("lib/box.stl", support::box_stl(1.0));
  const std::string path = folder.write("pile.yaml", plain + "include: [lib/parts.yaml]\n");
  const Scene scene = read_scene(path);
  EXPECT_EQ(scene.bodies[0].name, "mesh") << "files are named from where they are named";
  EXPECT_EQ(scene.bodies[1].name, "ball");
  EXPECT_EQ(scene.world.materials.find("b"), 0);
  EXPECT_EQ(scene.world.materials.pair(0, 0).friction, 0.5) << "the file's own variables win";
  EXPECT_EQ(read_scene(path, {"e=0.9"}).world.materials.pair(0, 0).restitution, 0.9);
}

TEST(SceneInclude, FaultsHaveThePlaceOfTheirFile) {
  const SceneFolder folder;
  folder.write("parts.yaml", "materials:\n  a: {density: 1}\ntime: {step: 1}\n");
  const std::string path = folder.write("pile.yaml", plain + "include: [parts.yaml]\n");
  try {
    read_scene(path);
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.messages().size(), 2u);
    EXPECT_THAT(error.messages()[0], HasSubstr("pile.yaml:3:8: time.step is given here and at "));
    EXPECT_THAT(error.messages()[1],
                HasSubstr("pile.yaml:5:7: materials.a.density is given here and at "));
  }
}

TEST(SceneInclude, RefusesWhatCannotBe) {
  EXPECT_THAT(faults_of(plain + "include: [pile.yaml]\n"),
              ElementsAre("pile.yaml:10:11: include: pile.yaml includes itself"));
  EXPECT_THAT(faults_of(plain + "include: [none.yaml]\n"),
              ElementsAre("pile.yaml:10:11: include: none.yaml: no such file; check the name "
                          "and the folder"));
  EXPECT_THAT(faults_of(plain + "include: none.yaml\n"),
              ElementsAre("pile.yaml:10:10: include must be a list of files, is 'none.yaml'"));
  EXPECT_THAT(faults_of(plain + "include: [[x]]\n"),
              ElementsAre("pile.yaml:10:11: include must name files, has a list"));
}

// Without a circle: files that include each other twelve times each come to 12^8 loads.
TEST(SceneFiles, ThatIncludeEachOtherManyTimesAreRefusedAtOnce) {
  const SceneFolder folder;
  for (int file = 1; file <= 9; ++file) {
    std::string list;
    for (int i = 0; i < 12; ++i)
      list += fmt::format("{}many_{}.yaml", i == 0 ? "" : ", ", file + 1);
    folder.write(fmt::format("many_{}.yaml", file), fmt::format("talus: 1\ninclude: [{}]\n", list));
  }
  folder.write("many_10.yaml", "talus: 1\n");
  try {
    read_scene((folder.path() / "many_1.yaml").string());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("would be number 257 of the files that are loaded"));
  }
}

TEST(SceneFiles, ThatAreNoneAreNamed) {
  const SceneFolder folder;
  const auto told = [](const std::string& path) -> std::string {
    try {
      read_scene(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(told("none.yaml"), "none.yaml: no such file; check the name and the folder");
  EXPECT_THAT(told(folder.path().string()), HasSubstr("is a folder; name a file in it"));
  EXPECT_THAT(told(folder.write("empty.yaml", "")),
              HasSubstr("empty.yaml:1:1: a scene file must be a table of keys, is nothing"));
  EXPECT_THAT(told(folder.write("list.yaml", "[1]")), HasSubstr("is a list"));
  EXPECT_THAT(told(folder.write("two.yaml", plain + "---\ntalus: 1\n")),
              HasSubstr("a second YAML document: a scene file has one"));
}

TEST(SceneFiles, AliasesAreWhatTheyName) {
  const SceneFolder folder;
  const std::string path = folder.write(
      "pile.yaml", changed(plain, "shape: {type: sphere, radius: \"d\"}}",
                           "shape: &s {type: sphere, radius: \"d\"}}\n  - {name: two, material: a, "
                           "shape: *s, position: [1, 0, 0]}"));
  EXPECT_EQ(std::get<Sphere>(read_scene(path).world.shapes[1]).radius, 0.1);
  EXPECT_THAT(faults_of(plain + "events: &e [*e]\n"),
              ElementsAre("pile.yaml:10:13: an alias cannot stand inside of what it names"));
}

TEST(SceneFiles, AliasesThatMultiplyAreStopped) {
  std::string text = "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*x" + std::to_string(i - 1);
    std::string line = "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) line += ", " + before;
    text += line + "]\n";
  }
  EXPECT_THAT(faults_of(text),
              ElementsAre(HasSubstr("more values than a scene can have: aliases multiply")));
}

TEST(SceneFiles, DeepNestingIsStopped) {
  EXPECT_THAT(faults_of("x: " + std::string(100, '[') + std::string(100, ']') + "\n"),
              ElementsAre(HasSubstr("nested deeper than 32 levels")));
}

// ---- the resolved text
// ----------------------------------------------------------------------------

TEST(ResolvedScene, ReadsBackToTheSameFromAnywhere) {
  const SceneFolder folder, elsewhere;
  folder.write("lib/parts.yaml", parts);
  folder.write("lib/box.stl", support::box_stl(1.0));
  const std::string path = folder.write("pile.yaml", plain + "include: [lib/parts.yaml]\n");
  const std::vector<std::string> overrides{"d=0.3", "solver.psor.relaxation=1.2",
                                           "bodies.ball.mass=5"};
  const std::string text = resolved_scene(path, overrides);
  const std::string copy = elsewhere.write("scene.yaml", text);
  EXPECT_EQ(resolved_scene(copy), text);
  const Scene scene = read_scene(copy);
  EXPECT_EQ(scene.bodies[1].mass, 5.0);
  EXPECT_EQ(std::get<Sphere>(scene.world.shapes[1]).radius, 0.3);
  EXPECT_THAT(scene.solver_assignments, ElementsAre("solver.psor.relaxation=1.2"));
  EXPECT_THAT(text, HasSubstr((folder.path() / "lib/box.stl").string()));
  EXPECT_THAT(text, HasSubstr("mu: 0.5"));
}

TEST(ResolvedScene, OfTheExampleIsTheSameScene) {
  const SceneFolder folder;
  const std::string path = folder.write("dam.yaml", example_scene());
  const std::string copy = folder.write("copy/scene.yaml", resolved_scene(path, {"rpm=20"}));
  const Scene scene = read_scene(copy), wanted = read_scene(path, {"rpm=20"});
  EXPECT_EQ(scene.solver_assignments, wanted.solver_assignments);
  EXPECT_EQ(scene.world.groups, wanted.world.groups);
  EXPECT_EQ(scene.world.joints[0].angle_motor.value.at(0.3),
            wanted.world.joints[0].angle_motor.value.at(0.3));
  EXPECT_EQ(scene.generators[0].sizes.low, wanted.generators[0].sizes.low);
  EXPECT_EQ(scene.notes.size(), wanted.notes.size());
}

TEST(ResolvedScene, KeepsTextsThatLookLikeSomethingElse) {
  const SceneFolder folder;
  const std::string path = folder.write("pile.yaml", plain + "title: \"a: b # \\\"c\\\" \\n {\"\n");
  const std::string copy = folder.write("scene.yaml", resolved_scene(path));
  EXPECT_EQ(read_scene(copy).title, "a: b # \"c\" \n {");
}

}  // namespace
}  // namespace talus
