// Prescribed motions, free bodies, periodic axes.

#include "stepping/integrate.hpp"

#include "assembly/contact_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace talus {
namespace {

using std::numbers::pi;

StepSettings steps_of(double h) {
  StepSettings settings;
  settings.h = settings.tick = h;
  return settings;
}

Expression of_time(const std::string& text) {
  return Expression(text, {}, {"t"});
}

World one_body(Motion motion, const Pose& pose = {}) {
  World world;
  world.shapes = {Sphere{1.0}};
  world.groups = {"body"};
  append(world.bodies,
         {.id = 4,
          .motion = motion,
          .mass = 1.0,
          .inertia = {0.4, 0.0, 0.0, 0.4, 0.0, 0.4},
          .pose = pose,
          .velocity = {},
          .angular_velocity = {}},
         1.0);
  return world;
}

World moved_by(KinematicMotion motion, const Pose& pose = {}) {
  World world = one_body(Motion::Kinematic, pose);
  motion.body = 4;
  motion.start = pose;
  world.motions = {motion};
  return world;
}

void run(World& world, double h, int steps) {
  for (int i = 0; i < steps; ++i) {
    set_kinematic_velocities(world, h);
    const Vec3 before = world.bodies.position[0], v = world.bodies.velocity[0];
    integrate(world, steps_of(h), std::vector<Vec6>(world.bodies.id.size(), Vec6{}));
    EXPECT_NEAR(length(world.bodies.position[0] - before - h * v), 0.0, 1e-13)
        << "the velocity is the one that brings it there";
  }
}

double distance(const Vec3& a, const Vec3& b) {
  return length(a - b);
}

TEST(KinematicMotion, DisplacementIsWhereTheFormulaSays) {
  KinematicMotion motion;
  motion.way = {of_time("1 + t^2"), Expression(), of_time("sin(t)")};  // counts from its value at 0
  World world = moved_by(motion, {{5.0, 0.0, 0.0}, {}});

  run(world, 1e-3, 1000);

  EXPECT_EQ(world.step, 1000);
  EXPECT_DOUBLE_EQ(world.time, 1.0);
  EXPECT_NEAR(distance(world.bodies.position[0], {6.0, 0.0, std::sin(1.0)}), 0.0, 1e-14);
}

TEST(KinematicMotion, VelocityIsIntegrated) {
  KinematicMotion motion;
  motion.velocity = {of_time("2*t"), Expression(1.0), Expression()};
  World world = moved_by(motion);

  run(world, 1e-3, 2000);

  // the midpoint rule is exact for what is linear in time
  EXPECT_NEAR(distance(world.bodies.position[0], {4.0, 2.0, 0.0}), 0.0, 1e-12);
}

TEST(KinematicMotion, VibrationComesBackAfterWholePeriods) {
  KinematicMotion motion;
  motion.way[2] = of_time("(0) + (0.01)*(sin(2*pi*(10)*t + (0.3)) - sin(0.3))");
  World world = moved_by(motion);

  run(world, 1e-3, 25);  // a quarter of a period
  EXPECT_NEAR(world.bodies.position[0].z, 0.01 * (std::sin(0.5 * pi + 0.3) - std::sin(0.3)), 1e-15);
  run(world, 1e-3, 475);  // five whole periods
  EXPECT_NEAR(world.bodies.position[0].z, 0.0, 1e-15);
}

TEST(KinematicMotion, RotationByAngleAndByRateAgree) {
  KinematicMotion by_angle, by_rate;
  by_angle.axis = by_rate.axis = unit({1.0, 2.0, 2.0});
  by_angle.through = by_rate.through = {1.0, 0.0, 0.0};
  by_angle.angle = of_time("3*t");
  by_rate.rate = Expression(3.0);
  const Pose start{{1.0, 2.0, -1.0}, rotation_by({0.3, 0.1, 0.0})};
  World a = moved_by(by_angle, start), b = moved_by(by_rate, start);

  run(a, 1e-3, 5000);
  run(b, 1e-3, 5000);

  const Quaternion turn = rotation_by(15.0 * by_angle.axis);
  const Vec3 exact = by_angle.through + rotate(turn, start.position - by_angle.through);
  const Quaternion q = turn * start.orientation;
  for (const World* world : {&a, &b}) {
    const BodySet& bodies = world->bodies;
    EXPECT_NEAR(distance(bodies.position[0], exact), 0.0, 1e-11);
    EXPECT_NEAR(length(turn_of(conjugate(q) * bodies.orientation[0])), 0.0, 1e-11);
    EXPECT_NEAR(distance(bodies.angular_velocity[0], 3.0 * by_angle.axis), 0.0, 1e-10);
  }
}

TEST(KinematicMotion, PartsAddUp) {
  KinematicMotion motion;
  motion.way[0] = of_time("t");
  motion.velocity[0] = Expression(2.0);
  motion.rate = Expression(pi);
  motion.through = {1.0, 0.0, 0.0};
  World world = moved_by(motion);

  run(world, 1e-2, 100);

  EXPECT_NEAR(distance(world.bodies.position[0], {2.0 + 3.0, 0.0, 0.0}), 0.0, 1e-12);
}

TEST(KinematicMotion, AFixedBodyStaysWhateverItsMotion) {
  KinematicMotion motion;
  motion.velocity[0] = Expression(2.0);
  World world = moved_by(motion);
  world.bodies.motion[0] = Motion::Fixed;

  run(world, 0.1, 10);

  EXPECT_EQ(world.bodies.position[0].x, 0.0);
  world.bodies.keep({0});
  EXPECT_NO_THROW(set_kinematic_velocities(world, 0.1)) << "one that is gone";
}

TEST(FreeBody, ASphereKeepsItsVelocities) {
  World world = one_body(Motion::Dynamic);
  const Vec6 u{1.0, 2.0, 3.0, 0.0, 0.0, 1.0};
  for (int i = 0; i < 1000; ++i) integrate(world, steps_of(1e-3), {u});

  EXPECT_NEAR(distance(world.bodies.position[0], {1.0, 2.0, 3.0}), 0.0, 1e-12);
  const Quaternion exact = rotation_by({0.0, 0.0, 1.0});
  EXPECT_NEAR(length(turn_of(conjugate(exact) * world.bodies.orientation[0])), 0.0, 1e-12);
}

/// Of the only body, where nothing pushes it.
Vec6 free_velocity(const World& world, double h) {
  BodyProblem problem;
  body_rows(world, h, {Vec6{}}, problem);
  const Vec6& p = problem.momentum[0];
  const Vec3 w = problem.inverse_inertia[0] * Vec3{p[3], p[4], p[5]};
  return {0.0, 0.0, 0.0, w.x, w.y, w.z};
}

TEST(FreeBody, AngularMomentumStaysAndEnergyDriftIsOfSecondOrder) {
  const Sym3 inertia{1.0, 0.0, 0.0, 2.0, 0.0, 3.0};
  const auto drift = [&](double h) {
    World world = one_body(Motion::Dynamic);
    world.bodies.inertia[0] = inertia;
    Vec3& w = world.bodies.angular_velocity[0];
    w = {0.1, 3.0, 0.1};  // about the middle axis: it tumbles
    const auto momentum = [&] { return rotated(world.bodies.orientation[0], inertia) * w; };
    const Vec3 before = momentum();
    const double energy = 0.5 * dot(w, before);
    const int steps = static_cast<int>(std::lround(5.0 / h));
    for (int i = 0; i < steps; ++i) integrate(world, steps_of(h), {free_velocity(world, h)});
    EXPECT_NEAR(distance(momentum(), before), 0.0, 1e-11);
    return std::abs(0.5 * dot(w, momentum()) / energy - 1.0);
  };
  const double coarse = drift(2e-3), fine = drift(1e-3);
  EXPECT_LT(fine, 1e-4);
  EXPECT_LT(fine, 0.35 * coarse);
}

TEST(FreeBody, TurnsByItsOwnVelocityHalfWay) {
  World world = one_body(Motion::Dynamic, {{}, rotation_by({0.3, 0.2, -0.4})});
  const Sym3 inertia{1.0, 0.1, 0.0, 2.0, -0.2, 3.0};
  world.bodies.inertia[0] = inertia;
  world.bodies.angular_velocity[0] = {1.0, 1.0, 1.0};
  const Quaternion before = world.bodies.orientation[0];
  const Vec3 momentum = rotated(before, inertia) * world.bodies.angular_velocity[0];

  integrate(world, steps_of(0.1), {free_velocity(world, 0.1)});

  // the rule itself: half the turn is where I^-1 L turns by all of it
  const Vec3 turn = turn_of(world.bodies.orientation[0] * conjugate(before));
  const Quaternion half = rotation_by(0.5 * turn) * before;
  EXPECT_NEAR(distance(rotated(half, inverse(inertia)) * momentum, (1.0 / 0.1) * turn), 0.0, 1e-12);
  const Vec3 after =
      rotated(world.bodies.orientation[0], inertia) * world.bodies.angular_velocity[0];
  EXPECT_NEAR(distance(after, momentum), 0.0, 1e-14);
}

TEST(FreeBody, OneThatIsPushedTurnsWithTheVelocityOfTheSolveToo) {
  World world = one_body(Motion::Dynamic);
  world.bodies.inertia[0] = {1.0, 0.0, 0.0, 2.0, 0.0, 3.0};
  world.bodies.angular_velocity[0] = {-1.0, 2.0, 0.5};
  const double h = 0.1;
  BodyProblem problem;
  body_rows(world, h, {Vec6{}}, problem);
  const Vec3 w{1.0, 1.0, 1.0};

  integrate(world, steps_of(h), {Vec6{0.0, 0.0, 0.0, w.x, w.y, w.z}});

  const Quaternion exact = rotation_by(h * w), &q = world.bodies.orientation[0];
  EXPECT_NEAR(length(turn_of(conjugate(exact) * q)), 0.0, 1e-15);
  // its momentum is what the problem has made it
  const Vec3 momentum = inverse(problem.inverse_inertia[0]) * w;
  const Vec3 after = rotated(q, world.bodies.inertia[0]) * world.bodies.angular_velocity[0];
  EXPECT_NEAR(distance(after, momentum), 0.0, 1e-13);
}

TEST(FreeBody, OneThatTurnsByMoreThanARadianPerStepKeepsItsMomentum) {
  const Sym3 inertia{1.0, 0.0, 0.0, 2.0, 0.0, 3.0};
  World world = one_body(Motion::Dynamic);
  world.bodies.inertia[0] = inertia;
  Vec3& w = world.bodies.angular_velocity[0];
  w = {0.0, 50.0, 1.0};
  const auto momentum = [&] { return rotated(world.bodies.orientation[0], inertia) * w; };
  const Vec3 before = momentum();
  for (int i = 0; i < 1000; ++i) integrate(world, steps_of(0.1), {free_velocity(world, 0.1)});
  EXPECT_NEAR(distance(momentum(), before) / length(before), 0.0, 1e-11);
}

// ---- periodic axes

NewBody body_at(GlobalId id, const Vec3& x) {
  NewBody body;
  body.id = id;
  body.mass = 1.0;
  body.pose.position = x;
  return body;
}

World periodic_pair(const Vec3& a, const Vec3& b, std::int8_t image) {
  World world;
  world.shapes = {Sphere{1.0}};
  world.domain.periodic = {true, false, false};
  world.domain.low = {-5.0, -5.0, -5.0};
  world.domain.high = {5.0, 5.0, 5.0};
  append(world.bodies, body_at(0, a), 1.0);
  append(world.bodies, body_at(1, b), 1.0);
  world.contacts.name = {{0, 1, {image, 0, 0}, 0}};
  world.contacts.body_a = {0};
  world.contacts.body_b = {1};
  world.contacts.point = {{}};
  world.contacts.normal = {{1.0, 0.0, 0.0}};
  world.contacts.gap = {0.0};
  world.contacts.impulse = {{7.0, 0.0, 0.0}};
  return world;
}

double way_of_contact(const World& world) {
  return world.bodies.position[1].x + 10.0 * world.contacts.name[0].image[0] -
         world.bodies.position[0].x;
}

TEST(Wrap, BringsCentresBackAndKeepsContactsWhereTheyAre) {
  for (const auto& [a, b, image] : {std::tuple{4.5, 5.5, 0},
                                    {5.5, 4.5, 0},
                                    {-5.5, 4.5, -1},
                                    {4.5, -4.5, 1},
                                    {-15.5, -14.5, 0},
                                    {5.25, -5.25, 1}}) {
    World world = periodic_pair({a, 9.0, 0.0}, {b, 0.0, 0.0}, static_cast<std::int8_t>(image));
    const double way = way_of_contact(world);
    world.contacts.point[0] = {a + 0.25, 9.0, 0.0};

    shift_images(world, wrap(world));

    for (const Vec3& x : world.bodies.position) {
      EXPECT_GE(x.x, -5.0);
      EXPECT_LE(x.x, 5.0);
    }
    EXPECT_EQ(world.bodies.position[0].y, 9.0) << "not periodic";
    EXPECT_NEAR(way_of_contact(world), way, 1e-14);
    EXPECT_EQ(world.contacts.point[0].x - world.bodies.position[0].x, 0.25);
    EXPECT_EQ(world.contacts.point[0].y, 9.0);
  }
}

TEST(Wrap, APlaneHasNoImages) {
  World world = periodic_pair({0.0, 0.0, 0.0}, {5.5, 0.0, 0.0}, 0);
  world.bodies.motion[0] = Motion::Fixed;
  world.bodies.reach[0] = std::numeric_limits<double>::infinity();
  world.contacts.point[0] = {5.5, 0.0, -1.0};
  shift_images(world, wrap(world));
  EXPECT_EQ(world.bodies.position[1].x, -4.5);
  EXPECT_EQ(world.contacts.name[0].image[0], 0);
  EXPECT_EQ(world.contacts.point[0].x, -4.5);
}

TEST(Wrap, PutsContactsInCanonicalOrderAgain) {
  World world = periodic_pair({5.5, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0);
  append(world.bodies, body_at(2, {5.25, 0.0, 0.0}), 1.0);
  ContactSet& c = world.contacts;
  c.name = {{0, 1, {0, 0, 0}, 0}, {0, 1, {0, 0, 0}, 1}, {1, 2, {0, 0, 0}, 0}, {1, 2, {0, 1, 0}, 0}};
  c.body_a = {0, 0, 1, 1};
  c.body_b = {1, 1, 2, 2};
  c.point.assign(4, Vec3{});
  c.normal.assign(4, Vec3{1.0, 0.0, 0.0});
  c.gap = {0.0, 0.1, 0.2, 0.3};
  c.impulse = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {3.0, 0.0, 0.0}};
  c.angular_impulse = c.impulse;

  shift_images(world, wrap(world));

  EXPECT_TRUE(std::is_sorted(c.name.begin(), c.name.end()));
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(c.impulse[k].x, 10.0 * c.gap[k]) << "arrays belong together";
    EXPECT_EQ(c.name[k].image[0], k < 2 ? -1 : 1);
  }
}

TEST(Wrap, LeavesWhatIsLostToTheOneWhoTells) {
  for (const double far : {1e30, std::numeric_limits<double>::quiet_NaN()}) {
    World world = periodic_pair({far, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0);
    shift_images(world, wrap(world));
    EXPECT_EQ(std::isnan(world.bodies.position[0].x), std::isnan(far));
    EXPECT_EQ(world.contacts.name[0].image[0], 0);
  }
}

TEST(Wrap, FixedBodiesStayAndKinematicOnesGoOnFromWhereTheyAre) {
  World world = periodic_pair({7.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0);
  world.bodies.motion[0] = Motion::Fixed;
  shift_images(world, wrap(world));
  EXPECT_EQ(world.bodies.position[0].x, 7.0);

  world.bodies.motion[0] = Motion::Kinematic;
  KinematicMotion motion;
  motion.body = world.bodies.id[0];
  motion.start.position = {7.0, 0.0, 0.0};
  motion.through = {8.0, 0.0, 0.0};
  world.motions = {motion};
  shift_images(world, wrap(world));
  const double back = 7.0 - world.bodies.position[0].x;
  EXPECT_GT(back, 0.0);
  EXPECT_EQ(world.motions[0].start.position.x, 7.0 - back);
  EXPECT_EQ(world.motions[0].through.x, 8.0 - back);
}

}  // namespace
}  // namespace talus
