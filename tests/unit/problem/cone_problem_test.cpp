// What becomes of a user's data: cones, N and r against the matrices written out from the
// definitions, scales by hand, and answers in the terms of the data.
#include "talus/problem/cone_problem.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/matrix_problem.hpp"

#include "problem/matrix_operator.hpp"
#include "problem/sparse_operator.hpp"
#include "support/dense_problem.hpp"
#include "support/dense_reference.hpp"
#include "support/manufactured_problem.hpp"
#include "support/random_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus {
namespace {

using support::DenseReference;
using support::Plain;
using support::to_plain;
using support::to_stored;

/// Made when a test runs, not when the program starts.
struct Data {
  const char* name;
  ProblemData (*make)();
};

Eigen::VectorXd eigen(const Plain& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

Plain random_plain(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return support::plain_random_vector(size, random);
}

constexpr double rounding = 1e-12;  // of sums of some ten products of numbers up to 10

class ConeProblems : public testing::TestWithParam<Data> {
 protected:
  ProblemData data_ = GetParam().make();
  ConeProblem problem_ = make_cone_problem(data_);
  DenseReference dense_ = support::dense_reference(data_);

  std::size_t rows() const { return static_cast<std::size_t>(dense_.r.size()); }
  /// With the skew part, where there is one.
  Eigen::VectorXd product(const Plain& x) const {
    const RowVector stored = to_stored(problem_.cones, x);
    RowVector y(stored.size(), 0.0), skew(stored.size(), 0.0);
    problem_.delassus->apply(stored, y);
    if (problem_.skew != nullptr) problem_.skew->apply(stored, skew);
    return eigen(to_plain(problem_.cones, y)) + eigen(to_plain(problem_.cones, skew));
  }
};

TEST_P(ConeProblems, HaveTheConesOfTheData) {
  const ConeSet& cones = problem_.cones;
  const auto contacts = static_cast<Index>(dense_.friction.size());
  EXPECT_EQ(cones.scalar_count, dense_.scalar_rows());
  EXPECT_EQ(cones.planar_count, dense_.dimension == 2 ? contacts : 0);
  EXPECT_EQ(cones.spatial_count, dense_.dimension == 3 ? contacts : 0);
  for (Index i = 0; i < cones.scalar_count; ++i) {
    EXPECT_EQ(cones.lower[static_cast<std::size_t>(i)], dense_.lower[i]);
    EXPECT_EQ(cones.upper[static_cast<std::size_t>(i)], dense_.upper[i]);
  }
  for (Index c = 0; c < contacts; ++c) {
    const Index slot = dense_.dimension == 2 ? cones.planar_slot(c) : cones.spatial_slot(c);
    EXPECT_EQ(cones.friction[static_cast<std::size_t>(slot)],
              dense_.friction[static_cast<std::size_t>(c)]);
  }
}

TEST_P(ConeProblems, HaveTheProductOfTheMatricesWrittenOut) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Plain x = random_plain(rows(), seed);
    if (rows() > 0) {
      EXPECT_LT((product(x) - dense_.N * eigen(x)).lpNorm<Eigen::Infinity>(), rounding);
    }
  }
}

TEST_P(ConeProblems, HaveTheFreeGapOfTheMatricesWrittenOut) {
  const Plain free_velocity = to_plain(problem_.cones, problem_.free_velocity);
  ASSERT_EQ(free_velocity.size(), rows());
  for (std::size_t i = 0; i < rows(); ++i)
    EXPECT_NEAR(free_velocity[i], dense_.r[static_cast<Eigen::Index>(i)], rounding) << i;
}

// A trace does not depend on the frame of its rows, so the dense blocks may be in another one.
TEST_P(ConeProblems, ScaleEachConeByTheMeanDiagonalOfItsRows) {
  const ConeSet& cones = problem_.cones;
  ASSERT_EQ(static_cast<Index>(problem_.scale.size()), cones.slots());
  const Index scalars = cones.scalar_count, d = dense_.dimension;
  for (Index i = 0; i < scalars; ++i)
    EXPECT_NEAR(problem_.scale[static_cast<std::size_t>(i)], dense_.N(i, i), rounding);
  double norms = 0.0;
  const auto contacts = static_cast<Index>(dense_.friction.size());
  for (Index c = 0; c < contacts; ++c) {
    const Eigen::MatrixXd given = dense_.N.block(scalars + d * c, scalars + d * c, d, d);
    const Eigen::MatrixXd block = 0.5 * (given + given.transpose());
    const Index slot = d == 2 ? cones.planar_slot(c) : cones.spatial_slot(c);
    EXPECT_NEAR(problem_.scale[static_cast<std::size_t>(slot)], block.trace() / d, rounding);
    norms += block.cwiseAbs().rowwise().sum().maxCoeff();
  }
  for (const double scale : problem_.scale) EXPECT_GT(scale, 0.0);
  EXPECT_NEAR(problem_.mean_diagonal,
              rows() > 0 ? dense_.N.trace() / static_cast<double>(rows()) : 1.0, rounding);
  EXPECT_NEAR(problem_.siconos_scale, contacts > 0 ? norms / contacts : 1.0, rounding);
}

TEST_P(ConeProblems, GiveAnswersInTheTermsOfTheData) {
  const Plain x = random_plain(rows(), 4), w = random_plain(rows(), 5);

  const Solution solution =
      make_solution(data_, problem_, to_stored(problem_.cones, x), to_stored(problem_.cones, w));

  const auto scalars = static_cast<std::size_t>(dense_.scalar_rows());
  ASSERT_EQ(solution.l.size(), scalars);
  ASSERT_EQ(solution.r.size(), rows() - scalars);
  ASSERT_EQ(solution.u.size(), rows() - scalars);
  for (std::size_t i = 0; i < rows(); ++i) {
    EXPECT_NEAR(i < scalars ? solution.l[i] : solution.r[i - scalars], x[i], 1e-14);
    if (i >= scalars) {
      EXPECT_NEAR(solution.u[i - scalars], w[i], 1e-14);
    }
  }
  ASSERT_EQ(static_cast<Eigen::Index>(solution.v.size()), dense_.inverse_mass.rows());
  if (solution.v.empty()) return;
  const Eigen::VectorXd v = dense_.inverse_mass * (dense_.f + dense_.D.transpose() * eigen(x));
  EXPECT_LT((eigen(solution.v) - v).lpNorm<Eigen::Infinity>(), rounding * (1.0 + v.norm()));
}

TEST_P(ConeProblems, TakeAnswersBack) {
  const RowVector x = to_stored(problem_.cones, random_plain(rows(), 6));
  const Solution solution = make_solution(data_, problem_, x, x);

  const RowVector back = impulses_from(problem_, solution);

  ASSERT_EQ(back.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 2e-15);  // two rotations
}

BodyProblem bodies_with_bounds() {
  BodyProblem p = support::random_bodies({.bodies = 5, .contacts = 11, .joints = 9});
  p.joint_lower = {0.0, -1.0, -infinity, -2.0, 0.5, 0.0, -infinity, -infinity, 0.0};
  p.joint_upper = {infinity, 1.0, 3.0, infinity, 0.5, 0.0, infinity, 0.0, 2.0};
  return p;
}

LocalProblem local_of(int dimension, double asymmetry, Index rows = 4) {
  return std::get<LocalProblem>(
      support::manufacture_local(
          {.contacts = 11, .free_rows = rows, .dimension = dimension, .asymmetry = asymmetry})
          .data);
}

ProblemData global_of(int dimension, Index rows = 4) {
  return support::manufacture_global({.contacts = 11, .free_rows = rows, .dimension = dimension})
      .data;
}

LocalProblem bilateral_only() {
  LocalProblem p;
  p.W = from_triplets(0, 0, {});
  p.V = from_triplets(0, 2, {});
  p.R = from_triplets(2, 2, {{0, 0, 2.0}, {1, 1, 3.0}, {0, 1, 0.5}, {1, 0, 0.5}});
  p.s = {1.0, -1.0};
  return p;
}

template <bool compliant, bool two_points>
ProblemData bodies() {
  return support::random_bodies({.compliance = compliant, .two_points = two_points});
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ConeProblems,
    testing::Values(
        Data{"bodies", bodies<false, false>}, Data{"bodies_compliant", bodies<true, true>},
        Data{"bodies_with_bounds", [] { return ProblemData(bodies_with_bounds()); }},
        Data{"bodies_free_to_move",
             [] { return ProblemData(support::random_bodies({.contacts = 0, .joints = 0})); }},
        Data{"local_2d", [] { return ProblemData(local_of(2, 0.0)); }},
        Data{"local_3d", [] { return ProblemData(local_of(3, 0.0)); }},
        Data{"local_2d_unsymmetric", [] { return ProblemData(local_of(2, 1e-3)); }},
        Data{"local_3d_unsymmetric", [] { return ProblemData(local_of(3, 1e-3)); }},
        Data{"local_contacts_only", [] { return ProblemData(local_of(3, 0.0, 0)); }},
        Data{"local_bilateral_only", [] { return ProblemData(bilateral_only()); }},
        Data{"global_2d", [] { return global_of(2); }},
        Data{"global_3d", [] { return global_of(3); }},
        Data{"global_contacts_only", [] { return global_of(3, 0); }},
        Data{"global_of_bodies",
             [] {
               return support::manufacture_global_of_bodies({.contacts = 11, .free_rows = 4}).data;
             }}),
    [](const auto& instance) { return std::string(instance.param.name); });

// The bias of a contact is given along (n, t1, t2), its rows are stored along (x, y, z).
TEST(ConeProblem, TurnsTheBiasOfAContactIntoTheWorldFrame) {
  BodyProblem p;
  p.add_body({0.0, 0.0, 1.0}, 1.0, {1.0, 0.0, 0.0, 1.0, 0.0, 1.0}, {});
  p.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.5, {7.0, 2.0, 3.0});
  p.tangent[0] = {0.0, 1.0, 0.0};  // t2 = n x t1 = -x

  const ConeProblem problem = make_cone_problem(p);

  const Vec3 r = spatial_value(problem.cones, problem.free_velocity, 0);
  EXPECT_EQ(r.x, -3.0);
  EXPECT_EQ(r.y, 2.0);
  EXPECT_EQ(r.z, 7.0);
}

TEST(ConeProblem, SplitsAnUnsymmetricWIntoItsTwoParts) {
  for (const int dimension : {2, 3}) {
    const LocalProblem data = local_of(dimension, 1e-3);
    const ConeProblem problem = make_cone_problem(data);
    double largest = 0.0, difference = 0.0;
    const DenseReference dense = support::dense_reference(data);
    largest = dense.N.cwiseAbs().maxCoeff();
    difference = (dense.N - dense.N.transpose()).cwiseAbs().maxCoeff();

    ASSERT_NE(problem.skew, nullptr);
    EXPECT_NEAR(problem.asymmetry, difference / largest, 1e-15);
    const auto& n = dynamic_cast<const MatrixOperator&>(*problem.delassus);
    const auto& s = dynamic_cast<const MatrixOperator&>(*problem.skew);
    for (Index i = 0; i < problem.stored_rows(); ++i)
      for (Index j = 0; j <= i; ++j) {
        EXPECT_EQ(n.entry(i, j), n.entry(j, i));
        EXPECT_EQ(s.entry(i, j), -s.entry(j, i));
      }
  }
}

TEST(ConeProblem, TakesAnAsymmetryInTheLastDigitsForRounding) {
  LocalProblem data = bilateral_only();
  EXPECT_EQ(make_cone_problem(data).asymmetry, 0.0);
  data.R.value[1] *= 1.0 + 1e-14;

  const ConeProblem problem = make_cone_problem(data);

  EXPECT_EQ(problem.skew, nullptr);
  EXPECT_GT(problem.asymmetry, 0.0);  // said, all the same
  EXPECT_LT(problem.asymmetry, 1e-12);
}

TEST(ConeProblem, OfAnEmptyWHasNoAsymmetry) {
  LocalProblem empty;
  empty.W = from_triplets(3, 3, {});
  empty.q = {1.0, 0.0, 0.0};
  empty.friction = {0.5};

  const ConeProblem problem = make_cone_problem(empty);

  EXPECT_EQ(problem.asymmetry, 0.0);
  EXPECT_EQ(problem.mean_diagonal, 1.0);
  EXPECT_EQ(problem.siconos_scale, 1.0);
  for (const double scale : problem.scale) EXPECT_EQ(scale, 1.0);
}

TEST(ConeProblem, OfAnUnsymmetricMassIsWrittenOutAndSplit) {
  auto data = std::get<GlobalProblem>(global_of(3));
  for (std::size_t k = 0; k < data.M.value.size(); ++k)
    if (k % 5 == 1) data.M.value[k] *= 1.01;

  const ConeProblem problem = make_cone_problem(data);

  ASSERT_NE(problem.skew, nullptr);
  const Eigen::MatrixXd m = [&] {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(data.M.rows, data.M.rows);
    for (Index i = 0; i < data.M.rows; ++i)
      for (auto k = static_cast<std::size_t>(data.M.row_start[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(data.M.row_start[static_cast<std::size_t>(i) + 1]); ++k)
        result(i, data.M.column[k]) += data.M.value[k];
    return result;
  }();
  const DenseReference dense = support::dense_reference(data);  // for D only
  const Eigen::MatrixXd n = dense.D * m.inverse() * dense.D.transpose();
  const Plain x = random_plain(static_cast<std::size_t>(n.rows()), 1);
  const RowVector stored = to_stored(problem.cones, x);
  RowVector y(stored.size()), skew(stored.size());
  problem.delassus->apply(stored, y);
  problem.skew->apply(stored, skew);
  const Eigen::VectorXd found =
      eigen(to_plain(problem.cones, y)) + eigen(to_plain(problem.cones, skew));
  EXPECT_LT((found - n * eigen(x)).lpNorm<Eigen::Infinity>(), 1e-10 * n.norm());
}

TEST(ConeProblem, OfAMassThatIsNotPositiveDefiniteIsRefusedByRow) {
  auto data = std::get<GlobalProblem>(global_of(3));
  for (auto k = static_cast<std::size_t>(data.M.row_start[7]);
       k < static_cast<std::size_t>(data.M.row_start[8]); ++k)
    if (data.M.column[k] == 7) data.M.value[k] = -1.0;

  try {
    make_cone_problem(data);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("row 7 "));
  }
}

TEST(ConeProblem, KnowsWhenAllRowsAreFree) {
  EXPECT_TRUE(make_cone_problem(bilateral_only()).all_free());
  EXPECT_FALSE(make_cone_problem(local_of(3, 0.0)).all_free());
  EXPECT_FALSE(make_cone_problem(local_of(2, 0.0)).all_free());
  EXPECT_FALSE(make_cone_problem(bodies_with_bounds()).all_free());
  EXPECT_TRUE(make_cone_problem(support::random_bodies({.contacts = 0})).all_free());
  EXPECT_TRUE(make_cone_problem(BodyProblem{}).all_free());
}

TEST(MeasureDiagonal, GivesRowsThatNothingMovesTheMeanOfAll) {
  ConeSet cones = make_cone_set(3, 1, 0);
  ConeProblem problem = support::dense_problem(
      cones, support::plain_diagonal_matrix({4.0, 0.0, 2.0, 1.0, 3.0}), {0.0, 0.0, 0.0, 0.0, 0.0});
  problem.scale.clear();

  measure_diagonal(problem, Communicator::self());

  EXPECT_EQ(problem.mean_diagonal, 2.0);  // 10 over 5 rows
  EXPECT_EQ(problem.scale[0], 4.0);
  EXPECT_EQ(problem.scale[1], 2.0);
  EXPECT_EQ(problem.scale[2], 2.0);
  EXPECT_EQ(problem.scale[static_cast<std::size_t>(cones.planar_slot(0))], 2.0);  // (1 + 3) / 2
  EXPECT_EQ(problem.siconos_scale, 3.0);
  for (Index slot = 3; slot < 8; ++slot)
    EXPECT_EQ(problem.scale[static_cast<std::size_t>(slot)], 2.0);  // filling
}

TEST(MeasureDiagonal, OfAProblemThatNothingMovesIsOne) {
  ConeProblem problem =
      support::dense_problem(make_cone_set(2, 0, 1), Plain(25, 0.0), Plain(5, 1.0));

  measure_diagonal(problem, Communicator::self());

  EXPECT_EQ(problem.mean_diagonal, 1.0);
  EXPECT_EQ(problem.siconos_scale, 1.0);
  for (const double scale : problem.scale) EXPECT_EQ(scale, 1.0);
}

TEST(MeasureDiagonal, ScalesMirrorsButTakesItsMeansOverOwnedRows) {
  ConeProblem problem;
  problem.cones = make_cone_set(1, 0, 0, {1, 0, 0});
  problem.delassus = std::make_shared<MatrixOperator>(
      from_triplets(16, 16, {{0, 0, 4.0}, {8, 8, 10.0}}), problem.cones);

  measure_diagonal(problem, Communicator::self());

  EXPECT_EQ(problem.mean_diagonal, 4.0);
  EXPECT_EQ(problem.scale[0], 4.0);
  EXPECT_EQ(problem.scale[8], 10.0);
}

TEST(ImpulsesFrom, AnotherProblemsAnswerIsABug) {
  const ConeProblem problem = make_cone_problem(local_of(3, 0.0));
  Solution solution;

  EXPECT_THROW(impulses_from(problem, solution), std::logic_error);
}

}  // namespace
}  // namespace talus
