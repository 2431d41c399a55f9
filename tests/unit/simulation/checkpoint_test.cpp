// What a simulation is between two steps, and that goes on from it.

#include "talus/io/checkpoint_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "simulation/simulation_parts.hpp"
#include "support/fault_of.hpp"
#include "support/scene_folder.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace talus {
namespace {

using support::fault_of;
using support::SmallScene;
using support::take_steps;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double radius = 0.1;

/// Two balls above a floor, one above the other.
SmallScene two_balls() {
  SmallScene small(1e-3, 0.5);
  small.add_floor();
  const Index ball = small.sphere(radius);
  small.add("low", Motion::Dynamic, ball, {0.0, 0.0, 1.5 * radius});
  small.add("high", Motion::Dynamic, ball, {0.01, 0.0, 4.0 * radius});
  return small;
}

void expect_same_after(Simulation& a, Simulation& b, int count) {
  take_steps(a, count);
  take_steps(b, count);
  EXPECT_EQ(a.world().time, b.world().time);
  EXPECT_EQ(trajectory_hash(a.world().bodies), trajectory_hash(b.world().bodies));
}

Simulation gone_on(const Checkpoint& from, const SolveOptions& solver) {
  return Simulation(from, solver, Communicator::self());
}

std::string fault_of_going_on(const Checkpoint& from, const SolveOptions& solver) {
  return fault_of([&] { gone_on(from, solver); });
}

TEST(Checkpoints, GoOnInMemoryAndFromAFile) {
  Simulation whole = two_balls().start();
  take_steps(whole, 150);
  const Checkpoint now = whole.checkpoint();
  EXPECT_EQ(now.total_bodies, 3);
  EXPECT_GT(now.total_contacts, 0);
  EXPECT_THAT(now.program, IsEmpty());
  Simulation from_memory = gone_on(now, whole.solver()), from_file = support::restarted(whole);
  EXPECT_EQ(from_file.solver().tolerance, whole.solver().tolerance);
  EXPECT_EQ(from_file.contacts_of(1).size(), whole.contacts_of(1).size());
  EXPECT_EQ(from_memory.world().step, 150);
  take_steps(from_file, 100);
  expect_same_after(whole, from_memory, 100);
  EXPECT_EQ(trajectory_hash(whole.world().bodies), trajectory_hash(from_file.world().bodies));
}

TEST(Checkpoints, KeepHowLongStepsAreAndWhatSetTheirTolerance) {
  SmallScene small = two_balls();
  small.scene.time.automatic = true;
  small.scene.time.step = 1e-2;
  small.scene.time.shortest = 1e-5;
  small.scene.time.accuracy = 1e-5;
  small.solver.tolerance = 0.0;
  Simulation whole = small.start();
  take_steps(whole, 40);
  Simulation resumed = support::restarted(whole);
  EXPECT_THAT(whole.tolerance_reason(), HasSubstr("gravity"));
  EXPECT_EQ(resumed.tolerance_reason(), whole.tolerance_reason());
  EXPECT_GT(resumed.settings().tolerance_rate, 0.0);
  EXPECT_TRUE(resumed.parts().control().any);
  Simulation other = gone_on(whole.checkpoint(), [&] {
    SolveOptions solver = whole.solver();
    solver.tolerance *= 0.5;
    return solver;
  }());
  expect_same_after(whole, resumed, 40);
  // one that is given is not the share of gravity that it was
  EXPECT_EQ(other.settings().tolerance_rate, 0.0);
  EXPECT_THAT(other.tolerance_reason(), IsEmpty());
  Checkpoint of_none = whole.checkpoint();
  EXPECT_GT(gone_on(of_none, whole.solver()).settings().tolerance_rate, 0.0);
  of_none.tolerance = 0.0;
  EXPECT_EQ(gone_on(of_none, whole.solver()).settings().tolerance_rate, 0.0);
}

TEST(Checkpoints, WhatCountsAsTouchingFollowsTheToleranceThatIsGiven) {
  SmallScene small = two_balls();
  SolveOptions solver = small.solver;
  Simulation whole = small.start();
  take_steps(whole, 3);
  EXPECT_EQ(gone_on(whole.checkpoint(), solver).settings().touching, whole.settings().touching);
  solver.tolerance = small.solver.tolerance = 1e-3;
  EXPECT_GT(small.start().settings().touching, 1e3 * whole.settings().touching);
  EXPECT_EQ(gone_on(whole.checkpoint(), solver).settings().touching,
            small.start().settings().touching);
}

TEST(Checkpoints, AreNotOfAnotherLaw) {
  Simulation simulation = two_balls().start();
  SolveOptions solver = simulation.solver();
  solver.law = Law::Associated;
  EXPECT_THAT(fault_of_going_on(simulation.checkpoint(), solver),
              HasSubstr("solver.law = associated: the checkpoint is of the law coulomb"));
}

TEST(Checkpoints, AreNotWrittenBetweenAPushAndItsStep) {
  Simulation simulation = two_balls().start();
  simulation.push(1, {1.0, 0.0, 0.0});
  EXPECT_THAT(fault_of([&] { simulation.checkpoint(); }),
              HasSubstr("write it after that step, or push after it"));
  simulation.step();
  EXPECT_EQ(simulation.checkpoint().world.step, 1);
}

TEST(Checkpoints, ThatAreDamagedAreRefused) {
  Simulation simulation = two_balls().start();
  const Checkpoint good = simulation.checkpoint();
  Checkpoint cut = good, more = good;
  cut.simulation.pop_back();
  more.scene.generators.emplace_back();
  EXPECT_THAT(fault_of_going_on(cut, simulation.solver()),
              HasSubstr("the checkpoint's part of the simulation ends too early"));
  EXPECT_THAT(fault_of_going_on(more, simulation.solver()),
              HasSubstr("has not as many streams as its scene has generators"));
}

TEST(Checkpoints, WhatIsHeldMustBeInOrderAndFinite) {
  Simulation simulation = two_balls().start();
  const support::SceneFolder folder;
  const std::string path = (folder.path() / "forged.h5").string();
  Checkpoint forged = simulation.checkpoint();
  const auto fault = [&](const std::vector<OuterForce>& held) {
    forged.world.held = held;
    write_checkpoint(path, forged, Communicator::self());
    return fault_of([&] { read_checkpoint(path, Communicator::self()); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault({{1, {1.0, 0.0, 0.0}, {}}, {2, {}, {0.0, 1.0, 0.0}}}), "");
  EXPECT_THAT(fault({{2, {1.0, 0.0, 0.0}, {}}, {1, {1.0, 0.0, 0.0}, {}}}),
              HasSubstr("a force is held of body 1 after 2: ids must grow"));
  EXPECT_THAT(fault({{1, {1.0, 0.0, 0.0}, {}}, {1, {1.0, 0.0, 0.0}, {}}}),
              HasSubstr("a force is held of body 1 after 1: ids must grow"));
  EXPECT_THAT(fault({{1, {}, {0.0, 0.0, nan}}}), HasSubstr("a force that is held: nan"));
}

}  // namespace
}  // namespace talus
