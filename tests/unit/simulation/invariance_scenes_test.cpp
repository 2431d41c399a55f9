// What the scenes of tests/invariance are for happens in them; that it gives the same bits on any
// ranks is tested by same_trajectory.py.

#include "talus/problem/body_problem.hpp"

#include "simulation/simulation_parts.hpp"
#include "support/places.hpp"
#include "support/scene_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

std::string path_of(const std::string& name) {
  return (support::source_folder() / "tests" / "invariance" / name).string();
}

bool is_hub(const Simulation& simulation, const std::string& group) {
  const std::vector<std::size_t> bodies = support::members(simulation.world(), group);
  // nothing is a hub before the first step
  return bodies.size() == 1 && bodies.front() < simulation.parts().hub().size() &&
         simulation.parts().hub()[bodies.front()] != 0;
}

/// Steps until the body is a hub, or is not; `most` where that does not come.
int steps_until(Simulation& simulation, const std::string& group, bool hub, int most) {
  int steps = 0;
  while (steps < most && is_hub(simulation, group) != hub) {
    simulation.step();
    ++steps;
  }
  return steps;
}

TEST(InvarianceScenes, PlateOfLinkagesIsAHub) {
  Simulation simulation = support::start_scene(path_of("linkages.yaml"));
  EXPECT_LT(steps_until(simulation, "plate", true, 100), 100);
}

TEST(InvarianceScenes, ShellOfTheDrumIsAHub) {
  Simulation simulation = support::start_scene("drum.yaml", {"count=500"});
  EXPECT_LT(steps_until(simulation, "drum", true, 300), 300);
}

TEST(InvarianceScenes, PlateIsAHubForAWhile) {
  Simulation simulation = support::start_scene(path_of("widens.yaml"));
  EXPECT_LT(steps_until(simulation, "plate", true, 200), 200);
  EXPECT_LT(steps_until(simulation, "plate", false, 400), 400);
}

TEST(InvarianceScenes, LinksOfTheChainAreTooStiffForItsSteps) {
  Simulation simulation = support::start_scene(path_of("chain.yaml"));
  int stiff = 0;
  for (int step = 0; step < 300; ++step) stiff += simulation.step().step_angle > 1.5 ? 1 : 0;
  EXPECT_GT(stiff, 100);
}

// Everywhere on many ranks, for its size, and never a hub.
TEST(InvarianceScenes, BallIsLargeAndTouchesMany) {
  Simulation simulation = support::start_scene(path_of("ball.yaml"));
  const BodySet& bodies = simulation.world().bodies;
  double sum = 0.0, count = 0.0;
  for (const double reach : bodies.reach)
    if (std::isfinite(reach)) {
      sum += reach;
      count += 1.0;
    }
  const std::vector<std::size_t> ball = support::members(simulation.world(), "ball");
  ASSERT_EQ(ball.size(), 1U);
  constexpr double large = 8.0;  // Simulation::deal_out()
  EXPECT_GT(bodies.reach[ball.front()], large * sum / count);
  std::int64_t touches = 0;
  for (int step = 0; step < 60; ++step) {
    simulation.step();
    EXPECT_FALSE(is_hub(simulation, "ball"));
    const auto& names = simulation.world().contacts.name;
    touches = std::max<std::int64_t>(
        touches, std::count_if(names.begin(), names.end(), [&](const ContactName& name) {
          return name.a == bodies.id[ball.front()] || name.b == bodies.id[ball.front()];
        }));
  }
  EXPECT_GE(touches, 4);
}

}  // namespace
}  // namespace talus
