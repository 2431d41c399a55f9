// Runs that must be the same: wherever the boundary of a period is, whatever the threads.

#include "talus/geometry/triangle_mesh.hpp"

#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <cmath>
#include <memory>

namespace talus {
namespace {

using support::SmallScene;
using support::unit_spheres;
using ::testing::ElementsAre;

constexpr double g = 9.81;

// ---- periodic axes

/// A gas of balls between two plates, shifted by `shift` along x; period 1.
Simulation gas(double shift) {
  SmallScene small(1e-3, 0.3, 0.8);
  small.scene.world.domain.periodic = {true, false, false};
  small.scene.world.domain.low = {0.0, -2.0, -2.0};
  small.scene.world.domain.high = {1.0, 2.0, 2.0};
  small.solver.tolerance = 1e-12;
  small.add_floor();
  const Index ball = small.sphere(0.0625);
  const auto in_cell = [&](double x) { return x + shift - std::floor(x + shift); };
  for (int k = 0; k < 24; ++k) {
    const double x = 0.125 * (k % 8) + 0.03125, z = 0.0625 + 0.13 * (k / 8);
    const std::size_t b = small.add("ball", Motion::Dynamic, ball, {in_cell(x), 0.01 * (k % 3), z});
    small.body(b).velocity = {0.5 * ((k * 7) % 5 - 2), 0.0, 0.25 * ((k * 3) % 4 - 2)};
  }
  return small.start();
}

TEST(SimulationRun, APeriodicSceneIsTheSameWhereverItsBoundaryIs) {
  Simulation here = gas(0.0), there = gas(0.5);
  int across = 0;
  for (int step = 0; step < 60; ++step) {
    const StepReport a = here.step(), b = there.step();
    EXPECT_EQ(a.contacts, b.contacts) << step;
    for (const ContactName& name : here.world().contacts.name) across += name.image[0] != 0 ? 1 : 0;
  }
  EXPECT_GT(across, 0);
  const BodySet &p = here.world().bodies, &q = there.world().bodies;
  for (std::size_t b = 1; b < p.id.size(); ++b) {
    const double way = q.position[b].x - p.position[b].x - 0.5;
    EXPECT_NEAR(way - std::nearbyint(way), 0.0, 1e-11);
    EXPECT_NEAR(length(p.velocity[b] - q.velocity[b]), 0.0, 1e-9);
    EXPECT_NEAR(p.position[b].z, q.position[b].z, 1e-11);
  }
}

TEST(SimulationRun, WarmStartsGoThroughThePeriod) {
  SmallScene small(1e-2, 0.5);
  small.scene.world.domain.periodic = {true, false, false};
  small.scene.world.domain.low = {0.0, -2.0, -2.0};
  small.scene.world.domain.high = {1.0, 2.0, 2.0};
  small.solver.tolerance = 1e-10;
  small.set_gravity({0.0, 0.0, -g});
  const std::size_t belt = small.add("belt", Motion::Kinematic, small.plane({0.0, 0.0, 1.0}), {});
  KinematicMotion motion;
  motion.velocity[0] = Expression(1.0);
  small.body(belt).kinematic = motion;
  const Index box = small.box({0.2, 0.2, 0.2});
  for (int k = 0; k < 3; ++k) {
    const std::size_t b =
        small.add("box", Motion::Dynamic, box, {0.35 + 0.2 * k, 0.0, 0.1});  // a row, touching
    small.body(b).velocity = {1.0, 0.0, 0.0};
  }
  Simulation simulation = small.start();
  simulation.step();
  std::int64_t contacts = 0;
  for (int step = 0; step < 150; ++step) {
    const StepReport report = simulation.step();
    EXPECT_EQ(report.warm_started, report.contacts) << step;
    contacts = report.contacts;
  }
  EXPECT_EQ(contacts, 12 + 8);
  for (std::size_t b = 1; b < 4; ++b)
    EXPECT_NEAR(simulation.world().bodies.velocity[b].x, 1.0, 1e-6);
}

// ---- the same bits

/// Balls, boxes, a mesh, joints, a stream, removal, events.
Simulation mixed_scene() {
  SmallScene small(2e-3, 0.4, 0.2);
  small.scene.world.domain.outside = Outside::Remove;
  small.scene.world.domain.low = {-0.6, -0.6, -0.5};
  small.scene.world.domain.high = {0.6, 0.6, 3.0};
  small.pair().rolling_friction = 1e-3;
  small.set_pair();
  small.add("table", Motion::Fixed, small.box({0.8, 0.8, 0.1}), {0.0, 0.0, -0.05});
  const Vec3 low{-0.6, -0.5, 0.1}, far{0.6, -0.5, 0.1}, high{-0.6, -0.25, 0.0},
      end{0.6, -0.25, 0.0};
  const std::vector<std::array<Vec3, 3>> triangles{{low, far, end}, {low, end, high}};
  small.scene.world.shapes.emplace_back(Mesh{std::make_shared<const TriangleMesh>(triangles)});
  small.add("ramp", Motion::Fixed, static_cast<Index>(small.scene.world.shapes.size()) - 1, {});
  const Index brick = small.box({0.1, 0.08, 0.06});
  for (int k = 0; k < 12; ++k)
    small.add("brick", Motion::Dynamic, brick,
              {0.12 * (k % 3) - 0.12, 0.0, 0.03 + 0.061 * (k / 3)});
  const std::size_t bob = small.add("bob", Motion::Dynamic, small.sphere(0.06), {0.3, 0.3, 0.5});
  Joint string;
  string.name = "string";
  string.type = JointType::Spherical;
  string.body_a = static_cast<GlobalId>(bob);
  string.frame_a.position = {0.2, 0.0, 0.3};
  string.frame_b.position = {0.5, 0.3, 0.8};
  small.scene.world.joints = {string};
  small.add_generator(
      unit_spheres("lattice", Generator::Kind::Lattice, 0.05, {-0.3, 0.1, 0.0}, {0.1, 0.3, 0.2}));
  Generator rain =
      unit_spheres("rain", Generator::Kind::Stream, 0.04, {-0.3, -0.3, 0.7}, {0.3, 0.0, 0.75});
  rain.mass_rate = Expression("2*(1 + sin(10*t))", {}, {"t"});
  small.add_generator(rain);
  Event cut;
  cut.kind = Event::Kind::Switch;
  cut.at = 0.4;
  cut.target = "string";
  cut.on = false;
  Event gone;
  gone.kind = Event::Kind::Remove;
  gone.when = Expression("t > 0.6 && contacts > 10", {}, event_variables);
  gone.target = "lattice";
  small.scene.events = {cut, gone};
  small.solver.method = Method::Auto;
  small.solver.tolerance = 0.0;
  small.solver.max_iterations = 200;
  return small.start();
}

TEST(SimulationRun, TheSameBitsForAnyThreads) {
  const int before = omp_get_max_threads();
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    omp_set_num_threads(threads);
    Simulation simulation = mixed_scene();
    std::int64_t inserted = 0;
    while (simulation.world().step < 500) inserted += simulation.step().inserted;
    EXPECT_GT(inserted, 20);
    EXPECT_GT(simulation.world().removed, 10);
    hashes.push_back(trajectory_hash(simulation.world().bodies));
  }
  omp_set_num_threads(before);
  EXPECT_THAT(hashes, ElementsAre(hashes[0], hashes[0], hashes[0]));
}

}  // namespace
}  // namespace talus
