#include "talus/core/rotation.hpp"

#include "core/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace talus {
namespace {

constexpr double rounding = 1e-15;  // a few roundings of numbers about 1

void expect_near(const Vec3& found, const Vec3& expected, double tolerance) {
  EXPECT_NEAR(found.x, expected.x, tolerance);
  EXPECT_NEAR(found.y, expected.y, tolerance);
  EXPECT_NEAR(found.z, expected.z, tolerance);
}

/// Of one rotation, whatever their signs.
void expect_same(const Quaternion& a, const Quaternion& b, double tolerance) {
  const double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -1.0 : 1.0;
  EXPECT_NEAR(a.w, sign * b.w, tolerance);
  EXPECT_NEAR(a.x, sign * b.x, tolerance);
  EXPECT_NEAR(a.y, sign * b.y, tolerance);
  EXPECT_NEAR(a.z, sign * b.z, tolerance);
}

class Rotation : public testing::Test {
 protected:
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vec3 vector() { return {number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)}; }
  Quaternion quaternion() {
    return normalised({number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)});
  }

 private:
  std::mt19937_64 random_{11};
};

TEST_F(Rotation, AQuarterAboutZTakesXToY) {
  const Quaternion q = rotation_by({0.0, 0.0, 0.5 * pi});
  expect_near(rotate(q, {1.0, 0.0, 0.0}), {0.0, 1.0, 0.0}, rounding);
  expect_near(rotate_back(q, {0.0, 1.0, 0.0}), {1.0, 0.0, 0.0}, rounding);
}

TEST_F(Rotation, TheIdentityChangesNoBit) {
  const Vec3 v{0.1, 0.2, 0.3};
  const Vec3 r = rotate({}, v);
  EXPECT_EQ(r.x, v.x);
  EXPECT_EQ(r.y, v.y);
  EXPECT_EQ(r.z, v.z);
}

TEST_F(Rotation, ExponentialMapIsRodriguesFormula) {
  for (int i = 0; i < 200; ++i) {
    const double angle = i % 2 == 0 ? number(0.0, 12.0) : std::exp2(number(-40.0, 0.0));
    const Vec3 axis = unit(vector()), v = vector();
    const double c = std::cos(angle), s = std::sin(angle);
    const Vec3 expected = c * v + s * cross(axis, v) + (1.0 - c) * dot(axis, v) * axis;
    expect_near(rotate(rotation_by(angle * axis), v), expected, 4.0 * rounding);
  }
}

TEST_F(Rotation, SeriesAndFormulaMeetWhereOneTakesOverFromTheOther) {
  const Vec3 axis = unit({1.0, 2.0, 3.0});
  const Quaternion below = rotation_by(0.999999e-3 * axis), above = rotation_by(1.000001e-3 * axis);
  EXPECT_NEAR(above.x - below.x, 1e-9 * (1.0 - 0.125e-6) * axis.x, 1e-18);
  EXPECT_NEAR(above.w - below.w, -0.5e-3 * 1e-9, 2.0 * rounding);
}

TEST_F(Rotation, TurnOfIsTheInverseOfRotationBy) {
  for (int i = 0; i < 200; ++i) {
    const double angle = i % 2 == 0 ? number(0.0, pi) : std::exp2(number(-60.0, 0.0));
    const Vec3 turn = angle * unit(vector());
    const Quaternion q = rotation_by(turn);
    expect_near(turn_of(q), turn, 8.0 * rounding * angle);
    expect_near(turn_of({-q.w, -q.x, -q.y, -q.z}), turn, 8.0 * rounding * angle);
  }
  expect_near(turn_of({}), {}, 0.0);
  // the shortest: more than half a turn is less than half the other way
  expect_near(turn_of(rotation_by({0.0, 0.0, 1.5 * pi})), {0.0, 0.0, -0.5 * pi}, 4.0 * rounding);
}

TEST_F(Rotation, ProductsTurnOneAfterTheOther) {
  for (int i = 0; i < 50; ++i) {
    const Quaternion a = quaternion(), b = quaternion();
    const Vec3 v = vector();
    expect_near(rotate(a * b, v), rotate(a, rotate(b, v)), 4.0 * rounding);
    expect_near(rotate(conjugate(a), rotate(a, v)), v, 4.0 * rounding);
  }
}

TEST_F(Rotation, MatricesAndQuaternionsAreTheSameRotations) {
  for (int i = 0; i < 200; ++i) {
    Quaternion q = quaternion();
    // each component the largest in turn, and small ones exactly zero
    if (i < 4)
      q = Quaternion{i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0,
                     i == 3 ? 1.0 : 0.0};
    const Mat3 m = matrix_of(q);
    const Vec3 v = vector();
    expect_near({m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                 m[6] * v.x + m[7] * v.y + m[8] * v.z},
                rotate(q, v), 4.0 * rounding);
    expect_same(quaternion_of(m), q, 4.0 * rounding);
  }
}

TEST_F(Rotation, NormalisedHasLengthOne) {
  const Quaternion q = normalised({2.0, -4.0, 4.0, 8.0});
  EXPECT_EQ(q.w, 0.2);
  EXPECT_EQ(q.z, 0.8);
  EXPECT_EQ(normalised({0.0, 0.0, 0.0, 0.0}).w, 1.0);
  EXPECT_EQ(length(unit({})), 0.0);
}

TEST_F(Rotation, BetweenTakesOneToTheOtherByTheShortestWay) {
  for (int i = 0; i < 400; ++i) {
    const Vec3 from = unit(vector());
    const double angle = i % 4 == 0   ? number(0.0, pi)
                         : i % 4 == 1 ? std::exp2(number(-60.0, 0.0))
                                      : pi - std::exp2(number(-60.0, 0.0));
    const Vec3 sideways = unit(cross(from, vector()));
    const Vec3 to = unit(std::cos(angle) * from + std::sin(angle) * sideways);
    const Quaternion q = rotation_between(from, to);
    expect_near(rotate(q, from), to, 4.0 * rounding);
    EXPECT_NEAR(length(turn_of(q)), angle, 1e-7) << "the cosine knows it no better";
  }
  for (const Vec3& v : {Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}, Vec3{0.0, 0.0, 1.0}}) {
    expect_near(rotate(rotation_between(v, -v), v), -v, rounding);
    expect_near(rotate(rotation_between(v, v), v), v, rounding);
  }
}

TEST_F(Rotation, SymmetricMatricesTurnAsTheirProductsDo) {
  for (int i = 0; i < 50; ++i) {
    const Quaternion q = quaternion();
    const Sym3 s{number(1, 2), number(-1, 1), number(-1, 1),
                 number(1, 2), number(-1, 1), number(1, 2)};
    const Vec3 v = vector();
    expect_near(rotated(q, s) * v, rotate(q, s * rotate_back(q, v)), 16.0 * rounding);
  }
}

TEST_F(Rotation, InverseTimesMatrixIsOne) {
  for (int i = 0; i < 100; ++i) {
    const double scale = std::exp2(number(-200.0, 200.0));
    // principal values 1 to 100, as those of a long rod
    const Sym3 principal{scale * number(1, 100), 0.0, 0.0, scale * number(1, 100), 0.0, scale};
    const Sym3 s = rotated(quaternion(), principal);
    const Vec3 v = vector();
    expect_near(inverse(s) * (s * v), v, 100.0 * 16.0 * rounding);
  }
  const Sym3 none = inverse(Sym3{});
  EXPECT_EQ(none.xx, 0.0);
  EXPECT_EQ(none.zz, 0.0);
}

TEST_F(Rotation, PosesGoThereAndBack) {
  for (int i = 0; i < 50; ++i) {
    const Pose a{vector(), quaternion()}, b{vector(), quaternion()};
    const Vec3 v = vector();
    expect_near(to_local(a, to_world(a, v)), v, 8.0 * rounding);
    expect_near(to_world(a * b, v), to_world(a, to_world(b, v)), 8.0 * rounding);
    expect_near(to_world(inverse(a), v), to_local(a, v), 8.0 * rounding);
  }
}

}  // namespace
}  // namespace talus
