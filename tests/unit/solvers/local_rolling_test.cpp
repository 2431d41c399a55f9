// One rolling cone's own problem, judged by the law itself.
#include "generate/random.hpp"
#include "solvers/local_cone.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr Vec3 along_n{1.0, 0.0, 0.0};

double length_of(const SixRows& x) {
  return std::hypot(std::hypot(x.linear.x, x.linear.y, x.linear.z),
                    std::hypot(x.angular.x, x.angular.y, x.angular.z));
}

/// A A^T + shift, of order 1.
Mat6 random_block(KeyedRandom& random, double shift) {
  std::array<double, 36> a{};
  for (double& value : a) value = random.uniform(-1.0, 1.0);
  Mat6 block{};
  for (std::size_t i = 0; i < 6; ++i) {
    block.at(7 * i) = shift;
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) block.at(6 * i + j) += a.at(6 * i + k) * a.at(6 * j + k);
  }
  return block;
}

SixRows random_rows(KeyedRandom& random) {
  return {{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)},
          {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)}};
}

double largest_of(const Mat6& a) {
  double largest = 0.0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  return largest;
}

struct Part {
  double mu;
  std::array<double, 2> x, w;
};

/// How far (x, w = A x + b) is from the law: outside of K, w^ outside of K*, x . w^ not 0; relative
/// to the sizes of x and b.
double fault(bool coulomb, const RollingFriction& mu, const Mat6& a, const SixRows& b,
             const SixRows& x) {
  const double size = largest_of(a), unit = length_of(b);
  const SixRows w = (1.0 / unit) * (times(a, x) + b), y = (size / unit) * x;
  const Part parts[] = {{mu.sliding, {y.linear.y, y.linear.z}, {w.linear.y, w.linear.z}},
                        {mu.rolling, {y.angular.y, y.angular.z}, {w.angular.y, w.angular.z}},
                        {mu.spinning, {y.angular.x, 0.0}, {w.angular.x, 0.0}}};
  double worst = std::max(0.0, -y.linear.x), term = 0.0, product = y.linear.x * w.linear.x;
  for (const auto& [coefficient, impulse, gap] : parts) {
    worst = std::max(worst, std::hypot(impulse[0], impulse[1]) - coefficient * y.linear.x);
    const double slip = coefficient * std::hypot(gap[0], gap[1]);
    term += slip;
    product += impulse[0] * gap[0] + impulse[1] * gap[1] + (coulomb ? y.linear.x * slip : 0.0);
  }
  const double needed = coulomb ? 0.0 : term;  // w_n + term >= term under Coulomb's law
  return std::max({worst, needed - w.linear.x, std::abs(product)});
}

using Improve = SixRows (*)(const LocalRolling&, const SixRows&, const SixRows&);

/// Calls in turn, each from the last answer.
SixRows after(int calls, Improve improve, const LocalRolling& cone, const SixRows& b, SixRows x) {
  for (int k = 0; k < calls; ++k) x = improve(cone, b, x);
  return x;
}

class LocalRollingProblems : public testing::TestWithParam<double> {
 protected:
  /// visit(block, friction, b) for problems of the unit given, opening, resting, turning.
  template <class Visit>
  void for_each_problem(const Visit& visit) const {
    for (std::uint64_t i = 0; i < 200; ++i) {
      KeyedRandom random(7, i, 1);
      const Mat6 block = random_block(random, 0.1);
      const RollingFriction mu{random.uniform(0.0, 0.6), random.uniform(0.0, 0.4),
                               i % 3 == 0 ? 0.0 : random.uniform(0.0, 0.3)};
      SixRows b = random_rows(random);
      b.linear.x -= 0.5;
      visit(block, mu, GetParam() * b);
    }
  }
};

TEST_P(LocalRollingProblems, AreSolvedUnderBothLaws) {
  for_each_problem([](const Mat6& block, const RollingFriction& mu, const SixRows& b) {
    const LocalRolling cone = prepare_rolling(block, mu);

    const SixRows convex = after(8, improve_associated, cone, b, {});
    const SixRows coulomb = after(12, improve_coulomb, cone, b, {});

    // 1e-4 is gained per call, 1e-3 under Coulomb's law; blocks have condition numbers up to 100
    EXPECT_LT(fault(false, mu, block, b, convex), 1e-12);
    EXPECT_LT(fault(true, mu, block, b, coulomb), 1e-12);
  });
}

TEST_P(LocalRollingProblems, StayWhereTheyAreSolved) {
  for_each_problem([](const Mat6& block, const RollingFriction& mu, const SixRows& b) {
    const LocalRolling cone = prepare_rolling(block, mu);
    for (const Improve improve : {improve_associated, improve_coulomb}) {
      const SixRows x = after(20, improve, cone, b, {});
      EXPECT_LE(length_of(improve(cone, b, x) - x), 1e-11 * (length_of(x) + length_of(b)));
    }
  });
}

TEST_P(LocalRollingProblems, CallsNeverRaiseTheObjective) {
  for_each_problem([](const Mat6& block, const RollingFriction& mu, const SixRows& b) {
    const LocalRolling cone = prepare_rolling(block, mu);
    KeyedRandom random(9, 1, 1);
    SixRows x = projected(mu, length_of(b) * random_rows(random));
    for (int k = 0; k < 5; ++k) {
      const SixRows next = improve_associated(cone, b, x);
      EXPECT_LE(local_objective(cone, b, next),
                local_objective(cone, b, x) + 1e-13 * length_of(b) * length_of(b));
      x = next;
    }
  });
}

TEST_P(LocalRollingProblems, BoundStepsEndAtTheSameAnswers) {
  for_each_problem([](const Mat6& block, const RollingFriction& mu, const SixRows& b) {
    const LocalRolling cone = prepare_rolling(block, mu);
    SixRows convex, coulomb;
    for (int k = 0; k < 20000; ++k) {
      convex = rolling_bound_step(cone, false, b, convex, 1.0);
      coulomb = rolling_bound_step(cone, true, b, coulomb, 1.0);
    }
    EXPECT_LT(fault(false, mu, block, b, convex), 1e-9);  // a condition number of 100 is slow
    EXPECT_LT(fault(true, mu, block, b, coulomb), 1e-9);
  });
}

// b of 1e-300 to 1e300 beside a block of order 1: nothing vanishes or overflows on the way
INSTANTIATE_TEST_SUITE_P(Units, LocalRollingProblems, testing::Values(1.0, 1e-120, 1e120));

TEST(LocalRolling, TheEigenvalueBoundIsOne) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    KeyedRandom random(3, i, 1);
    const Mat6 block = random_block(random, 0.0);
    const LocalRolling cone = prepare_rolling(block, {});
    SixRows v = random_rows(random);
    double estimate = 0.0;
    for (int k = 0; k < 200; ++k) {
      const SixRows image = times(block, v);
      estimate = length_of(image) / length_of(v);
      v = (1.0 / length_of(image)) * image;
    }
    EXPECT_GE(cone.largest_eigenvalue, estimate * (1.0 - 1e-12));
    EXPECT_LE(cone.largest_eigenvalue, 2.45 * estimate);  // Frobenius: at most sqrt(6)
  }
}

TEST(LocalRolling, ABlockThatIsNotSymmetricIsTakenByItsSymmetricPart) {
  Mat6 block{};
  for (std::size_t i = 0; i < 6; ++i) block.at(7 * i) = 2.0;
  block[1] = 0.5;
  block[6] = 0.3;

  const LocalRolling cone = prepare_rolling(block, {0.5, 0.1, 0.1});

  EXPECT_EQ(cone.block[1], 0.4);
  EXPECT_EQ(cone.block[6], 0.4);
}

TEST(LocalRolling, AConeThatNothingMovesKeepsItsImpulse) {
  const LocalRolling cone = prepare_rolling({}, {0.5, 0.1, 0.1});
  const SixRows x{along_n, {0.0, 0.05, 0.0}}, b{{-1.0, 0.0, 0.0}, {}};

  EXPECT_EQ(length_of(improve_associated(cone, b, x) - x), 0.0);
  EXPECT_EQ(length_of(improve_coulomb(cone, b, x) - x), 0.0);
  EXPECT_EQ(length_of(rolling_bound_step(cone, true, b, x, 1.0) - x), 0.0);
}

TEST(LocalRolling, WithoutAGapVelocityZeroIsTheAnswer) {
  Mat6 block{};
  for (std::size_t i = 0; i < 6; ++i) block.at(7 * i) = 2.0;
  const LocalRolling cone = prepare_rolling(block, {0.5, 0.1, 0.1});

  EXPECT_EQ(length_of(improve_associated(cone, {}, {along_n, {}})), 0.0);
  EXPECT_EQ(length_of(improve_coulomb(cone, {}, {along_n, {}})), 0.0);
}

TEST(LocalRolling, ABoxSweepTakesTheRowsInTurn) {
  Mat6 block{};
  for (std::size_t i = 0; i < 5; ++i) block.at(7 * i) = 2.0;  // nothing moves r2
  const LocalRolling cone = prepare_rolling(block, {0.5, 0.25, 0.125});

  const SixRows x =
      sweep_rolling_box(cone, {{-4.0, 5.0, 1.0}, {8.0, -0.5, 3.0}}, {{}, {0.0, 0.0, 7.0}}, 1.0);

  // x_n = 2; bounds 1, 0.5, 0.25; a row without a diagonal is clipped and stays
  EXPECT_EQ(length_of(x - SixRows{{2.0, -1.0, -0.5}, {-0.25, 0.25, 0.5}}), 0.0);
}

}  // namespace
}  // namespace talus
