// Bias and compliance of rows, by scheme.

#include "stepping/schemes.hpp"

#include "assembly/contact_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

StepSettings settings_of(Scheme scheme) {
  return {.scheme = scheme,
          .h = 0.01,
          .stabilisation = 0.2,
          .recovery_speed = 0.5,
          .bounce_speed = 0.1,
          .damping_time = 0.02};
}

/// A sphere over a fixed one: normal from A (0) to B (1), which is above.
struct Pair {
  World world;
  PairProperties properties;
  Pair(double gap, double approach) {
    world.shapes = {Sphere{1.0}};
    world.materials.add({"stone", 1000.0});
    NewBody body;
    body.motion = Motion::Fixed;
    body.mass = infinite;
    append(world.bodies, body, 1.0);
    body.id = 1;
    body.motion = Motion::Dynamic;
    body.mass = 1.0;
    body.inertia = {0.4, 0.0, 0.0, 0.4, 0.0, 0.4};
    body.pose.position = {0.0, 0.0, 2.0};
    body.velocity = {0.0, 0.0, approach};
    append(world.bodies, body, 1.0);
    ContactSet& c = world.contacts;
    c.name = {{0, 1, {}, 0}};
    c.body_a = {0};
    c.body_b = {1};
    c.point = {{0.0, 0.0, 1.0}};
    c.normal = {{0.0, 0.0, 1.0}};
    c.gap = {gap};
    c.impulse = {{}};
  }
  BodyProblem rows(const StepSettings& settings) {
    world.materials.set_pair(0, 0, properties);
    BodyProblem p;
    body_rows(world, settings.h, std::vector<Vec6>(2, Vec6{}), p);
    contact_rows(world, settings.h, std::vector<std::uint8_t>(2, 0), p);
    contact_biases(world, settings, p);
    return p;
  }
  double bias(Scheme scheme) { return rows(settings_of(scheme)).contact_bias[0].x; }
};

TEST(ContactBias, AGapMayBeClosed) {
  for (const Scheme scheme : {Scheme::AnitescuTasora, Scheme::Spook})
    EXPECT_DOUBLE_EQ(Pair(0.003, 0.0).bias(scheme), 0.3);
}

TEST(ContactBias, AShareOfAnOverlapGoesNoFasterThanTheRecoverySpeed) {
  EXPECT_DOUBLE_EQ(Pair(-0.001, 0.0).bias(Scheme::AnitescuTasora), -0.2 * 0.001 / 0.01);
  EXPECT_DOUBLE_EQ(Pair(-0.1, 0.0).bias(Scheme::AnitescuTasora), -0.5);
  EXPECT_DOUBLE_EQ(Pair(-0.1, 0.0).bias(Scheme::Spook), -0.5);
}

TEST(ContactBias, AnApproachThatArrivesBounces) {
  for (const Scheme scheme : {Scheme::AnitescuTasora, Scheme::Spook}) {
    Pair arrives(0.003, -1.0), later(0.03, -1.0), slow(0.0, -0.05), resting(-0.01, -1.0);
    for (Pair* pair : {&arrives, &later, &slow, &resting}) pair->properties.restitution = 0.4;
    EXPECT_DOUBLE_EQ(arrives.bias(scheme), -0.4);
    EXPECT_DOUBLE_EQ(later.bias(scheme), 3.0) << "it does not arrive in this step";
    EXPECT_NEAR(slow.bias(scheme), 0.0, 1e-15) << "below the bounce speed";
    EXPECT_LE(resting.bias(scheme), -0.4);
  }
}

// A bounce leaves the gap open that gravity would have closed: it pays for the height.
TEST(ContactBias, ABouncePaysForTheGapThatItLeavesOpen) {
  constexpr double e = 0.4, g = 9.81, gap = 0.003;
  const auto bias = [&](double approach, double gravity, Motion below) {
    Pair pair(gap, approach);
    pair.properties.restitution = e;
    pair.world.gravity[2] = Expression(gravity);
    pair.world.bodies.motion[0] = below;
    if (below == Motion::Dynamic) pair.world.bodies.mass[0] = 1.0;
    return pair.bias(Scheme::AnitescuTasora);
  };
  // at the floor v^2 + 2 g gap; up at the gap e^2 of that, less 2 g gap
  const double up = e * e * (1.0 + 2.0 * g * gap) - 2.0 * g * gap;
  EXPECT_DOUBLE_EQ(bias(-1.0, -g, Motion::Fixed), -std::sqrt(up));
  EXPECT_DOUBLE_EQ(bias(-1.0, g, Motion::Fixed), -e) << "pulled apart: Newton's law as it is";
  EXPECT_DOUBLE_EQ(bias(-1.0, -g, Motion::Dynamic), -e) << "both fall";
  EXPECT_DOUBLE_EQ(bias(-0.5, -g, Motion::Fixed), 0.0) << "it would not come back to this gap";
}

TEST(ContactBias, SpookHasItsRow) {
  Pair pair(-0.002, -0.03);
  pair.properties.compliance = 1e-4;
  StepSettings s = settings_of(Scheme::Spook);
  const BodyProblem p = pair.rows(s);
  const double a = 1.0 / (1.0 + 4.0 * s.damping_time / s.h);
  EXPECT_DOUBLE_EQ(p.normal_compliance[0], 4.0 * 1e-4 * a / (s.h * s.h));
  EXPECT_DOUBLE_EQ(p.contact_bias[0].x, a * (4.0 * -0.002 / s.h + 0.03));
  pair.properties.damping_time = 0.01;  // of the pair, before the scheme's
  EXPECT_DOUBLE_EQ(pair.rows(s).contact_bias[0].x, 1.0 / 5.0 * (4.0 * -0.002 / s.h + 0.03));
  // what touches without an overlap and comes apart goes on so, up to the recovery speed
  EXPECT_DOUBLE_EQ(Pair(0.0, 0.05).bias(Scheme::Spook), -a * 0.05);
  EXPECT_DOUBLE_EQ(Pair(0.0, 9.0).bias(Scheme::Spook), -0.5);
  Pair impact(-1e-6, -3.0);  // a share of the speed must not pass
  EXPECT_EQ(impact.bias(Scheme::Spook), 0.0);
}

TEST(ContactBias, ACompliantContactIsASpookRowInBothSchemes) {
  for (const Scheme scheme : {Scheme::AnitescuTasora, Scheme::Spook}) {
    Pair arrives(0.003, -1.0);
    arrives.properties.compliance = 1e-2;
    StepSettings s = settings_of(scheme);
    s.touching = 1e-3;  // a spring knows no such thing
    const BodyProblem p = arrives.rows(s);
    const double a = 1.0 / (1.0 + 4.0 * s.damping_time / s.h);
    EXPECT_DOUBLE_EQ(p.normal_compliance[0], 4.0 * 1e-2 * a / (s.h * s.h));
    EXPECT_DOUBLE_EQ(p.contact_bias[0].x, 0.3) << "the damper waits for the overlap";
    arrives.properties.damping_time = 1e-9;
    EXPECT_NEAR(arrives.rows(s).contact_bias[0].x,
                1.0 / (1.0 + 4.0 * 0.125 * s.h * 10.0) * (4.0 * 0.3 + 1.0), 1e-9)
        << "a sphere of 1 kg turns by 0.1 in a step: (h/8) (h w) of damping";
    Pair inside(-0.002, -1.0);
    inside.properties = arrives.properties;
    inside.properties.damping_time = 0.02;
    EXPECT_DOUBLE_EQ(inside.rows(s).contact_bias[0].x, a * (4.0 * -0.2 + 1.0));
  }
}

TEST(ContactBias, RecoveryGoesByTheSmallerBodyOfTheContact) {
  StepSettings s = settings_of(Scheme::AnitescuTasora);
  s.recovery_size = 0.5;  // the spheres have 2
  EXPECT_DOUBLE_EQ(Pair(-1.0, 0.0).rows(s).contact_bias[0].x, -0.5 * 2.0);
}

TEST(ContactBias, KinematicBodiesSayTheirVelocityInTheBias) {
  Pair pair(0.0, -1.0);
  pair.world.bodies.motion[0] = Motion::Kinematic;
  pair.world.bodies.velocity[0] = {0.0, 2.0, 3.0};
  const BodyProblem p = pair.rows(settings_of(Scheme::AnitescuTasora));
  EXPECT_DOUBLE_EQ(p.contact_bias[0].x, -3.0);
  const Vec3 n = p.normal[0], t1 = p.tangent[0], t2 = cross(n, t1);
  const Vec3 said = p.contact_bias[0].x * n + p.contact_bias[0].y * t1 + p.contact_bias[0].z * t2;
  EXPECT_NEAR(said.y, -2.0, 1e-15);
  EXPECT_NEAR(said.z, -3.0, 1e-15);
}

// ---- joints

BodyProblem with_row(Pair& pair, const StepSettings& s, JointRow row) {
  row.body_a = no_body;
  row.body_b = 1;
  row.block_b = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  BodyProblem p = pair.rows(s);
  append_joint_rows(pair.world, s, {row}, p);
  return p;
}

TEST(JointBias, AnErrorGoesByItsShareAndBothSigns) {
  Pair pair(1.0, 0.0);
  for (const double error : {0.004, -0.004}) {
    const BodyProblem p = with_row(pair, settings_of(Scheme::AnitescuTasora), {.error = error});
    EXPECT_DOUBLE_EQ(p.joint_bias[0], 0.2 * error / 0.01);
    EXPECT_EQ(p.joint_upper[0], infinite);
    EXPECT_EQ(p.joint_lower[0], -infinite);
    EXPECT_EQ(p.joint_compliance[0], 0.0);
  }
}

TEST(JointBias, ASpeedMotorHasItsTargetAndItsLargestImpulse) {
  Pair pair(1.0, 0.0);
  const BodyProblem p = with_row(
      pair, settings_of(Scheme::Spook),
      {.kind = JointRow::Kind::Velocity, .place = 3, .target = 2.0, .largest_force = 50.0});
  EXPECT_EQ(p.joint_bias[0], -2.0);
  EXPECT_DOUBLE_EQ(p.joint_upper[0], 0.5);
  EXPECT_DOUBLE_EQ(p.joint_lower[0], -0.5);
  EXPECT_EQ(p.joint_key[0], 3);
}

TEST(JointBias, ALimitMayBeReachedAndOnlyPushes) {
  Pair pair(1.0, 0.0);
  for (const Scheme scheme : {Scheme::AnitescuTasora, Scheme::Spook}) {
    const StepSettings s = settings_of(scheme);
    const BodyProblem far = with_row(pair, s, {.kind = JointRow::Kind::AtLeast, .error = 0.002});
    EXPECT_DOUBLE_EQ(far.joint_bias[0], 0.2);
    EXPECT_EQ(far.joint_lower[0], 0.0);
    EXPECT_EQ(far.joint_upper[0], infinite);
    EXPECT_LT(with_row(pair, s, {.kind = JointRow::Kind::AtLeast, .error = -0.002}).joint_bias[0],
              0.0);
  }
  pair.world.bodies.velocity[1] = {0.0, 0.0, -5.0};
  EXPECT_EQ(
      with_row(pair, settings_of(Scheme::Spook), {.kind = JointRow::Kind::AtLeast, .error = -1e-9})
          .joint_bias[0],
      0.0)
      << "an impact does not pass through";
}

TEST(JointBias, SpringsAreSpookRowsInBothSchemes) {
  Pair pair(1.0, -0.5);
  for (const Scheme scheme : {Scheme::AnitescuTasora, Scheme::Spook}) {
    const BodyProblem p = with_row(pair, settings_of(scheme),
                                   {.error = 0.01, .compliance = 1e-3, .damping_time = 0.005});
    const double a = 1.0 / 3.0;
    EXPECT_NEAR(p.joint_compliance[0], 4.0 * 1e-3 * a / 1e-4, 1e-12);
    EXPECT_NEAR(p.joint_bias[0], a * (4.0 * 0.01 / 0.01 + 0.5), 1e-13);
  }
}

TEST(JointBias, APositionMotorLooksAhead) {
  Pair pair(1.0, 0.0);
  // 0.01 behind already, and 3 m/s further on
  const BodyProblem p = with_row(pair, settings_of(Scheme::AnitescuTasora),
                                 {.error = -0.01 - 0.01 * 3.0, .target = 3.0});
  EXPECT_NEAR(p.joint_bias[0], -0.2 * 0.01 / 0.01 - 3.0, 1e-13);
}

TEST(JointBias, KinematicPartnersSayTheirVelocity) {
  Pair pair(1.0, 0.0);
  pair.world.bodies.motion[0] = Motion::Kinematic;
  pair.world.bodies.velocity[0] = {0.0, 0.0, 4.0};
  const StepSettings s = settings_of(Scheme::AnitescuTasora);
  BodyProblem p = pair.rows(s);
  JointRow row;
  row.body_a = 0;
  row.body_b = 1;
  row.block_a = {0.0, 0.0, -1.0, 0.0, 0.0, 0.0};
  row.block_b = {0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  append_joint_rows(pair.world, s, {row}, p);
  EXPECT_EQ(p.joint_bias[0], -4.0);
}

// ---- settings

TEST(StepSettings, DefaultsComeFromGravityAndSize) {
  const StepSettings s = step_settings({.step = 1e-3}, 10.0, 0.1);
  EXPECT_DOUBLE_EQ(s.recovery_speed, 0.5);
  EXPECT_DOUBLE_EQ(s.recovery_size, 0.1);
  EXPECT_DOUBLE_EQ(s.bounce_speed, 0.02);
  EXPECT_DOUBLE_EQ(s.damping_time, 4e-3);
  EXPECT_EQ(step_settings({.step = 1e-3}, 0.0, 0.1).recovery_speed, infinite);
}

TEST(StepSettings, WhatIsGivenCounts) {
  const StepSettings s = step_settings({.step = 1e-3,
                                        .scheme = Scheme::Spook,
                                        .stabilisation = 0.5,
                                        .recovery_speed = 0.0,
                                        .bounce_speed = 0.3,
                                        .damping_time = 0.0},
                                       10.0, 0.1);
  EXPECT_EQ(s.scheme, Scheme::Spook);
  EXPECT_EQ(s.stabilisation, 0.5);
  EXPECT_EQ(s.recovery_speed, 0.0);
  EXPECT_EQ(s.recovery_size, 0.0) << "the same everywhere";
  EXPECT_EQ(s.bounce_speed, 0.3);
  EXPECT_EQ(s.damping_time, 0.0);
}

}  // namespace
}  // namespace talus
