// Large friction: the bounds of the Coulomb law move far, and the step's problem is no
// minimisation.

#include "support/scene_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace talus {
namespace {

/// What steps of 205 spheres that fall into a box come to, by auto within 2000 iterations each.
struct Settled {
  int unconverged = 0, less_restitution = 0;
  std::int64_t most_iterations = 0;
};

Settled settle(double friction, double restitution, int steps) {
  Simulation simulation = support::start_scene(
      "settle.yaml", {"count=205", "width=0.06", "fill=0.11", "e=" + std::to_string(restitution),
                      "mu=" + std::to_string(friction), "solver.max_iterations=2000"});
  Settled settled;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    if (!(report.error <= simulation.solver().tolerance)) ++settled.unconverged;
    if (report.less_restitution) ++settled.less_restitution;
    settled.most_iterations = std::max(settled.most_iterations, report.iterations);
  }
  return settled;
}

// One method for all of a step left one above its tolerance at mu = 2 and one at 3.
TEST(RoughSettling, ConvergesInEveryOfTheFirstSteps) {
  for (const double mu : {0.1, 0.5, 1.0, 2.0, 3.0})
    EXPECT_EQ(settle(mu, 0.0, 100).unconverged, 0) << mu;
}

// Newton's law asks spheres in corners for rebounds that friction of 1 and more forbids.
TEST(RoughSettling, ConvergesWithRestitutionThatHasNoAnswer) {
  const Settled smooth = settle(0.5, 0.5, 130), rough = settle(1.5, 0.5, 130);
  EXPECT_EQ(smooth.unconverged, 0);
  EXPECT_EQ(smooth.less_restitution, 0);
  EXPECT_EQ(rough.unconverged, 0);
  EXPECT_GT(rough.less_restitution, 0);
  EXPECT_LE(rough.most_iterations, 2000);
}

// docs/algorithms/auto.md
TEST(NightlyRoughSettling, ConvergesInAllSteps) {
  for (const double e : {0.0, 0.5})
    for (const double mu : {0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0})
      EXPECT_EQ(settle(mu, e, 400).unconverged, 0) << mu << ", " << e;
}

}  // namespace
}  // namespace talus
