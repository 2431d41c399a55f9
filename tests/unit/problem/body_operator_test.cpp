// The matrix-free product of rigid bodies against N written out from the definitions.
#include "problem/body_operator.hpp"

#include "support/dense_problem.hpp"
#include "support/dense_reference.hpp"
#include "support/machine.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace talus {
namespace {

using support::DenseReference;
using support::random_bodies;
using support::RandomBodies;
using support::to_plain;
using support::to_stored;

struct Situation {
  const char* name;
  RandomBodies bodies;
};

Eigen::VectorXd eigen(const support::Plain& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

class BodyOperators : public testing::TestWithParam<Situation> {
 protected:
  std::shared_ptr<const BodyProblem> data_ =
      std::make_shared<BodyProblem>(random_bodies(GetParam().bodies));
  ConeSet cones_ = support::cones_of(*data_);
  BodyOperator operator_ = support::operator_of(*data_, cones_);
  DenseReference dense_ = support::dense_reference(*data_);

  Eigen::Index rows() const { return dense_.N.rows(); }
  support::Plain random_plain(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    return support::plain_random_vector(static_cast<std::size_t>(rows()), random);
  }
  RowVector apply(const RowVector& x) const {
    // what stood there before must not matter
    RowVector y(static_cast<std::size_t>(cones_.stored_rows()), 1e99);
    operator_.apply(x, y);
    return y;
  }
  Eigen::VectorXd product(const support::Plain& x) const {
    return eigen(to_plain(cones_, apply(to_stored(cones_, x))));
  }
};

// Entries of N are of the order of 10, lever arms of 1 m, the origin is up to 10 m away: some
// hundred roundings of 1e-16 times 100.
constexpr double rounding = 1e-12;

TEST_P(BodyOperators, MultiplyAsTheMatrixWrittenOut) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const support::Plain x = random_plain(seed);

    const Eigen::VectorXd y = product(x);

    ASSERT_EQ(y.size(), rows());
    if (rows() > 0) {
      EXPECT_LT((y - dense_.N * eigen(x)).lpNorm<Eigen::Infinity>(), rounding);
    }
  }
}

TEST_P(BodyOperators, LeaveZeroInFilling) {
  const RowVector y = apply(to_stored(cones_, random_plain(1)));

  double all = 0.0;
  for (const double value : y) all += value * value;
  RowVector meant = to_stored(cones_, to_plain(cones_, y));
  double expected = 0.0;
  for (const double value : meant) expected += value * value;
  EXPECT_NEAR(all, expected, 1e-12 * expected);
}

TEST_P(BodyOperators, AreSymmetricAndPositiveSemidefinite) {
  const support::Plain a = random_plain(4), b = random_plain(5);

  const double left = eigen(a).dot(product(b)), right = eigen(b).dot(product(a));

  EXPECT_NEAR(left, right, rounding * static_cast<double>(rows() + 1));
  EXPECT_GE(eigen(a).dot(product(a)), 0.0);
}

TEST_P(BodyOperators, DiagonalsAreThoseOfTheirColumns) {
  RowVector diagonal;

  operator_.diagonal(diagonal);

  ASSERT_EQ(static_cast<Index>(diagonal.size()), cones_.stored_rows());
  RowVector unit(diagonal.size(), 0.0);
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    unit[i] = 1.0;
    EXPECT_NEAR(diagonal[i], apply(unit)[i], rounding) << "row " << i;
    unit[i] = 0.0;
  }
}

TEST_P(BodyOperators, BlocksAreThoseOfTheirColumnsInTheWorldFrame) {
  RowVector unit(static_cast<std::size_t>(cones_.stored_rows()), 0.0);
  for (Index c = 0; c < cones_.spatial_count; ++c) {
    const Mat3 block = operator_.spatial_block(c);
    for (Index j = 0; j < 3; ++j) {
      const auto column = static_cast<std::size_t>(cones_.spatial_row(c, j));
      unit[column] = 1.0;
      const Vec3 image = spatial_value(cones_, apply(unit), c);
      unit[column] = 0.0;
      const auto k = static_cast<std::size_t>(j);
      EXPECT_NEAR(block[k], image.x, rounding);
      EXPECT_NEAR(block[3 + k], image.y, rounding);
      EXPECT_NEAR(block[6 + k], image.z, rounding);
    }
  }
}

TEST_P(BodyOperators, BlocksOfRollingContactsHaveTorquesToo) {
  RowVector unit(static_cast<std::size_t>(cones_.stored_rows()), 0.0);
  for (Index c = 0; c < cones_.rolling_count; ++c) {
    const Mat6 block = operator_.rolling_block(c);
    for (Index j = 0; j < 6; ++j) {
      const auto column = static_cast<std::size_t>(cones_.rolling_row(c, j));
      unit[column] = 1.0;
      const RowVector image = apply(unit);
      unit[column] = 0.0;
      for (Index i = 0; i < 6; ++i)
        EXPECT_NEAR(block.at(static_cast<std::size_t>(6 * i + j)),
                    image[static_cast<std::size_t>(cones_.rolling_row(c, i))], rounding);
    }
  }
}

TEST_P(BodyOperators, VelocitiesAreThoseOfTheEquationOfMotion) {
  const support::Plain x = random_plain(6);
  const Eigen::VectorXd impulse = dense_.D.transpose() * eigen(x);
  const Eigen::VectorXd with = dense_.inverse_mass * (dense_.f + impulse);
  const Eigen::VectorXd without = dense_.inverse_mass * impulse;

  const auto found = operator_.velocities(to_stored(cones_, x), true);
  const auto moved = operator_.velocities(to_stored(cones_, x), false);

  ASSERT_EQ(static_cast<Index>(found.size()), data_->body_count());
  for (std::size_t b = 0; b < found.size(); ++b)
    for (std::size_t k = 0; k < 6; ++k) {
      const auto row = static_cast<Eigen::Index>(6 * b + k);
      EXPECT_NEAR(found[b][k], with[row], rounding);
      EXPECT_NEAR(moved[b][k], without[row], rounding);
    }
}

TEST_P(BodyOperators, RelativeVelocitiesAreDTimesVelocities) {
  std::mt19937_64 random(7);
  const auto size = static_cast<std::size_t>(6 * data_->body_count());
  const support::Plain v = support::plain_random_vector(size, random);
  std::vector<Vec6> velocities(static_cast<std::size_t>(data_->body_count()));
  for (std::size_t i = 0; i < size; ++i) velocities[i / 6][i % 6] = v[i];
  RowVector found(static_cast<std::size_t>(cones_.stored_rows()), 0.0);

  operator_.relative_velocities(velocities, found);

  if (rows() > 0) {
    const Eigen::VectorXd gap = eigen(to_plain(cones_, found)) - dense_.D * eigen(v);
    EXPECT_LT(gap.lpNorm<Eigen::Infinity>(), rounding);
  }
}

TEST_P(BodyOperators, DiagonalsHaveTheBitsOfTheBlocksOnEachLevel) {
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    RowVector diagonal;
    operator_.diagonal(diagonal);
    for (Index c = 0; c < cones_.spatial_count; ++c)
      for (Index k = 0; k < 3; ++k)
        EXPECT_EQ(diagonal[cones_.spatial_row(c, k)], operator_.spatial_block(c)[4 * k]);
    for (Index c = 0; c < cones_.rolling_count; ++c)
      for (Index k = 0; k < 6; ++k)
        EXPECT_EQ(diagonal[cones_.rolling_row(c, k)], operator_.rolling_block(c)[7 * k]);
  }
}

TEST_P(BodyOperators, RelativeVelocitiesHaveTheSameBitsOnEachLevel) {
  const std::vector<Vec6> velocities = operator_.free_velocities();
  const auto at = [&](Index body, const Vec3& point) {
    if (body == no_body) return Vec3{};
    const Vec6& u = velocities[body];
    return Vec3{u[0], u[1], u[2]} + cross({u[3], u[4], u[5]}, point - data_->centre[body]);
  };
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    RowVector rows(static_cast<std::size_t>(cones_.stored_rows()), 0.0);
    operator_.relative_velocities(velocities, rows);
    for (Index c = 0; c < data_->contact_count(); ++c) {
      const Vec3 expected = at(data_->contact_body_b[c], data_->point_on_b(c)) -
                            at(data_->contact_body_a[c], data_->point[c]);
      const Vec3 found = cones_.rolling_count > 0 ? rolling_value(cones_, rows, c).linear
                                                  : spatial_value(cones_, rows, c);
      EXPECT_EQ(found.x, expected.x);
      EXPECT_EQ(found.y, expected.y);
      EXPECT_EQ(found.z, expected.z);
    }
  }
}

TEST_P(BodyOperators, CountTheirProducts) {
  const RowVector x(static_cast<std::size_t>(cones_.stored_rows()), 0.0);
  apply(x);
  apply(x);
  EXPECT_EQ(operator_.products(), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Situations, BodyOperators,
    testing::Values(
        Situation{"contacts_only", {.bodies = 5, .contacts = 12, .joints = 0}},
        Situation{"joints_only", {.bodies = 5, .contacts = 0, .joints = 11}},
        Situation{"both", {.bodies = 7, .contacts = 21, .joints = 5}},
        Situation{"whole_tiles", {.bodies = 6, .contacts = 16, .joints = 8}},
        Situation{"less_than_a_tile", {.bodies = 2, .contacts = 3, .joints = 1}},
        Situation{"one_body_and_the_world", {.bodies = 1, .contacts = 9, .joints = 3}},
        Situation{"compliant", {.bodies = 5, .contacts = 13, .joints = 4, .compliance = true}},
        Situation{"two_points", {.bodies = 5, .contacts = 13, .joints = 4, .two_points = true}},
        Situation{"two_points_compliant",
                  {.bodies = 4, .contacts = 9, .compliance = true, .two_points = true}},
        Situation{"rolling", {.bodies = 5, .contacts = 21, .joints = 4, .rolling = true}},
        Situation{"rolling_two_points_compliant",
                  {.bodies = 4,
                   .contacts = 8,
                   .compliance = true,
                   .two_points = true,
                   .immovable_body = true,
                   .rolling = true}},
        Situation{"immovable_body", {.bodies = 4, .contacts = 19, .immovable_body = true}},
        Situation{"bodies_without_rows", {.bodies = 30, .contacts = 4, .joints = 1}},
        Situation{"bodies_alone", {.bodies = 3, .contacts = 0, .joints = 0}},
        Situation{"nothing", {.bodies = 0, .contacts = 0, .joints = 0}}),
    [](const auto& instance) { return std::string(instance.param.name); });

// More bodies than wait in one piece for their joints' wrenches (256).
TEST(BodyOperator, JointsOfManyBodiesAreAllCounted) {
  const auto data = std::make_shared<BodyProblem>(
      random_bodies({.bodies = 600, .contacts = 40, .joints = 700, .compliance = true}));
  const ConeSet cones = support::cones_of(*data);
  const BodyOperator bodies = support::operator_of(*data, cones);
  const RowVector x = support::random_impulses(cones, 3);
  RowVector y(x.size());

  bodies.apply(x, y);

  // D (M^-1 D^T x) + E x, by the velocities, which are compared with the dense matrix above
  RowVector expected(x.size(), 0.0);
  bodies.relative_velocities(bodies.velocities(x, false), expected);
  for (std::size_t j = 0; j < 700; ++j) {
    EXPECT_NEAR(y[j], expected[j] + data->joint_compliance[j] * x[j], rounding);
  }
}

// Torque rows in other units: N of them is D M^-1 D^T with D's rows times the length.
TEST(BodyOperator, AppliesTheLengthsOfRollingCones) {
  const auto data = std::make_shared<BodyProblem>(
      random_bodies({.bodies = 5, .contacts = 13, .joints = 3, .rolling = true}));
  ConeSet cones = support::cones_of(*data);
  const BodyOperator given = support::operator_of(*data, cones);
  for (Index c = 0; c < 13; ++c) set_rolling_length(cones, c, 0.25 * (c + 1));
  const BodyOperator scaled = support::operator_of(*data, cones);
  const auto unit = [&](Index row) {
    for (Index c = 0; c < 13; ++c)
      for (Index k = 3; k < 6; ++k)
        if (row == cones.rolling_row(c, k)) return 0.25 * (c + 1);
    return 1.0;
  };
  const RowVector x = support::random_impulses(cones, 3);
  RowVector in_given_units = x, y(x.size()), expected(x.size()), diagonal, given_diagonal;
  for (std::size_t i = 0; i < x.size(); ++i) in_given_units[i] *= unit(static_cast<Index>(i));

  scaled.apply(x, y);
  given.apply(in_given_units, expected);
  scaled.diagonal(diagonal);
  given.diagonal(given_diagonal);

  for (std::size_t i = 0; i < x.size(); ++i) {
    const double s = unit(static_cast<Index>(i));
    EXPECT_NEAR(y[i], s * expected[i], 10 * rounding);  // lengths up to 3
    EXPECT_NEAR(diagonal[i], s * s * given_diagonal[i], 10 * rounding);
  }
}

// Inertias about the axes of the world take a shorter way.
TEST(BodyOperator, BlocksOfPrincipalInertiasAreThoseOfTheirColumns) {
  BodyProblem data;
  const Index a = data.add_body({0.1, -0.2, 0.3}, 2.0, {0.5, 0.0, 0.0, 0.7, 0.0, 0.9},
                                {1.0, -2.0, 3.0, 0.1, 0.2, -0.3});
  const Index b = data.add_body({1.0, 0.4, -0.6}, 3.0, {1.1, 0.0, 0.0, 1.1, 0.0, 1.1}, {});
  data.add_contact(a, b, {0.6, 0.0, 0.8}, {0.7, 0.9, -0.4}, 0.3, {});
  data.add_contact(no_body, b, {0.0, 1.0, 0.0}, {-0.5, 0.2, 1.3}, 0.3, {});
  const ConeSet cones = support::cones_of(data);

  const BodyOperator bodies = support::operator_of(data, cones);

  RowVector unit(static_cast<std::size_t>(cones.stored_rows()), 0.0), image(unit.size());
  for (Index c = 0; c < 2; ++c) {
    const Mat3 block = bodies.spatial_block(c);
    for (Index j = 0; j < 3; ++j) {
      unit[static_cast<std::size_t>(cones.spatial_row(c, j))] = 1.0;
      bodies.apply(unit, image);
      unit[static_cast<std::size_t>(cones.spatial_row(c, j))] = 0.0;
      const Vec3 column = spatial_value(cones, image, c);
      const auto k = static_cast<std::size_t>(j);
      EXPECT_NEAR(block[k], column.x, rounding) << c << ", " << j;
      EXPECT_NEAR(block[3 + k], column.y, rounding) << c << ", " << j;
      EXPECT_NEAR(block[6 + k], column.z, rounding) << c << ", " << j;
    }
  }
  // M^-1 f is what M^-1 (f + D^T 0) is
  const std::vector<Vec6> free = bodies.free_velocities(),
                          with = bodies.velocities(RowVector(unit.size(), 0.0), true);
  EXPECT_EQ(free, with);
}

TEST(BodyOperator, HasNoPlanarContacts) {
  const auto data = std::make_shared<BodyProblem>(random_bodies({}));
  const BodyOperator bodies = support::operator_of(*data, support::cones_of(*data));

  EXPECT_THROW(static_cast<void>(bodies.planar_block(0)), std::logic_error);
}

TEST(BodyOperator, ConesOfAnotherProblemAreABug) {
  const auto data = std::make_shared<BodyProblem>(random_bodies({}));

  EXPECT_THROW(support::operator_of(*data, make_cone_set(1, 0, 1)), std::logic_error);
}

TEST(BodyOperator, RowsOfABodyAreListedInTheOrderOfTheirKeys) {
  const auto data = std::make_shared<BodyProblem>(random_bodies({}));
  const BodyOperator bodies = support::operator_of(*data, support::cones_of(*data));

  const BodyOperator::Incidence& incidence = bodies.contacts_of_bodies();

  std::size_t listed = 0;
  for (Index b = 0; b < data->body_count(); ++b) {
    const auto first = static_cast<std::size_t>(incidence.start[static_cast<std::size_t>(b)]);
    const auto last = static_cast<std::size_t>(incidence.start[static_cast<std::size_t>(b) + 1]);
    GlobalId previous = -1;
    for (std::size_t e = first; e < last; ++e, ++listed) {
      const std::size_t contact = incidence.entry[e] / 2;
      const bool is_a = incidence.entry[e] % 2 != 0;
      EXPECT_EQ((is_a ? data->contact_body_a : data->contact_body_b)[contact], b);
      EXPECT_GT(data->contact_key[contact], previous);
      previous = data->contact_key[contact];
    }
  }
  std::size_t ends = 0;
  for (std::size_t c = 0; c < data->normal.size(); ++c)
    ends += (data->contact_body_a[c] != no_body ? 1U : 0U) +
            (data->contact_body_b[c] != no_body ? 1U : 0U);
  EXPECT_EQ(listed, ends);
}

}  // namespace
}  // namespace talus
