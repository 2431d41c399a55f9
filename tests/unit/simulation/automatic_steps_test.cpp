// Steps whose length follows from their error.

#include "talus/simulation/simulation.hpp"

#include "simulation/time_error.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

using support::SmallScene;

constexpr double g = 9.81;

/// Steps of 1e-5 to 1e-2 s.
void make_automatic(SmallScene& small, double accuracy) {
  TimeSettings& time = small.scene.time;
  time.automatic = true;
  time.step = 1e-2;
  time.shortest = 1e-5;
  time.accuracy = accuracy;
}

StepSettings between(std::int64_t ticks, std::int64_t most) {
  StepSettings settings;
  settings.tick = 1e-5;
  settings.ticks = ticks;
  settings.most_ticks = most;
  settings.h = 1e-5 * static_cast<double>(ticks);
  return settings;
}

constexpr std::int64_t far = 1000000;

TEST(NextTicks, BeginAsShortAsTheyMay) {
  EXPECT_EQ(next_ticks({}, between(1, 1000), 1e-5, far), 1);
}

TEST(NextTicks, FollowTheRootOfTheError) {
  // error of a step of 100 ticks: 4e-5, wanted 1e-5, of which 0.8 is used: 100 * 0.8 * sqrt(1 / 4)
  const StepControl control{.jump = 8e-5, .ratio = 0.5, .pace = 0.0, .any = true};
  EXPECT_EQ(next_ticks(control, between(100, 1000), 1e-5, far), 40);
}

TEST(NextTicks, GrowByTwoAtMostAndUpToTheLongest) {
  const StepControl still{.jump = 0.0, .ratio = 0.5, .pace = 0.0, .any = true};
  EXPECT_EQ(next_ticks(still, between(100, 1000), 1e-5, far), 200);
  EXPECT_EQ(next_ticks(still, between(900, 1000), 1e-5, far), 1000);
}

TEST(NextTicks, NeverFallBelowOne) {
  const StepControl wild{.jump = 1.0, .ratio = 1.0, .pace = 0.0, .any = true};
  EXPECT_EQ(next_ticks(wild, between(2, 1000), 1e-5, far), 1);
}

TEST(NextTicks, LetNoBodyComeFartherThanAQuarterOfItself) {
  // 100 sizes per second: a quarter of one takes 2.5 ms
  const StepControl fast{.jump = 0.0, .ratio = 0.5, .pace = 100.0, .any = true};
  EXPECT_EQ(next_ticks(fast, between(1000, 1000), 1e-5, far), 250);
}

TEST(NextTicks, EndWhereTheyAreAskedToWithTwoEqualSteps) {
  const StepControl still{.jump = 0.0, .ratio = 0.5, .pace = 0.0, .any = true};
  EXPECT_EQ(next_ticks(still, between(50, 1000), 1e-5, 60), 60);
  EXPECT_EQ(next_ticks(still, between(50, 1000), 1e-5, 121), 61);
  EXPECT_EQ(next_ticks(still, between(50, 1000), 1e-5, 300), 100);
}

TEST(TickAt, IsTheFirstOneAtWhichATimeHasCome) {
  EXPECT_EQ(tick_at(0.3, 1e-3), 300);
  EXPECT_EQ(tick_at(0.30001, 1e-3), 301);
  EXPECT_EQ(tick_at(std::numeric_limits<double>::infinity(), 1e-3),
            std::numeric_limits<std::int64_t>::max());
}

TEST(AutomaticSteps, OfAFallHaveTheErrorThatWasAskedFor) {
  SmallScene small(1e-2);
  small.set_gravity({0.0, 0.0, -g});
  small.add("ball", Motion::Dynamic, small.sphere(0.5), {0.0, 0.0, 0.0});
  make_automatic(small, 1e-5);
  Simulation simulation = small.start();
  StepReport report;
  for (int i = 0; i < 40; ++i) report = simulation.step();
  // g h2 / 4 = 1e-5 of 1 m, and 0.8 of that step is used
  const double expected = 0.8 * 2.0 * std::sqrt(1e-5 / g);
  EXPECT_NEAR(report.time_step, expected, 1e-5);
  EXPECT_DOUBLE_EQ(report.time_step, static_cast<double>(report.ticks) * 1e-5);
}

TEST(AutomaticSteps, GrowToTheLongestAtRestAndGoOnWithTheSameForces) {
  SmallScene small(1e-2, 0.5);
  small.set_gravity({0.0, 0.0, -g});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.05});
  make_automatic(small, 1e-3);
  Simulation simulation = small.start();
  StepReport report;
  for (int i = 0; i < 20; ++i) report = simulation.step();
  EXPECT_DOUBLE_EQ(report.time_step, 1e-2);
  // what carries it is its weight times the step
  const double weight = simulation.world().bodies.mass[1] * g;
  EXPECT_NEAR(simulation.world().contacts.impulse.at(0).z, weight * 1e-2, 1e-9 * weight);
  EXPECT_NEAR(simulation.world().bodies.position[1].z, 0.05, 1e-9);
}

TEST(AutomaticSteps, BounceAsHighAsFixedOnesOfTheSameError) {
  SmallScene small(1e-2, 0.0, 0.8);
  small.set_gravity({0.0, 0.0, -g});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.45});
  make_automatic(small, 1e-5);
  Simulation simulation = small.start();
  double apex = 0.0;
  bool down = false, up = false;
  while (simulation.world().time < 1.0) {
    simulation.step();
    const double z = simulation.world().bodies.position[1].z - 0.05;
    const double v = simulation.world().bodies.velocity[1].z;
    if (v > 0.0) up = true;
    if (up && v < 0.0) down = true;
    if (up && !down) apex = std::max(apex, z);
  }
  EXPECT_NEAR(apex, 0.64 * 0.4, 0.02 * 0.256);  // e2 of the height
}

TEST(AutomaticSteps, EndAtTheTimesOfEventsAndWhereTheyAreAskedTo) {
  SmallScene small(1e-2);
  small.set_gravity({0.0, 0.0, -g});
  small.add("ball", Motion::Dynamic, small.sphere(0.5), {0.0, 0.0, 0.0});
  make_automatic(small, 1e-3);
  Event event;
  event.kind = Event::Kind::Gravity;
  event.at = 0.01234;
  event.gravity = {Expression(0.0), Expression(0.0), Expression(0.0)};
  small.scene.events.push_back(event);
  small.scene.time.end = 0.05;
  Simulation simulation = small.start();
  std::vector<double> times;
  while (simulation.world().time < 0.06)
    times.push_back(simulation.step(simulation.world().time < 0.031 ? 0.031 : 1.0).time);
  for (const double wanted : {0.01234, 0.031, 0.05})
    EXPECT_TRUE(std::any_of(times.begin(), times.end(), [&](double t) {
      return std::abs(t - wanted) < 1e-12;
    })) << wanted;
  // it fell for 0.01234 s exactly
  EXPECT_NEAR(simulation.world().bodies.velocity[0].z, -g * 0.01234, 1e-12);
}

TEST(AutomaticSteps, LetTheDefaultToleranceFollowThem) {
  SmallScene small(1e-2);
  small.set_gravity({0.0, 0.0, -g});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.05});
  make_automatic(small, 1e-3);
  small.solver.tolerance = 0.0;
  Simulation simulation = small.start();
  const StepReport first = simulation.step(), second = simulation.step();
  EXPECT_NEAR(second.tolerance / first.tolerance, second.time_step / first.time_step, 1e-9);
  StepReport last;
  for (int i = 0; i < 20; ++i) last = simulation.step();
  EXPECT_EQ(last.time_step, 1e-2);
  EXPECT_NEAR(last.tolerance / first.tolerance, 1e-3 / first.time_step, 1e-9);  // a tenth
  small.solver.tolerance = 1e-6;
  Simulation given = small.start();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(given.step().tolerance, 1e-6);
}

}  // namespace
}  // namespace talus
