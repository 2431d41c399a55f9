// What a run keeps in its checkpoints, and what it says of those of other programs.

#include "app/run/run_memory.hpp"

#include "talus/io/checkpoint_file.hpp"
#include "talus/simulation/run_defaults.hpp"

#include "core/archive.hpp"
#include "support/fault_of.hpp"
#include "support/run_program.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <string>
#include <utility>

namespace talus {
namespace {

using app::memory_of;
using app::packed_memory;
using app::RunMemory;
using support::fault_of;
using ::testing::HasSubstr;

TEST(RunMemories, ComeBackFromCheckpoints) {
  RunMemory memory;
  memory.totals.iterations = 17;
  memory.goal = {.steps = 5, .ticks = 50};
  memory.monitors = {std::byte{3}, std::byte{4}};
  Checkpoint checkpoint;
  checkpoint.program = packed_memory(memory);
  const RunMemory back = memory_of(checkpoint, "c.h5");
  EXPECT_EQ(back.totals.iterations, 17);
  EXPECT_EQ(back.goal.ticks, 50);
  EXPECT_EQ(back.monitors, memory.monitors);
}

TEST(RunMemories, OfOtherProgramsAreToldApartFromDamagedOnes) {
  Checkpoint checkpoint;
  const auto fault = [&](Bytes program) {
    checkpoint.program = std::move(program);
    return fault_of([&] { memory_of(checkpoint, "c.h5"); });
  };
  EXPECT_EQ(fault({}), "c.h5: is not of talus run: the program that wrote it goes on from it");
  EXPECT_THAT(fault({std::byte{1}, std::byte{2}}), HasSubstr("is not of talus run"));
  EXPECT_THAT(fault(packed(std::pair(std::string("flow"), Bytes(8)))),
              HasSubstr("is not of talus run"));
  EXPECT_THAT(fault(packed(std::pair(std::string("talus run"), Bytes(8)))),
              HasSubstr("c.h5: what the run keeps ends too early"));
}

TEST(RunMemories, TheProgramReadsOthersCheckpointsButDoesNotGoOn) {
  support::SmallScene small(1e-3);
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.1});
  Simulation simulation = small.start();
  simulation.step();
  const support::Workplace place;
  write_checkpoint(place.path("own.h5").string(), simulation.checkpoint(), Communicator::self());
  const auto resumed = place.run({"run", "--resume", "own.h5", "--output", "out"});
  EXPECT_EQ(resumed.exit_code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("own.h5: is not of talus run"));
  const auto told = place.run({"info", "own.h5"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("checkpoint"));
  const auto made = place.run({"export", "own.h5", "--to", "native", "--output", "problem.h5"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
}

TEST(RunMemories, OthersGoOnFromRunsWithTheSameBits) {
  const support::Workplace place;
  place.write("s.yaml", R"(talus: 1
time: {step: 0.002, end: 0.2}
gravity: [0, 0, -10]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5, restitution: 0.3}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
generators:
  - {name: rain, type: stream, material: stone, shape: {type: sphere, diameter: 0.1}, mass_rate: 20,
     region: {type: box, min: [0, 0, 0.4], max: [0.3, 0.3, 0.6]}, velocity: [0, 0, -2]}
)");
  for (const auto& [name, steps] : {std::pair{"half", "60"}, std::pair{"whole", "100"}}) {
    const auto run = place.run(
        {"run", "s.yaml", "--output", name, "--steps", steps, "--quiet", "--checkpoint-at-end"});
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 1) << run.err;
  }
  const std::string file = place.path("half/checkpoints/checkpoint_000000060.h5").string();
  Simulation simulation(read_checkpoint(file, Communicator::self()), run_defaults(),
                        Communicator::self());
  support::take_steps(simulation, 40);
  const std::string hash = fmt::format("{:016x}", trajectory_hash(simulation.world().bodies));
  EXPECT_GT(simulation.body_count(), 5);
  EXPECT_THAT(place.read("whole/report.json"), HasSubstr(hash));
}

}  // namespace
}  // namespace talus
