#include "talus/geometry/shape.hpp"

#include "support/fault_of.hpp"
#include "unit/generate/scene_fixture.hpp"

namespace talus {
namespace {

using support::fault_of;
using support::small_world;
using Kind = Generator::Kind;

constexpr double h = 1e-3;
/// Of a sphere of diameter 0.01 m.
const double one = support::glass * pi / 6.0 * 1e-6;

/// A face of 0.1 m x 0.1 m without thickness, bodies fall from it.
Generator stream(double rate) {
  Generator generator = support::spheres(Kind::Stream);
  generator.region.low = {0.0, 0.0, 0.5};
  generator.region.high = {0.1, 0.1, 0.5};
  generator.mass_rate = rate;
  generator.velocity = {0.0, 0.0, -1.0};
  return generator;
}

double radius_of(const World& world, std::size_t body) {
  return reach_of(world.shapes[static_cast<std::size_t>(world.bodies.shape[body])],
                  world.bodies.scale[body]);
}

void add(World& world, NewBody body) {
  body.id = world.next_id++;
  const Shape& shape = world.shapes[static_cast<std::size_t>(body.shape)];
  append(world.bodies, body, reach_of(shape, body.scale));
  world.bodies.owned = world.bodies.count();
}

void add_sphere(World& world, const Vec3& centre, double diameter) {
  NewBody body;
  body.scale = diameter;
  body.pose.position = centre;
  add(world, body);
}

/// Of one rank.
std::vector<StoredBody> all_of(const std::vector<StoredBody>& mine) {
  return mine;
}

/// One step: what comes in comes in, then all fly on.
std::vector<NewBody> step(const Generator& generator, World& world, StreamState& state) {
  std::vector<NewBody> came = stream_bodies(generator, world, h, world.next_id, state, all_of);
  for (const NewBody& body : came) {
    EXPECT_EQ(body.id, world.next_id);
    for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
      EXPECT_GE(length(body.pose.position - world.bodies.position[b]),
                radius_of(world, b) + 0.5 * body.scale);
    add(world, body);
  }
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
    world.bodies.position[b] = world.bodies.position[b] + h * world.bodies.velocity[b];
  ++world.step;
  world.time = static_cast<double>(world.step) * h;
  return came;
}

TEST(Stream, MeetsTheRateOnAverage) {
  Generator generator = stream(1.3);
  generator.sizes = {.kind = SizeDistribution::Kind::Uniform, .low = 0.006, .high = 0.012};
  World world = small_world();
  StreamState state;

  double mass = 0.0;
  for (int i = 0; i < 1000; ++i) {
    for (const NewBody& body : step(generator, world, state)) {
      mass += body.mass;
      EXPECT_EQ(body.pose.position.z, 0.5);  // the face is too thin for a body: in its middle
      EXPECT_GE(body.pose.position.x, 0.5 * body.scale);
      EXPECT_LE(body.pose.position.x, 0.1 - 0.5 * body.scale);
      EXPECT_EQ(body.velocity.z, -1.0);
    }
    // never ahead, and behind by less than the largest body
    EXPECT_LE(mass, 1.3 * world.time * (1.0 + 1e-12));
    EXPECT_GE(mass, 1.3 * world.time - 1.728 * one);
  }
  EXPECT_EQ(state.count, world.bodies.count());
  EXPECT_NEAR(state.mass, mass, 1e-12);
  EXPECT_NEAR(state.owed + state.mass, 1.3, 1e-12);
  EXPECT_EQ(state.refused, 0);
}

TEST(Stream, IsTheSameFromTheSameState) {
  Generator generator = stream(2.0);
  generator.turned = true;
  World world = small_world();
  StreamState state;
  for (int i = 0; i < 50; ++i) step(generator, world, state);

  World other = world;  // as from a checkpoint
  StreamState other_state = state;
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(
        support::same_bits(step(generator, world, state), step(generator, other, other_state)));
}

TEST(Stream, WhatFindsNoPlaceIsOwed) {
  const Generator generator = stream(50.0);  // 38 spheres a step; the face holds about 50
  World world = small_world();
  StreamState state;

  for (int i = 0; i < 30; ++i) step(generator, world, state);

  EXPECT_GT(state.refused, 10);
  EXPECT_GT(state.owed, 0.1);
  EXPECT_NEAR(state.owed + state.mass, 50.0 * 30.0 * h, 1e-12);
  // it moves a diameter in 10 steps: three to four times what the face holds at random
  EXPECT_GT(state.count, 100);

  Generator off = generator;
  off.on = false;
  const StreamState before = state;
  EXPECT_TRUE(step(off, world, state).empty());
  EXPECT_EQ(state.owed, before.owed);
}

TEST(Stream, FollowsTheRateBetweenItsTimesAndUpToItsLimit) {
  Generator generator = stream(0.0);
  generator.mass_rate = Expression("2*t", {}, {"t"});
  generator.from = 0.1;
  generator.until = 0.5;
  World world = small_world();
  StreamState state;
  for (int i = 0; i < 600; ++i) step(generator, world, state);
  EXPECT_NEAR(state.mass + state.owed, 0.25 - 0.01, 1e-12);  // the middle of a step is exact
  EXPECT_GT(state.mass, 0.24 - one);

  generator.until = generator.from;  // no time at all
  state = {};
  for (int i = 0; i < 600; ++i) step(generator, world, state);
  EXPECT_EQ(state.mass + state.owed, 0.0);

  generator = stream(1.0);
  generator.mass_limit = 0.1;
  world = small_world();
  state = {};
  for (int i = 0; i < 200; ++i) step(generator, world, state);
  EXPECT_LE(state.mass, 0.1);
  EXPECT_GT(state.mass, 0.1 - one);

  generator.mass_rate = -1.0;
  state = {};
  step(generator, world, state);
  EXPECT_EQ(state.owed, 0.0);
}

TEST(Stream, BodiesOfAllShapesAreInTheWay) {
  const Generator generator = stream(20.0);
  const auto come_in = [&](const std::function<void(World&)>& obstacle) {
    World world = small_world();
    obstacle(world);
    StreamState state;
    return stream_bodies(generator, world, h, 0, state, all_of);
  };
  const auto centres_within = [](const std::vector<NewBody>& bodies, double x) {
    return std::count_if(bodies.begin(), bodies.end(),
                         [&](const NewBody& body) { return body.pose.position.x < x; });
  };
  ASSERT_EQ(come_in([](World&) {}).size(), 15U);
  ASSERT_GT(centres_within(come_in([](World&) {}), 0.05), 0);

  const auto beside_box = come_in([](World& world) {
    NewBody box;
    box.shape = 1;
    box.pose.position = {0.0, 0.05, 0.5};
    box.scale = 0.1;  // fills the face up to x = 0.05
    add(world, box);
  });
  EXPECT_GT(beside_box.size(), 10U);
  EXPECT_EQ(centres_within(beside_box, 0.055), 0);

  const auto above_plane = come_in([](World& world) {
    NewBody plane;
    plane.shape = 2;
    plane.pose = {{0.04, 0.0, 0.0}, rotation_between({0.0, 0.0, 1.0}, {1.0, 0.0, 0.0})};
    add(world, plane);
  });
  EXPECT_GT(above_plane.size(), 10U);
  EXPECT_EQ(centres_within(above_plane, 0.045 - 1e-12), 0);

  EXPECT_TRUE(come_in([](World& world) { add_sphere(world, {0.05, 0.05, 0.5}, 0.3); }).empty());
  // a sphere that reaches through the periodic side of the domain
  const auto beside_image = come_in([](World& world) {
    world.domain.low = {0.0, 0.0, 0.0};
    world.domain.high = {0.1, 0.1, 1.0};
    world.domain.periodic = {true, true, false};
    add_sphere(world, {0.095, 0.05, 0.5}, 0.1);
  });
  EXPECT_GT(beside_image.size(), 5U);
  for (const NewBody& body : beside_image)
    for (const double image : {-0.1, 0.0, 0.1})
      EXPECT_GE(length(body.pose.position - Vec3{0.095 + image, 0.05, 0.5}), 0.055);
  // below the face and away from it: not in the way
  EXPECT_EQ(come_in([](World& world) { add_sphere(world, {0.05, 0.05, 0.3}, 0.1); }).size(), 15U);
}

TEST(Stream, IsNothingAtTheStartButToldWhereItCannotRun) {
  GeneratorReport report;
  EXPECT_TRUE(generate_bodies(stream(1.0), small_world(), 0, report).empty());
  EXPECT_EQ(report.count, 0);

  Generator narrow = stream(1.0);
  narrow.region.high.y = 0.009;
  EXPECT_EQ(fault_of([&] { support::bodies_of(narrow); }),
            "pile.yaml:7:3: the largest size = 0.01 must fit through the region of the stream, a "
            "box of 0.1 x 0.009 x 0 m: make the region wider or cut the sizes off");
}

}  // namespace
}  // namespace talus
