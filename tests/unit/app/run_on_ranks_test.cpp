// talus run on several ranks as a user sees it: one hash, and a report of what each rank had.

#include "support/on_many_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::run_on_ranks;
using support::Workplace;
using ::testing::HasSubstr;
using ::testing::Not;

/// A block of 48 spheres falls on a floor and flies apart, along x.
constexpr const char* scene = R"yaml(
talus: 1
time: {step: 0.002, end: 0.08}
gravity: [0, 0, -9.81]
domain: {min: [-2, -2, -1], max: [2, 2, 1], outside: stop}
materials: {bead: {density: 2500}}
pairs: [{between: [bead, bead], friction: 0.3}]
bodies: [{name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}]
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: 0.02}, spacing: 0.021, count: 48, seed: 1,
     region: {type: box, min: [0, 0, 0], max: [0.1, 0.1, 0.1]}, jitter: 0.0004, velocity: [1, 0, -1]}
output: {log: {every: 0.01, columns: [step, bodies]}}
)yaml";

json report_in(const Workplace& place, const std::string& folder) {
  return json::parse(place.read(folder + "/report.json"));
}

void expect_ordered(const json& spread) {
  EXPECT_LE(spread["least"], spread["mean"]);
  EXPECT_LE(spread["mean"], spread["most"]);
}

TEST(RunOnRanks, TheReportSaysWhatEachRankHad) {
  const Workplace place;
  place.write("s.yaml", scene);
  ASSERT_EQ(place.run({"run", "s.yaml", "--output", "one", "--threads", "1"}).exit_code, 0);
  const json one = report_in(place, "one");

  const ProgramRun run = run_on_ranks(
      place, 3, "run s.yaml --output three --threads 1 --partition hilbert --balance-every 10");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json three = report_in(place, "three");
  EXPECT_EQ(three["trajectory_hash"], one["trajectory_hash"]);
  EXPECT_EQ(three["ranks"], 3);
  EXPECT_EQ(three["bodies"], 49);
  const json& partition = three["partition"];
  EXPECT_EQ(partition["kind"], "hilbert");
  EXPECT_EQ(partition["balance"], "measured");
  EXPECT_GE(partition["imbalance"], 1.0);
  EXPECT_NEAR(3.0 * partition["bodies"]["mean"].get<double>(), 49.0, 1e-9);
  for (const char* key : {"bodies", "ghosts", "contacts"}) expect_ordered(partition[key]);
  EXPECT_GE(three["migration"]["balances"], 3);  // after steps 10, 20 and 30
  EXPECT_GT(three["migration"]["share_of_balances"], 0.0);
  EXPECT_LT(three["migration"]["share_of_balances"], 1.0);
  EXPECT_GT(three["ledger"]["reductions"], 40);  // one or more per step
  expect_ordered(three["memory"]);
  double stages = 0.0;
  for (const auto& [stage, seconds] : three["seconds_most"].items()) {
    EXPECT_GE(seconds, three["seconds"][stage]) << stage;
    stages += three["seconds"][stage].get<double>();
  }
  EXPECT_LE(stages, three["seconds"]["total"]);
  EXPECT_THAT(run.out, HasSubstr("ranks       3 by hilbert: imbalance "));
  EXPECT_THAT(run.out, HasSubstr("ledger      per step and rank: "));
}

// Tangents along the slip come from velocities of both bodies, one of which may be a ghost.
TEST(RunOnRanks, FrictionAlongTheSlipHasTheSameBits) {
  const Workplace place;
  std::string sliding = scene;
  const std::string pair = "friction: 0.3";
  sliding.replace(sliding.find(pair), pair.size(), "friction: 0.3, friction_axis: slip");
  place.write("s.yaml", sliding);
  const auto hash = [&](const std::string& folder) {
    return report_in(place, folder)["trajectory_hash"];
  };
  const std::string rest = " --threads 1 -s solver.law=box --quiet";
  const ProgramRun three = run_on_ranks(
      place, 3, "run s.yaml --output three --partition random:4 --balance-every 10" + rest);
  const ProgramRun one = run_on_ranks(place, 1, "run s.yaml --output one" + rest);

  EXPECT_EQ(three.exit_code, 0) << three.err;
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(hash("three"), hash("one"));
  place.write("s.yaml", scene);
  EXPECT_EQ(run_on_ranks(place, 1, "run s.yaml --output none" + rest).exit_code, 0);
  EXPECT_NE(hash("none"), hash("one")) << "and the axis matters here";
}

TEST(RunOnRanks, PhasesAddUpToTheRun) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = run_on_ranks(
      place, 2,
      "run s.yaml --output out --threads 1 -s "
      "output.log.every=0.002 -s output.paraview.every=0.002 -s output.snapshots.every=0.01");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json report = report_in(place, "out");
  double seconds = 0.0, shares = 0.0;
  for (const auto& [name, phase] : report["phases"].items()) {
    expect_ordered(phase);
    EXPECT_GE(phase["least"], 0.0) << name;
    if (name == "waiting") continue;
    seconds += phase["mean"].get<double>();
    shares += phase["share"].get<double>();
  }
  EXPECT_NEAR(seconds, report["seconds"]["total"], 1e-9);
  EXPECT_NEAR(shares, 1.0, 1e-9);
  EXPECT_GT(report["phases"]["output"]["least"], 0.0) << "40 frames were written";
  EXPECT_LT(report["phases"]["waiting"]["most"], seconds);
  EXPECT_NEAR(report["speed"]["steps_per_second"].get<double>() * seconds, 40.0, 0.5);
  // contacts and iterations of each step stand in run.jsonl
  double contact_iterations = 0.0;
  std::istringstream records(place.read("out/run.jsonl"));
  int steps = 0;
  for (std::string line; std::getline(records, line); ++steps) {
    const json record = json::parse(line);
    contact_iterations += record["contacts"].get<double>() * record["iterations"].get<double>();
  }
  ASSERT_EQ(steps, 40);
  EXPECT_NEAR(report["speed"]["contact_iterations_per_second"].get<double>() *
                  report["phases"]["solve"]["mean"].get<double>(),
              contact_iterations, 1e-6 * contact_iterations);
  for (const char* row : {"phases ", "\n  detect ", "\n  output ", "\n  waiting "})
    EXPECT_THAT(run.out, HasSubstr(row));
}

/// Balls and boxes that collide, roll, stick, are driven and come and go, across a period.
constexpr const char* busy_scene = R"yaml(
talus: 1
time: {step: 0.002, end: 0.3}
gravity: ["3*sin(20*t)", 0, -9.81]
domain: {min: [0, -2, -1], max: [0.4, 2, 2], periodic: [x], outside: remove}
materials: {bead: {density: 2500}, clay: {density: 2000}}
pairs:
  - {between: [bead, bead], friction: 0.3, restitution: 0.4, rolling_radius: 1.0e-4}
  - {between: [bead, clay], friction: 0.6, cohesion: 0.02}
  - {between: [clay, clay], friction: 0.6}
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: paddle, motion: kinematic, material: bead, shape: {type: box, size: [0.02, 0.1, 0.06]}, position: [0.3, 0.05, 0.05],
     movement: {rotation: {axis: [0, 0, 1], rate: "10*cos(15*t)"}}}
  - {name: wheel, motion: dynamic, material: clay, shape: {type: box, size: [0.06, 0.02, 0.06]}, position: [0.2, -0.2, 0.2]}
  - {name: bob, motion: dynamic, material: clay, shape: {type: sphere, diameter: 0.03}, position: [0.2, -0.2, 0.1]}
joints:
  - {name: axle, type: revolute, between: [world, wheel], position: [0.2, -0.2, 0.2], axis: [0, 1, 0], motor: {type: speed, value: 8, limit: 0.5}}
springs:
  - {name: rope, between: [wheel, bob], at: [[0.2, -0.2, 0.17], [0.2, -0.2, 0.1]], stiffness: 60}
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: 0.02}, spacing: 0.022, count: 60, seed: 1,
     region: {type: box, min: [0.02, 0, 0], max: [0.14, 0.1, 0.12]}, jitter: 0.0004, velocity: [1, 0, -1]}
  - {name: lumps, type: stream, material: clay, shape: {type: sphere, diameter: 0.02}, mass_rate: 0.3, seed: 2,
     region: {type: box, min: [0, 0, 0.3], max: [0.4, 0.1, 0.4]}, velocity: [0, 0, -1]}
events: [{at: 0.2, type: remove, target: beads}]
)yaml";

TEST(RunOnRanks, TheErrorBarHasTheBitsOfOneRank) {
  const Workplace place;
  place.write("s.yaml", busy_scene);
  const ProgramRun run = place.run({"run", "s.yaml", "--output", "one", "--threads", "1"});
  // one or the other step may stay above its tolerance: it is compared too
  const json one = report_in(place, "one");
  ASSERT_EQ(one["status"], "finished") << run.err;
  const json& ledger = one["energy_ledger"];
  // nothing is left out of the comparison because it does not occur
  for (const char* key : {"gravity", "motors", "walls", "bodies", "friction", "rolling", "impact",
                          "cohesion", "joints", "springs", "solver", "time_step"})
    EXPECT_NE(ledger[key], 0.0) << key;
  EXPECT_LT(std::abs(ledger["unaccounted"].get<double>()),
            1e-12 * std::abs(ledger["gravity"].get<double>()));

  for (const int ranks : {2, 3}) {
    const std::string folder = std::to_string(ranks);
    const ProgramRun some = run_on_ranks(
        place, ranks,
        "run s.yaml --threads 2 --partition random:5 --balance-every 40 --output " + folder);
    ASSERT_EQ(some.exit_code, run.exit_code) << some.err;
    const json report = report_in(place, folder);
    EXPECT_EQ(report["trajectory_hash"], one["trajectory_hash"]);
    for (const char* key : {"error", "impulse_error", "overlap", "energy_ledger"})
      EXPECT_EQ(report[key], one[key]) << ranks << " ranks";
  }
}

TEST(RunOnRanks, OneRankHasNothingToShare) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run =
      place.run({"run", "s.yaml", "--output", "out", "--steps", "3", "--threads", "1"});

  const json report = report_in(place, "out");
  for (const char* key : {"partition", "migration", "ledger"}) EXPECT_FALSE(report.contains(key));
  // this program with its libraries needs some megabytes, and so few bodies no gigabyte
  EXPECT_GT(report["memory"]["least"], 3e6);
  EXPECT_LT(report["memory"]["most"], 1e9);
  EXPECT_EQ(report["memory"]["least"], report["memory"]["most"]);
  EXPECT_EQ(report["seconds"]["solve"], report["seconds_most"]["solve"]);
  EXPECT_THAT(run.out, Not(HasSubstr("ranks  ")));
}

TEST(RunOnRanks, PartitionsThatNameBodiesAreRefusedOnce) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = run_on_ranks(place, 2, "run s.yaml --output out --partition blocks");

  EXPECT_EQ(run.exit_code, 2);
  const std::string message = "--partition blocks: bodies of a run move";
  EXPECT_THAT(run.err, HasSubstr(message));
  EXPECT_EQ(run.err.find(message), run.err.rfind(message));
  EXPECT_FALSE(place.has("out"));
}

TEST(RunOnRanks, RecordsHaveTheImbalance) {
  const Workplace place;
  place.write("s.yaml", scene);

  ASSERT_EQ(run_on_ranks(place, 2, "run s.yaml --output out --threads 1 --balance-every 5 --quiet")
                .exit_code,
            0);

  const std::string records = place.read("out/run.jsonl");
  const json last = json::parse(records.substr(records.rfind('\n', records.size() - 2) + 1));
  EXPECT_GE(last["imbalance"], 1.0);
  EXPECT_GE(last["most_ghosts"], 0);
  EXPECT_TRUE(last["seconds"].contains("share"));
}

TEST(RunOnRanks, ABodyThatFliesBeyondNumbersIsLostAsOnOneRank) {
  const Workplace place;
  place.write("s.yaml", std::string(scene) + R"(forces: [{on: beads, acceleration: [1e200, 0, 0]}]
)");
  const char* words = "run s.yaml -s domain.max=[.inf,.inf,.inf] --threads 1 --output ";
  const ProgramRun alone = place.run(
      {"run", "s.yaml", "-s", "domain.max=[.inf,.inf,.inf]", "--threads", "1", "--output", "one"});
  const ProgramRun shared = run_on_ranks(place, 3, std::string(words) + "three");
  for (const ProgramRun& run : {alone, shared}) {
    EXPECT_EQ(run.exit_code, 4);
    EXPECT_THAT(run.err, HasSubstr("48 of 49 bodies are lost. not finite, or beyond 1e+100"));
  }
}

}  // namespace
}  // namespace talus
