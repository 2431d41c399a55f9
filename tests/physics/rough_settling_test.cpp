// Large friction: the bounds of the Coulomb law move far, and the step's problem is no
// minimisation.

#include "support/scene_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace talus {
namespace {

/// Steps above their tolerance of 205 spheres that fall into a box, by auto within 2000 iterations.
int unconverged(double mu, int steps) {
  Simulation simulation = support::start_scene(
      "settle.yaml", {"count=205", "width=0.06", "fill=0.11", "e=0", "mu=" + std::to_string(mu),
                      "solver.max_iterations=2000"});
  int count = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step();
    if (!(report.error <= simulation.solver().tolerance)) ++count;
  }
  return count;
}

// One method for all of a step left one above its tolerance at mu = 2 and one at 3.
TEST(RoughSettling, ConvergesInEveryOfTheFirstSteps) {
  for (const double mu : {0.1, 0.5, 1.0, 2.0, 3.0}) EXPECT_EQ(unconverged(mu, 100), 0) << mu;
}

}  // namespace
}  // namespace talus
