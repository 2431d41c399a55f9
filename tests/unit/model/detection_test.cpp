#include "talus/model/detection.hpp"

#include "talus/geometry/triangle_mesh.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace talus {
namespace {

std::shared_ptr<const TriangleMesh> ground(double side) {
  const Vec3 a{0, 0, 0}, b{side, 0, 0}, c{side, side, 0}, d{0, side, 0},
      e{0.5 * side, 0.5 * side, 0.2};
  return std::make_shared<TriangleMesh>(
      std::vector<std::array<Vec3, 3>>{{{a, b, e}}, {{b, c, e}}, {{c, d, e}}, {{d, a, e}}});
}

NewBody resting(GlobalId id, Index shape, const Vec3& position) {
  NewBody body;
  body.id = id;
  body.shape = shape;
  body.pose.position = position;
  return body;
}

void append(World& world, const NewBody& body) {
  append(world.bodies, body,
         reach_of(world.shapes[static_cast<std::size_t>(body.shape)], body.scale));
}

/// Spheres, boxes and clumps in a room of `side`, on a floor and a hilly mesh, some of them driven.
World crowd(std::uint64_t seed, int count, double side) {
  World world;
  Compound clump;
  clump.parts.push_back({Sphere{0.5}, Pose{{-0.3, 0.0, 0.0}, {}}});
  clump.parts.push_back({Sphere{0.4}, Pose{{0.4, 0.0, 0.0}, {}}});
  world.shapes = {Sphere{0.5}, Box{{0.5, 0.3, 0.2}}, clump, Plane{}, Mesh{ground(side)}};
  world.domain.low = {0.0, 0.0, 0.0};
  world.domain.high = {side, side, side};
  NewBody floor = resting(2, 3, {});
  floor.motion = Motion::Fixed;
  append(world, floor);
  NewBody hills = resting(3, 4, {});
  hills.motion = Motion::Fixed;
  append(world, hills);
  NewBody wall = resting(4, 3, {0.2, 0.0, 0.0});  // a servo wall
  wall.pose.orientation = rotation_by({0.0, 1.4, 0.0});
  append(world, wall);
  for (int i = 0; i < count; ++i) {
    KeyedRandom random(seed, static_cast<std::uint64_t>(i), 0);
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    NewBody body =
        resting(2 * i + 10, static_cast<Index>(random.below(3)), {side * x, side * y, side * z});
    body.scale = std::pow(4.0, random.uniform(-1.0, 0.0));
    body.motion = random.chance(0.8)   ? Motion::Dynamic
                  : random.chance(0.5) ? Motion::Kinematic
                                       : Motion::Fixed;
    body.pose.orientation = rotation_by(random.uniform(0.0, 3.0) * random.direction());
    append(world, body);
  }
  return world;
}

std::vector<double> margins(const World& world, std::uint64_t seed) {
  std::vector<double> margin;
  for (std::size_t i = 0; i < world.bodies.id.size(); ++i) {
    const auto id = static_cast<std::uint64_t>(world.bodies.id[i]);
    margin.push_back(0.02 * KeyedRandom(0, id, 1).uniform());
    if (world.bodies.motion[i] != Motion::Fixed)
      margin.back() += 0.001 * KeyedRandom(seed, id, 1).uniform();
  }
  return margin;
}

PlacedShape placed(const World& world, std::size_t i) {
  const BodySet& bodies = world.bodies;
  return {&world.shapes[static_cast<std::size_t>(bodies.shape[i])],
          bodies.scale[i],
          {bodies.position[i], bodies.orientation[i]}};
}

/// The narrow phase on every pair and its 27 images.
ContactSet brute_force(const World& world, const std::vector<double>& margin) {
  const BodySet& bodies = world.bodies;
  const Periodicity periodicity = world.periodicity();
  const auto is_plane = [&](std::size_t i) { return std::isinf(bodies.reach[i]); };
  const auto is_surface = [&](std::size_t i) {
    return is_plane(i) || std::holds_alternative<Mesh>(*placed(world, i).shape);
  };
  ContactSet contacts;
  std::vector<ContactPoint> points;
  for (std::size_t a = 0; a < bodies.id.size(); ++a)
    for (std::size_t b = a + 1; b < bodies.id.size(); ++b) {
      if (bodies.motion[a] != Motion::Dynamic && bodies.motion[b] != Motion::Dynamic) continue;
      if (is_surface(a) && is_surface(b)) continue;
      for (int k = 0; k < 27; ++k) {
        const std::array<int, 3> image{k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
        bool there = true;
        for (std::size_t d = 0; d < 3; ++d)
          there = there && (image[d] == 0 || (periodicity.axis[d] && !is_plane(a) && !is_plane(b)));
        if (!there) continue;
        PlacedShape moved = placed(world, b);
        const Vec3& p = periodicity.period;
        moved.pose.position =
            moved.pose.position + Vec3{image[0] * p.x, image[1] * p.y, image[2] * p.z};
        points.clear();
        collide(placed(world, a), moved, margin[a] + margin[b], points);
        for (const ContactPoint& point : points) {
          contacts.name.push_back(
              {bodies.id[a],
               bodies.id[b],
               {std::int8_t(image[0]), std::int8_t(image[1]), std::int8_t(image[2])},
               point.feature});
          contacts.body_a.push_back(static_cast<Index>(a));
          contacts.body_b.push_back(static_cast<Index>(b));
          contacts.point.push_back(point.point);
          contacts.normal.push_back(point.normal);
          contacts.gap.push_back(point.gap);
        }
      }
    }
  return contacts;
}

bool same(const Vec3& a, const Vec3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Bit for bit (no zeros of either sign matter).
void expect_same(const ContactSet& found, const ContactSet& expected) {
  ASSERT_EQ(found.name.size(), expected.name.size());
  ASSERT_EQ(found.name, expected.name);
  EXPECT_EQ(found.body_a, expected.body_a);
  EXPECT_EQ(found.body_b, expected.body_b);
  EXPECT_EQ(found.gap, expected.gap);
  for (std::size_t i = 0; i < found.gap.size(); ++i) {
    EXPECT_TRUE(same(found.point[i], expected.point[i])) << i;
    EXPECT_TRUE(same(found.normal[i], expected.normal[i])) << i;
  }
}

/// Moves, turns and, along periodic axes, wraps all that is not fixed.
void advance(World& world, std::uint64_t step, double speed) {
  BodySet& bodies = world.bodies;
  const Periodicity periodicity = world.periodicity();
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.motion[i] == Motion::Fixed) continue;
    KeyedRandom random(step, static_cast<std::uint64_t>(bodies.id[i]), 2);
    Vec3& x = bodies.position[i];
    x = x + (speed * random.uniform()) * random.direction() + Vec3{speed, 0.0, 0.0};
    if (!std::isinf(bodies.reach[i]))
      bodies.orientation[i] =
          rotation_by((speed * random.uniform()) * random.direction()) * bodies.orientation[i];
    if (periodicity.axis[0] && x.x >= periodicity.low.x + periodicity.period.x)
      x.x -= periodicity.period.x;
  }
}

TEST(Detection, FindsWhatTheNarrowPhaseFindsOnEveryPair) {
  for (int axes = 0; axes < 8; ++axes) {
    World world = crowd(31, 60, 3.0);
    world.domain.periodic = {(axes & 1) != 0, (axes & 2) != 0, (axes & 4) != 0};
    const std::vector<double> margin = margins(world, 32);
    Detection detection;
    ContactSet contacts;

    const DetectionCounts counts = detection.find(world, margin, contacts);

    EXPECT_TRUE(counts.searched);
    EXPECT_GT(contacts.count(), 60) << "too few to show anything";
    expect_same(contacts, brute_force(world, margin));
    EXPECT_TRUE(std::is_sorted(contacts.name.begin(), contacts.name.end()));
    EXPECT_EQ(contacts.impulse.size(), contacts.gap.size());
    EXPECT_TRUE(contacts.angular_impulse.empty());
  }
}

TEST(Detection, ReuseOfCandidatesChangesNothing) {
  for (const bool periodic : {false, true})
    for (const double speed : {0.0005, 0.004}) {
      World world = crowd(33, 100, 4.0);
      world.domain.periodic = {periodic, false, false};
      Detection reusing, searching;
      ContactSet reused, searched;
      int searches = 0;
      for (std::uint64_t step = 0; step < 40; ++step) {
        const std::vector<double> margin = margins(world, step / 4);
        searches += reusing.find(world, margin, reused).searched ? 1 : 0;
        searching.forget();
        EXPECT_TRUE(searching.find(world, margin, searched).searched);
        expect_same(reused, searched);
        advance(world, step, speed);
      }
      EXPECT_GT(searches, 1);
      EXPECT_LT(searches, 40);
    }
}

World two_spheres(double apart) {
  World world;
  world.shapes = {Sphere{0.5}};
  append(world, resting(1, 0, {}));
  append(world, resting(5, 0, {apart, 0.0, 0.0}));
  return world;
}

TEST(Detection, ContactsOfSpheresHaveTheirKnownPlaces) {
  const World world = two_spheres(1.5);
  ContactSet contacts;

  Detection().find(world, {0.2, 0.25}, contacts);
  EXPECT_EQ(contacts.count(), 0);  // 0.5 away, the margins end at 0.45

  Detection().find(world, {0.2, 0.35}, contacts);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0], (ContactName{1, 5, {0, 0, 0}, 0}));
  EXPECT_EQ(contacts.body_b[0], 1);
  EXPECT_EQ(contacts.gap[0], 0.5);
  EXPECT_EQ(contacts.point[0].x, 0.75);
  EXPECT_EQ(contacts.normal[0].x, 1.0);
}

TEST(Detection, ABodyThatIsWrappedKeepsItsContactWithAnotherImage) {
  World world = two_spheres(9.0);
  world.domain.low = {-0.5, -1.0, -1.0};
  world.domain.high = {9.5, 1.0, 1.0};
  world.domain.periodic = {true, false, false};
  Detection detection;
  ContactSet contacts;
  const std::vector<double> margin{0.1, 0.1};

  detection.find(world, margin, contacts);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0].image, (std::array<std::int8_t, 3>{-1, 0, 0}));
  EXPECT_EQ(contacts.normal[0].x, -1.0);

  world.bodies.position[0].x += 10.0;
  EXPECT_TRUE(detection.find(world, margin, contacts).searched);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0].image, (std::array<std::int8_t, 3>{0, 0, 0}));
  EXPECT_EQ(contacts.normal[0].x, -1.0);
}

TEST(Detection, SearchesWhereBodiesOrMarginsMayHaveLeftTheirBounds) {
  World world = two_spheres(1.2);
  world.shapes.emplace_back(Box{{0.5, 0.1, 0.1}});
  append(world, resting(6, 1, {0.0, 5.0, 0.0}));
  std::vector<double> margin{0.0, 0.0, 0.0};
  Detection detection;
  ContactSet contacts;
  const auto searched = [&] { return detection.find(world, margin, contacts).searched; };

  EXPECT_TRUE(searched());
  EXPECT_FALSE(searched());
  world.bodies.position[1].x += 0.01;
  EXPECT_FALSE(searched());
  margin[1] = 0.01;
  EXPECT_FALSE(searched());
  margin[1] = 0.1;  // 10 % of the size are allowed, one is used
  EXPECT_TRUE(searched());
  EXPECT_FALSE(searched());
  margin[1] = 0.0;
  EXPECT_FALSE(searched());

  world.bodies.orientation[0] = rotation_by({1.0, 1.0, 1.0});  // a sphere
  EXPECT_FALSE(searched());
  world.bodies.orientation[2] = rotation_by({0.0, 0.0, 0.005});
  EXPECT_FALSE(searched());
  world.bodies.orientation[2] = rotation_by({0.0, 0.0, 0.1});
  EXPECT_TRUE(searched());
  const Quaternion q = world.bodies.orientation[2];
  world.bodies.orientation[2] = {-q.w, -q.x, -q.y, -q.z};  // the same rotation
  EXPECT_FALSE(searched());

  detection.forget();
  EXPECT_TRUE(searched());
  world.bodies.motion[1] = Motion::Fixed;
  EXPECT_TRUE(searched());
  world.bodies.keep({1, 0, 1});
  margin.pop_back();
  EXPECT_TRUE(searched());
  EXPECT_FALSE(searched());
  world.bodies.position[0].x = std::nan("");
  EXPECT_TRUE(searched());
  EXPECT_EQ(contacts.count(), 0);
}

TEST(Detection, FollowsABodyThatLeavesAndComesBack) {
  World world = two_spheres(1.01);
  world.bodies.motion[1] = Motion::Kinematic;
  Detection detection;
  ContactSet contacts;
  for (int step = 0; step < 60; ++step) {
    world.bodies.position[1].x = 1.01 + 0.01 * std::min(step, 60 - step);
    detection.find(world, {0.01, 0.015}, contacts);
    EXPECT_EQ(contacts.count(), world.bodies.position[1].x <= 1.025 ? 1 : 0) << step;
  }
}

TEST(Detection, PlanesThatMoveOrTurnAreFollowed) {
  World world = two_spheres(3.0);
  world.shapes.emplace_back(Plane{});
  NewBody plane = resting(9, 1, {0.0, 0.0, -2.0});
  plane.motion = Motion::Kinematic;
  append(world, plane);
  const std::vector<double> margin(3, 0.001);
  Detection detection;
  ContactSet contacts;
  int searches = 0;
  for (int step = 0; step <= 150; ++step) {
    world.bodies.position[2].z = -2.0 + 0.01 * step;
    searches += detection.find(world, margin, contacts).searched ? 1 : 0;
    EXPECT_EQ(contacts.count(), step >= 150 ? 2 : 0) << step;
  }
  EXPECT_GT(searches, 2);
  EXPECT_LT(searches, 60);

  // now at z = -0.5 under both: one of them touches when it is tilted
  world.bodies.position[2].z = -0.6;
  world.bodies.orientation[2] = rotation_by({0.0, -0.1, 0.0});
  detection.find(world, margin, contacts);
  ASSERT_EQ(contacts.count(), 1);
  EXPECT_EQ(contacts.name[0].a, 5);
}

TEST(Detection, NothingButPlanesMovesAndNoBodiesAtAll) {
  World world;
  ContactSet contacts;
  contacts.gap.push_back(1.0);  // is overwritten
  EXPECT_EQ(Detection().find(world, {}, contacts).candidates, 0);
  EXPECT_EQ(contacts.count(), 0);

  world.shapes = {Plane{}, Sphere{0.5}};
  append(world, resting(0, 0, {}));
  append(world, resting(1, 0, {}));
  NewBody ball = resting(2, 1, {0.0, 0.0, 0.5});
  ball.motion = Motion::Fixed;
  append(world, ball);
  EXPECT_EQ(Detection().find(world, {0.0, 0.0, 0.01}, contacts).candidates, 2);
  EXPECT_EQ(contacts.count(), 2);  // the planes with the ball, not with each other
}

TEST(Detection, AngularImpulsesAreThereWhereSomethingRolls) {
  World world = two_spheres(1.0);
  world.materials.add({"a", 1.0});
  world.materials.add({"b", 1.0});
  ContactSet contacts;
  world.materials.set_pair(0, 0, {.friction = 1.0});
  Detection().find(world, {0.1, 0.1}, contacts);
  EXPECT_TRUE(contacts.angular_impulse.empty());

  world.materials.set_pair(1, 0, {.spinning_friction = 0.1});
  Detection().find(world, {0.1, 0.1}, contacts);
  EXPECT_EQ(contacts.angular_impulse.size(), 1U);
}

TEST(Detection, SameForAnyThreads) {
  const World world = crowd(35, 3000, 9.0);
  const std::vector<double> margin = margins(world, 36);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  ContactSet expected, contacts;
  Detection().find(world, margin, expected);
  for (const int count : {2, 4}) {
    omp_set_num_threads(count);
    Detection().find(world, margin, contacts);
    expect_same(contacts, expected);
  }
  omp_set_num_threads(threads);
  EXPECT_GT(expected.count(), 3000);
}

TEST(Detection, BugsOfTheNarrowPhaseLeaveTheLoopOfThreads) {
  World world;
  Compound endless;  // more pairs of parts than features can count
  endless.parts.resize(70000, {Sphere{0.5}, Pose{}});
  world.shapes = {endless};
  append(world, resting(0, 0, {}));
  append(world, resting(1, 0, {0.5, 0.0, 0.0}));
  ContactSet contacts;

  EXPECT_THROW(Detection().find(world, {0.0, 0.0}, contacts), std::logic_error);
}

}  // namespace
}  // namespace talus
