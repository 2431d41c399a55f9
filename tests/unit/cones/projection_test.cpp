// The nearest points are held against what defines them (in the set, no point of it nearer, the
// remainder in the polar cone), written down here without the code under test.
#include "cones/projection.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> frictions{0.0, 1e-300, 1e-8, 0.3, 1.0, 5.0, 1e8, 1e300, infinity};

struct Angle {
  double cosine, sine;
};

Angle angle_of(double mu) {
  ConeSet cones = make_cone_set(0, 1, 0);
  set_planar_friction(cones, 0, mu);
  return {cones.cosine[0], cones.sine[0]};
}

double length_of(const Vec3& x) {
  return std::hypot(x.x, x.y, x.z);
}

Vec3 scaled(const Vec3& x, int exponent) {
  return {std::ldexp(x.x, exponent), std::ldexp(x.y, exponent), std::ldexp(x.z, exponent)};
}

Vec3 project_polar_of(const Vec3& x, const Vec3& axis, const Angle& angle) {
  return -project_spatial(-x, axis, angle.sine, angle.cosine);
}

/// Of length about 1 in every direction, on the axis, near it and across it, on the boundaries of K
/// and of K's polar.
std::vector<Vec3> points(const Vec3& axis, const Angle& angle) {
  const Vec3 across = tangent_of(axis);
  std::vector<Vec3> all{axis, -axis, across, -across};
  all.push_back(angle.cosine * axis + angle.sine * across);
  all.push_back(-(angle.sine * axis) + angle.cosine * across);
  all.push_back(axis + 1e-9 * across);
  all.push_back(1e-9 * axis - across);
  for (std::uint64_t i = 0; i < 40; ++i) {
    KeyedRandom random(11, i, 1);
    const double size = random.uniform(0.1, 2.0);
    all.push_back(size * random.direction());
  }
  return all;
}

class SpatialCones : public testing::TestWithParam<double> {
 protected:
  Angle angle_ = angle_of(GetParam());
  std::vector<Vec3> axes_{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, KeyedRandom(2, 3, 4).direction()};

  template <class Check>
  void for_each_point(const Check& check) const {
    for (const Vec3& axis : axes_)
      for (const Vec3& x : points(axis, angle_)) check(x, axis);
  }
};

// Points have lengths up to 2; a projection is some twenty roundings of 1.1e-16 times that, most of
// them not at their worst.
constexpr double rounding = 2e-15;

TEST_P(SpatialCones, TheProjectionLiesInTheCone) {
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    const Vec3 p = project_spatial(x, axis, angle_.cosine, angle_.sine);
    const double normal = dot(p, axis);
    EXPECT_GE(normal, -rounding);
    EXPECT_LE(angle_.cosine * length_of(p - normal * axis), angle_.sine * normal + rounding);
  });
}

TEST_P(SpatialCones, ProjectingTwiceMovesNothing) {
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    const Vec3 once = project_spatial(x, axis, angle_.cosine, angle_.sine);
    const Vec3 twice = project_spatial(once, axis, angle_.cosine, angle_.sine);
    EXPECT_LE(length_of(twice - once), rounding);
  });
}

TEST_P(SpatialCones, SplitEveryPointAsMoreauSays) {
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    const Vec3 inside = project_spatial(x, axis, angle_.cosine, angle_.sine);
    const Vec3 rest = project_polar_of(x, axis, angle_);
    EXPECT_LE(length_of(inside + rest - x), rounding);
    EXPECT_NEAR(dot(inside, rest), 0.0, rounding);
  });
}

TEST_P(SpatialCones, NoSampledPointOfTheConeIsNearer) {
  const double half_angle = std::atan2(angle_.sine, angle_.cosine);
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    const Vec3 p = project_spatial(x, axis, angle_.cosine, angle_.sine);
    const double distance = length_of(x - p);
    const Vec3 t1 = tangent_of(axis), t2 = cross(axis, t1);
    for (int i = 0; i <= 8; ++i)
      for (int j = 0; j < 24; ++j) {
        const double opening = half_angle * i / 8, turn = std::numbers::pi * j / 12;
        const Vec3 ray = std::cos(opening) * axis +
                         std::sin(opening) * (std::cos(turn) * t1 + std::sin(turn) * t2);
        const double along = std::max(0.0, dot(ray, x));  // the best point of this ray
        EXPECT_LE(distance, length_of(x - along * ray) + rounding);
      }
  });
}

TEST_P(SpatialCones, PowersOfTwoGoThrough) {
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    const Vec3 p = project_spatial(x, axis, angle_.cosine, angle_.sine);
    // squares of these stay in range, vanish or overflow: both ways of computing agree; -900 and
    // 900 keep all parts that count within the range of double
    for (const int exponent : {-900, -700, -400, -3, 400, 700, 900}) {
      const Vec3 q = project_spatial(scaled(x, exponent), axis, angle_.cosine, angle_.sine);
      const Vec3 back = scaled(q, -exponent);
      // parts of p below 1e-30 may have vanished as squares: they do not count beside the rest
      EXPECT_NEAR(back.x, p.x, 1e-30);
      EXPECT_NEAR(back.y, p.y, 1e-30);
      EXPECT_NEAR(back.z, p.z, 1e-30);
    }
  });
}

TEST_P(SpatialCones, AnyFactorGoesThrough) {
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    const Vec3 p = project_spatial(x, axis, angle_.cosine, angle_.sine);
    const Vec3 q = project_spatial((1.0 / 3.0) * x, axis, angle_.cosine, angle_.sine);
    EXPECT_LE(length_of(3.0 * q - p), 2 * rounding);
  });
}

TEST_P(SpatialCones, GiveNoNaNAtTheEndsOfTheRange) {
  for_each_point([&](const Vec3& x, const Vec3& axis) {
    for (const double size : {0.0, 5e-324, 1e-310, 1e-300, 1e-155, 1e155, 1e300})
      for (const Vec3& y : {size * x, Vec3{size * x.x, 0.0, x.z}, Vec3{-size, x.y, size}}) {
        const Vec3 p = project_spatial(y, axis, angle_.cosine, angle_.sine);
        EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z));
        // denormals have few digits: one unit of the last place of each part
        EXPECT_LE(length_of(p), length_of(y) * (1.0 + 1e-15) + 2e-323);
      }
  });
}

TEST_P(SpatialCones, AgreeWithPlanarOnesInAPlane) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    KeyedRandom random(17, i, 1);
    const double n = random.uniform(-1.0, 1.0), t = random.uniform(-1.0, 1.0);
    const Planar planar = project_planar({n, t}, angle_.cosine, angle_.sine);
    const Vec3 spatial = project_spatial({n, 0.0, t}, {1.0, 0.0, 0.0}, angle_.cosine, angle_.sine);
    EXPECT_NEAR(planar.normal, spatial.x, rounding);
    EXPECT_NEAR(planar.tangent, spatial.z, rounding);
    EXPECT_EQ(spatial.y, 0.0);
  }
}

class PlanarCones : public testing::TestWithParam<double> {
 protected:
  Angle angle_ = angle_of(GetParam());

  Planar nearest(const Planar& x) const { return project_planar(x, angle_.cosine, angle_.sine); }
  Planar remainder(const Planar& x) const {
    const Planar p = project_planar({-x.normal, -x.tangent}, angle_.sine, angle_.cosine);
    return {-p.normal, -p.tangent};
  }
  std::vector<Planar> points() const {
    std::vector<Planar> all{{0.0, 0.0},  {1.0, 0.0},  {-1.0, 0.0},  {0.0, 1.0},
                            {0.0, -1.0}, {1.0, 1e-9}, {-1e-9, 1.0}, {1e-9, -1.0}};
    all.push_back({angle_.cosine, -angle_.sine});
    all.push_back({-angle_.sine, angle_.cosine});
    for (std::uint64_t i = 0; i < 200; ++i) {
      KeyedRandom random(13, i, 1);
      const double n = random.uniform(-2.0, 2.0);
      all.push_back({n, random.uniform(-2.0, 2.0)});
    }
    return all;
  }
};

TEST_P(PlanarCones, TheProjectionIsInTheConeAndNoPointOfItsEdgesIsNearer) {
  for (const Planar& x : points()) {
    const Planar p = nearest(x);
    EXPECT_GE(p.normal, 0.0);
    EXPECT_LE(angle_.cosine * std::abs(p.tangent), angle_.sine * p.normal + rounding);
    const double distance = std::hypot(x.normal - p.normal, x.tangent - p.tangent);
    for (const double side : {-1.0, 1.0}) {  // the edges; and the cone itself, where x is inside
      const double along = std::max(0.0, angle_.cosine * x.normal + side * angle_.sine * x.tangent);
      EXPECT_LE(distance, std::hypot(x.normal - along * angle_.cosine,
                                     x.tangent - side * along * angle_.sine) +
                              rounding);
    }
    if (x.normal >= 0.0 && angle_.cosine * std::abs(x.tangent) <= angle_.sine * x.normal) {
      EXPECT_EQ(p.normal, x.normal);
      EXPECT_EQ(p.tangent, x.tangent);
    }
  }
}

TEST_P(PlanarCones, SplitEveryPointAsMoreauSaysAndProjectOnce) {
  for (const Planar& x : points()) {
    const Planar p = nearest(x), q = remainder(x), again = nearest(p);
    EXPECT_NEAR(p.normal + q.normal, x.normal, rounding);
    EXPECT_NEAR(p.tangent + q.tangent, x.tangent, rounding);
    EXPECT_NEAR(p.normal * q.normal + p.tangent * q.tangent, 0.0, rounding);
    EXPECT_NEAR(again.normal, p.normal, rounding);
    EXPECT_NEAR(again.tangent, p.tangent, rounding);
  }
}

TEST_P(PlanarCones, GiveNoNaNAtTheEndsOfTheRangeAndScale) {
  for (const Planar& x : points()) {
    for (const double size : {0.0, 5e-324, 1e-300, 1e300}) {
      const Planar p = nearest({size * x.normal, size * x.tangent});
      EXPECT_TRUE(std::isfinite(p.normal) && std::isfinite(p.tangent));
    }
    for (const int exponent : {-600, 900}) {
      const Planar p = nearest(x);
      const Planar q = nearest({std::ldexp(x.normal, exponent), std::ldexp(x.tangent, exponent)});
      // nothing is squared in the plane; what vanishes at 2^-600 is below 1e-140
      EXPECT_NEAR(std::ldexp(q.normal, -exponent), p.normal, 1e-140);
      EXPECT_NEAR(std::ldexp(q.tangent, -exponent), p.tangent, 1e-140);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Frictions, SpatialCones, testing::ValuesIn(frictions));
INSTANTIATE_TEST_SUITE_P(Frictions, PlanarCones, testing::ValuesIn(frictions));

TEST(FrictionCones, WithoutFrictionAreTheNormalRay) {
  const Angle none = angle_of(0.0);
  const Vec3 axis{0.0, 0.0, 1.0};

  const Vec3 pressed = project_spatial({3.0, 4.0, 2.0}, axis, none.cosine, none.sine);
  const Vec3 pulled = project_spatial({3.0, 4.0, -2.0}, axis, none.cosine, none.sine);
  const Planar planar = project_planar({2.0, -7.0}, none.cosine, none.sine);

  EXPECT_EQ(length_of(pressed - Vec3{0.0, 0.0, 2.0}), 0.0);
  EXPECT_EQ(length_of(pulled), 0.0);
  EXPECT_EQ(planar.normal, 2.0);
  EXPECT_EQ(planar.tangent, 0.0);
}

// A half space. On the axis the generator nearest to x is at right angles to it, and still x is
// inside: this is what the dual of every frictionless contact sees.
TEST(FrictionCones, WithInfiniteFrictionAreTheHalfSpace) {
  const Angle endless = angle_of(infinity);
  const Vec3 axis{0.0, 0.0, 1.0};
  const auto nearest = [&](const Vec3& x) {
    return project_spatial(x, axis, endless.cosine, endless.sine);
  };

  EXPECT_EQ(length_of(nearest({0.0, 0.0, 5.0}) - Vec3{0.0, 0.0, 5.0}), 0.0);
  EXPECT_EQ(length_of(nearest({3.0, 4.0, 5.0}) - Vec3{3.0, 4.0, 5.0}), 0.0);
  EXPECT_EQ(length_of(nearest({3.0, 4.0, -5.0}) - Vec3{3.0, 4.0, 0.0}), 0.0);
  EXPECT_EQ(length_of(nearest({0.0, 0.0, -5.0})), 0.0);
  EXPECT_EQ(project_planar({5.0, 0.0}, endless.cosine, endless.sine).normal, 5.0);
  EXPECT_EQ(project_planar({-5.0, 0.0}, endless.cosine, endless.sine).normal, 0.0);
}

TEST(FrictionCones, ThatAreAlmostHalfSpacesKeepTheirAxisToo) {
  const Angle wide = angle_of(1e300);

  EXPECT_EQ(project_planar({1e-300, 0.0}, wide.cosine, wide.sine).normal, 1e-300);
  EXPECT_EQ(project_spatial({1e-300, 0.0, 0.0}, {1.0, 0.0, 0.0}, wide.cosine, wide.sine).x, 1e-300);
}

TEST(FrictionCones, PassNotANumberAndInfinityOn) {
  const Angle angle = angle_of(0.5);
  const Vec3 axis{1.0, 0.0, 0.0};

  const auto hidden = [&](const Vec3& x) {
    const Vec3 p = project_spatial(x, axis, angle.cosine, angle.sine);
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
  };
  EXPECT_FALSE(hidden({nan, 0.0, 0.0}));
  EXPECT_FALSE(hidden({1.0, nan, 0.0}));
  EXPECT_FALSE(hidden({1.0, 1.0, infinity}));
  EXPECT_TRUE(std::isnan(project_planar({nan, 0.0}, angle.cosine, angle.sine).normal));
  EXPECT_TRUE(std::isnan(project_planar({1.0, nan}, angle.cosine, angle.sine).normal));
}

}  // namespace
}  // namespace talus
