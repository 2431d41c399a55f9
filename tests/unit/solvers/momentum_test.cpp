// When momentum grows, and what takes it away. One free row, f(x) = x^2 / 2 - x: w = x - 1.

#include "solvers/momentum.hpp"

#include "talus/problem/body_problem.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

ConeProblem one_row() {
  BodyProblem data;
  data.add_body({}, 1.0, {}, {});
  data.add_joint_row(0, no_body, {1.0}, {}, -1.0);
  return make_cone_problem(data);
}

RowVector row(const ConeProblem& problem, double x) {
  RowVector rows(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  rows[0] = x;
  return rows;
}

class OneRow : public testing::Test {
 protected:
  bool look(RowVector& x) { return momentum_.look(x, row(problem_, x[0] - 1.0), 0.0); }

  /// Two steps to x = `to`, from where momentum would have led beyond; the factor of the second.
  double two_steps(RowVector& x, double between, double to) {
    momentum_.extrapolate(x, false);
    x[0] = between;
    const double factor = momentum_.extrapolate(x, true);
    x[0] = to;
    return factor;
  }

  ConeProblem problem_ = one_row();
  Communicator alone_ = Communicator::self();
  Momentum momentum_{problem_, Law::Associated, alone_};
};

TEST_F(OneRow, GrowsFromNothingByNesterovsSequence) {
  RowVector x = row(problem_, 0.0);

  EXPECT_EQ(momentum_.extrapolate(x, false), 0.0);
  EXPECT_EQ(x[0], 0.0);
  x[0] = 0.5;
  const double factor = momentum_.extrapolate(x, false);

  EXPECT_NEAR(factor, 0.2817, 1e-4);  // (t - 1) / t', t = 1.618, t' = 2.194
  EXPECT_DOUBLE_EQ(x[0], 0.5 + factor * 0.5);
}

TEST_F(OneRow, IsDroppedWhereItPointsUphill) {
  RowVector x = row(problem_, 0.0);
  EXPECT_FALSE(look(x));
  EXPECT_GT(two_steps(x, 0.5, 0.55), 0.0);  // y = 0.64, and the sweep came back to 0.55

  EXPECT_FALSE(look(x));

  EXPECT_EQ(x[0], 0.55);
  EXPECT_EQ(momentum_.extrapolate(x, false), 0.0);
}

TEST_F(OneRow, StaysWhereItPointsDownhill) {
  RowVector x = row(problem_, 0.0);
  EXPECT_FALSE(look(x));
  two_steps(x, 0.5, 0.8);

  EXPECT_FALSE(look(x));

  EXPECT_GT(momentum_.extrapolate(x, false), 0.0);
}

TEST_F(OneRow, IsTakenBackWithWhatRaisedTheObjective) {
  RowVector x = row(problem_, 0.9);
  EXPECT_FALSE(look(x));
  two_steps(x, 1.5, 1.9);

  EXPECT_TRUE(look(x));

  EXPECT_EQ(x[0], 0.9);
  EXPECT_EQ(two_steps(x, 0.9, 0.9), 0.0) << "no momentum until the next look";
  // what plain sweeps do is never taken back, even where rounding makes it look worse
  x[0] = 0.8;
  EXPECT_FALSE(look(x));
  EXPECT_EQ(x[0], 0.8);
  EXPECT_GT(two_steps(x, 0.85, 0.95), 0.0) << "and momentum again";
}

TEST_F(OneRow, IsDroppedButNotTakenBackWhereNothingIsLeast) {
  ConeProblem rough = problem_;
  rough.rough_ranks = 1;  // as if a contact with friction stood somewhere
  Momentum momentum(rough, Law::Coulomb, alone_);
  RowVector x = row(problem_, 0.0);
  EXPECT_FALSE(momentum.look(x, row(problem_, -1.0), 1.0));
  momentum.extrapolate(x, false);
  x[0] = 0.5;
  momentum.extrapolate(x, true);
  x[0] = 0.8;

  EXPECT_FALSE(momentum.look(x, row(problem_, -0.2), 2.0)) << "the error has grown";

  EXPECT_EQ(x[0], 0.8);
  EXPECT_EQ(momentum.extrapolate(x, false), 0.0);
}

}  // namespace
}  // namespace talus
