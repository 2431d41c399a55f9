// The problem of a step that is taken out of the run: its answer is that of the run, and the
// problem is the one that it answers, by either law of restitution.

#include "talus/problem/cone_problem.hpp"

#include "support/dense_reference.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

using support::SmallScene;

/// Two spheres one above the other that hit the floor, and a third from the side.
SmallScene hitting(RestitutionLaw law) {
  SmallScene small(1e-3, 0.4, 0.6);
  small.scene.time.restitution_law = law;
  small.solver.law = Law::Coulomb;
  small.solver.tolerance = 1e-10;
  small.add_floor();
  const Index shape = small.sphere(0.05);
  small.add("low", Motion::Dynamic, shape, {0.0, 0.0, 0.05});
  small.add("high", Motion::Dynamic, shape, {0.02, 0.0, 0.05 + 0.0979});
  small.add("side", Motion::Dynamic, shape, {0.1, 0.0, 0.05});
  small.body(2).velocity = {0.0, 0.0, -2.0};
  small.body(3).velocity = {-1.0, 0.0, -0.5};
  return small;
}

class Freeze : public testing::TestWithParam<RestitutionLaw> {};

TEST_P(Freeze, GivesTheProblemThatItsAnswerSolves) {
  Simulation simulation = hitting(GetParam()).start();
  const FrozenStep frozen = simulation.freeze();
  const auto dense = support::dense_reference(frozen.problem);
  const double fault =
      support::complementarity_fault(dense, Law::Coulomb, support::stacked_impulses(frozen.answer));
  EXPECT_LT(fault, 1e-7);
  EXPECT_LE(frozen.report.error, 1e-10);
}

TEST_P(Freeze, HasTheAnswerOfTheRun) {
  Simulation taken = hitting(GetParam()).start(), stepped = hitting(GetParam()).start();
  const FrozenStep frozen = taken.freeze();
  const StepReport report = stepped.step();
  EXPECT_EQ(frozen.report.iterations, report.iterations);
  for (std::size_t b = 1; b < 4; ++b) {
    const Vec3& v = stepped.world().bodies.velocity[b];
    EXPECT_DOUBLE_EQ(frozen.answer.v[6 * b + 2], v.z);
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, Freeze,
                         testing::Values(RestitutionLaw::Newton, RestitutionLaw::Poisson),
                         [](const auto& of) {
                           return of.param == RestitutionLaw::Newton ? "newton" : "poisson";
                         });

}  // namespace
}  // namespace talus
