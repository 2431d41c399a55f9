// Bodies at rest: reactions are the weights above, whatever the masses.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace talus {
namespace {

using support::SmallScene;

constexpr double g = 9.81;

/// Sum of normal impulses between two bodies.
double normal_impulse(const World& world, std::size_t a, std::size_t b) {
  double sum = 0.0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
    if (world.contacts.body_a[c] == static_cast<Index>(a) &&
        world.contacts.body_b[c] == static_cast<Index>(b))
      sum += dot(world.contacts.impulse[c], world.contacts.normal[c]);
  return sum;
}

class BoxStack : public testing::TestWithParam<double> {};

/// The top box is heavier by the parameter.
TEST_P(BoxStack, ReactionsAreTheWeightsAbove) {
  const int boxes = 10;
  const double edge = 0.1, h = 1e-2;
  SmallScene small(h, 0.5);
  small.add_floor();
  const Index box = small.box({edge, edge, edge});
  std::vector<double> mass;
  for (int k = 0; k < boxes; ++k) {
    const std::size_t body =
        small.add("box" + std::to_string(k), Motion::Dynamic, box, {0.0, 0.0, edge * (k + 0.5)});
    mass.push_back(k + 1 == boxes ? GetParam() : 1.0);
    small.body(body).mass = mass.back();
  }
  small.solver.max_iterations = 500000;
  small.solver.stall_iterations = 200000;
  small.solver.tolerance = 1e-9;
  Simulation simulation = small.start();
  const StepReport report = simulation.step();
  EXPECT_EQ(report.status, SolveStatus::Converged);
  EXPECT_EQ(report.contacts, 4 * boxes);
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const double above =
        std::accumulate(mass.begin() + static_cast<std::ptrdiff_t>(k), mass.end(), 0.0);
    EXPECT_NEAR(normal_impulse(simulation.world(), k, k + 1) / (h * g * above), 1.0, 1e-6)
        << "under box " << k;
  }
}
INSTANTIATE_TEST_SUITE_P(MassRatio, BoxStack, testing::Values(1.0, 100.0, 1000.0));

TEST(TwoSpheresAtRest, CarryOneAndTwoWeights) {
  const double r = 0.05, h = 1e-3;
  SmallScene small(h);
  small.add_floor();
  const Index ball = small.sphere(r);
  const std::size_t low = small.add("low", Motion::Dynamic, ball, {0.0, 0.0, r});
  const std::size_t high = small.add("high", Motion::Dynamic, ball, {0.0, 0.0, 3.0 * r});
  Simulation simulation = small.start();
  simulation.step();
  const double weight = simulation.world().bodies.mass[low] * g * h;
  EXPECT_NEAR(normal_impulse(simulation.world(), 0, low), 2.0 * weight, 1e-9 * weight);
  EXPECT_NEAR(normal_impulse(simulation.world(), low, high), weight, 1e-9 * weight);
}

TEST(Overlap, GoesAwayNoFasterThanTheRecoverySpeed) {
  const double r = 0.1, h = 1e-3;
  for (const Scheme scheme : {Scheme::AnitescuTasora, Scheme::Spook}) {
    SmallScene small(h);
    small.scene.time.scheme = scheme;
    small.scene.time.recovery_speed = 0.05;
    small.scene.max_overlap = 0.2;
    small.set_gravity({});
    small.add_floor();
    const std::size_t ball =
        small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, 0.9 * r});
    Simulation simulation = small.start();
    simulation.step();
    EXPECT_NEAR(simulation.world().bodies.velocity[ball].z, 0.05, 1e-9);
    support::run_until(simulation, 0.4);
    EXPECT_GT(simulation.world().bodies.position[ball].z, 0.999 * r);
  }
}

// How a boulder is pushed out is its own affair: a speck far away says nothing about it.
TEST(Overlap, OfABoulderGoesAsFastWhateverElseIsInTheScene) {
  std::vector<double> speeds;
  for (const bool speck : {false, true}) {
    SmallScene small(1e-3);
    small.scene.max_overlap = 0.2;
    small.add_floor();
    const std::size_t ball =
        small.add("boulder", Motion::Dynamic, small.sphere(0.5), {0.0, 0.0, 0.45});
    if (speck) small.add("speck", Motion::Dynamic, small.sphere(5e-4), {5.0, 0.0, 5e-4});
    Simulation simulation = small.start();
    simulation.step();
    speeds.push_back(simulation.world().bodies.velocity[ball].z);
  }
  EXPECT_NEAR(speeds[0], 0.5 * std::sqrt(g * 1.0), 1e-9);
  EXPECT_NEAR(speeds[1], speeds[0], 1e-9);
}

// A sphere on a compliant floor sinks by F eps (SPOOK is the limit of a spring and a damper).
TEST(Compliance, LetsABodySinkByItsWeightTimesIt) {
  const double r = 0.1, h = 1e-3, compliance = 1e-5;
  SmallScene small(h);
  small.scene.time.scheme = Scheme::Spook;
  small.pair().compliance = compliance;
  small.pair().damping_time = 0.01;
  small.set_pair();
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
  Simulation simulation = small.start();
  support::run_until(simulation, 2.0);
  const double weight = simulation.world().bodies.mass[ball] * g;
  EXPECT_NEAR(r - simulation.world().bodies.position[ball].z, weight * compliance,
              0.01 * weight * compliance);
}

}  // namespace
}  // namespace talus
