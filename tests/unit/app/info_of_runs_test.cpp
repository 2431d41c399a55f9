// talus info of what runs leave.

#include "support/run_program.hpp"

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

/// Two balls of 0.1 m on their way down and a hinge in the air, after 10 steps of 20.
void run_a_little(const Workplace& place) {
  place.write("s.yaml", R"(talus: 1
title: two balls
time: {step: 0.01, end: 0.2}
gravity: [0, 0, -10]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: left, motion: dynamic, material: stone, mass: 2, shape: {type: sphere, radius: 0.05}, position: [0, 0, 3]}
  - {name: right, motion: dynamic, material: stone, mass: 3, shape: {type: sphere, radius: 0.05}, position: [1, 0, 4]}
joints:
  - {name: rod, type: distance, between: [left, right], position: [0, 0, 3], second_position: [1, 0, 4]}
events:
  - {at: 0.15, type: remove, target: left}
checkpoint: {every: 0.05, keep: 2}
)");
  const ProgramRun run =
      place.run({"run", "s.yaml", "--output", "out", "--steps", "10", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

json info_of(const Workplace& place, const std::string& path) {
  const ProgramRun run = place.run({"info", path, "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(run.out);
}

TEST(InfoOfRuns, AStateSaysWhatIsWhere) {
  const Workplace place;
  run_a_little(place);

  const json info = info_of(place, "out/state.h5");

  EXPECT_EQ(info["format"], "state");
  EXPECT_EQ(info["step"], 10);
  EXPECT_DOUBLE_EQ(info["time_s"], 0.1);
  EXPECT_EQ(info["bodies"], 3);
  EXPECT_THAT(info["motions"], ElementsAre("2 dynamic", "1 fixed"));
  EXPECT_THAT(info["shapes"], ElementsAre("1 plane", "2 sphere"));
  EXPECT_DOUBLE_EQ(info["mass_kg"], 5.0);
  EXPECT_NEAR(info["largest_speed_m_s"], 1.0, 1e-9);
  EXPECT_NEAR(info["highest_centre_m"][2].get<double>(), 4.0 - 0.055, 1e-9);
}

TEST(InfoOfRuns, ACheckpointSaysWhatGoesOnFromIt) {
  const Workplace place;
  run_a_little(place);

  const json info = info_of(place, "out/checkpoints/checkpoint_000000010.h5");

  EXPECT_EQ(info["format"], "checkpoint");
  EXPECT_EQ(info["title"], "two balls");
  EXPECT_EQ(info["step"], 10);
  EXPECT_EQ(info["end_s"], 0.2);
  EXPECT_EQ(info["joints"], 1);
  EXPECT_EQ(info["events_left"], 1);
}

TEST(InfoOfRuns, AFolderSaysWhichCheckpointsAreGood) {
  const Workplace place;
  run_a_little(place);
  const std::string newest = "out/checkpoints/checkpoint_000000010.h5";
  std::string bytes = place.read(newest);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] + 1);
  place.write(newest, bytes);

  const json info = info_of(place, "out");

  EXPECT_EQ(info["status"], "finished");
  EXPECT_EQ(info["step"], 10);
  ASSERT_EQ(info["checkpoints"].size(), 2U);
  EXPECT_THAT(info["checkpoints"][0], AllOf(HasSubstr("000000010"), HasSubstr("is damaged")));
  EXPECT_EQ(info["checkpoints"][1], "checkpoint_000000005.h5 (good)");
  EXPECT_EQ(info["state"], "state.h5 (good)");
  EXPECT_EQ(place.run({"info", newest}).exit_code, 2);
}

TEST(InfoOfRuns, AFolderSaysThatItsStateIsDamaged) {
  const Workplace place;
  run_a_little(place);
  place.write("out/state.h5", place.read("out/state.h5").substr(0, 3000));

  const json info = info_of(place, "out");

  EXPECT_THAT(info["state"].get<std::string>(), testing::StartsWith("state.h5 ("));
  EXPECT_NE(info["state"], "state.h5 (good)");
}

}  // namespace
}  // namespace talus
