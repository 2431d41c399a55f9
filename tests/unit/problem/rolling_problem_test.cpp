// What make_cone_problem() makes of rolling friction: cones, lengths, weights, and the way back to
// the units of the data. Against matrices written out.
#include "talus/problem/cone_problem.hpp"

#include "problem/linear_operator.hpp"
#include "support/dense_problem.hpp"
#include "support/dense_reference.hpp"
#include "support/random_bodies.hpp"
#include "support/rolling_problems.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using support::DenseReference;

struct Situation {
  const char* name;
  ProblemData (*make)();
};

ProblemData bodies() {
  return support::random_bodies({.bodies = 6, .contacts = 19, .joints = 5, .rolling = true});
}
ProblemData local() {
  return support::manufacture_rolling_local({.contacts = 11}).data;
}
ProblemData local_in_the_plane() {
  return support::manufacture_rolling_local({.contacts = 9, .dimension = 2}).data;
}
ProblemData global() {
  return support::manufacture_rolling_global({.contacts = 10}).data;
}
ProblemData global_in_the_plane() {
  return support::manufacture_rolling_global({.contacts = 12, .free_rows = 0, .dimension = 2}).data;
}

class RollingData : public testing::TestWithParam<Situation> {
 protected:
  ProblemData data_ = GetParam().make();
  ConeProblem problem_ = make_cone_problem(data_);
  DenseReference dense_ = support::dense_reference(data_);

  std::size_t contacts() const { return dense_.friction.size(); }
  Eigen::Index first_row(std::size_t c) const {
    return dense_.scalar_rows() + dense_.rows_per_contact * static_cast<Eigen::Index>(c);
  }
  /// The diagonal of a contact's rows, in given units and the order of files.
  Eigen::VectorXd diagonal(std::size_t c) const {
    return dense_.N.diagonal().segment(first_row(c), dense_.rows_per_contact);
  }
  double rolling(std::size_t c) const { return dense_.rolling[c]; }
  double spinning(std::size_t c) const {
    return dense_.spinning.empty() ? 0.0 : dense_.spinning[c];
  }
  /// Mean of the force rows, mean of the torque rows that count (0 where none does), and how many.
  struct Means {
    double force = 0.0, torque = 0.0;
    Index force_rows = 0, torque_rows = 0;
  };
  Means means(std::size_t c) const {
    const Eigen::VectorXd d = diagonal(c);
    const Index forces = dense_.dimension, rolls = dense_.dimension - 1;
    Means m{d.head(forces).mean(), 0.0, forces, 0};
    if (rolling(c) > 0.0) {
      m.torque += d.segment(forces, rolls).sum();
      m.torque_rows += rolls;
    }
    if (spinning(c) > 0.0) {
      m.torque += d[5];
      ++m.torque_rows;
    }
    if (m.torque_rows > 0) m.torque /= m.torque_rows;
    return m;
  }
};

// of numbers of order 1 to 100, sums of ten terms
constexpr double rounding = 1e-12;

TEST_P(RollingData, EveryContactIsARollingCone) {
  const ConeSet& cones = problem_.cones;
  EXPECT_EQ(cones.rolling_count, static_cast<Index>(contacts()));
  EXPECT_EQ(cones.contact_count(), cones.rolling_count);
  EXPECT_EQ(cones.scalar_count, static_cast<Index>(dense_.scalar_rows()));
  EXPECT_EQ(cones.rolling_rows, dense_.rows_per_contact);
  EXPECT_FALSE(problem_.all_free());
  for (std::size_t c = 0; c < contacts(); ++c) {
    const RollingFriction mu = cones.rolling_friction_of(static_cast<Index>(c));
    const double length = cones.rolling_length[c];
    EXPECT_EQ(mu.sliding, dense_.friction[c]);
    EXPECT_NEAR(mu.rolling * length, rolling(c), 1e-15);
    EXPECT_NEAR(mu.spinning * length, spinning(c), 1e-15);
  }
}

TEST_P(RollingData, LengthsMakeTorqueRowsAsStiffAsForceRows) {
  for (std::size_t c = 0; c < contacts(); ++c) {
    const Means m = means(c);
    const double expected = m.torque_rows > 0 ? std::sqrt(m.force / m.torque) : 1.0;
    EXPECT_NEAR(problem_.cones.rolling_length[c], expected, rounding * expected);
  }
}

TEST_P(RollingData, WeightsAreMeansOverTheRowsThatCount) {
  double trace = 0.0, rows = 0.0;
  for (Eigen::Index j = 0; j < dense_.scalar_rows(); ++j) {
    trace += dense_.N(j, j);
    rows += 1.0;
  }
  for (std::size_t c = 0; c < contacts(); ++c) {
    const Means m = means(c);
    // torque rows have the mean of the force rows, by the choice of the length
    const auto slot = static_cast<std::size_t>(problem_.cones.rolling_slot(static_cast<Index>(c)));
    EXPECT_NEAR(problem_.scale[slot], m.force, rounding * m.force);
    trace += m.force * (m.force_rows + m.torque_rows);
    rows += m.force_rows + m.torque_rows;
  }
  EXPECT_NEAR(problem_.mean_diagonal, trace / rows, rounding * problem_.mean_diagonal);
  EXPECT_EQ(static_cast<double>(problem_.cones.row_count()), rows);
}

TEST_P(RollingData, SiconosScaleIsThatOfTheBlocksAsGiven) {
  double norms = 0.0;
  for (std::size_t c = 0; c < contacts(); ++c) {
    Eigen::MatrixXd block = dense_.N.block(first_row(c), first_row(c), dense_.rows_per_contact,
                                           dense_.rows_per_contact);
    if (block.rows() == 6 && spinning(c) == 0.0) {
      block.row(5).setZero();
      block.col(5).setZero();
    }
    norms += block.cwiseAbs().rowwise().sum().maxCoeff();
  }
  const double expected = norms / static_cast<double>(contacts());
  EXPECT_NEAR(problem_.siconos_scale, expected, rounding * expected);
}

TEST_P(RollingData, SolutionsGoThereAndBackInTheUnitsOfTheData) {
  const RowVector x = support::random_impulses(problem_.cones, 5);
  RowVector inside = x;
  // rows that files do not have hold zero
  for (Index c = 0; c < problem_.cones.rolling_count; ++c) {
    SixRows value = rolling_value(problem_.cones, x, c);
    if (dense_.rows_per_contact < 6) value.angular.x = 0.0;
    if (dense_.rows_per_contact == 3) value.linear.z = value.angular.z = 0.0;
    set_rolling_value(problem_.cones, inside, c, value);
  }
  RowVector gap(x.size());
  problem_.delassus->apply(inside, gap);
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] += problem_.free_velocity[i];

  const Solution solution = make_solution(data_, problem_, inside, gap);
  const RowVector back = impulses_from(problem_, solution);

  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], inside[i], 1e-14) << i;
  const Eigen::VectorXd expected = dense_.N * support::stacked_impulses(solution) + dense_.r;
  for (std::size_t i = 0; i < solution.u.size(); ++i)
    EXPECT_NEAR(solution.u[i], expected[dense_.scalar_rows() + static_cast<Eigen::Index>(i)],
                100 * rounding)
        << "row " << i;
}

INSTANTIATE_TEST_SUITE_P(Kinds, RollingData,
                         testing::Values(Situation{"bodies", bodies}, Situation{"local", local},
                                         Situation{"local_in_the_plane", local_in_the_plane},
                                         Situation{"global", global},
                                         Situation{"global_in_the_plane", global_in_the_plane}),
                         [](const auto& instance) { return std::string(instance.param.name); });

// 1/m, R^2/I: mean of the force rows (1 + 3.5 + 3.5) / (3 m), torque rows 2.5 / (m R^2).
TEST(RollingLength, OfASphereIsItsRadiusTimesAConstant) {
  BodyProblem p;
  const double mass = 3.0, radius = 0.02, i = 2.5 / (mass * radius * radius);
  p.add_body({0.0, 0.0, radius}, 1.0 / mass, {i, 0.0, 0.0, i, 0.0, i}, {});
  p.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {}, 0.5, {});
  p.rolling_friction = {1e-3};
  p.spinning_friction = {0.0};

  const ConeProblem problem = make_cone_problem(p);

  EXPECT_NEAR(problem.cones.rolling_length[0], radius * std::sqrt(8.0 / 7.5), 1e-15);
}

// 1e200 squared overflows: who reads files finds the row that is not finite, nothing crashes here.
TEST(RollingLength, IsOneWhereNumbersOverflow) {
  LocalProblem p;
  p.W = from_triplets(5, 5, {{0, 0, 1e308}, {1, 1, 1e308}, {3, 3, 1e308}, {4, 4, 1e308}});
  p.q.assign(5, -1.0);
  p.friction = {0.5};
  p.rolling_friction = {0.1};
  p.V.rows = 5;
  p.V.row_start.assign(6, 0);

  EXPECT_EQ(make_cone_problem(p).cones.rolling_length[0], 1.0);
}

TEST(RollingLength, IsOneWhereNothingTurns) {
  BodyProblem p;
  p.add_body({}, 1.0, {}, {});  // a point mass
  p.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {}, 0.5, {});
  p.rolling_friction = {1e-3};
  p.spinning_friction = {1e-3};

  const ConeProblem problem = make_cone_problem(p);

  EXPECT_EQ(problem.cones.rolling_length[0], 1.0);
  EXPECT_DOUBLE_EQ(problem.scale[0], 0.5);  // three rows of 1, three of 0
}

TEST(RollingZero, FrictionIsTheProblemWithoutIt) {
  BodyProblem p = support::random_bodies({.bodies = 6, .contacts = 19, .joints = 5});
  const ConeProblem without = make_cone_problem(p);
  p.rolling_friction.assign(19, 0.0);
  p.spinning_friction.assign(19, 0.0);
  const ConeProblem with = make_cone_problem(p);

  EXPECT_EQ(with.cones.row_count(), without.cones.row_count());
  EXPECT_NEAR(with.mean_diagonal, without.mean_diagonal, 1e-13);
  for (Index c = 0; c < 19; ++c)
    EXPECT_DOUBLE_EQ(with.scale[static_cast<std::size_t>(with.cones.rolling_slot(c))],
                     without.scale[static_cast<std::size_t>(without.cones.spatial_slot(c))]);
}

}  // namespace
}  // namespace talus
