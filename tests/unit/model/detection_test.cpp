#include "model/detection.hpp"

#include "talus/geometry/triangle_mesh.hpp"

#include "generate/random.hpp"
#include "unit/model/placed_bodies.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

std::shared_ptr<const TriangleMesh> ground(double side) {
  const Vec3 a{0, 0, 0}, b{side, 0, 0}, c{side, side, 0}, d{0, side, 0},
      e{0.5 * side, 0.5 * side, 0.2};
  return std::make_shared<TriangleMesh>(
      std::vector<std::array<Vec3, 3>>{{{a, b, e}}, {{b, c, e}}, {{c, d, e}}, {{d, a, e}}});
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

/// Moves straight on, turns and, along the periodic axis, wraps all that is not fixed.
void advance(World& world, double speed) {
  BodySet& bodies = world.bodies;
  const Periodicity periodicity = world.periodicity();
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.motion[i] == Motion::Fixed) continue;
    KeyedRandom random(34, static_cast<std::uint64_t>(bodies.id[i]), 2);
    Vec3& x = bodies.position[i];
    x = x + (speed * random.uniform()) * random.direction();
    if (!std::isinf(bodies.reach[i]))
      bodies.orientation[i] =
          rotation_by((speed * random.uniform()) * random.direction()) * bodies.orientation[i];
    if (!periodicity.axis[0]) continue;
    if (x.x >= periodicity.low.x + periodicity.period.x) x.x -= periodicity.period.x;
    if (x.x < periodicity.low.x) x.x += periodicity.period.x;
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
    for (const double speed : {0.0005, 0.002}) {
      World world = crowd(33, 600, 5.0);
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
        advance(world, speed);
      }
      EXPECT_GT(searches, 1);
      EXPECT_LT(searches, 40);
    }
}

TEST(Detection, ReuseMissesNoneOfManyPairsThatMeet) {
  World world = crowd(37, 4000, 8.0);
  for (std::size_t i = 3; i < world.bodies.id.size(); ++i) {
    world.bodies.shape[i] = 0;
    world.bodies.motion[i] = Motion::Dynamic;
  }
  const std::vector<double> margin(world.bodies.id.size(), 0.0);
  Detection reusing, searching;
  ContactSet reused, searched;
  int searches = 0;
  for (int step = 0; step < 30; ++step) {
    searches += reusing.find(world, margin, reused).searched ? 1 : 0;
    searching.forget();
    searching.find(world, margin, searched);
    expect_same(reused, searched);
    advance(world, 0.003);
  }
  EXPECT_LT(searches, 15);
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

}  // namespace
}  // namespace talus
