// From the world to the arrays of a problem.

#include "assembly/contact_rows.hpp"

#include "talus/problem/body_problem.hpp"

#include "assembly/contact_velocities.hpp"
#include "assembly/joint_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace talus {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Two spheres of materials 0 and 1 on a fixed body and a kinematic one, with contacts 0-1, 0-2,
/// 1-3.
World small_world() {
  World world;
  world.shapes = {Sphere{1.0}};
  world.groups = {"a", "b", "walls"};
  world.materials.add({"stone", 1000.0});
  world.materials.add({"wood", 500.0});
  world.materials.set_pair(0, 0, {.friction = 0.1});
  world.materials.set_pair(0, 1, {.friction = 0.5, .cohesion = 3.0});
  world.materials.set_pair(1, 1, {.friction = 0.7});
  const auto add = [&](GlobalId id, Motion motion, Index material, Index group, const Vec3& x) {
    append(world.bodies,
           {.id = id,
            .motion = motion,
            .material = material,
            .group = group,
            .mass = motion == Motion::Dynamic ? 2.0 : infinite,
            .inertia = {0.8, 0.0, 0.0, 0.8, 0.0, 0.8},
            .pose = {x, {}},
            .velocity = {},
            .angular_velocity = {}},
           1.0);
  };
  add(3, Motion::Dynamic, 0, 0, {0.0, 0.0, 0.0});
  add(7, Motion::Dynamic, 1, 1, {2.0, 0.0, 0.0});
  add(8, Motion::Fixed, 0, 2, {0.0, 0.0, -2.0});
  add(9, Motion::Kinematic, 1, 2, {2.0, 0.0, -2.0});
  ContactSet& c = world.contacts;
  c.name = {{3, 7, {}, 0}, {3, 8, {}, 0}, {7, 9, {}, 0}};
  c.body_a = {0, 0, 1};
  c.body_b = {1, 2, 3};
  c.point = {{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {2.0, 0.0, -1.0}};
  c.normal = {{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 0.0, -1.0}};
  c.gap = {0.0, 0.0, 0.0};
  c.impulse.assign(3, Vec3{});
  return world;
}

std::vector<std::uint8_t> no_hubs(const World& world) {
  return std::vector<std::uint8_t>(world.bodies.id.size(), 0);
}

std::vector<Vec6> no_wrench(const World& world) {
  return std::vector<Vec6>(world.bodies.id.size(), Vec6{});
}

TEST(BodyRows, MomentumHasGravityForcesAndWrench) {
  World world = small_world();
  world.gravity = {Expression(0.0), Expression(0.0), Expression("-10*(1+t)", {}, {"t"})};
  world.time = 1.0;
  world.bodies.velocity[0] = {1.0, 0.0, 0.0};
  world.bodies.angular_velocity[0] = {0.0, 5.0, 0.0};
  GroupForce force;
  force.group = 0;
  force.force = {Expression(4.0), Expression(0.0), Expression(0.0)};
  force.torque = {Expression(0.0), Expression(0.0), Expression("t", {}, {"t"})};
  force.acceleration = {Expression(0.0), Expression(3.0), Expression(0.0)};
  world.forces = {force, force};
  world.forces[1].on = false;
  auto wrench = no_wrench(world);
  wrench[1] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  BodyProblem p;

  body_rows(world, 0.5, wrench, p);

  EXPECT_EQ(p.body_id, world.bodies.id);
  EXPECT_EQ(p.inverse_mass, (std::vector<double>{0.5, 0.5, 0.0, 0.0}));
  EXPECT_EQ(p.inverse_inertia[0].xx, 1.0 / 0.8);
  EXPECT_EQ(p.inverse_inertia[3].xx, 0.0);
  // m v + h (m g + f + m a), I w + h torque
  EXPECT_EQ(p.momentum[0],
            (Vec6{2.0 + 0.5 * 4.0, 0.5 * 2.0 * 3.0, -0.5 * 2.0 * 20.0, 0.0, 0.8 * 5.0, 0.5}));
  EXPECT_EQ(p.momentum[1], (Vec6{0.5, 1.0, 1.5 - 20.0, 2.0, 2.5, 3.0}));
  EXPECT_EQ(p.momentum[2], Vec6{});
  EXPECT_EQ(p.momentum[3], Vec6{});
}

TEST(BodyRows, InertiaIsTurnedIntoTheWorld) {
  World world = small_world();
  world.bodies.inertia[0] = {1.0, 0.0, 0.0, 2.0, 0.0, 4.0};
  world.bodies.orientation[0] = rotation_by({0.0, 0.0, 1.5707963267948966});  // x -> y
  world.bodies.inertia[1] = {infinite, 0.0, 0.0, infinite, 0.0, infinite};
  world.bodies.angular_velocity[1] = {1.0, 1.0, 1.0};
  BodyProblem p;

  body_rows(world, 0.1, no_wrench(world), p);

  EXPECT_NEAR(p.inverse_inertia[0].xx, 0.5, 1e-15);
  EXPECT_NEAR(p.inverse_inertia[0].yy, 1.0, 1e-15);
  EXPECT_NEAR(p.inverse_inertia[0].zz, 0.25, 1e-15);
  EXPECT_EQ(p.inverse_inertia[1].xx, 0.0) << "cannot turn";
  EXPECT_EQ(p.momentum[1][3], 0.0);
}

TEST(BodyRows, InertiaIsThatOfHalfTheStepAndMomentumThatOfItsBegin) {
  World world = small_world();
  world.bodies.inertia[0] = {1.0, 0.0, 0.0, 2.0, 0.0, 4.0};
  world.bodies.orientation[0] = rotation_by({0.0, 0.0, 1.5707963267948966});  // x -> y
  BodyProblem p;

  world.bodies.angular_velocity[0] = {0.0, 0.0, 3.0};
  body_rows(world, 0.2, no_wrench(world), p);

  // turned on by 0.3 rad about its own axis
  const double c = std::cos(0.3), s = std::sin(0.3);
  EXPECT_NEAR(p.inverse_inertia[0].xx, 0.5 * c * c + s * s, 1e-14);
  EXPECT_NEAR(p.inverse_inertia[0].yy, c * c + 0.5 * s * s, 1e-14);
  EXPECT_NEAR(p.inverse_inertia[0].xy, -0.5 * s * c, 1e-14);
  EXPECT_NEAR(p.inverse_inertia[0].zz, 0.25, 1e-15);

  world.bodies.angular_velocity[0] = {1.0, 1.0, 1.0};
  body_rows(world, 0.2, no_wrench(world), p);

  EXPECT_NEAR(p.momentum[0][3], 2.0, 1e-14);
  EXPECT_NEAR(p.momentum[0][4], 1.0, 1e-14);
  EXPECT_NEAR(p.momentum[0][5], 4.0, 1e-14);
}

TEST(ContactRows, HaveThePropertiesOfTheirPair) {
  const World world = small_world();
  BodyProblem p;
  body_rows(world, 0.1, no_wrench(world), p);

  contact_rows(world, 0.1, no_hubs(world), p);

  EXPECT_EQ(p.friction, (std::vector<double>{0.5, 0.1, 0.7}));
  EXPECT_EQ(p.time_step, 0.1);
  EXPECT_TRUE(p.point_b.empty()) << "no periodic axis";
  EXPECT_TRUE(p.rolling_friction.empty());
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(dot(p.normal[c], p.tangent[c]), 0.0, 1e-15);
  EXPECT_NO_THROW(validate(p, "rows"));
}

// Where nothing slips there is no such direction: the tangent is the one without. What gravity
// gives in a tenth of a step is no slip either.
TEST(ContactRows, TheFirstTangentMayLieAlongTheSlip) {
  World world = small_world();
  PairProperties pair = world.materials.pair(0, 0);
  const auto tangent = [&](const Vec3& velocity_of_b) {
    for (Index a = 0; a < world.materials.count(); ++a)
      for (Index b = 0; b <= a; ++b) world.materials.set_pair(a, b, pair);
    world.bodies.velocity[static_cast<std::size_t>(world.contacts.body_b[0])] = velocity_of_b;
    BodyProblem p;
    body_rows(world, 0.1, no_wrench(world), p);
    contact_rows(world, 0.1, no_hubs(world), p);
    return p.tangent[0];
  };
  world.bodies.velocity.assign(world.bodies.velocity.size(), Vec3{});
  world.bodies.angular_velocity.assign(world.bodies.velocity.size(), Vec3{});
  world.gravity = {Expression(0.0), Expression(0.0), Expression(-10.0)};
  const Vec3 normal = world.contacts.normal[0];
  const Vec3 way = tangent_of(normal), across = cross(normal, way);
  const Vec3 slip = 0.6 * way + 0.8 * across;

  EXPECT_NEAR(length(tangent(slip) - way), 0.0, 1e-15) << "no pair asks for it";
  pair.friction_along_slip = true;
  EXPECT_NEAR(length(tangent(slip) - slip), 0.0, 1e-15);
  EXPECT_NEAR(length(tangent(0.11 * slip + 3.0 * normal) - slip), 0.0, 1e-14);
  EXPECT_NEAR(length(tangent(0.09 * slip) - way), 0.0, 1e-15) << "below 0.1 g h = 0.1 m/s";
  EXPECT_NEAR(length(tangent(Vec3{}) - way), 0.0, 1e-15);
  EXPECT_NEAR(length(tangent(-4.0 * normal) - way), 0.0, 1e-15);
  world.gravity = {Expression(0.0), Expression(0.0), Expression(0.0)};
  EXPECT_NEAR(length(tangent(1e-9 * slip) - slip), 0.0, 1e-14) << "nothing pulls: any slip is one";
  EXPECT_NEAR(length(tangent(Vec3{}) - way), 0.0, 1e-15);
}

TEST(ContactRows, OfRollingContactsHaveSixRows) {
  World world = small_world();
  world.materials.set_pair(0, 1, {.rolling_friction = 0.01, .spinning_friction = 0.02});
  world.contacts.angular_impulse.assign(3, Vec3{});
  BodyProblem p;
  body_rows(world, 0.1, no_wrench(world), p);

  contact_rows(world, 0.1, no_hubs(world), p);

  EXPECT_EQ(p.rolling_friction, (std::vector<double>{0.01, 0.0, 0.0}));
  EXPECT_EQ(p.spinning_friction, (std::vector<double>{0.02, 0.0, 0.0}));
}

TEST(ContactRows, ATouchAcrossThePeriodHasTwoPoints) {
  World world = small_world();
  world.domain.periodic = {true, false, false};
  world.domain.low = {-1.0, -1.0, -1.0};
  world.domain.high = {9.0, 1.0, 1.0};
  world.contacts.name[0].image = {-1, 0, 0};  // B is at 2 - 10
  world.contacts.point[0] = {-7.0, 0.0, 0.0};
  world.bodies.angular_velocity[1] = {0.0, 1.0, 0.0};
  BodyProblem p;
  body_rows(world, 0.1, no_wrench(world), p);

  contact_rows(world, 0.1, no_hubs(world), p);

  EXPECT_EQ(p.point_b[0].x, 3.0);
  EXPECT_EQ(p.point_b[1].x, 0.0);
  // of B: w x (3 - 2, 0, 0)
  EXPECT_EQ(contact_velocity(world, 0).z, -1.0);
}

TEST(ContactRows, CohesionPullsBothBodiesWhileTheyTouch) {
  World world = small_world();
  BodyProblem p;
  body_rows(world, 0.1, no_wrench(world), p);

  contact_rows(world, 0.1, no_hubs(world), p);

  EXPECT_DOUBLE_EQ(cohesion_pull(world, 0, 0.1), 0.3);
  EXPECT_EQ(cohesion_pull(world, 1, 0.1), 0.0) << "another pair";
  EXPECT_DOUBLE_EQ(p.momentum[0][0], 0.3);
  EXPECT_DOUBLE_EQ(p.momentum[1][0], -0.3);
  world.contacts.gap[0] = 2e-3;  // of a reach of 1
  EXPECT_EQ(cohesion_pull(world, 0, 0.1), 0.0);
}

TEST(ContactRows, CohesionToAWallPullsTheBodyAlone) {
  World world = small_world();
  world.bodies.material[2] = 1;  // wood
  BodyProblem p;
  body_rows(world, 0.1, no_wrench(world), p);

  contact_rows(world, 0.1, no_hubs(world), p);

  EXPECT_DOUBLE_EQ(p.momentum[0][2], -0.3);
  EXPECT_EQ(p.momentum[2], Vec6{});
}

TEST(ContactRows, PrescribedVelocityIsThatOfKinematicBodies) {
  World world = small_world();
  world.bodies.velocity = {{1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {}, {0.0, 3.0, 0.0}};
  world.bodies.angular_velocity[3] = {1.0, 0.0, 0.0};  // x (0, 0, 1): (0, -1, 0)

  const ContactVelocities all = contact_velocities(world, {});
  const auto prescribed = [&](std::size_t c) { return ContactVelocities::at(all.prescribed, c); };

  EXPECT_EQ(contact_velocity(world, 0).x, 1.0);
  EXPECT_EQ(prescribed(0).x, 0.0);
  EXPECT_EQ(contact_velocity(world, 2).x, -2.0);
  EXPECT_EQ(contact_velocity(world, 2).y, 2.0);
  EXPECT_EQ(prescribed(2).x, 0.0);
  EXPECT_EQ(prescribed(2).y, 2.0);
}

TEST(ContactVelocities, AreThoseOfEachContactAlone) {
  World world = small_world();
  world.bodies.velocity = {{1.0, 0.1, 0.0}, {2.0, 0.0, 0.3}, {}, {0.0, 3.0, 0.0}};
  world.bodies.angular_velocity = {{0.3, 0.7, -0.1}, {}, {}, {1.0, 0.0, 0.2}};
  // where a period lies between the two, B is touched elsewhere
  const std::vector<Vec3> point_b{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {2.0, 0.0, -1.5}};
  const ContactVelocities found = contact_velocities(world, point_b);
  for (Index c = 0; c < 2; ++c) {
    const Vec3 one = contact_velocity(world, c), of_all = ContactVelocities::at(found.all, c);
    EXPECT_EQ(of_all.x, one.x);
    EXPECT_EQ(of_all.y, one.y);
    EXPECT_EQ(of_all.z, one.z);
  }
  // (0, 3, 0) + (1, 0, 0.2) x (0, 0, 0.5) against (2, 0, 0.3)
  const Vec3 third = ContactVelocities::at(found.all, 2);
  EXPECT_DOUBLE_EQ(third.x, -2.0);
  EXPECT_DOUBLE_EQ(third.y, 2.5);
  EXPECT_DOUBLE_EQ(third.z, -0.3);
}

TEST(ContactVelocities, OfKinematicBodiesAreNotMadeWhereThereAreNone) {
  World world = small_world();
  world.bodies.motion[3] = Motion::Fixed;
  EXPECT_TRUE(contact_velocities(world, {}).prescribed.empty());
}

TEST(ContactKeys, AreOfTheBodyThatMovesAndCountItsContacts) {
  const World world = small_world();
  EXPECT_EQ(contact_keys(world, no_hubs(world)),
            (std::vector<GlobalId>{3LL << 20, (3LL << 20) + 1, 7LL << 20}));
}

TEST(ContactKeys, HubBodiesLeaveTheirContactsToTheOther) {
  World world = small_world();
  const auto many = static_cast<std::size_t>(most_rows_of_one_rank);
  ContactSet& c = world.contacts;
  c.clear();
  for (std::size_t k = 0; k < many; ++k)
    c.name.push_back({3, 8, {}, static_cast<std::uint32_t>(k)});
  c.name.push_back({3, 7, {}, 0});
  c.body_a.assign(many + 1, 0);
  c.body_b.assign(many, 2);
  c.body_b.push_back(1);
  c.gap.assign(many + 1, 0.0);

  const std::vector<std::int64_t> rows = row_counts(world, {});
  EXPECT_EQ(rows[0], 3 * static_cast<std::int64_t>(many) + 3);
  EXPECT_EQ(rows[1], 3);
  EXPECT_EQ(rows[2], 3 * static_cast<std::int64_t>(many));
  const std::vector<std::uint8_t> hub{1, 0, 1, 0};

  const std::vector<GlobalId> keys = contact_keys(world, hub);

  EXPECT_EQ(keys.front(), 3LL << 20) << "nobody else can";
  EXPECT_EQ(keys[many - 1], (3LL << 20) + static_cast<GlobalId>(many) - 1);
  EXPECT_EQ(keys.back(), 7LL << 20);
}

TEST(JointRows, VelocityOfARowIsThatOfItsBodies) {
  World world = small_world();
  world.bodies.velocity[0] = {1.0, 0.0, 0.0};
  world.bodies.angular_velocity[3] = {0.0, 2.0, 0.0};
  JointRow row;
  row.body_a = 0;
  row.body_b = 3;
  row.block_a = {-1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  row.block_b = {1.0, 0.0, 0.0, 0.0, 0.5, 0.0};
  EXPECT_EQ(row_velocity(world, row), 0.0);
  EXPECT_EQ(prescribed_row_velocity(world, row), 1.0);
  row.body_b = no_body;
  EXPECT_EQ(row_velocity(world, row), -1.0);
}

}  // namespace
}  // namespace talus
