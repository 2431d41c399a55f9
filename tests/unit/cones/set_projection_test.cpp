// Projections of whole sets: intervals, all groups at once, duals, polars and distances.
#include "cones/projection.hpp"
#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Interval {
  const char* situation;
  double lower, upper;
};

class Intervals : public testing::TestWithParam<Interval> {
 protected:
  static constexpr double values_[] = {0.0,   -0.0,   1.0,    -1.0,    0.5,    -2.5, 7.0,
                                       1e300, -1e300, 1e-300, -1e-300, 5e-324, 3.0};

  /// Applies one of the projections to a set of one row.
  template <class Projection>
  double of(const Projection& projection, double x) const {
    ConeSet cones = make_cone_set(1, 0, 0);
    set_interval(cones, 0, GetParam().lower, GetParam().upper);
    RowVector rows(8, 0.0), result;
    rows[0] = x;
    projection(cones, rows, result);
    return result[0];
  }
};

TEST_P(Intervals, ProjectOnTheNearestPoint) {
  const auto [situation, lower, upper] = GetParam();
  for (const double x : values_) {
    const double p = of(project, x);
    EXPECT_EQ(p, std::min(std::max(x, lower), upper));
    EXPECT_EQ(of(project, p), p);  // exactly: nothing is computed
  }
}

/// w stands against x in an interval: w (y - x) >= 0 for all y in it. A bound that is not there is
/// tried as a very far one.
TEST_P(Intervals, DualsAreTheVelocitiesThatSomeImpulseAdmits) {
  const auto [situation, lower, upper] = GetParam();
  for (const double w : values_) {
    const bool admitted = w == 0.0 || (w > 0.0 ? lower != -infinity : upper != infinity);
    EXPECT_EQ(of(project_dual, w), admitted ? w : 0.0) << situation << ", w = " << w;
    EXPECT_EQ(of(project_polar, w), -of(project_dual, -w));
  }
}

TEST_P(Intervals, ConesSplitEveryNumberAsMoreauSays) {
  const auto [situation, lower, upper] = GetParam();
  const bool is_cone = (lower == 0.0 || lower == -infinity) && (upper == 0.0 || upper == infinity);
  if (!is_cone) return;  // a box has no polar cone
  for (const double x : values_) {
    const double inside = of(project, x), rest = of(project_polar, x);
    EXPECT_EQ(inside + rest, x);
    EXPECT_EQ(inside * rest, 0.0);
  }
}

TEST_P(Intervals, PassNotANumberOn) {
  EXPECT_TRUE(std::isnan(of(project, nan)));
  EXPECT_TRUE(std::isnan(of(project_dual, nan)));
  EXPECT_TRUE(std::isnan(of(project_polar, nan)));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Intervals,
    testing::Values(Interval{"free", -infinity, infinity}, Interval{"non_negative", 0.0, infinity},
                    Interval{"non_positive", -infinity, 0.0}, Interval{"box", -2.0, 3.0},
                    Interval{"box_away_from_0", 2.0, 3.0}, Interval{"no_lower", -infinity, 3.0},
                    Interval{"no_upper", -2.0, infinity}, Interval{"one_point", 1.5, 1.5},
                    Interval{"only_zero", 0.0, 0.0}, Interval{"huge", -1e300, 1e300},
                    Interval{"tiny", -1e-300, 1e-300}),
    [](const auto& instance) { return std::string(instance.param.situation); });

/// Groups that all end inside of a tile, with mirrors behind them that do too.
ConeSet mixed_set() {
  ConeSet cones = make_cone_set({5, 9, 11, 10}, {3, 2, 9, 3});
  each_stored(5, 3, [&](Index i, bool /*owned*/) {
    if (i > 0) set_interval(cones, i, i == 1 ? 0.0 : -0.1 * i, 0.05 * i);
  });
  each_stored(9, 2, [&](Index c, bool /*owned*/) { set_planar_friction(cones, c, 0.2 * c); });
  each_stored(11, 9, [&](Index c, bool /*owned*/) {
    set_spatial_friction(cones, c, 0.15 * c,
                         KeyedRandom(1, static_cast<std::uint64_t>(c), 1).direction(), {});
  });
  each_stored(10, 3, [&](Index c, bool /*owned*/) {
    set_rolling_friction(cones, c, {0.15 * c, 0.1 * (c % 3), 0.05 * (c % 4)},
                         KeyedRandom(2, static_cast<std::uint64_t>(c), 1).direction(), {});
  });
  return cones;
}

/// Random everywhere, in filling too.
RowVector random_rows(const ConeSet& cones, std::uint64_t seed) {
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()));
  KeyedRandom random(seed, 0, 1);
  for (double& row : rows) row = random.uniform(-1.0, 1.0);
  return rows;
}

/// Walks over the cones of a set and hands out what one of them has in two row vectors.
template <class Visit>
void each_cone(const ConeSet& cones, const RowVector& a, const RowVector& b, const Visit& visit) {
  const auto at = [](const RowVector& rows, Index row) {
    return rows[static_cast<std::size_t>(row)];
  };
  each_stored(cones.scalar_count, cones.mirrors.scalar, [&](Index i, bool /*owned*/) {
    visit(i, SixRows{{at(a, i), 0.0, 0.0}, {}}, SixRows{{at(b, i), 0.0, 0.0}, {}});
  });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    const Index n = cones.planar_row(c, 0), t = cones.planar_row(c, 1);
    visit(cones.planar_slot(c), SixRows{{at(a, n), at(a, t), 0.0}, {}},
          SixRows{{at(b, n), at(b, t), 0.0}, {}});
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    visit(cones.spatial_slot(c), SixRows{spatial_value(cones, a, c), {}},
          SixRows{spatial_value(cones, b, c), {}});
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    visit(cones.rolling_slot(c), rolling_value(cones, a, c), rolling_value(cones, b, c));
  });
}

double product(const SixRows& a, const SixRows& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

TEST(ProjectedSets, AreProjectedConeByCone) {
  const ConeSet cones = mixed_set();
  const RowVector x = random_rows(cones, 1);
  RowVector p;

  project(cones, x, p);

  ASSERT_EQ(p.size(), x.size());
  each_stored(cones.scalar_count, cones.mirrors.scalar, [&](Index i, bool /*owned*/) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(p[k], project_interval(x[k], cones.lower[k], cones.upper[k]));
  });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    const auto n = static_cast<std::size_t>(cones.planar_row(c, 0));
    const auto slot = static_cast<std::size_t>(cones.planar_slot(c));
    const Planar one = project_planar({x[n], x[n + 8]}, cones.cosine[slot], cones.sine[slot]);
    EXPECT_EQ(p[n], one.normal);
    EXPECT_EQ(p[n + 8], one.tangent);
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    const auto slot = static_cast<std::size_t>(cones.spatial_slot(c));
    const Vec3 one = project_spatial(spatial_value(cones, x, c), cones.axis_of(c),
                                     cones.cosine[slot], cones.sine[slot]);
    const Vec3 gap = spatial_value(cones, p, c) - one;
    EXPECT_EQ(dot(gap, gap), 0.0);
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    const SixRows one =
        project_rolling(rolling_value(cones, x, c), cones.axis_of(cones.rolling_frame(c)),
                        cones.rolling_friction_of(c));
    const SixRows found = rolling_value(cones, p, c);
    const SixRows gap{found.linear - one.linear, found.angular - one.angular};
    EXPECT_EQ(product(gap, gap), 0.0);
  });
}

TEST(ProjectedSets, HoldZeroInFilling) {
  const ConeSet cones = mixed_set();
  const RowVector x = random_rows(cones, 2);

  for (const auto& projection : {project, project_dual, project_polar}) {
    RowVector p;
    projection(cones, x, p);
    double all = 0.0, meant = 0.0;
    for (const double value : p) all += std::abs(value);
    each_cone(cones, p, p, [&](Index, const SixRows& value, const SixRows&) {
      for (const Vec3& part : {value.linear, value.angular})
        meant += std::abs(part.x) + std::abs(part.y) + std::abs(part.z);
    });
    EXPECT_NEAR(all, meant, 1e-13);  // the same numbers in another order
  }
}

/// The dual of a cone: no point of the cone makes a negative product with it. Checked on the rays
/// that a cone is spanned by.
TEST(ProjectedSets, DualsOfFrictionConesMakeNoNegativeProduct) {
  const ConeSet cones = mixed_set();
  const RowVector w = random_rows(cones, 3), x = random_rows(cones, 4);
  RowVector in_dual, in_cone;

  project_dual(cones, w, in_dual);
  project(cones, x, in_cone);

  each_cone(cones, in_dual, in_cone,
            [&](Index slot, const SixRows& velocity, const SixRows& impulse) {
              if (slot >= cones.planar_first_slot()) {
                EXPECT_GE(product(velocity, impulse), -2e-15);  // of numbers up to 1
              }
            });
}

TEST(ProjectedSets, FrictionConesAndTheirPolarsSplitEveryVector) {
  const ConeSet cones = mixed_set();
  const RowVector x = random_rows(cones, 5);
  RowVector p, q;

  project(cones, x, p);
  project_polar(cones, x, q);

  each_cone(cones, p, q, [&](Index slot, const SixRows& inside, const SixRows& rest) {
    if (slot >= cones.planar_first_slot()) {
      EXPECT_NEAR(product(inside, rest), 0.0, 2e-15);  // rounding of numbers up to 1
    }
  });
  for (Index row = cones.planar_first_row(); row < cones.planar_row(8, 0); ++row) {
    const auto k = static_cast<std::size_t>(row);
    EXPECT_NEAR(p[k] + q[k], x[k], 1e-15);
  }
}

TEST(Distances, AreToTheNearestPointOfEachCone) {
  const ConeSet cones = mixed_set();
  const RowVector x = random_rows(cones, 6);
  RowVector p;
  project(cones, x, p);

  const std::vector<double> distance = distances(cones, x);

  ASSERT_EQ(static_cast<Index>(distance.size()), cones.slots());
  std::vector<bool> visited(distance.size(), false);
  each_cone(cones, x, p, [&](Index slot, const SixRows& given, const SixRows& nearest) {
    const auto k = static_cast<std::size_t>(slot);
    const SixRows gap{given.linear - nearest.linear, given.angular - nearest.angular};
    EXPECT_NEAR(distance[k], std::sqrt(product(gap, gap)), 1e-15);
    visited[k] = true;
  });
  for (std::size_t k = 0; k < distance.size(); ++k)
    if (!visited[k]) {
      EXPECT_EQ(distance[k], 0.0);  // filling
    }
}

TEST(Distances, AreTheHandMadeOnes) {
  ConeSet cones = make_cone_set(2, 1, 1);
  set_interval(cones, 0, -1.0, 2.0);
  set_planar_friction(cones, 0, 1.0);
  set_spatial_friction(cones, 0, 0.75, {0.0, 0.0, 1.0}, {});
  RowVector x(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  x[0] = 5.0;
  x[1] = 1e300;  // a free row is never far
  x[static_cast<std::size_t>(cones.planar_row(0, 1))] = -1.0;
  set_spatial_value(cones, x, 0, {3.0, 4.0, 0.0});  // |t| = 5, n = 0, half angle with tan 3/4

  const std::vector<double> distance = distances(cones, x);

  EXPECT_EQ(distance[0], 3.0);
  EXPECT_EQ(distance[1], 0.0);
  EXPECT_NEAR(distance[static_cast<std::size_t>(cones.planar_slot(0))], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(distance[static_cast<std::size_t>(cones.spatial_slot(0))], 4.0, 1e-15);  // 5 cos
}

TEST(Distances, SurviveSquaresOutOfRange) {
  ConeSet cones = make_cone_set({0, 1, 1, 1});
  RowVector x(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  x[static_cast<std::size_t>(cones.planar_row(0, 1))] = 1e300;
  set_spatial_value(cones, x, 0, {0.0, 3e-300, 4e-300});
  set_rolling_value(cones, x, 0, {{0.0, 3e299, 0.0}, {0.0, 0.0, 4e299}});

  const std::vector<double> distance = distances(cones, x);

  EXPECT_EQ(distance[static_cast<std::size_t>(cones.planar_slot(0))], 1e300);
  EXPECT_NEAR(distance[static_cast<std::size_t>(cones.spatial_slot(0))], 5e-300, 1e-315);
  EXPECT_NEAR(distance[static_cast<std::size_t>(cones.rolling_slot(0))], 5e299, 1e285);
}

TEST(ProjectedSets, EmptySetsAreFine) {
  const ConeSet cones = make_cone_set(0, 0, 0);
  RowVector p{1.0};

  project(cones, {}, p);

  EXPECT_TRUE(p.empty());
  EXPECT_TRUE(distances(cones, {}).empty());
}

}  // namespace
}  // namespace talus
