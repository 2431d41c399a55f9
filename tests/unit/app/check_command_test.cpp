// talus check as a user sees it: what a run would refuse, and what it would cost.

#include "talus/io/scene_file.hpp"

#include "support/on_many_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* scene = R"yaml(talus: 1
title: a heap
variables: {mu: 0.5, e: 0.1, fill: 0.2, m: 2.0, h: 0.001, z: 0.0}
time: {step: "h", end: 1}
gravity: [0, 0, -9.81]
domain: {min: [-1, -1, -1], max: [1, 1, 2]}
materials: {stone: {density: 1000}, steel: {density: 7800}}
pairs:
  - {between: [stone, stone], friction: "mu", restitution: "e"}
  - {between: [stone, steel], friction: 0.3}
bodies:
  - {name: floor, motion: fixed, material: steel, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: weight, motion: dynamic, material: stone, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0.8, 0, "0.05 + z"], mass: "m"}
generators:
  - {name: heap, type: random, material: stone, region: {type: box, min: [-0.3, -0.3, 0], max: [0.3, 0.3, 0.3]}, shape: {type: sphere, diameter: 0.06}, solid_fraction: "fill", seed: 3}
)yaml";

struct Check {
  Workplace place;
  explicit Check(const std::string& text = scene) { place.write("s.yaml", text); }
  ProgramRun with(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"check", "s.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return place.run(words);
  }
};

TEST(CheckCommand, TellsWhatThereIsAndWhatItCosts) {
  const Check check;
  const ProgramRun run = check.with({"--ranks", "4", "--threads", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("s.yaml: a heap"), HasSubstr("1 floor, "),
                             HasSubstr(" heap, 1 weight"),
                             HasSubstr("pair        stone - steel: friction 0.3, restitution 0"),
                             HasSubstr("generator   heap: "), HasSubstr("of 0.2000 wanted"),
                             HasSubstr("1000 steps of 0.001 s to t = 1 s"),
                             HasSubstr("MB per rank"), HasSubstr("on 4 ranks of 1 threads")));
  EXPECT_THAT(check.place.files(), ElementsAre("s.yaml")) << "nothing is written";
}

TEST(CheckCommand, TellsOfAPairWhatIsNotZero) {
  std::string text(scene);
  const std::string rigid = "between: [stone, stone], friction: \"mu\", restitution: \"e\"";
  text.replace(text.find(rigid), rigid.size(),
               "between: [stone, stone], friction: 0.2, compliance: 1e-6, damping_time: 2e-6, "
               "cohesion: 0.5, rolling_radius: 1e-4");
  const ProgramRun run = Check(text).with({});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("stone - stone: friction 0.2, restitution 0, rolling radius "
                                 "0.0001 m, cohesion 0.5 N, compliance 1e-06 m/N, damping time "
                                 "2e-06 s\n"));
}

TEST(CheckCommand, OfManyNamedBodiesTheLargestGroupsAreListed) {
  std::string many(scene);
  const std::size_t generators = many.find("generators:");
  std::string bodies;
  for (int i = 0; i < 20; ++i)
    bodies += "  - {name: link" + std::to_string(i) +
              ", material: stone, shape: {type: sphere, radius: 0.02}, position: [0.6, " +
              std::to_string(0.04 * i - 0.4) + ", 0.5]}\n";
  const Check check(many.insert(generators, bodies));
  const ProgramRun run = check.with({});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // 23 groups: the heap, and seven of one body in the order of their names
  EXPECT_THAT(run.out, AllOf(HasSubstr(" heap, 1 floor, 1 link0, 1 link1, 1 link10, 1 link11, 1 "
                                       "link12, 1 link13 and 15 in 15 more groups (--json lists "
                                       "all)\njoints ")));
  EXPECT_EQ(json::parse(check.with({"--json"}).out)["groups"]["link19"], 1);
}

TEST(CheckCommand, JsonParsesAndHasTheSame) {
  const Check check;
  const ProgramRun run = check.with({"--json", "-s", "mu=0.25"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json found = json::parse(run.out);
  EXPECT_EQ(found["valid"], true);
  EXPECT_EQ(found["steps"], 1000);
  EXPECT_EQ(found["pairs"][0]["friction"], 0.25);
  EXPECT_EQ(found["generators"][0]["name"], "heap");
  EXPECT_NEAR(found["generators"][0]["solid_fraction"], 0.2, 0.002);
  EXPECT_EQ(found["bodies"], found["generators"][0]["count"].get<int>() +
                                 found["groups"]["floor"].get<int>() +
                                 found["groups"]["weight"].get<int>());
  EXPECT_GT(found["estimate"]["seconds"], 0.0);
  EXPECT_EQ(found["measure"], "natural_local");
  EXPECT_NEAR(found["tolerance"], 0.04 * 9.81e-3, 1e-12);
  EXPECT_THAT(found["tolerance_reason"], HasSubstr("9.81 by gravity"));
  EXPECT_THAT(found["warnings"], IsEmpty());
}

TEST(CheckCommand, PrintsTheSchema) {
  const Workplace place;
  const ProgramRun run = place.run({"check", "--schema"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, scene_schema());
  EXPECT_TRUE(json::accept(run.out));
}

TEST(CheckCommand, AllFaultsAtOnceWithTheirPlaces) {
  const Check check;
  const ProgramRun run = check.with({"-s", "mu=-0.5", "-s", "e=1.5", "-s", "m=0", "-s", "fill=1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, AllOf(HasSubstr("s.yaml:9:41: friction = -0.5 ('mu') must be >= 0: "),
                             HasSubstr("s.yaml:9:60: restitution = 1.5 ('e') must lie in [0, 1]: "),
                             HasSubstr("s.yaml:13:135: mass = 0 ('m') must be > 0: "),
                             HasSubstr("solid_fraction = 1 ('fill') must lie in (0, 1)"),
                             HasSubstr("bodies cannot fill a region")));
}

TEST(CheckCommand, BadNumbersAreTold) {
  const Check check;
  EXPECT_THAT(check.with({"-s", "m=-3"}).err, HasSubstr("mass = -3 ('m') must be > 0"));
  EXPECT_THAT(check.with({"-s", "m=1/0"}).err, HasSubstr("finite"));
  EXPECT_THAT(check.with({"-s", "h=0"}).err, HasSubstr("step = 0 ('h') must be > 0"));
  EXPECT_THAT(check.with({"-s", "fill=0.8"}).err, HasSubstr("must find random places"));
  EXPECT_THAT(check.with({"-s", "z=-0.02"}).err, HasSubstr("overlap at the start"));
  EXPECT_THAT(check.with({"-s", "z=5"}).err, HasSubstr("outside the domain at the start"));
  EXPECT_THAT(check.with({"--ranks", "0"}).err, HasSubstr("--ranks = 0 must be 1 or more"));
  EXPECT_THAT(check.place.run({"check"}).err,
              HasSubstr("give a scene file: talus check SCENE.yaml"));
}

TEST(CheckCommand, AStepThatLetsBodiesThroughWallsIsAWarning) {
  const Check check;
  const ProgramRun run = check.with({"-s", "h=0.02"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("warning: time.step = 0.02 s: a fall through the domain"),
                             HasSubstr("a step below 0.0078 s would not let it")));
}

TEST(CheckCommand, EventsOfWhatIsNotThereAreRefused) {
  const std::string with_events = std::string(scene) +
                                  R"yaml(events:
  - {at: 0.1, type: remove, target: hep}
  - {at: 0.2, type: switch, target: heap, on: false}
  - {at: 0.3, type: release, target: floor}
  - {when: "contacts > nothing", type: fix, target: weight}
)yaml";
  const Check check(with_events);
  const ProgramRun run = check.with({});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(
      run.err,
      AllOf(HasSubstr("s.yaml:17:37: target = 'hep' is no body, group or generator: did you "
                      "mean 'heap'?"),
            HasSubstr("s.yaml:18:37: target = 'heap' cannot be switched"),
            HasSubstr("s.yaml:19:38: target = 'floor' is a plane"), HasSubstr("s.yaml:20:12: "),
            HasSubstr("nothing")));
}

TEST(CheckCommand, RanksSpeakWithOneVoice) {
  const Check check;
  const ProgramRun run = support::run_on_ranks(check.place, 2, "check s.yaml --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(json::accept(run.out));
}

}  // namespace
}  // namespace talus
