// What talus run leaves while it runs: records, warnings, monitors. Frames and snapshots are read
// by tests/output.

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* scene = R"yaml(
talus: 1
time: {step: 0.01, end: 0.2}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: low, motion: dynamic, material: stone, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}
  - {name: high, motion: dynamic, material: stone, shape: {type: sphere, radius: 0.05}, position: [0, 0, 0.3]}
solver: {tolerance: 1.0e-6}
)yaml";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<json> records_in(const Workplace& place, const std::string& folder) {
  std::vector<json> records;
  for (const std::string& line : lines_of(place.read(folder + "/run.jsonl")))
    records.push_back(json::parse(line));
  return records;
}

TEST(RunOutput, ARecordPerReportedStepAndOneForTheLast) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--steps", "13", "-s",
                                    "output={log: {every: 0.05, columns: [step, kinetic]}}"});
  ASSERT_EQ(run.exit_code, 0) << run.err;

  const std::vector<json> records = records_in(place, "out");

  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0]["step"], 5);
  EXPECT_EQ(records[1]["step"], 10);
  EXPECT_EQ(records[2]["step"], 13) << "the last";
  const json report = json::parse(place.read("out/report.json"));
  const json& last = records[2];
  EXPECT_EQ(last["time"], report["time"]);
  EXPECT_EQ(last["bodies"], 3);
  EXPECT_EQ(last["contacts"], report["contacts"]["last"]);
  EXPECT_DOUBLE_EQ(last["energy"]["kinetic"], report["energy"]["kinetic"]);
  EXPECT_DOUBLE_EQ(last["energy"]["potential"], report["energy"]["potential"]);
  EXPECT_LE(last["error"], report["error"]["worst"]);
  EXPECT_LE(last["impulse_error"], report["impulse_error"]["worst"]);
  EXPECT_EQ(last["energy_ledger"], report["energy_ledger"]);
  EXPECT_EQ(last["energy_ledger"]["steps"], 13);
  EXPECT_GT(last["seconds"]["solve"], 0.0);
  EXPECT_GE(last["wall_seconds"], records[0]["wall_seconds"]);
  EXPECT_THAT(last["warnings"], IsEmpty());
  std::vector<std::string> keys;
  for (const auto& [key, value] : last.items()) keys.push_back(key);
  EXPECT_THAT(
      keys, ElementsAre("bodies", "contacts", "energy", "energy_error", "energy_ledger", "error",
                        "impulse_error", "inserted", "iterations", "joint_angle", "joint_gap",
                        "joint_gap_percent", "joint_rows", "largest_error", "largest_impulse_error",
                        "less_restitution", "method", "penetration", "penetration_percent",
                        "products", "removed", "searched", "seconds", "solves", "status", "step",
                        "step_angle", "time", "time_error", "time_step", "wall_seconds",
                        "warm_started", "warnings", "warnings_held_back"));
  const std::vector<std::string> log = lines_of(place.read("out/log.csv"));
  ASSERT_EQ(log.size(), 3U) << "only at its times";
  EXPECT_EQ(log[0], "step,kinetic");
}

TEST(RunOutput, WithoutItsEnergyLedgerTheRunIsTheSame) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun with = place.run({"run", "s.yaml", "--output", "with"});
  const ProgramRun without =
      place.run({"run", "s.yaml", "--output", "without", "-s", "output={energy_ledger: false}"});
  ASSERT_EQ(without.exit_code, 0) << without.err;

  const json report = json::parse(place.read("without/report.json"));

  EXPECT_TRUE(report["energy_ledger"].is_null());
  EXPECT_TRUE(records_in(place, "without").back()["energy_ledger"].is_null());
  EXPECT_EQ(report["trajectory_hash"],
            json::parse(place.read("with/report.json"))["trajectory_hash"]);
  EXPECT_THAT(with.out, HasSubstr("  energy in    "));
  EXPECT_THAT(without.out, Not(HasSubstr("  energy in    ")));
  EXPECT_THAT(without.out, HasSubstr("error bar of the run"));
}

TEST(RunOutput, EveryStepOfAShortRunHasARecord) {
  const Workplace place;
  place.write("s.yaml", scene);
  ASSERT_EQ(place.run({"run", "s.yaml", "--output", "out"}).exit_code, 0);
  EXPECT_EQ(records_in(place, "out").size(), 20U);
  EXPECT_FALSE(place.has("out/log.csv")) << "was not asked for";
}

TEST(RunOutput, WarningsAreToldOnceAndTheRestIsCounted) {
  const Workplace place;
  place.write("s.yaml", scene);
  const ProgramRun run =
      place.run({"run", "s.yaml", "--output", "out", "--steps", "90", "-s",
                 "solver.max_iterations=1", "-s", "solver.tolerance=1e-300", "-s", "time.end=5"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("warning: step 1: the solver ended"),
                             HasSubstr("solver.max_iterations"), Not(HasSubstr("step 2:"))));
  const std::vector<json> records = records_in(place, "out");
  std::int64_t told = 0;
  for (const json& record : records) told += static_cast<std::int64_t>(record["warnings"].size());
  EXPECT_EQ(told, 1);
  const std::int64_t held = records.back()["warnings_held_back"];
  EXPECT_GT(held, 10);
  EXPECT_EQ(told + held, json::parse(place.read("out/report.json"))["error"]["unconverged_steps"]);
  EXPECT_THAT(run.err,
              HasSubstr(std::to_string(held) + " more warnings of the kind 'tolerance' were not"));
}

TEST(RunOutput, MonitorsHaveTablesOfTheirOwn) {
  const Workplace place;
  place.write("s.yaml", std::string(scene) +
                            "monitors:\n"
                            "  - {name: e, type: energy, every: 0.1}\n"
                            "  - {name: f, type: load, of: floor, every: 0.05}\n"
                            "  - {name: tr, type: track, of: high, every: 0.1}\n");
  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto energy = lines_of(place.read("out/monitors/e.csv"));
  ASSERT_EQ(energy.size(), 4U) << "begin, and two times";
  EXPECT_EQ(energy[0], "time,translation,rotation,potential,total");
  EXPECT_THAT(energy[1], testing::StartsWith("0,0,0,"));
  const auto load = lines_of(place.read("out/monitors/f.csv"));
  EXPECT_EQ(load.size(), 5U) << "no contacts at the begin";
  EXPECT_EQ(lines_of(place.read("out/monitors/tr.csv")).size(), 4U);
}

TEST(RunOutput, OverwritingRemovesWhatTheRunBeforeHasLeftAndNothingElse) {
  const Workplace place;
  place.write("s.yaml", scene);
  const std::string output =
      "output={log: {every: 0.1}, paraview: {every: 0.1}, snapshots: {every: 0.1}}";
  ASSERT_EQ(place
                .run({"run", "s.yaml", "--output", "out", "-s", output, "-s",
                      "monitors=[{name: e, type: energy, every: 0.1}]"})
                .exit_code,
            0);
  ASSERT_TRUE(place.has("out/paraview/run.pvd"));
  ASSERT_TRUE(place.has("out/snapshots/state_000000020.h5"));
  place.write("out/paraview/mine.pvsm", "state of ParaView");
  ASSERT_EQ(
      place.run({"run", "s.yaml", "--output", "out", "--steps", "1", "--overwrite"}).exit_code, 0);
  EXPECT_TRUE(place.has("out/paraview/mine.pvsm"));
  for (const char* name : {"paraview/run.pvd", "paraview/bodies_000000020.vtp",
                           "paraview/legend.json", "snapshots", "monitors", "log.csv"})
    EXPECT_FALSE(place.has(std::string("out/") + name)) << name;
}

TEST(RunOutput, NothingOfItChangesTheRun) {
  const Workplace place;
  place.write("s.yaml", scene);
  const auto hash = [&](const std::string& folder, const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "s.yaml", "--output", folder};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(place.run(words).exit_code, 0);
    return json::parse(place.read(folder + "/report.json"))["trajectory_hash"].get<std::string>();
  };
  EXPECT_EQ(
      hash("without", {}),
      hash("with",
           {"-s", "output={log: {every: 0.01}, paraview: {every: 0.01}, snapshots: {every: 0.01}}",
            "-s",
            "monitors=[{name: e, type: energy, every: 0.01}, {name: f, type: load, of: floor, "
            "every: 0.01}, {name: c, type: coordination, every: 0.01}, {name: q, type: quantiles, "
            "axis: z, every: 0.01}, {name: w, type: flow, at: [0, 0, 0.2], every: 0.01}]"}));
}

}  // namespace
}  // namespace talus
