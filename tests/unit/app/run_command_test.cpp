// talus run as a user sees it.

#include "talus/io/state_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* scene = R"yaml(
talus: 1
title: three boxes
variables: {mu: 0.5, n: 0.2}
time: {step: 0.01, end: "n"}
gravity: [0, 0, -9.81]
domain: {min: [-1, -1, -1], max: [1, 1, 1], outside: remove}
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: "mu"}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: box, size: [1, 1, 0.1]}, position: [0, 0, -0.05]}
  - {name: low, motion: dynamic, material: stone, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}
  - {name: high, motion: dynamic, material: stone, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0, 0, 0.3]}
events: [{at: 0.1, type: remove, target: high}]
solver: {tolerance: 1.0e-6}
output: {log: {every: 0.05, columns: [step, energy, bodies]}}
)yaml";

json report_in(const Workplace& place, const std::string& folder) {
  return json::parse(place.read(folder + "/report.json"));
}

std::string hash_of(const Workplace& place, const std::string& folder) {
  return report_in(place, folder)["trajectory_hash"];
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(RunCommand, LeavesItsFolder) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--threads", "2"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("s.yaml: 2 bodies"),
                             HasSubstr("hash        " + hash_of(place, "out"))));
  const json report = report_in(place, "out");
  for (const char* key : {"scene",        "title",      "status",       "reason",
                          "step",         "time",       "time_step",    "steps_of_this_run",
                          "bodies",       "inserted",   "removed",      "joints",
                          "contacts",     "law",        "method",       "tolerance",
                          "error",        "iterations", "overlap",      "energy",
                          "momentum",     "generators", "joint_states", "searches",
                          "seconds",      "ranks",      "threads",      "trajectory_hash",
                          "reproducible", "versions"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["status"], "finished");
  EXPECT_EQ(report["title"], "three boxes");
  EXPECT_EQ(report["step"], 20);
  EXPECT_EQ(report["bodies"], 2);
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(report["threads"], 2);
  EXPECT_EQ(report["error"]["unconverged_steps"], 0);
  EXPECT_LE(report["error"]["worst"], 1e-6);
  EXPECT_EQ(report["trajectory_hash"].get<std::string>().size(), 16U);
  EXPECT_THAT(lines_of(place.read("out/log.csv")),
              ElementsAre("step,energy,bodies", StartsWith("5,"), StartsWith("10,"),
                          AllOf(StartsWith("15,"), EndsWith(",2")), StartsWith("20,")));
  const auto removed = lines_of(place.read("out/removed.csv"));
  ASSERT_EQ(removed.size(), 2U);
  EXPECT_EQ(removed[0], "id,group,step,x,y,z,vx,vy,vz");
  EXPECT_THAT(removed[1], StartsWith("2,high,11,"));
  const SavedState state = read_state(place.path("out/state.h5").string());
  EXPECT_EQ(state.bodies.size(), 2U);
  EXPECT_EQ(state.step, 20);
}

TEST(RunCommand, EndsWithAPageThatCanBeTurnedOff) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = place.run({"run", "s.yaml", "--output", "a", "--quiet"});
  const ProgramRun none = place.run({"run", "s.yaml", "--output", "b", "--no-report"});

  EXPECT_THAT(run.out, HasSubstr("report      a/report.html, made in "));
  EXPECT_THAT(run.err, IsEmpty());
  const std::string page = place.read("a/report.html");
  for (const char* part : {"<h1>three boxes</h1>", "data:image/png;base64,", "0 of 20 steps above",
                           "2 dynamic, 1 fixed; 3 boxes", "<svg"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_FALSE(place.has("b/report.html"));
  EXPECT_THAT(none.out, Not(HasSubstr("report.html")));
  EXPECT_EQ(hash_of(place, "a"), hash_of(place, "b"));
}

TEST(RunCommand, APageThatCannotBeMadeIsNoFailure) {
  const Workplace place;
  place.write("s.yaml", scene);
  std::filesystem::create_directories(place.path("out/report.html"));  // in its place
  place.write("out/report.html/mine", "mine");

  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--overwrite"});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("warning: there is no report.html: "),
                             HasSubstr("talus plot out makes it")));
  EXPECT_TRUE(place.has("out/report.json"));
  EXPECT_EQ(place.read("out/report.html/mine"), "mine");
}

TEST(RunCommand, AnEarlierRunsPicturesAreReplacedToo) {
  const Workplace place;
  place.write("s.yaml", scene);
  std::filesystem::create_directories(place.path("out/plots"));
  for (const char* name : {"out/report.html", "out/plots/energy.png", "out/plots/mine.png"})
    place.write(name, "older");

  EXPECT_EQ(place.run({"run", "s.yaml", "--output", "out", "--overwrite", "--no-report"}).exit_code,
            0);

  EXPECT_FALSE(place.has("out/report.html"));
  EXPECT_FALSE(place.has("out/plots/energy.png"));
  EXPECT_EQ(place.read("out/plots/mine.png"), "older") << "what is not of a run stays";
}

TEST(RunCommand, TheResolvedSceneGivesTheSameRun) {
  const Workplace place;
  place.write("s.yaml", scene);
  EXPECT_EQ(place
                .run({"run", "s.yaml", "--output", "a", "-s", "mu=0.1", "-s",
                      "bodies.low.position=[0.1, 0, 0.12]", "--apgd.restart", "false"})
                .exit_code,
            0);
  EXPECT_EQ(place.run({"run", "a/scene.yaml", "--output", "b"}).exit_code, 0);
  EXPECT_EQ(place.run({"run", "s.yaml", "--output", "c"}).exit_code, 0);
  EXPECT_EQ(hash_of(place, "a"), hash_of(place, "b"));
  EXPECT_NE(hash_of(place, "a"), hash_of(place, "c"));
  EXPECT_THAT(place.read("a/scene.yaml"), AllOf(HasSubstr("restart"), HasSubstr("mu")));
}

TEST(RunCommand, StepsAndTimesCountFromTheStart) {
  const Workplace place;
  place.write("s.yaml", scene);
  place.run({"run", "s.yaml", "--output", "a", "--steps", "7"});
  place.run({"run", "s.yaml", "--output", "b", "--until", "0.07"});
  place.run({"run", "s.yaml", "--output", "c", "--until", "0.065"});
  place.run({"run", "s.yaml", "--output", "d", "--steps", "0"});
  EXPECT_EQ(report_in(place, "a")["step"], 7);
  EXPECT_EQ(report_in(place, "c")["step"], 7) << "until at least then";
  EXPECT_EQ(hash_of(place, "a"), hash_of(place, "b"));
  EXPECT_EQ(report_in(place, "d")["step"], 0);
  EXPECT_FALSE(place.has("a/removed.csv")) << "none was";
}

TEST(RunCommand, StepsAboveTheToleranceAreToldByTheExitCode) {
  const Workplace place;
  place.write("s.yaml", scene);
  const std::vector<std::string> words{
      "run", "s.yaml", "-s", "solver.max_iterations=1", "-s", "solver.tolerance=1e-12", "--output"};
  auto goes_on = words, stops = words;
  goes_on.push_back("a");
  stops.insert(stops.end(), {"b", "-s", "solver.unconverged=stop"});
  EXPECT_EQ(place.run(goes_on).exit_code, 1);
  EXPECT_GE(report_in(place, "a")["error"]["unconverged_steps"], 1);
  const ProgramRun run = place.run(stops);
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("raise solver.max_iterations"));
  EXPECT_EQ(report_in(place, "b")["error"]["unconverged_steps"], 1);
}

TEST(RunCommand, ALostBodyEndsItWithAReport) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "-s", "domain.outside=stop",
                                    "-s", "bodies.high.velocity=[20, 0, 0]"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, AllOf(HasSubstr("left the domain: body 2 (high), position (1.2"),
                             HasSubstr("contacts")));
  const json report = report_in(place, "out");
  EXPECT_EQ(report["status"], "failed");
  EXPECT_THAT(report["reason"], HasSubstr("body 2 (high)"));
  EXPECT_EQ(report["steps_of_this_run"], report["step"]);
  EXPECT_EQ(report["verdict"]["holds"], false);
  EXPECT_EQ(report["verdict"]["worst"], "end");
  EXPECT_EQ(read_state(place.path("out/state.h5").string()).step, report["step"]);
}

TEST(RunCommand, WhatIsRemovedInTheLastStepIsListedOnce) {
  const Workplace place;
  place.write("s.yaml", scene);

  place.run({"run", "s.yaml", "--output", "out", "--steps", "11"});

  EXPECT_THAT(lines_of(place.read("out/removed.csv")),
              ElementsAre(StartsWith("id,"), StartsWith("2,high,11,")));
  EXPECT_EQ(json::parse(lines_of(place.read("out/run.jsonl")).back())["removed"], 1);
}

TEST(RunCommand, WhateverGoesWrongInAStepThereIsAReportAndAState) {
  const Workplace place;
  place.write("s.yaml", scene);
  // where the list of removed bodies shall go, a folder is in the way: seen at the event of step 11
  std::filesystem::create_directories(place.path("out/removed.csv/in_the_way"));
  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--overwrite"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("removed.csv: cannot be created: Is a directory"));
  const json report = report_in(place, "out");
  EXPECT_EQ(report["status"], "failed");
  EXPECT_THAT(std::string(report["reason"]), HasSubstr("removed.csv"));
  EXPECT_EQ(report["step"], 11);
  const SavedState state = read_state(place.path("out/state.h5").string());
  EXPECT_EQ(state.bodies.size(), 2u) << "floor and low";
}

TEST(RunCommand, AnInterruptLeavesAllFiles) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run = place.run_and_signal(
      {"run", "s.yaml", "--output", "out", "--steps", "1000000000", "--verbose"}, " of 1000000000",
      {SIGINT});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("stopped after step "));
  const json report = report_in(place, "out");
  EXPECT_EQ(report["status"], "interrupted");
  EXPECT_EQ(read_state(place.path("out/state.h5").string()).step, report["step"]);
}

TEST(RunCommand, AFullFolderIsKeptUnlessOverwritten) {
  const Workplace place;
  place.write("s.yaml", scene);
  EXPECT_EQ(place.run({"run", "s.yaml", "--output", "out"}).exit_code, 0);
  place.write("out/mine.txt", "mine");
  const std::string before = place.read("out/report.json");

  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--steps", "3"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err,
              HasSubstr("--output out: is not empty; give another folder, or --overwrite"));
  EXPECT_EQ(place.read("out/report.json"), before);
  EXPECT_EQ(
      place.run({"run", "s.yaml", "--output", "out", "--steps", "3", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(report_in(place, "out")["step"], 3);
  EXPECT_EQ(place.read("out/mine.txt"), "mine");
  EXPECT_FALSE(place.has("out/removed.csv")) << "of the run before";
}

TEST(RunCommand, DoesNotReplaceWhatItReads) {
  const Workplace place;
  const auto expect_refused = [&](const std::vector<std::string>& words, const std::string& file) {
    const std::string before = place.read(file);
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(file), HasSubstr("is what this run reads"),
                               HasSubstr("give another folder")));
    EXPECT_EQ(place.read(file), before);
  };
  std::filesystem::create_directories(place.path("mine"));
  place.write("mine/scene.yaml", scene);
  expect_refused({"run", "mine/scene.yaml", "--output", "mine", "--overwrite", "--steps", "1"},
                 "mine/scene.yaml");
  // its own text in its own folder loses nothing
  place.write("s.yaml", scene);
  ASSERT_EQ(place.run({"run", "s.yaml", "--output", "out", "--steps", "1"}).exit_code, 0);
  const std::vector<std::string> again{"run",         "out/scene.yaml", "--output", "out",
                                       "--overwrite", "--steps",        "2"};
  EXPECT_EQ(place.run(again).exit_code, 0);
  EXPECT_EQ(report_in(place, "out")["step"], 2);
  std::vector<std::string> changed = again;
  changed.insert(changed.end(), {"-s", "mu=0.1"});
  expect_refused(changed, "out/scene.yaml");
  const std::string imports = R"yaml(
talus: 1
time: {step: 0.01, end: 0.1}
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
generators: [{name: old, type: import, file: out/state.h5, material: stone}]
)yaml";
  place.write("i.yaml", imports);
  expect_refused({"run", "i.yaml", "--output", "out", "--overwrite"}, "out/state.h5");
}

TEST(RunCommand, ASpringThatLetsABodyThroughIsAnOverlap) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run =
      place.run({"run", "s.yaml", "--output", "out", "-s", "n=0.4", "-s",
                 "pairs=[{between: [stone, stone], friction: 0.5, compliance: 1.0e-2}]"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_GT(report_in(place, "out")["verdict"]["checks"]["overlap"]["share_of_limit"], 1.0);
}

TEST(RunCommand, TellsOfMethodsThatDoNotSolveContacts) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run = place.run({"check", "s.yaml", "-s", "solver.method=minres"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("solver.method = minres solves joints alone"));
}

TEST(RunCommand, BadInputLeavesNothingAndTellsAllFaults) {
  const Workplace place;
  place.write("s.yaml", scene);
  place.write("file", "");
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(place.files(), ElementsAre("file", "s.yaml"));
    return run.err;
  };
  EXPECT_THAT(refused({}),
              AllOf(HasSubstr("give a scene file"), HasSubstr("--output DIR is missing")));
  EXPECT_THAT(refused({"none.yaml", "--output", "out"}), HasSubstr("none.yaml"));
  EXPECT_THAT(refused({"s.yaml", "--output", "file"}), HasSubstr("--output file: is a file"));
  EXPECT_THAT(refused({"s.yaml", "--output", "a/b"}), HasSubstr("is not there; make it first"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "--steps", "3", "--until", "1"}),
              HasSubstr("--steps and --until: give one of them"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "--steps", "-3"}),
              HasSubstr("--steps = -3 must be 0 or more"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "--until", "nan"}),
              HasSubstr("--until = nan s must be 0 or more"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "--steps", "x"}),
              HasSubstr("--steps = 'x' is not a whole number"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "-s", "mu=-0.5", "-s", "bodies.low.mass=0"}),
              AllOf(HasSubstr("friction = -0.5"), HasSubstr("mass = 0")));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "-s", "bodies.low.position=[0, 0, 0.05]"}),
              HasSubstr("overlap at the start by more than max_overlap = 0.01"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "-s", "solver.aplgd=1"}), HasSubstr("aplgd"));
  EXPECT_THAT(refused({"s.yaml", "--output", "out", "-s", "solver.apgd.shrink=3"}),
              HasSubstr("shrink = 3"));
}

TEST(RunCommand, CandidatesAndThreadsGiveOneHash) {
  const Workplace place;
  place.write("s.yaml", scene);
  std::vector<std::string> hashes;
  for (const std::string threads : {"1", "2", "4"}) {
    const ProgramRun run = place.run({"run", "s.yaml", "--output", "out" + threads, "--threads",
                                      threads, "-s", "solver.candidates=[apgd, pspgfb]"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    hashes.push_back(hash_of(place, "out" + threads));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

// A log of every instant was counted up instant by instant: the run never came to its second step.
TEST(RunCommand, ALogMoreOftenThanStepsHasALineForEach) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run = place.run(
      {"run", "s.yaml", "--output", "out", "--steps", "3", "-s", "output.log.every=1e-20"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(lines_of(place.read("out/log.csv")).size(), 4U);
}

// It became a number of steps below zero, and the run was finished before it began.
TEST(RunCommand, RefusesMoreStepsThanCanBeCounted) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--until", "1e300"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("s.yaml: 1e+300 s until the end are more steps of 0.01 s than can "
                                 "be counted: take a larger time.step or an earlier --until"));
}

}  // namespace
}  // namespace talus
