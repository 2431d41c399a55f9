// Single contacts under the Coulomb law, where the direction of a projected step may lead uphill:
// the bound of a sliding tangent shrinks with the normal impulse of the step.

#include "talus/solvers/solve.hpp"

#include "support/dense_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus {
namespace {

using support::Plain;

constexpr int cones = 20000;

/// A contact at which a step of 1 makes less of the normal impulse while it slides.
struct Sliding {
  double mu;
  Plain matrix, free_velocity;
  double normal, tangent, uphill;  ///< x on the edge of its disc; d.g of the step from there
};

Sliding random_cone(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0), friction(0.1, 3.0);
  const double mu = friction(random);
  const Plain matrix = support::plain_random_matrix(3, 0.2, random);
  const Plain free_velocity{-1.0 - uniform(random), uniform(random), uniform(random)};
  const double normal = 1.0 + uniform(random), tangent = mu * normal;
  Sliding cone{mu, matrix, free_velocity, normal, tangent, 0.0};
  // d = P(x - g / p) - x by hand, in the contact frame
  const Plain x{normal, tangent, 0.0};
  const Plain image = support::plain_product(matrix, x);
  const double p = (matrix[0] + matrix[4] + matrix[8]) / 3.0;
  Plain y(3);
  for (std::size_t k = 0; k < 3; ++k) y[k] = x[k] - (image[k] + free_velocity[k]) / p;
  const double pushes = std::max(0.0, y[0]), across = std::hypot(y[1], y[2]);
  const double share = across > mu * pushes ? mu * pushes / across : 1.0;
  const Plain stepped{pushes, share * y[1], share * y[2]};
  for (std::size_t k = 0; k < 3; ++k)
    cone.uphill += (stepped[k] - x[k]) * (image[k] + free_velocity[k]);
  return cone;
}

// Where d leads uphill there is no slope that a line search could use, and the method must do
// without.
TEST(SlidingCones, AreSolvedWhereTheDirectionLeadsUphill) {
  std::mt19937_64 random(5);
  int uphill = 0, unsolved = 0;
  for (int k = 0; k < cones; ++k) {
    const Sliding cone = random_cone(random);
    if (cone.uphill <= 0.0) continue;
    ++uphill;
    const ConeSet set = support::one_spatial_contact(cone.mu);
    ConeProblem problem = support::dense_problem(set, cone.matrix, cone.free_velocity);
    problem.rough_ranks = 1;  // it has friction
    RowVector x = support::to_stored(set, {cone.normal, cone.tangent, 0.0}), gap;
    SolveOptions options;
    options.method = Method::Pspgfb;
    options.measure = Measure::NaturalVelocity;
    options.tolerance = 1e-9;
    options.max_iterations = 2000;
    if (solve(problem, options, Communicator::self(), x, gap).status != SolveStatus::Converged)
      ++unsolved;
  }
  EXPECT_GT(uphill, 50);
  EXPECT_EQ(unsolved, 0) << "of " << uphill;
}

}  // namespace
}  // namespace talus
