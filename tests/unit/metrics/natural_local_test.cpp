// The largest root mean square over neighbourhoods: bodies that never touch do not change it, rows
// far away do not dilute it, and it is the same whatever stands behind the operator.

#include "talus/metrics/measures.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/solvers/solve.hpp"

#include "problem/linear_operator.hpp"
#include "support/dense_problem.hpp"
#include "support/machine.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr Sym3 unit_inertia{1.0, 0.0, 0.0, 1.0, 0.0, 1.0};

/// Bodies side by side, each touching the next one, the first of them a fixed wall.
BodyProblem row_of_bodies(Index moving) {
  BodyProblem data;
  data.add_body({}, 0.0, {}, {});
  for (Index b = 1; b <= moving; ++b) {
    data.add_body({1.0 * b, 0.0, 0.0}, 1.0, unit_inertia, {});
    data.add_contact(b - 1, b, {1.0, 0.0, 0.0}, {b - 0.5, 0.0, 0.0}, 0.5, {});
  }
  return data;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(NeighbourhoodsOfBodies, AreTheRowsAtABodyAndAtItsNeighbours) {
  const ConeProblem problem = make_cone_problem(row_of_bodies(5));
  std::vector<double> of_slot(static_cast<std::size_t>(problem.cones.slots()), 0.0);
  of_slot[0] = 1.0;  // between the wall and body 1
  // The contacts k = 0 .. 4 lie between bodies k and k + 1. Sums at bodies 1 .. 5: contact 0 counts
  // at 1 only. Three times each body adds what its neighbours have.
  // numbers of rows: 2 2 2 2 1; 4 6 6 5 3; 10 16 17 14 8; 26 43 47 39 22
  // contact 0 among them: 1 0 0 0 0; 1 1 0 0 0; 2 2 1 0 0; 4 5 3 1 0
  EXPECT_EQ(sorted(problem.delassus->neighbourhood_means(of_slot)),
            sorted({4.0 / 26.0, 5.0 / 43.0, 3.0 / 47.0, 1.0 / 39.0, 0.0}));
}

TEST(NeighbourhoodsOfBodies, JointRowsBelongToThem) {
  BodyProblem data = row_of_bodies(2);
  data.add_joint_row(1, no_body, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {}, 0.0);
  const ConeProblem problem = make_cone_problem(data);
  std::vector<double> of_slot(static_cast<std::size_t>(problem.cones.slots()), 0.0);
  of_slot[0] = 1.0;  // the joint row
  // numbers of rows: 3 1; 4 4; 8 8; 16 16. The joint row among them: 1 0; 1 1; 2 2; 4 4
  EXPECT_EQ(problem.delassus->neighbourhood_means(of_slot),
            (std::vector<double>{4.0 / 16.0, 4.0 / 16.0}));
}

TEST(NeighbourhoodsOfBodies, ARowBetweenNothingThatMovesIsAlone) {
  BodyProblem data;
  data.add_body({}, 0.0, {}, {});
  data.add_contact(0, no_body, {1.0, 0.0, 0.0}, {}, 0.5, {});
  const ConeProblem problem = make_cone_problem(data);
  std::vector<double> of_slot(static_cast<std::size_t>(problem.cones.slots()), 0.0);
  of_slot[0] = 3.0;
  EXPECT_EQ(problem.delassus->neighbourhood_means(of_slot), (std::vector<double>{3.0}));
}

/// A plate that moves and carries so many others that it is a hub, on a joint to the world.
TEST(NeighbourhoodsOfBodies, AHubBodyTiesNothingTogether) {
  BodyProblem data;
  const Index plate = data.add_body({}, 1.0, unit_inertia, {});
  const int carried = 200;  // 600 rows
  for (int k = 0; k < carried; ++k) {
    const Index body = data.add_body({1.0 * k, 0.0, 1.0}, 1.0, unit_inertia, {});
    data.add_contact(plate, body, {0.0, 0.0, 1.0}, {1.0 * k, 0.0, 0.5}, 0.5, {});
  }
  data.add_joint_row(plate, no_body, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {}, 0.0);
  const ConeProblem problem = make_cone_problem(data);
  std::vector<double> of_slot(static_cast<std::size_t>(problem.cones.slots()), 0.0);
  of_slot[0] = 5.0;                                                             // the joint row
  of_slot[static_cast<std::size_t>(problem.cones.spatial_first_slot())] = 7.0;  // one contact
  const std::vector<double> means = sorted(problem.delassus->neighbourhood_means(of_slot));
  ASSERT_EQ(means.size(), carried + 1U);
  EXPECT_EQ(means.back(), 7.0);
  EXPECT_EQ(means[carried - 1], 5.0);
  EXPECT_EQ(means[carried - 2], 0.0);
}

/// What a body has, with what its neighbours have, added one after the other in key order.
std::vector<double> plain_means(const BodyProblem& data, const BodyOperator& bodies,
                                const std::vector<double>& of_slot, Index first_contact) {
  const auto each_row = [&](std::size_t b, const auto& visit) {
    const auto each = [&](const BodyOperator::Incidence& rows, const std::vector<Index>& body_a,
                          const std::vector<Index>& body_b, Index first) {
      for (std::int64_t e = rows.start[b]; e < rows.start[b + 1]; ++e) {
        const std::uint32_t entry = rows.entry[static_cast<std::size_t>(e)], row = entry / 2;
        visit(static_cast<std::size_t>(first) + row, entry % 2 != 0 ? body_b[row] : body_a[row]);
      }
    };
    each(bodies.joints_of_bodies(), data.joint_body_a, data.joint_body_b, 0);
    each(bodies.contacts_of_bodies(), data.contact_body_a, data.contact_body_b, first_contact);
  };
  const std::size_t count = data.centre.size();
  std::vector<double> sums(count, 0.0), rows_of(count, 0.0), means;
  for (std::size_t b = 0; b < count; ++b)
    each_row(b, [&](std::size_t slot, Index /*other*/) {
      sums[b] += of_slot[slot];
      rows_of[b] += 1.0;
    });
  for (int ring = 0; ring < 3; ++ring)
    for (std::vector<double>* numbers : {&sums, &rows_of}) {
      const std::vector<double> before = *numbers;
      for (std::size_t b = 0; b < count; ++b)
        each_row(b, [&](std::size_t /*slot*/, Index other) {
          if (other != no_body) (*numbers)[b] += before[static_cast<std::size_t>(other)];
        });
    }
  for (std::size_t b = 0; b < count; ++b)
    if (rows_of[b] > 0.0) means.push_back(sums[b] / rows_of[b]);
  return means;
}

TEST(NeighbourhoodsOfBodies, AreAddedUpInKeyOrder) {
  for (const Index contacts : {5, 90, 1401}) {
    const BodyProblem data = support::random_bodies(
        {.bodies = 211, .contacts = contacts, .joints = 40, .immovable_body = true});
    const ConeSet cones = support::cones_of(data);
    const BodyOperator bodies = support::operator_of(data, cones);
    std::vector<double> of_slot(static_cast<std::size_t>(cones.slots()));
    for (std::size_t slot = 0; slot < of_slot.size(); ++slot)
      of_slot[slot] = 1.0 / (1.0 + static_cast<double>(slot));
    std::vector<double> means = bodies.neighbourhood_means(of_slot);
    const std::vector<double> expected =
        sorted(plain_means(data, bodies, of_slot, cones.spatial_first_slot()));
    ASSERT_GE(means.size(), expected.size());
    means.resize(expected.size());  // rows that are alone come last
    EXPECT_EQ(support::bits_of_all(sorted(means)), support::bits_of_all(expected)) << contacts;
  }
}

/// Both one after the other, which never touch.
BodyProblem side_by_side(const BodyProblem& a, const BodyProblem& b) {
  BodyProblem both = a;
  const Index bodies = a.body_count();
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const auto moved = [&](std::vector<Index> indices) {
    for (Index& body : indices)
      if (body != no_body) body += bodies;
    return indices;
  };
  const auto later = [](std::vector<GlobalId> keys) {
    for (GlobalId& key : keys) key += 1'000'000;
    return keys;
  };
  append(both.body_id, later(b.body_id));
  append(both.centre, b.centre);
  append(both.inverse_mass, b.inverse_mass);
  append(both.inverse_inertia, b.inverse_inertia);
  append(both.momentum, b.momentum);
  append(both.contact_key, later(b.contact_key));
  append(both.contact_body_a, moved(b.contact_body_a));
  append(both.contact_body_b, moved(b.contact_body_b));
  append(both.normal, b.normal);
  append(both.tangent, b.tangent);
  append(both.point, b.point);
  append(both.friction, b.friction);
  append(both.contact_bias, b.contact_bias);
  append(both.normal_compliance, b.normal_compliance);
  append(both.tangent_compliance, b.tangent_compliance);
  append(both.joint_key, later(b.joint_key));
  append(both.joint_body_a, moved(b.joint_body_a));
  append(both.joint_body_b, moved(b.joint_body_b));
  append(both.joint_block_a, b.joint_block_a);
  append(both.joint_block_b, b.joint_block_b);
  append(both.joint_bias, b.joint_bias);
  append(both.joint_compliance, b.joint_compliance);
  append(both.joint_lower, b.joint_lower);
  append(both.joint_upper, b.joint_upper);
  return both;
}

/// Where x = 0, which is what the error of bodies that nothing has solved yet is.
double local_at_zero(const BodyProblem& data) {
  const ConeProblem problem = make_cone_problem(data);
  const RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  return evaluate(Measure::NaturalLocal, problem, Law::Coulomb, x, problem.free_velocity, 1.0,
                  Communicator::self());
}

TEST(NaturalLocal, OfProblemsThatNeverTouchIsTheLargerOfTheirs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BodyProblem a = support::random_bodies(
        {.bodies = 7, .contacts = 21, .joints = 5, .compliance = true, .seed = seed});
    const BodyProblem b = support::random_bodies(
        {.bodies = 60, .contacts = 150, .joints = 9, .immovable_body = true, .seed = seed + 100});
    const double of_a = local_at_zero(a), of_b = local_at_zero(b);

    // points are kept relative to the middle of all: the last digits of the gap velocities move
    EXPECT_NEAR(local_at_zero(side_by_side(a, b)), std::max(of_a, of_b),
                1e-9 * std::max(of_a, of_b));
  }
}

TEST(NaturalLocal, IsNoLessThanTheMeanAndNoMoreThanTheLargest) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ConeProblem problem = make_cone_problem(
        support::random_bodies({.bodies = 40, .contacts = 120, .joints = 10, .seed = seed}));
    const RowVector x = support::random_impulses(problem.cones, seed);
    RowVector gap;
    evaluate_gap(problem, Law::Coulomb, x, gap);

    const ErrorReport report = evaluate_all(problem, Law::Coulomb, x, gap, Communicator::self());

    EXPECT_GT(report.natural_local, report.natural_velocity);
    EXPECT_LT(report.natural_local, report.natural_velocity_max);
  }
}

TEST(NaturalLocal, IsTheSameForAnyNumberOfThreads) {
  const ConeProblem problem =
      make_cone_problem(support::random_bodies({.bodies = 1500, .contacts = 4000, .joints = 97}));
  const RowVector x = support::random_impulses(problem.cones, 1);
  RowVector gap;
  evaluate_gap(problem, Law::Coulomb, x, gap);
  std::vector<double> values;
  for (int threads = 1; threads <= 4; ++threads) {
    const support::ForcedThreads forced(threads);
    values.push_back(
        evaluate(Measure::NaturalLocal, problem, Law::Coulomb, x, gap, 1.0, Communicator::self()));
  }
  for (const double value : values) EXPECT_EQ(value, values.front());
}

/// W of two pairs of free rows that do not meet.
LocalProblem two_pairs() {
  LocalProblem data;
  data.dimension = 3;
  data.W = from_triplets(0, 0, {});
  data.V = from_triplets(0, 4, {});
  data.R = from_triplets(4, 4,
                         {{0, 0, 2.0},
                          {0, 1, 1.0},
                          {1, 0, 1.0},
                          {1, 1, 2.0},
                          {2, 2, 1.0},
                          {2, 3, 0.5},
                          {3, 2, 0.5},
                          {3, 3, 1.0}});
  data.s = {0.0, 0.0, 0.0, 0.0};
  return data;
}

TEST(NeighbourhoodsOfAMatrix, AreTheRowsThatMeet) {
  const ConeProblem problem = make_cone_problem(two_pairs());
  std::vector<double> of_slot(static_cast<std::size_t>(problem.cones.slots()), 0.0);
  of_slot[0] = 4.0;
  const std::vector<double> means = problem.delassus->neighbourhood_means(of_slot);
  EXPECT_EQ(*std::max_element(means.begin(), means.end()), 2.0) << "of two rows";

  const RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  const RowVector w = support::to_stored(problem.cones, {3.0, 1.0, 1.0, 1.0});
  // free rows: g |d| = |w|; the pairs have the mean squares 5 and 1
  EXPECT_DOUBLE_EQ(
      evaluate(Measure::NaturalLocal, problem, Law::Associated, x, w, 1.0, Communicator::self()),
      std::sqrt(5.0));
}

TEST(NeighbourhoodsOfADegreeOfFreedom, AreTheRowsThatMoveIt) {
  GlobalProblem data;
  data.dimension = 3;
  // a mass matrix that couples the first two: no bodies
  data.M = from_triplets(3, 3, {{0, 0, 2.0}, {0, 1, 1.0}, {1, 0, 1.0}, {1, 1, 2.0}, {2, 2, 1.0}});
  data.H = from_triplets(3, 0, {});
  data.G = from_triplets(3, 3, {{0, 0, 1.0}, {0, 1, 1.0}, {2, 2, 1.0}});
  data.f = {0.0, 0.0, 0.0};
  data.b = {0.0, 0.0, 0.0};
  const ConeProblem problem = make_cone_problem(data);
  std::vector<double> of_slot(static_cast<std::size_t>(problem.cones.slots()), 0.0);
  of_slot[0] = 4.0;
  of_slot[2] = 1.0;
  std::vector<double> means = problem.delassus->neighbourhood_means(of_slot);
  EXPECT_EQ(*std::max_element(means.begin(), means.end()), 2.0) << "rows 0 and 1 move one";
  of_slot[2] = 3.0;
  means = problem.delassus->neighbourhood_means(of_slot);
  EXPECT_EQ(*std::max_element(means.begin(), means.end()), 3.0) << "row 2 moves another";
}

/// An operator that does not say which rows meet.
TEST(NaturalLocal, OfAnUnknownOperatorIsTheLargestCone) {
  const ConeProblem problem = support::dense_problem(
      make_cone_set(2, 0, 0), support::plain_diagonal_matrix({2.0, 8.0}), {3.0, 4.0});
  const ErrorReport report =
      support::Judged(problem, Law::Associated, {0.0, 0.0}).report(Law::Associated);
  EXPECT_EQ(report.natural_local, 4.0);
}

TEST(NaturalLocal, StopsEveryMethod) {
  const ConeProblem problem = make_cone_problem(
      support::random_bodies({.bodies = 40, .contacts = 90, .joints = 10, .seed = 3}));
  for (const Method method :
       {Method::Auto, Method::Jacobi, Method::Psor, Method::Pspgfb, Method::Apgd}) {
    SolveOptions options;
    options.method = method;
    options.law = Law::Associated;
    options.measure = Measure::NaturalLocal;
    options.tolerance = 1e-3;
    options.keep_history = true;
    RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;

    const SolveReport report = solve(problem, options, Communicator::self(), x, gap);

    EXPECT_EQ(report.status, SolveStatus::Converged) << name_of(method);
    EXPECT_LE(report.error, 1e-3);
    EXPECT_EQ(report.error, report.errors.natural_local);
    ASSERT_FALSE(report.history.empty());
    EXPECT_GT(report.history.front().error, report.history.back().error);
    EXPECT_NEAR(report.history.back().error, report.error, 1e-6);
  }
}

TEST(NaturalLocal, AtTheIterationLimitTheReportHasItsValueOfTheBestIterate) {
  const ConeProblem problem = make_cone_problem(
      support::random_bodies({.bodies = 40, .contacts = 90, .joints = 10, .seed = 3}));
  SolveOptions options;
  options.method = Method::Apgd;
  options.law = Law::Associated;
  options.measure = Measure::NaturalLocal;
  options.tolerance = 1e-12;
  options.max_iterations = 20;
  RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
  const SolveReport report = solve(problem, options, Communicator::self(), x, gap);
  EXPECT_EQ(report.status, SolveStatus::IterationLimit);
  EXPECT_EQ(report.error, report.errors.natural_local);
  EXPECT_GT(report.error, report.errors.natural_velocity);
}

}  // namespace
}  // namespace talus
