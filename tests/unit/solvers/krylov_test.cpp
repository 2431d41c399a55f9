// cg and minres: answers against dense solves and manufactured ones, singular and contradicting
// rows, restarts, cost, bits, and what they refuse.

#include "talus/core/error.hpp"

#include "generate/generate.hpp"
#include "support/dense_reference.hpp"
#include "support/machine.hpp"
#include "support/manufactured_problem.hpp"
#include "support/solved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::Manufactured;
using support::solved;
using support::Solved;
using testing::HasSubstr;

SolveOptions to_tolerance(Method method, double tolerance) {
  SolveOptions options;
  options.method = method;
  options.law = Law::Associated;
  options.tolerance = tolerance;
  return options;
}

/// One body that moves along x and turns about y; rows are (velocity, spin) . (v_x, w_y) + bias.
struct Row {
  double velocity, spin, bias;
};
BodyProblem one_body(const std::vector<Row>& rows) {
  BodyProblem problem;
  problem.add_body({}, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
  for (const Row& row : rows)
    problem.add_joint_row(no_body, 0, {}, {row.velocity, 0, 0, 0, row.spin, 0}, row.bias);
  return problem;
}

class Krylov : public testing::TestWithParam<Method> {};

TEST_P(Krylov, AgreesWithADenseSolve) {
  for (const double compliance : {0.0, 0.3}) {
    const Manufactured made = support::manufacture_bodies(
        {.contacts = 0, .free_rows = 40, .mass_ratio = 30.0, .compliance = compliance});
    const support::DenseReference dense = support::dense_reference(made.data);
    const Eigen::VectorXd expected = dense.N.ldlt().solve(-dense.r);

    const Solved s = solved(made.data, to_tolerance(GetParam(), 1e-13));

    EXPECT_EQ(s.report.status, SolveStatus::Converged);
    const Eigen::VectorXd found = support::stacked_impulses(s.solution);
    // 1e-13 of the residual, times a condition number below 1e4
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST_P(Krylov, RepeatedRowsAreNoObstacle) {
  // every row four times: three quarters of the eigenvalues are zero
  for (const Manufactured& made :
       {support::manufacture_bodies(
            {.contacts = 0, .free_rows = 20, .repeats = 4, .immovable_body = true}),
        support::manufacture_local({.contacts = 0, .free_rows = 20, .repeats = 4}),
        support::manufacture_global({.contacts = 0, .free_rows = 20, .repeats = 4})}) {
    const Solved s = solved(made.data, to_tolerance(GetParam(), 1e-12));

    EXPECT_EQ(s.report.status, SolveStatus::Converged);
    // velocities follow the residual with the root of the condition number
    EXPECT_LT(support::velocity_error(made, s.solution), 1e-9);
  }
}

TEST_P(Krylov, ANetOfRedundantJointsIsSolvedFromAnyStart) {
  const BodyProblem net = generate(parse_generate("net,bodies=64"));
  const Solved cold = solved(net, to_tolerance(GetParam(), 1e-10));
  RowVector wild(cold.impulses.size());
  for (std::size_t i = 0; i < wild.size(); ++i) wild[i] = i % 3 == 0 ? 1.0 : -0.5;

  const Solved warm = solved(net, to_tolerance(GetParam(), 1e-10), wild);

  EXPECT_EQ(cold.report.status, SolveStatus::Converged);
  EXPECT_EQ(warm.report.status, SolveStatus::Converged);
  double difference = 0.0, speed = 0.0;
  for (std::size_t i = 0; i < cold.solution.v.size(); ++i) {
    difference = std::max(difference, std::abs(cold.solution.v[i] - warm.solution.v[i]));
    speed = std::max(speed, std::abs(cold.solution.v[i]));
  }
  EXPECT_LT(difference, 1e-6 * speed);  // 1e-10, with four digits for the condition of a net
}

TEST_P(Krylov, StopsAndSaysSoWhereNothingIsLeftToGain) {
  SolveOptions options = to_tolerance(GetParam(), 0.0);  // out of reach in floating point
  options.max_iterations = 1000000;

  const Solved s = solved(generate(parse_generate("chain,bodies=20")), options);

  EXPECT_EQ(s.report.status, SolveStatus::Stalled);
  EXPECT_LT(s.report.error, 1e-13);
  EXPECT_LT(s.report.iterations, 3 * 2000);  // three attempts of two windows at most
}

TEST_P(Krylov, ARestartCostsNoAccuracy) {
  const BodyProblem chain = generate(parse_generate("chain,bodies=20"));
  SolveOptions options = to_tolerance(GetParam(), 1e-11);
  (GetParam() == Method::Cg ? options.cg : options.minres) = {.refresh_every = 7,
                                                              .restart_after = 1};

  const Solved s = solved(chain, options);

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_GE(s.report.operator_products, s.report.iterations + s.report.iterations / 7);
}

TEST_P(Krylov, NeedsOneProductAndOneReductionPerIteration) {
  const BodyProblem chain = generate(parse_generate("chain,bodies=500"));
  const auto of_iterations = [&](std::int64_t iterations) {
    SolveOptions options = to_tolerance(GetParam(), 0.0);
    options.max_iterations = iterations;
    return solved(chain, options).report;
  };

  // the difference of two runs leaves out set-up and verification
  const SolveReport few = of_iterations(10), many = of_iterations(190);

  const auto iterations = static_cast<double>(many.iterations - few.iterations);
  EXPECT_EQ(iterations, 180.0);
  EXPECT_EQ(static_cast<double>(many.operator_products - few.operator_products), iterations);
  // a reduction is redone where terms jump by more than 2^18; the sums of minres fall by the
  // square of the residual
  EXPECT_LE(static_cast<double>(many.reductions - few.reductions), 1.1 * iterations);
}

TEST_P(Krylov, GivesTheSameBitsForAnyThreadsAndEveryLevel) {
  // 800 rows are 100 tiles: every pass is threaded (tile_ranges.hpp)
  const BodyProblem chain = generate(parse_generate("chain,bodies=230"));
  SolveOptions options = to_tolerance(GetParam(), 0.0);
  options.max_iterations = 60;
  const support::ForcedLevel level_before(SimdLevel::Baseline);
  const support::ForcedThreads threads_before(1);
  const auto reference = support::bits_of_all(solved(chain, options).impulses);

  for (const SimdLevel level : support::levels_here())
    for (const int threads : {1, 2, 3}) {
      const support::ForcedLevel forced_level(level);
      const support::ForcedThreads forced_threads(threads);
      EXPECT_EQ(support::bits_of_all(solved(chain, options).impulses), reference)
          << name_of(level) << ", " << threads << " threads";
    }
}

TEST_P(Krylov, RefusesContactsAndBoundedRowsByName) {
  const auto refusal = [](const ProblemData& data) {
    try {
      solved(data, to_tolerance(GetParam(), 1e-6));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  BodyProblem limited = one_body({{1.0, 0.0, 1.0}, {0.0, 1.0, 1.0}});
  limited.joint_lower[1] = 0.0;

  EXPECT_THAT(refusal(generate(parse_generate("stack,bodies=2"))),
              AllOf(HasSubstr(name_of(GetParam()) + " solves"),
                    HasSubstr("contacts push and never pull"), HasSubstr("apgd")));
  EXPECT_THAT(refusal(limited),
              HasSubstr("joint row of key 1 is bounded: its impulse lies in [0, inf]"));
}

TEST_P(Krylov, ChecksItsOptions) {
  SolveOptions options = to_tolerance(GetParam(), 1e-6);
  (GetParam() == Method::Cg ? options.cg : options.minres) = {.refresh_every = 0,
                                                              .restart_after = 0};

  try {
    solved(one_body({{1.0, 0.0, 1.0}}), options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.messages().size(), 2U);
    EXPECT_THAT(error.messages()[0], HasSubstr(name_of(GetParam()) + ".refresh_every = 0"));
    EXPECT_THAT(error.messages()[1], HasSubstr(name_of(GetParam()) + ".restart_after = 0"));
  }
}

INSTANTIATE_TEST_SUITE_P(FreeRows, Krylov, testing::Values(Method::Cg, Method::Minres),
                         [](const auto& test) { return name_of(test.param); });

// v_x = -1 and v_x = -3 cannot both be; the rows weigh the same, so that both are missed by 1.
TEST(KrylovContradiction, MinresFindsTheLeastSquaresAnswer) {
  const BodyProblem problem = one_body({{1.0, 0.0, 1.0}, {1.0, 0.0, 3.0}, {0.0, 1.0, -2.0}});

  const Solved s = solved(problem, to_tolerance(Method::Minres, 1e-9));

  EXPECT_EQ(s.report.status, SolveStatus::Stalled);
  ASSERT_EQ(s.solution.v.size(), 6U);
  EXPECT_NEAR(s.solution.v[0], -2.0, 1e-12);  // rounding only: the space has two dimensions
  EXPECT_NEAR(s.solution.v[4], 2.0, 1e-12);
  EXPECT_NEAR(s.report.errors.bilateral, 1.0, 1e-12);
  ASSERT_EQ(s.report.remarks.size(), 1U);
  EXPECT_THAT(s.report.remarks[0], HasSubstr("contradict"));
}

TEST(KrylovContradiction, ManyRowsEndWithTheLeastResidual) {
  BodyProblem problem = std::get<BodyProblem>(
      support::manufacture_bodies({.contacts = 0, .free_rows = 30, .repeats = 2}).data);
  for (std::size_t j = 0; j < problem.joint_bias.size(); ++j)
    problem.joint_bias[j] += j % 2 == 0 ? 0.01 : 0.0;
  const support::DenseReference dense = support::dense_reference(problem);
  // least |N x + r| in the norm of the inverse diagonal, by a dense least-squares solve
  const Eigen::MatrixXd scaled =
      dense.N.diagonal().cwiseSqrt().cwiseInverse().asDiagonal() * dense.N;
  const Eigen::VectorXd free = dense.N.diagonal().cwiseSqrt().cwiseInverse().cwiseProduct(dense.r);
  const Eigen::VectorXd best = scaled.completeOrthogonalDecomposition().solve(-free);
  const double least = (scaled * best + free).norm();

  const Solved minres = solved(problem, to_tolerance(Method::Minres, 1e-12));
  const Solved cg = solved(problem, to_tolerance(Method::Cg, 1e-12));

  EXPECT_GT(least, 1e-3);
  EXPECT_EQ(minres.report.status, SolveStatus::Stalled);
  EXPECT_NEAR(minres.report.errors.natural / least, 1.0, 1e-10);
  // cg minimises an energy that has no minimum here: it must end, and never worse than it began
  EXPECT_EQ(cg.report.status, SolveStatus::Stalled);
  EXPECT_GE(cg.report.errors.natural, least * (1.0 - 1e-10));
  EXPECT_LE(cg.report.error, 1.0);
}

TEST(KrylovContradiction, ARowThatMovesNothingIsOne) {
  const BodyProblem problem = one_body({{1.0, 0.0, 1.0}, {0.0, 0.0, 0.5}});

  const Solved s = solved(problem, to_tolerance(Method::Minres, 1e-9));

  EXPECT_EQ(s.report.status, SolveStatus::Stalled);
  EXPECT_NEAR(s.solution.v[0], -1.0, 1e-12);
}

TEST(KrylovCompliance, MakesContradictingRowsShare) {
  BodyProblem problem = one_body({{1.0, 0.0, 1.0}, {1.0, 0.0, 3.0}});
  problem.joint_compliance = {0.5, 0.5};

  const Solved s = solved(problem, to_tolerance(Method::Cg, 1e-12));

  // v = l1 + l2, v + l1 / 2 = -1, v + l2 / 2 = -3: v = -1.6
  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_NEAR(s.solution.v[0], -1.6, 1e-11);
  EXPECT_NEAR(s.solution.l[0], 1.2, 1e-11);
  EXPECT_NEAR(s.solution.l[1], -2.8, 1e-11);
}

}  // namespace
}  // namespace talus
