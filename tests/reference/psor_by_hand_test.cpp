// psor on problems small enough for a hand calculation, and every way in which it ends.

#include "talus/solvers/solve.hpp"

#include "generate/generate.hpp"
#include "solvers/local_cone.hpp"
#include "support/manufactured_problem.hpp"
#include "support/solved.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

using support::psor_options;
using support::Solved;
using support::solved;

// ---- by hand
// -------------------------------------------------------------------------------------------------

/// A point mass of 2 kg at (0, 0, 0) on the floor, friction 0.5, with a given momentum.
BodyProblem slider(const Vec3& momentum) {
  BodyProblem problem;
  const Index mass = problem.add_body({0.0, 0.0, 0.0}, 0.5, {},
                                      {momentum.x, momentum.y, momentum.z, 0.0, 0.0, 0.0});
  problem.add_contact(no_body, mass, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.5, {});
  problem.tangent.back() = {1.0, 0.0, 0.0};
  return problem;
}

TEST(Psor, BoxFrictionBoundsEveryTangentForItself) {
  const Solved box = solved(slider({3.0, 0.8, -4.0}), psor_options(Law::Box));
  const Solved disc = solved(slider({3.0, 0.8, -4.0}), psor_options(Law::Coulomb));

  // normal 4 N s; each tangent up to 2: the first is short by 1 N s, the second stops
  EXPECT_NEAR(box.solution.r[0], 4.0, 1e-13);
  EXPECT_NEAR(box.solution.r[1], -2.0, 1e-13);
  EXPECT_NEAR(box.solution.r[2], -0.8, 1e-13);
  EXPECT_NEAR(box.solution.v[0], 0.5, 1e-13);
  EXPECT_NEAR(box.solution.v[1], 0.0, 1e-13);
  // Coulomb: 2 N s against the direction (3, 0.8)
  const double length = std::hypot(3.0, 0.8);
  EXPECT_NEAR(disc.solution.r[1], -2.0 * 3.0 / length, 1e-13);
  EXPECT_NEAR(disc.solution.v[1], 0.5 * 0.8 * (1.0 - 2.0 / length), 1e-13);
}

TEST(Psor, BoxStartIsClippedToTheBox) {
  const ProblemData data = slider({3.0, 0.8, -4.0});
  const ConeProblem cones = make_cone_problem(data);
  SolveOptions options = psor_options(Law::Box);
  options.max_iterations = 0;

  // in a corner of the box, outside the cone: stays; outside of both: each tangent for itself;
  // open: 0
  const auto start = [&](double n, double t1, double t2) {
    return solved(data, options, impulses_from(cones, {{}, {n, t1, t2}, {}, {}})).solution.r;
  };

  const std::vector<double> corner = start(1.0, -0.5, 0.5), outside = start(1.0, -9.0, 0.25);

  EXPECT_NEAR(corner[1], -0.5, 1e-15);  // rounding
  EXPECT_NEAR(corner[2], 0.5, 1e-15);
  EXPECT_NEAR(outside[1], -0.5, 1e-15);
  EXPECT_NEAR(outside[2], 0.25, 1e-15);
  EXPECT_EQ(start(-1.0, 2.0, 2.0)[1], 0.0);
}

/// Two rows, R = (2, 1; 1, 2), s = (-2, -3).
LocalProblem two_rows() {
  LocalProblem problem;
  problem.W = from_triplets(0, 0, {});
  problem.V = from_triplets(0, 2, {});
  problem.R = from_triplets(2, 2, {{0, 0, 2.0}, {0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 2.0}});
  problem.s = {-2.0, -3.0};
  return problem;
}

TEST(Psor, SweepsForwardAndThenBackward) {
  SolveOptions options = psor_options(Law::Associated);
  options.tolerance = 0.0;
  options.psor.check_every = 1;
  options.psor.symmetric = true;
  const auto after = [&](std::int64_t sweeps) {
    options.max_iterations = sweeps;
    return solved(two_rows(), options).solution.l;
  };

  // forward: 2 / 2, (3 - 1) / 2; backward: the second row is met already, (2 - 1) / 2
  EXPECT_EQ(after(1), (std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(after(2), (std::vector<double>{0.5, 1.0}));
  options.psor.symmetric = false;
  // forward again: (2 - 1) / 2, (3 - 0.5) / 2
  EXPECT_EQ(after(2), (std::vector<double>{0.5, 1.25}));
}

TEST(Psor, SweepsBodiesInTheOrderOfTheirKeys) {
  // the same two joint rows and contacts, listed the other way round
  BodyProblem listed = generate(parse_generate("stack,bodies=3,friction=0.4"));
  BodyProblem reversed = listed;
  const auto turn = [](auto& values) { std::reverse(values.begin(), values.end()); };
  turn(reversed.contact_key);
  turn(reversed.contact_body_a);
  turn(reversed.contact_body_b);
  turn(reversed.normal);
  turn(reversed.tangent);
  turn(reversed.point);
  turn(reversed.point_b);
  turn(reversed.friction);
  turn(reversed.contact_bias);
  turn(reversed.normal_compliance);
  turn(reversed.tangent_compliance);
  SolveOptions options = psor_options(Law::Coulomb);
  options.tolerance = 0.0;
  options.max_iterations = 30;

  const Solved one = solved(listed, options), other = solved(reversed, options);

  EXPECT_EQ(one.solution.v, other.solution.v);  // to the last bit
}

TEST(Psor, HasTheComplianceInTheDiagonal) {
  // a joint row whose compliance is 24 times D M^-1 D^T: without it in a_ii the step would be 25
  // times too long
  BodyProblem problem;
  const Index body = problem.add_body({}, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
  problem.add_joint_row(no_body, body, {}, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, -5.0);
  problem.joint_compliance.back() = 24.0;
  SolveOptions options = psor_options(Law::Associated);
  options.psor.check_every = 1;

  const Solved s = solved(problem, options);

  EXPECT_EQ(s.report.iterations, 1);  // one row: exact at once
  EXPECT_DOUBLE_EQ(s.solution.l[0], 0.2);
  double x = 0.0;
  for (int sweep = 0; sweep < 20; ++sweep)
    x = scalar_step(x, 25.0 * x - 5.0, 1.0, {-infinity, infinity}, 1.0);
  EXPECT_GT(std::abs(x), 1e20);  // 24^20
}

TEST(Psor, HasTheContactsComplianceInItsBlock) {
  BodyProblem problem = slider({0.0, 0.0, -4.0});
  problem.normal_compliance.back() = 1.5;  // beside 1 / m = 0.5
  SolveOptions options = psor_options(Law::Coulomb);
  options.psor.check_every = 1;

  const Solved s = solved(problem, options);

  EXPECT_EQ(s.report.iterations, 1);
  EXPECT_NEAR(s.solution.r[0], 1.0, 1e-14);  // 2 m/s over 0.5 + 1.5; rounding
}

// ---- how it ends
// ---------------------------------------------------------------------------------------------

TEST(Psor, EndsWithEachStatus) {
  const ProblemData data =
      support::manufacture_bodies({.law = Law::Coulomb, .free_rows = 6, .box_rows = 6}).data;
  SolveOptions options = psor_options(Law::Coulomb);
  EXPECT_EQ(solved(data, options).report.status, SolveStatus::Converged);

  options.max_iterations = 17;  // not a multiple of the ten sweeps between measurements
  const SolveReport limited = solved(data, options).report;
  EXPECT_EQ(limited.status, SolveStatus::IterationLimit);
  EXPECT_EQ(limited.iterations, 17);

  options.max_iterations = 1000000;
  options.tolerance = 0.0;
  options.stall_iterations = 2000;
  EXPECT_EQ(solved(data, options).report.status, SolveStatus::Stalled);

  options.time_limit = 1e-9;
  EXPECT_EQ(solved(data, options).report.status, SolveStatus::TimeLimit);
}

TEST(Psor, StallsAtOnceWhereNothingCanMove) {
  BodyProblem problem;
  problem.add_body({}, 0.0, {}, {});
  problem.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {}, 0.5, {-1.0, 0.0, 0.0});
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box}) {
    const SolveReport report = solved(problem, psor_options(law)).report;

    EXPECT_EQ(report.status, SolveStatus::Stalled) << name_of(law);
    EXPECT_LT(report.iterations, 20) << name_of(law);
  }
}

TEST(Psor, BreaksOffWhereNumbersAreNotFinite) {
  ConeProblem problem = make_cone_problem(slider({3.0, 0.8, -4.0}));
  problem.free_velocity[static_cast<std::size_t>(problem.cones.spatial_row(0, 2))] = std::nan("");
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box}) {
    RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;

    const SolveReport report = solve(problem, psor_options(law), Communicator::self(), x, gap);

    EXPECT_EQ(report.status, SolveStatus::NotFinite) << name_of(law);
  }
}

TEST(Psor, AnswersABlockThatOnlyAnInfiniteImpulseWouldMeetWithBoundedSteps) {
  // singular block along (1, -1, 0), pushed across: no answer exists, and nothing may blow up
  LocalProblem problem;
  problem.W =
      from_triplets(3, 3, {{0, 0, 1.0}, {0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}});
  problem.V = from_triplets(3, 0, {});
  problem.R = from_triplets(0, 0, {});
  problem.q = {-1.0, 0.5, 0.0};
  problem.friction = {2.0};
  for (const Law law : {Law::Coulomb, Law::Associated}) {
    SolveOptions options = psor_options(law);
    options.max_iterations = 100;

    const Solved s = solved(problem, options);

    EXPECT_NE(s.report.status, SolveStatus::Converged) << name_of(law);
    EXPECT_LT(std::abs(s.solution.r[0]), 100.0)
        << name_of(law);  // 100 steps of at most 1 / lambda_max
  }
}

TEST(Psor, NothingToSolve) {
  EXPECT_EQ(solved(BodyProblem{}, psor_options(Law::Coulomb)).report.status,
            SolveStatus::Converged);
}

}  // namespace
}  // namespace talus
