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

  run_frozen_apgd({problem, options, alone}, x, keeper, false);

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

constexpr double heavy = 1e5;  // kg
constexpr Index force_on_floor = 16;

/// A ball of 10^5 kg on a column of five of 1 kg, which fall at `speed`, with the floor below.
ConeProblem heavy_ball_on_a_column(double speed) {
  BodyProblem bodies;
  Index below = no_body;
  for (int k = 0; k < 6; ++k) {
    const double mass = k == 5 ? heavy : 1.0, turn = 1.0 / (0.4 * mass);
    const Index ball =
        bodies.add_body({0.0, 0.0, 2.0 * k + 1.0}, 1.0 / mass, {turn, 0.0, 0.0, turn, 0.0, turn},
                        {0.0, 0.0, k == 5 ? -speed * mass : -0.01, 0.0, 0.0, 0.0});
    bodies.add_contact(below, ball, {0.0, 0.0, 1.0}, {0.0, 0.0, 2.0 * k}, 0.5, {});
    below = ball;
  }
  return make_cone_problem(bodies);
}

struct HeavyBall {
  RowVector impulses;
  std::int64_t iterations = 0;
};

HeavyBall stop_heavy_ball(double speed, const RowVector& start, bool stretches) {
  const ConeProblem problem = heavy_ball_on_a_column(speed);
  SolveOptions options;
  options.measure = Measure::NaturalVelocity;
  options.tolerance = 1e-6;
  options.max_iterations = 100000;
  const Communicator alone = Communicator::self();
  IterateKeeper keeper(problem, options, alone, IterateKeeper::Clock::now());
  RowVector x = start;
  x.resize(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  run_frozen_apgd({problem, options, alone}, x, keeper, stretches);
  EXPECT_EQ(keeper.status(), SolveStatus::Converged);
  // all six are stopped by the floor: the impulse there is what they came with
  EXPECT_NEAR(keeper.best()[force_on_floor], speed * heavy + 0.05, 1e-3 * speed * heavy);
  return {keeper.best(), keeper.last_iteration()};
}

// The impulse that stops a heavy body is the sum of many steps of the light ones, but a multiple of
// what a few of them make.
TEST(FrozenApgd, StretchesWhatStopsAHeavyBody) {
  const std::int64_t as_it_is = stop_heavy_ball(2.0, {}, false).iterations;
  const std::int64_t stretched = stop_heavy_ball(2.0, {}, true).iterations;
  EXPECT_LT(10 * stretched, as_it_is);
}

// What has stopped it is the start of the next step, in which it only rests.
TEST(FrozenApgd, LessensAStartThatHasStoppedAHeavyBody) {
  constexpr double of_gravity = 0.01;
  const RowVector stopped = stop_heavy_ball(2.0, {}, true).impulses;
  const std::int64_t as_it_is = stop_heavy_ball(of_gravity, stopped, false).iterations;
  const std::int64_t lessened = stop_heavy_ball(of_gravity, stopped, true).iterations;
  EXPECT_LT(10 * lessened, as_it_is);
}

// It rises: whatever holds it is too much.
TEST(FrozenApgd, DropsAStartThatWouldThrowAHeavyBody) {
  const RowVector stopped = stop_heavy_ball(2.0, {}, true).impulses;
  const ConeProblem problem = heavy_ball_on_a_column(-1.0);
  SolveOptions options;
  options.measure = Measure::NaturalVelocity;
  options.max_iterations = 1;
  const Communicator alone = Communicator::self();
  IterateKeeper keeper(problem, options, alone, IterateKeeper::Clock::now());
  RowVector x = stopped;
  run_frozen_apgd({problem, options, alone}, x, keeper, true);
  EXPECT_GT(stopped[force_on_floor], heavy);
  EXPECT_LT(x[force_on_floor], 0.1) << "what holds the light ones";
}

// A few iterations leave what is pressed far from its answer, and hardly any impulse near it: the
// least error would let the heavy ball through.
TEST(Auto, TakesTheIterateThatBrakesAHeavyBodyWhereNoneConverges) {
  const ConeProblem problem = heavy_ball_on_a_column(2.0);
  SolveOptions options;
  options.measure = Measure::NaturalVelocity;
  options.tolerance = 1e-12;
  options.max_iterations = 60;
  options.automatic.first = Method::Pspgfb;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  const SolveReport report = solve(problem, options, Communicator::self(), x, gap);
  EXPECT_EQ(report.status, SolveStatus::IterationLimit);
  // that of least error has 0.02 N s there, the answer 2e5
  EXPECT_GT(x[force_on_floor], 1e4);
}

}  // namespace
}  // namespace talus
