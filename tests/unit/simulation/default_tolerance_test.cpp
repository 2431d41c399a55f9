// The tolerance of a run that names none, from all that acts.

#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using support::SmallScene;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double h = 1e-2, size = 0.2;

/// `count` balls of 2 kg without gravity, apart from each other.
SmallScene weightless(int count) {
  SmallScene small(h);
  small.set_gravity({});
  small.solver.tolerance = 0.0;
  const Index ball = small.sphere(0.5 * size);
  for (int k = 0; k < count; ++k)
    small.body(small.add("ball" + std::to_string(k), Motion::Dynamic, ball, {1.0 * k, 0.0, 0.0}))
        .mass = 2.0;
  return small;
}

double tolerance_of(const SmallScene& small) {
  return small.start().solver().tolerance;
}

TEST(DefaultTolerance, OfAForceIsWhatItGivesToAllBodiesTogether) {
  SmallScene small = weightless(4);
  GroupForce push;
  push.group = small.body(1).group;
  push.force[0] = Expression(3.0);  // 3 N on 8 kg
  small.scene.world.forces.push_back(push);
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 3.0 / 8.0, 1e-12);
  EXPECT_THAT(small.start().tolerance_reason(), HasSubstr("0.375 by forces"));

  small.scene.world.forces.front().force[0] = Expression("-3*sin(t)", {}, {"t"});
  small.scene.time.end = 3.0;
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 3.0 / 8.0, 1e-8) << "the most that it will be";

  small.set_gravity({0.0, 0.0, -9.81});
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * (9.81 + 3.0 / 8.0), 1e-8);
}

TEST(DefaultTolerance, OfAnAccelerationIsThatOfGravity) {
  SmallScene small = weightless(1);
  GroupForce field;
  field.group = small.body(0).group;
  field.acceleration[2] = Expression(-0.5);
  small.scene.world.forces.push_back(field);
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 0.5, 1e-12);
}

Joint slide(GlobalId body, MotorType type, double value) {
  Joint joint;
  joint.name = "slide";
  joint.type = JointType::Prismatic;
  joint.body_b = body;
  joint.way_motor.type = type;
  joint.way_motor.value = Expression(value);
  return joint;
}

TEST(DefaultTolerance, OfAPressIsNotSetByItsOwnMass) {
  SmallScene small = weightless(4);
  small.scene.world.joints.push_back(slide(0, MotorType::Force, 3.0));
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 3.0 / 8.0, 1e-12);
  EXPECT_THAT(small.start().tolerance_reason(), HasSubstr("0.375 by motors and servos"));

  // so many bodies of the geometric mean mass: 8 kg * 16^(1/4)
  small.body(0).mass = 32.0;
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 3.0 / 16.0, 1e-12);
}

TEST(DefaultTolerance, OfSpeedsIsThatOfTheAccelerationThatTurnsThemAround) {
  SmallScene small = weightless(4);
  small.body(2).velocity = {0.0, 0.3, 0.0};
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 0.09 / size, 1e-12);
  EXPECT_THAT(small.start().tolerance_reason(), HasSubstr("no force acts"));

  small.body(2).velocity = {};
  small.scene.world.joints.push_back(slide(0, MotorType::Speed, 0.3));
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 0.09 / size, 1e-12);

  small.scene.world.joints.front().way_motor.limit = 4.0;  // 4 N on 8 kg
  EXPECT_NEAR(tolerance_of(small), 0.04 * h * 4.0 / 8.0, 1e-12);
  EXPECT_THAT(small.start().tolerance_reason(), HasSubstr("limits of motors"));
}

TEST(DefaultTolerance, WithoutGravityLiesBetweenTwoSharesOfTheSmallestSize) {
  SmallScene small = weightless(4);
  EXPECT_DOUBLE_EQ(tolerance_of(small), 1e-6 * size / h);
  small.body(2).velocity = {0.0, 100.0, 0.0};
  EXPECT_DOUBLE_EQ(tolerance_of(small), 1e-4 * size / h);
  EXPECT_THAT(small.start().tolerance_reason(), HasSubstr("0.0001 of the smallest size, 0.2 m"));
}

TEST(DefaultTolerance, ThatIsGivenHasNoReason) {
  SmallScene small = weightless(1);
  small.solver.tolerance = 1e-5;
  EXPECT_EQ(tolerance_of(small), 1e-5);
  EXPECT_THAT(small.start().tolerance_reason(), IsEmpty());
}

}  // namespace
}  // namespace talus
