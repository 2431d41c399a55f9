// Rolling cones {n >= 0, |t| <= mu n, |m_R| <= mu_r n, |m_S| <= mu_s n}: where their rows lie, and
// their nearest points against what defines them, written down here without the code under test.
#include "cones/projection.hpp"
#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace talus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Sizes {
  double normal, tangent, roll, spin;
};

double length_of(const Vec3& x) {
  return std::hypot(x.x, x.y, x.z);
}

double length_of(const SixRows& x) {
  return std::hypot(length_of(x.linear), length_of(x.angular));
}

SixRows minus(const SixRows& a, const SixRows& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}

double dot_of(const SixRows& a, const SixRows& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

Sizes sizes_of(const SixRows& x, const Vec3& axis) {
  const double normal = dot(x.linear, axis), spin = dot(x.angular, axis);
  return {normal, length_of(x.linear - normal * axis), length_of(x.angular - spin * axis),
          std::abs(spin)};
}

SixRows scaled(const SixRows& x, int exponent) {
  const auto scale = [exponent](const Vec3& a) {
    return Vec3{std::ldexp(a.x, exponent), std::ldexp(a.y, exponent), std::ldexp(a.z, exponent)};
  };
  return {scale(x.linear), scale(x.angular)};
}

/// How far from x the cone is, by searching n: the squared distance for a given n is a sum of
/// convex functions of n, so that thirds can be cut off.
double distance_by_search(const SixRows& x, const Vec3& axis, const RollingFriction& mu) {
  const Sizes size = sizes_of(x, axis);
  const auto square = [&](double n) {
    const auto outside = [n](double length, double coefficient) {
      return std::isinf(coefficient) ? 0.0 : std::max(0.0, length - coefficient * n);
    };
    const double d[] = {n - size.normal, outside(size.tangent, mu.sliding),
                        outside(size.roll, mu.rolling), outside(size.spin, mu.spinning)};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3];
  };
  double low = 0.0, high = 10.0;  // points are of length 2 at most
  for (int k = 0; k < 200; ++k) {
    const double third = (high - low) / 3.0;
    (square(low + third) < square(high - third) ? high : low) =
        square(low + third) < square(high - third) ? high - third : low + third;
  }
  return std::sqrt(std::min(square(0.5 * (low + high)), square(0.0)));
}

/// Of length about 1 in all directions, inside, on single boundaries, on all of them, across.
std::vector<SixRows> points(const Vec3& axis, const RollingFriction& mu) {
  const Vec3 across = tangent_of(axis), other = cross(axis, across);
  const auto bounded = [](double coefficient) { return std::min(coefficient, 3.0); };
  const double a = bounded(mu.sliding), b = bounded(mu.rolling), c = bounded(mu.spinning);
  std::vector<SixRows> all{{}, {axis, {}}, {-axis, {}}, {across, {}}, {{}, axis}, {{}, across}};
  all.push_back({axis + a * across, b * other + c * axis});
  all.push_back({axis + a * across, {}});
  all.push_back({axis, b * across - c * axis});
  all.push_back({-(a + b + c) * axis + across, across + axis});  // on the polar's boundary
  all.push_back({1e-9 * axis - across, 1e-9 * across});
  for (std::uint64_t i = 0; i < 60; ++i) {
    KeyedRandom random(31, i, 1);
    const double force = random.uniform(0.0, 2.0), torque = random.uniform(0.0, 2.0);
    all.push_back({force * random.direction(), torque * random.direction()});
  }
  return all;
}

class RollingCones : public testing::TestWithParam<RollingFriction> {
 protected:
  RollingFriction mu_ = GetParam();
  std::vector<Vec3> axes_{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, KeyedRandom(2, 3, 4).direction()};

  template <class Check>
  void for_each_point(const Check& check) const {
    for (const Vec3& axis : axes_)
      for (const SixRows& x : points(axis, mu_)) check(x, axis);
  }
};

// Points have lengths up to 8; a projection is some forty roundings of 1.1e-16 times that, most of
// them not at their worst.
constexpr double rounding = 1e-14;

TEST_P(RollingCones, TheProjectionLiesInTheCone) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const Sizes p = sizes_of(project_rolling(x, axis, mu_), axis);
    EXPECT_GE(p.normal, -rounding);
    const double n = p.normal + rounding;  // a coefficient enlarges the rounding of n
    EXPECT_LE(p.tangent, mu_.sliding * n + rounding);
    EXPECT_LE(p.roll, mu_.rolling * n + rounding);
    EXPECT_LE(p.spin, mu_.spinning * n + rounding);
  });
}

TEST_P(RollingCones, NoPointThatASearchFindsIsNearer) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const double found = length_of(minus(x, project_rolling(x, axis, mu_)));
    // the search ends where squares of 1e-16 no longer differ
    EXPECT_NEAR(found, distance_by_search(x, axis, mu_), 2e-7);
    EXPECT_LE(found, distance_by_search(x, axis, mu_) + rounding);
  });
}

TEST_P(RollingCones, ProjectingTwiceMovesNothing) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const SixRows once = project_rolling(x, axis, mu_);
    EXPECT_LE(length_of(minus(project_rolling(once, axis, mu_), once)), rounding);
  });
}

TEST_P(RollingCones, SplitEveryPointAsMoreauSays) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const SixRows inside = project_rolling(x, axis, mu_);
    const SixRows dual = project_rolling_dual({-x.linear, -x.angular}, axis, mu_);
    // x = inside - dual, at right angles
    EXPECT_LE(length_of(minus(minus(inside, dual), x)), rounding);
    EXPECT_NEAR(dot_of(inside, dual), 0.0, 10 * rounding);
    // and dual lies in K*: no ray of K makes a negative product with it
    const Sizes w = sizes_of(dual, axis);
    const auto term = [](double coefficient, double speed) {
      return speed <= rounding ? 0.0 : coefficient * speed;
    };
    const double needed =
        term(mu_.sliding, w.tangent) + term(mu_.rolling, w.roll) + term(mu_.spinning, w.spin);
    // a coefficient enlarges the rounding of its velocity
    const double worst = 1.0 + std::max({w.tangent > rounding ? mu_.sliding : 0.0,
                                         w.roll > rounding ? mu_.rolling : 0.0,
                                         w.spin > rounding ? mu_.spinning : 0.0});
    EXPECT_GE(w.normal + worst * rounding, needed);
  });
}

TEST_P(RollingCones, PointsInsideAreKeptToTheBit) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const Sizes size = sizes_of(x, axis);
    const double n = size.normal - rounding;
    const auto within = [n](double length, double coefficient) {
      return std::isinf(coefficient) ? n > 0.0 : length <= coefficient * n;
    };
    if (!within(size.tangent, mu_.sliding) || !within(size.roll, mu_.rolling) ||
        !within(size.spin, mu_.spinning) || n <= 0.0)
      return;
    EXPECT_EQ(length_of(minus(project_rolling(x, axis, mu_), x)), 0.0);
  });
}

TEST_P(RollingCones, PowersOfTwoGoThrough) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const SixRows p = project_rolling(x, axis, mu_);
    // squares of these stay in range, vanish or overflow
    for (const int exponent : {-900, -700, -400, -3, 400, 700, 900}) {
      const SixRows q = project_rolling(scaled(x, exponent), axis, mu_);
      // parts of p below 1e-30 may have vanished as squares: they do not count beside the rest
      EXPECT_LE(length_of(minus(scaled(q, -exponent), p)), 1e-30);
    }
  });
}

TEST_P(RollingCones, GiveNoNaNAtTheEndsOfTheRange) {
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    for (const double size : {0.0, 5e-324, 1e-310, 1e-300, 1e-155, 1e155, 1e300}) {
      const SixRows grown{size * x.linear, size * x.angular};
      for (const SixRows& y :
           {grown, SixRows{grown.linear, x.angular}, SixRows{x.linear, grown.angular}}) {
        const SixRows p = project_rolling(y, axis, mu_);
        // denormals have few digits: some units of the last place of each part
        EXPECT_LE(length_of(p), length_of(y) * (1.0 + 1e-14) + 1e-322);  // false for NaN
        EXPECT_TRUE(std::isfinite(length_of(project_rolling_dual(y, axis, mu_))));
      }
    }
  });
}

TEST_P(RollingCones, WithoutTorqueAreTheFrictionConeWhereTorquesAreNotFree) {
  ConeSet cones = make_cone_set(0, 0, 1);
  set_spatial_friction(cones, 0, mu_.sliding, {1.0, 0.0, 0.0}, {});
  for_each_point([&](const SixRows& x, const Vec3& axis) {
    const Vec3 force = project_spatial(x.linear, axis, cones.cosine[0], cones.sine[0]);
    const SixRows found = project_rolling({x.linear, {}}, axis, mu_);
    EXPECT_LE(length_of(found.linear - force), rounding);
    EXPECT_EQ(length_of(found.angular), 0.0);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Frictions, RollingCones,
    testing::Values(RollingFriction{0.5, 0.1, 0.05}, RollingFriction{0.3, 0.0, 0.0},
                    RollingFriction{0.0, 0.0, 0.0}, RollingFriction{0.6, 0.5, 0.0},
                    RollingFriction{0.0, 0.2, 0.3}, RollingFriction{1.0, 1.0, 1.0},
                    RollingFriction{2.0, 0.01, 5.0}, RollingFriction{1e-300, 1e-8, 1e-300},
                    RollingFriction{1e8, 0.1, 1e3}, RollingFriction{infinity, 0.1, 0.2},
                    RollingFriction{0.4, infinity, 0.0}, RollingFriction{0.4, 0.3, infinity},
                    RollingFriction{infinity, infinity, infinity}));

// n drags the others along: with n = 1, |t| = 5, |m_R| = 1 and all coefficients 1 the root passes
// two active terms and ends with one. n = (1 + 5) / 2 = 3 > 1, so m_R stays.
TEST(RollingCone, DropsTheTermsThatTheRootMakesInactive) {
  const Vec3 axis{1.0, 0.0, 0.0};

  const SixRows p = project_rolling({{1.0, 5.0, 0.0}, {0.0, 0.0, 1.0}}, axis, {1.0, 1.0, 1.0});

  EXPECT_EQ(length_of(minus(p, {{3.0, 3.0, 0.0}, {0.0, 0.0, 1.0}})), 0.0);
}

// Coefficients that are finite but beyond the squares of doubles act as infinite ones.
TEST(RollingCone, WithAHugeCoefficientIsTheHalfSpaceOfThatPart) {
  const Vec3 axis{0.0, 0.0, 1.0};
  for (const double huge : {1e100, 1e160, 1e300}) {
    const RollingFriction mu{huge, 0.1, 0.0};

    const SixRows p = project_rolling({{3.0, 4.0, -5.0}, {1.0, 0.0, 2.0}}, axis, mu);
    const SixRows kept = project_rolling({{3.0, 4.0, 50.0}, {1.0, 0.0, 0.0}}, axis, mu);

    EXPECT_EQ(length_of(minus(p, {{3.0, 4.0, 0.0}, {}})), 0.0);
    EXPECT_EQ(length_of(minus(kept, {{3.0, 4.0, 50.0}, {1.0, 0.0, 0.0}})), 0.0);
  }
}

TEST(RollingCone, PassesNotANumberAndInfinityOn) {
  const Vec3 axis{1.0, 0.0, 0.0};
  for (const double bad : {nan, infinity, -infinity})
    for (std::size_t k = 0; k < 6; ++k) {
      std::array<double, 6> x{1.0, 0.2, 0.1, 0.3, 0.1, -0.2};
      x.at(k) = bad;
      const SixRows p =
          project_rolling({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, axis, {0.5, 0.2, 0.1});
      EXPECT_FALSE(std::isfinite(length_of(p))) << bad << " in row " << k;
    }
}

// ---- storage

TEST(RollingGroup, LiesBehindTheOthersSixRowsPerCone) {
  const ConeSet cones = make_cone_set({3, 9, 8, 10}, {1, 0, 2, 9});
  Index place = cones.spatial_first_row() + 3 * cones.spatial_slots();
  EXPECT_EQ(cones.rolling_first_row(), place);
  for (Index tile = 0; tile < 4; ++tile)  // 10 owned in two tiles, 9 mirrors in two more
    for (Index k = 0; k < 6; ++k)
      for (Index lane = 0; lane < 8; ++lane, ++place)
        EXPECT_EQ(cones.rolling_row(8 * tile + lane, k), place);

  EXPECT_EQ(cones.stored_rows(), place);
  EXPECT_EQ(cones.slots(), cones.rolling_first_slot() + 32);
  EXPECT_EQ(cones.slots(), 8 * (cones.owned_tiles() + cones.mirrored_tiles()));
  EXPECT_EQ(cones.cone_count(), 3 + 9 + 8 + 10);
  EXPECT_EQ(cones.contact_count(), 9 + 8 + 10);
  EXPECT_EQ(static_cast<Index>(cones.rolling_length.size()), 32);
  EXPECT_EQ(static_cast<Index>(cones.axis.size()), 3 * (8 + 8 + 32));
}

TEST(RollingGroup, EachConeHasAFrameOfItsOwnBehindThoseOfTheSpatialGroup) {
  ConeSet cones = make_cone_set({0, 0, 9, 10}, {0, 0, 0, 3});
  for (Index c = 0; c < 9; ++c)
    set_spatial_friction(cones, c, 0.5, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0});
  each_stored(10, 3, [&](Index c, bool /*owned*/) {
    set_rolling_friction(cones, c, {0.5, 0.1, 0.0}, {0.0, 0.0, 1.0}, {3.0, 0.0, 7.0});
  });

  EXPECT_EQ(cones.axis_of(8).y, 1.0);
  each_stored(10, 3, [&](Index c, bool /*owned*/) {
    EXPECT_EQ(cones.axis_of(cones.rolling_frame(c)).z, 1.0);
    EXPECT_EQ(cones.tangent[static_cast<std::size_t>(cones.rolling_frame(c))].x, 1.0);
    const SixRows local = rolling_to_contact_frame(cones, c, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
    EXPECT_EQ(length_of(minus(local, {{3.0, 1.0, 2.0}, {6.0, 4.0, 5.0}})), 0.0);
    const SixRows back = rolling_from_contact_frame(cones, c, local);
    EXPECT_EQ(length_of(minus(back, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})), 0.0);
  });
}

TEST(RollingGroup, RowsAreReadAndWrittenInPlace) {
  const ConeSet cones = make_cone_set({1, 1, 1, 10});
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()), 0.0);

  set_rolling_value(cones, rows, 9, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});

  EXPECT_EQ(rows[static_cast<std::size_t>(cones.rolling_row(9, 4))], 5.0);
  EXPECT_EQ(length_of(minus(rolling_value(cones, rows, 9), {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})),
            0.0);
  double sum = 0.0;
  for (const double row : rows) sum += row;
  EXPECT_EQ(sum, 21.0);  // nothing else was touched
}

TEST(RollingGroup, AnotherLengthIsTheSameConeInOtherUnits) {
  ConeSet cones = make_cone_set({0, 0, 0, 1});
  set_rolling_friction(cones, 0, {0.5, 0.1, 0.06}, {1.0, 0.0, 0.0}, {});

  set_rolling_length(cones, 0, 0.2);
  EXPECT_EQ(cones.rolling_friction_of(0).sliding, 0.5);
  EXPECT_DOUBLE_EQ(cones.rolling_friction_of(0).rolling, 0.5);
  EXPECT_DOUBLE_EQ(cones.rolling_friction_of(0).spinning, 0.3);
  set_rolling_friction(cones, 0, {0.5, 0.04, infinity}, {1.0, 0.0, 0.0}, {});
  EXPECT_DOUBLE_EQ(cones.rolling_friction_of(0).rolling, 0.2);
  set_rolling_length(cones, 0, 2.0);

  EXPECT_DOUBLE_EQ(cones.rolling_friction_of(0).rolling, 0.02);
  EXPECT_EQ(cones.rolling_friction_of(0).spinning, infinity);
}

TEST(RollingGroup, RowsThatFrictionPinsDoNotCount) {
  ConeSet cones = make_cone_set({2, 0, 0, 4});
  const Vec3 axis{1.0, 0.0, 0.0};
  set_rolling_friction(cones, 0, {0.5, 0.1, 0.1}, axis, {});
  set_rolling_friction(cones, 1, {0.5, 0.1, 0.0}, axis, {});
  set_rolling_friction(cones, 2, {0.5, 0.0, 0.1}, axis, {});
  set_rolling_friction(cones, 3, {0.0, 0.0, 0.0}, axis, {});

  EXPECT_EQ(cones.row_count(), 2 + 6 + 5 + 4 + 3);
  EXPECT_EQ(cones.solution_rows(), 4 * 6);
  EXPECT_EQ(cones.rows_that_count(2), (std::array<bool, 6>{true, true, true, false, false, true}));
  cones.rolling_rows = 5;
  EXPECT_EQ(cones.row_count(), 2 + 5 + 5 + 3 + 3);
  cones.rolling_rows = 3;
  EXPECT_EQ(cones.row_count(), 2 + 3 + 3 + 2 + 2);
  EXPECT_EQ(cones.solution_rows(), 4 * 3);
}

TEST(RollingGroup, AnyCoefficientIsFriction) {
  ConeSet cones = make_cone_set({1, 1, 1, 1});
  EXPECT_TRUE(cones.frictionless());
  set_rolling_friction(cones, 0, {0.0, 0.0, 1e-3}, {1.0, 0.0, 0.0}, {});
  EXPECT_FALSE(cones.frictionless());
  set_rolling_friction(cones, 0, {0.0, 1e-3, 0.0}, {1.0, 0.0, 0.0}, {});
  EXPECT_FALSE(cones.frictionless());
  set_rolling_friction(cones, 0, {}, {1.0, 0.0, 0.0}, {});
  EXPECT_TRUE(cones.frictionless());
}

TEST(RollingGroup, WhatIsNoFrictionOrNoConeOfTheSetIsABug) {
  ConeSet cones = make_cone_set({0, 0, 0, 1}, {0, 0, 0, 1});
  const Vec3 axis{1.0, 0.0, 0.0};

  EXPECT_THROW(set_rolling_friction(cones, 0, {-0.1, 0.0, 0.0}, axis, {}), std::logic_error);
  EXPECT_THROW(set_rolling_friction(cones, 0, {0.1, -1.0, 0.0}, axis, {}), std::logic_error);
  EXPECT_THROW(set_rolling_friction(cones, 0, {0.1, 0.0, nan}, axis, {}), std::logic_error);
  EXPECT_THROW(set_rolling_friction(cones, 1, {}, axis, {}), std::logic_error);
  EXPECT_THROW(set_rolling_length(cones, 0, 0.0), std::logic_error);
  EXPECT_THROW(set_rolling_length(cones, 9, 1.0), std::logic_error);
  EXPECT_NO_THROW(set_rolling_friction(cones, 8, {}, axis, {}));  // the mirror
}

TEST(EachRow, VisitsAllStoredRowsOrTheOwnedOnes) {
  const ConeSet cones = make_cone_set({3, 2, 9, 1}, {1, 9, 0, 2});
  std::vector<int> seen(static_cast<std::size_t>(cones.stored_rows()), 0);
  std::vector<Index> slot_of(seen.size(), -1);
  each_stored_row(cones, [&](Index row, Index slot) {
    ++seen[static_cast<std::size_t>(row)];
    slot_of[static_cast<std::size_t>(row)] = slot;
  });
  for (const int times : seen) EXPECT_EQ(times, 1);
  EXPECT_EQ(slot_of[static_cast<std::size_t>(cones.rolling_row(8, 5))], cones.rolling_slot(8));

  Index owned = 0;
  each_owned_row(cones, [&](Index /*row*/, Index /*slot*/) { ++owned; });
  EXPECT_EQ(owned, 3 + 2 * 2 + 3 * 9 + 6 * 1);
}

}  // namespace
}  // namespace talus
