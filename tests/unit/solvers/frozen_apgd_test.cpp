// apgd with De Saxce's term frozen between renewals, for cones of every kind. What it finds is
// judged by the measure of the Coulomb law with a fresh product.

#include "solvers/methods.hpp"
#include "support/dense_problem.hpp"

#include <gtest/gtest.h>

#include <random>

namespace talus {
namespace {

using support::Plain;

/// Two rows, two planar, two spatial and two rolling cones: 2 + 4 + 6 + 12 rows.
ConeSet cones_of_every_kind() {
  ConeSet cones = make_cone_set(ConeCounts{2, 2, 2, 2});
  set_interval(cones, 1, 0.0, infinity);
  for (Index c = 0; c < 2; ++c) {
    set_planar_friction(cones, c, 0.5 + c);
    set_spatial_friction(cones, c, 0.4 + c, {0.0, 0.6, 0.8}, {1.0, 0.0, 0.0});
    set_rolling_friction(cones, c, {0.5 + c, 0.2, 0.1}, {0.8, 0.0, 0.6}, {0.0, 1.0, 0.0});
  }
  return cones;
}

void expect_solved(const Plain& skew) {
  constexpr std::size_t size = 24;
  std::mt19937_64 random(7);
  ConeProblem problem = support::dense_problem(cones_of_every_kind(),
                                               support::plain_random_matrix(size, 20.0, random),
                                               support::plain_random_vector(size, random), skew);
  problem.rough_ranks = 1;
  SolveOptions options;
  options.measure = Measure::Natural;
  options.tolerance = 1e-10;
  options.max_iterations = 2000;
  const Communicator alone = Communicator::self();
  IterateKeeper keeper(problem, options, alone, IterateKeeper::Clock::now());
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;

  run_frozen_apgd({problem, options, alone}, x, keeper);

  evaluate_gap(problem, Law::Coulomb, keeper.best(), gap);
  EXPECT_LE(evaluate(Measure::Natural, problem, Law::Coulomb, keeper.best(), gap, 1.0, alone),
            2e-10);
  EXPECT_GT(evaluate(Measure::Natural, problem, Law::Associated, keeper.best(), gap, 1.0, alone),
            1e-4);  // something slides: the laws differ
}

TEST(FrozenApgd, FindsTheAnswerOfTheCoulombLaw) {
  expect_solved({});
}

TEST(FrozenApgd, FreezesTheSkewPartToo) {
  constexpr std::size_t size = 24;
  std::mt19937_64 random(8);
  const Plain part = support::plain_random_vector(size * size, random);
  Plain skew(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      skew[i * size + j] = part[i * size + j] - part[j * size + i];
  expect_solved(skew);
}

}  // namespace
}  // namespace talus
