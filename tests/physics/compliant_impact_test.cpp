// Impacts on compliant contacts against the spring that they are.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::SmallScene;

struct Rebound {
  double speed = 0.0;  ///< m/s, once it has left
  double depth = 0.0;  ///< m
};

constexpr double radius = 0.05, compliance = 1e-5;

/// A sphere of 1 kg that comes with 1 m/s from `height` over the floor.
SmallScene falling(Scheme scheme, double step, double damping_time, double height) {
  SmallScene small(step);
  small.scene.time.scheme = scheme;
  small.pair().compliance = compliance;
  small.pair().damping_time = damping_time;
  small.set_pair();
  small.set_gravity({});
  small.add_floor();
  const std::size_t ball =
      small.add("ball", Motion::Dynamic, small.sphere(radius), {0.0, 0.0, radius + height});
  small.body(ball).velocity = {0.0, 0.0, -1.0};
  small.body(ball).mass = 1.0;
  return small;
}

Rebound rebound_of(const SmallScene& small) {
  Simulation simulation = small.start();
  Rebound found;
  for (int step = 0; step < 10000; ++step) {
    simulation.step();
    const double z = simulation.world().bodies.position[1].z - radius;
    found.speed = simulation.world().bodies.velocity[1].z;
    found.depth = std::max(found.depth, -z);
    if (found.speed >= 0.0 && z > 0.0) break;
  }
  return found;
}

class CompliantImpact : public testing::TestWithParam<Scheme> {};

// Half a swing of a mass on a spring, from wherever it begins.
TEST_P(CompliantImpact, GivesBackWhatTheSpringHasTaken) {
  const double deepest = std::sqrt(compliance);  // v sqrt(m / k)
  for (const double height : {1e-2, 1.003e-2, 1e-3, 1e-4, 3e-5, 1e-7, 0.0, -1e-7}) {
    const Rebound found = rebound_of(falling(GetParam(), 1e-4, 1e-9, height));
    EXPECT_NEAR(found.speed, 1.0, 0.005) << height;  // energy within 1 %
    EXPECT_NEAR(found.depth, deepest, 0.02 * deepest) << height;
  }
}

// m x'' + tau k x' + k x = 0 until the force is 0: of small damping e = exp(-pi D), D = tau w / 2.
TEST_P(CompliantImpact, LosesWhatTheDamperTakes) {
  const double w = std::sqrt(1.0 / compliance), ratio = 0.05;
  const Rebound found = rebound_of(falling(GetParam(), 1e-5, 2.0 * ratio / w, 3.3e-3));
  EXPECT_NEAR(found.speed, std::exp(-std::numbers::pi * ratio / std::sqrt(1.0 - ratio * ratio)),
              0.01);
}

// A spring that the step cannot resolve may lose an impact, never gain by it.
TEST_P(CompliantImpact, NeverGainsWhateverTheStep) {
  for (const double step : {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1})
    for (int k = 0; k < 20; ++k) {
      const double height = (1.0 + 0.05 * k) * step;
      const Rebound found = rebound_of(falling(GetParam(), step, 1e-9, height));
      EXPECT_LE(found.speed, 1.0) << step << ", " << k;
      EXPECT_GE(found.speed, 0.0);
    }
}

TEST_P(CompliantImpact, ALoadSinksByItsWeight) {
  SmallScene small = falling(GetParam(), 1e-4, 0.01, 0.0);
  small.set_gravity({0.0, 0.0, -10.0});
  small.body(1).velocity = {};
  Simulation simulation = small.start();
  support::run_until(simulation, 0.5);
  EXPECT_NEAR(radius - simulation.world().bodies.position[1].z, 10.0 * compliance,
              0.001 * 10.0 * compliance);
}

// A ball that rests deep in its spring is hit from above, where the pair bounces too: what the
// spring holds is not thrown out as a velocity.
TEST_P(CompliantImpact, OnALoadedSpringMakesNoEnergy) {
  SmallScene small(1e-3, 0.0, 0.1);
  small.scene.time.scheme = GetParam();
  small.scene.max_overlap = 1.0;
  small.pair().compliance = 1e-3;
  small.set_pair();
  const double r = 0.05, mass = 1000.0 * 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double depth = mass * 9.81 * 1e-3;
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r - depth});
  const std::size_t above =
      small.add("above", Motion::Dynamic, small.sphere(r), {0.0, 0.0, 3.0 * r - depth + 5e-4});
  small.body(above).velocity = {0.0, 0.0, -1.0};
  Simulation simulation = small.start();
  const auto energy = [&] {
    const World& world = simulation.world();
    double sum = 0.0;
    for (std::size_t b = 1; b < 3; ++b) sum += energies_of(world, b, {0.0, 0.0, -9.81}).kinetic;
    return sum;
  };
  const double before = energy();
  for (int step = 0; step < 20; ++step) {
    const StepReport report = simulation.step();
    EXPECT_LE(energy(), 1.05 * before) << step;
    // what springs is meant to overlap: no share that a verdict would blame
    EXPECT_EQ(report.overlap_share, 0.0);
    EXPECT_GT(report.largest_overlap, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, CompliantImpact,
                         testing::Values(Scheme::AnitescuTasora, Scheme::Spook),
                         [](const auto& of) {
                           return of.param == Scheme::Spook ? "spook" : "anitescu_tasora";
                         });

}  // namespace
}  // namespace talus
