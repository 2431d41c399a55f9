// Bodies of very different size: a large sphere that falls on many small ones.

#include "talus/simulation/run_defaults.hpp"

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using support::SmallScene;

struct Fall {
  double returned = 0.0;  ///< of the speed of impact, the most that came back
  double speed = 0.0;     ///< of the same, at the end
  int unconverged = 0;
  std::int64_t iterations = 0;
};

/// How the small spheres lie.
struct Bed {
  double spacing = 1.0, jitter = 0.0;  ///< in diameters
};

/// A sphere of `ratio` times the size falls at 2 m/s on five layers of side x side spheres of 10
/// mm over a floor; without restitution, 2000 iterations, 80 ms.
Fall fall(double ratio, int side, double h = 1e-3, const Bed& bed = {}) {
  constexpr double d = 0.01, speed = 2.0, seconds = 0.08;
  const double apart = bed.spacing * d, width = side * apart, height = 5.0 * apart;
  SmallScene small(h, 0.5);
  small.solver = run_defaults();
  small.solver.max_iterations = 2000;
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.5 * ratio * d),
                                     {0.5 * width, 0.5 * width, height + 0.5 * ratio * d + 0.003});
  small.body(ball).velocity = {0.0, 0.0, -speed};
  Generator beads = support::unit_spheres("beads", Generator::Kind::Lattice, d, {},
                                          {width, width, 1.01 * height});
  beads.spacing = {apart, apart, apart};
  beads.jitter = bed.jitter * d;
  small.add_generator(beads);
  Simulation simulation = small.start();
  Fall fall;
  while (simulation.world().time < seconds - 0.5 * h) {
    const StepReport report = simulation.step();
    if (!(report.error <= simulation.solver().tolerance)) ++fall.unconverged;
    fall.iterations += report.iterations;
    const double up = simulation.world().bodies.velocity[ball].z / speed;
    fall.returned = std::max(fall.returned, up);
    fall.speed = std::abs(up);
  }
  return fall;
}

TEST(SizeRatio, ASphereOfTwentyTimesTheSizeDoesNotBounce) {
  const Fall small = fall(20.0, 8);
  EXPECT_LE(small.returned, 0.05);
  EXPECT_LE(small.speed, 0.05);
}

// What unconverged steps left to the next one threw it back: 0.08 to 0.3 at 50 and 100, and 1.8
// with a quarter of the step.
TEST(NightlySizeRatio, NoLargeSphereBounces) {
  for (const double ratio : {20.0, 35.0, 50.0, 100.0}) {
    const Fall large = fall(ratio, 20);
    EXPECT_LE(large.returned, 0.05) << ratio;
    // None is wanted: docs/algorithms/auto.md, "first touches". Of 50 times the size some of 80
    // are left, of 100 times 21.
    if (ratio <= 50.0) {
      EXPECT_LE(large.unconverged, 12) << ratio;
    }
  }
}

TEST(NightlySizeRatio, NorWithAQuarterOfTheStep) {
  EXPECT_LE(fall(100.0, 20, 2.5e-4).returned, 0.05);
}

TEST(NightlySizeRatio, NorOnALooseBed) {
  for (const double ratio : {50.0, 100.0}) {
    EXPECT_LE(fall(ratio, 20, 1e-3, {1.08, 0.04}).returned, 0.05) << ratio;
  }
}

}  // namespace
}  // namespace talus
