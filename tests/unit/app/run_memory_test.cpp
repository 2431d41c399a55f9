// What a run keeps in its checkpoints, and what it says of those of other programs.

#include "app/run/run_memory.hpp"

#include "talus/io/checkpoint_file.hpp"

#include "core/archive.hpp"
#include "support/fault_of.hpp"
#include "support/run_program.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace talus
