// What talus run says before the first step.

#include "support/on_many_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using support::ProgramRun;
using support::run_on_ranks;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* scene = R"yaml(
talus: 1
title: a little of everything
time: {step: 0.002, end: 0.02}
gravity: [0, 0, -9.81]
domain: {min: [-2, -2, -1], max: [2, 2, 1], periodic: [x]}
materials: {bead: {density: 2500}}
pairs: [{between: [bead, bead], friction: 0.3}]
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: box, motion: dynamic, material: bead, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0, 1, 0.5]}
joints:
  - {name: axle, type: revolute, between: [box, world], position: [0, 1, 0.5], axis: [0, 1, 0],
     motor: {type: speed, value: 1, limit: 5}}
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: 0.02}, spacing: 0.021, count: 48, seed: 1,
     region: {type: box, min: [0, 0, 0], max: [0.1, 0.1, 0.1]}}
events: [{at: 0.01, type: remove, target: box}]
)yaml";

TEST(RunStart, SaysWhatWasUnderstood) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = place.run({"run", "s.yaml", "--output", "out", "--threads", "1"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* line :
       {"scene       s.yaml: a little of everything\n",
        "bodies      50: 49 dynamic, 1 fixed; 1 box, 1 plane, 48 spheres\n",
        "groups      3: 48 beads, 1 box, 1 floor\n", "joints      1: 1 revolute, with 1 motor\n",
        "generator   beads: 48 bodies, ", "events      1: 1 remove\n",
        "domain      x -2 to 2, y -2 to 2, z -1 to 1 m; periodic in x; a body outside ",
        "time        10 steps of 0.002 s (anitescu-tasora), t = 0 to 0.02 s\n",
        "solver      law coulomb, method auto, tolerance 0.000785 m/s, at most ",
        "ranks       1 rank of 1 thread on 1 node (", "memory      "})
    EXPECT_THAT(run.err, HasSubstr(line));
  EXPECT_THAT(run.err, Not(HasSubstr("warning")));
  EXPECT_THAT(run.out, Not(HasSubstr("a little of everything"))) << "results are elsewhere";
}

TEST(RunStart, IsSilentWhereThatIsAsked) {
  const Workplace place;
  place.write("s.yaml", scene);
  EXPECT_THAT(place.run({"run", "s.yaml", "--output", "out", "--threads", "300", "--quiet"}).err,
              IsEmpty());
}

TEST(RunStart, WarnsOfMoreThreadsThanCores) {
  const Workplace place;
  place.write("s.yaml", scene);
  EXPECT_THAT(place.run({"run", "s.yaml", "--output", "a b", "--threads", "300"}).err,
              AllOf(ContainsRegex("note: warning: 300 threads of rank 0 on .* share "),
                    ContainsRegex("; better: --threads [0-9]+\n")));
}

TEST(RunStart, OfSeveralRanksSaysHowTheyShareAndHowToStartThem) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = run_on_ranks(place, 3, "run s.yaml --output 'a b' --threads 300");

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("bodies      50: 49 dynamic, 1 fixed; 1 box, 1 plane, 48 spheres\n"));
  EXPECT_THAT(run.err, HasSubstr("ranks       3 ranks of 300 threads on 1 node ("));
  EXPECT_THAT(run.err, ContainsRegex(
                           "partition   metis: [0-9]+ to [0-9]+ .* ghosts of a rank, imbalance 1"));
  EXPECT_THAT(run.err, ContainsRegex("memory      [0-9.]+ to [0-9.]+ MB of a rank"));
  // the command as it was given, with room for its threads
  EXPECT_THAT(run.err,
              ContainsRegex("warning: 900 threads of ranks 0 to 2 .*; better: .*mpirun -n [0-9]+ .*"
                            "talus run s.yaml --output 'a b' --threads [0-9]+"));
  EXPECT_EQ(run.err.find("scene  "), run.err.rfind("scene  ")) << "one rank speaks";
}

}  // namespace
}  // namespace talus
