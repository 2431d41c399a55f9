// talus run --resume in its folder, where not all is as the run has left it.

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Ten steps of twenty, with checkpoints at five and ten.
class Resume : public testing::Test {
 protected:
  Resume() {
    place_.write("s.yaml", R"(talus: 1
time: {step: 0.01, end: 0.2}
gravity: [0, 0, -10]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: ball, motion: dynamic, material: stone, shape: {type: sphere, radius: 0.05}, position: [0, 0, 0.06]}
checkpoint: {every: 0.05, keep: 2}
output: {log: {every: 0.01, columns: [step, time]}, paraview: {every: 0.02}}
)");
    const ProgramRun run =
        place_.run({"run", "s.yaml", "--output", "out", "--steps", "10", "--quiet"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }

  void lose_the_newest() const {
    std::filesystem::remove(place_.path("out/checkpoints/checkpoint_000000010.h5"));
  }
  ProgramRun go_on() const { return place_.run({"run", "--resume", "out"}); }
  json report() const { return json::parse(place_.read("out/report.json")); }

  Workplace place_;
};

TEST_F(Resume, EndsWhereTheRunWasToEnd) {
  const json whole = report();
  lose_the_newest();

  const ProgramRun run = go_on();

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(report()["step"], 10);
  EXPECT_EQ(report()["trajectory_hash"], whole["trajectory_hash"]);
  EXPECT_EQ(report()["steps"], 10);
  EXPECT_EQ(report()["steps_of_this_run"], 5);
}

TEST_F(Resume, LeavesTheFolderOfARunThatIsAtItsEnd) {
  const std::string before = place_.read("out/report.json");

  const ProgramRun run = go_on();

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("is of the last step already: --until T or --steps N"));
  EXPECT_EQ(place_.read("out/report.json"), before);
  EXPECT_EQ(place_.run({"run", "--resume", "out", "--until", "0.15", "--quiet"}).exit_code, 0);
  EXPECT_EQ(report()["step"], 15);
}

TEST_F(Resume, RefusesAnEndThatHasPassed) {
  const ProgramRun run = place_.run({"run", "--resume", "out", "--steps", "7"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("is of step 10, t = 0.1 s, after the end at step 7"));
}

TEST_F(Resume, MayChangeTheLaw) {
  const ProgramRun run =
      place_.run({"run", "--resume", "out", "--until", "0.15", "-s", "solver.law=associated"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("law         associated"));
}

TEST_F(Resume, GivesATableThatHasLostItsLinesAHeaderAgain) {
  lose_the_newest();
  place_.write("out/log.csv", "");

  EXPECT_EQ(go_on().exit_code, 0);

  EXPECT_THAT(place_.read("out/log.csv"), StartsWith("step,time\n6,"));
}

TEST_F(Resume, GoesOnBesideADamagedListOfFrames) {
  lose_the_newest();
  place_.write("out/paraview/run.pvd", "<?xml");

  const ProgramRun run = go_on();

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("run.pvd: is not whole: frames up to now are still there"));
  EXPECT_THAT(place_.read("out/paraview/run.pvd"),
              AllOf(HasSubstr("bodies_000000008.vtp"), Not(HasSubstr("bodies_000000004.vtp"))));
  EXPECT_TRUE(place_.has("out/paraview/bodies_000000004.vtp"));
}

TEST_F(Resume, SaysInTheSceneWhatWasChanged) {
  lose_the_newest();

  EXPECT_EQ(place_.run({"run", "--resume", "out", "-s", "solver.tolerance=1e-7"}).exit_code, 0);

  EXPECT_THAT(place_.read("out/scene.yaml"),
              HasSubstr("# from step 6 on, by --resume: -s solver.tolerance=1e-7\n"));
  EXPECT_EQ(report()["tolerance"], 1e-7);
  // it is still a scene
  EXPECT_EQ(place_.run({"check", "out/scene.yaml"}).exit_code, 0);
}

}  // namespace
}  // namespace talus
