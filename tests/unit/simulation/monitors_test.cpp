// Monitors against what can be said by hand, or summed up in the plainest way.

#include "simulation/monitors.hpp"

#include "simulation/contact_forces.hpp"
#include "support/pile.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace talus {
namespace {

using support::SmallScene;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using Kind = MonitorSettings::Kind;
using Row = std::vector<double>;

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;
/// Of balls of radius 0.1 and density 1000.
const double ball_mass = 1000.0 * 4.0 / 3.0 * pi * 1e-3;

MonitorSettings monitor(Kind kind) {
  MonitorSettings settings;
  settings.kind = kind;
  return settings;
}

Region box_region(const Vec3& low, const Vec3& high) {
  Region region;
  region.low = low;
  region.high = high;
  return region;
}

/// The line of a monitor now, without the time.
Row row_of(const MonitorSettings& settings, const World& world, double h) {
  Monitors monitors({settings}, Communicator::self());
  const auto rows = monitors.rows(0, world, contact_forces(world, h));
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(monitors.columns(0).size(), rows.at(0).size());
  EXPECT_EQ(rows.at(0).at(0), world.time);
  return {rows[0].begin() + 1, rows[0].end()};
}

/// Two balls of radius 0.1, one on the other on the floor, at rest.
Simulation two_balls() {
  SmallScene small(1e-2, 0.4);
  small.add_floor();
  const Index ball = small.sphere(0.1);
  small.add("low", Motion::Dynamic, ball, {0.0, 0.0, 0.1});
  small.add("high", Motion::Dynamic, ball, {0.0, 0.0, 0.3});
  Simulation simulation = small.start();
  for (int step = 0; step < 3; ++step) simulation.step();
  return simulation;
}

TEST(Monitors, EnergyOfABallThatSpinsAndFlies) {
  SmallScene small(1e-2);
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {1.0, 2.0, 3.0});
  small.add("other", Motion::Dynamic, small.sphere(0.1), {5.0, 2.0, 1.0});
  small.body(0).velocity = {3.0, 0.0, 4.0};
  small.body(0).angular_velocity = {0.0, 2.0, 0.0};
  const Simulation simulation = small.start();
  const World& world = simulation.world();

  const double translation = 12.5 * ball_mass, rotation = 0.5 * 0.4 * ball_mass * 0.01 * 4.0;
  MonitorSettings one = monitor(Kind::Energy);
  one.group = world.find_group("ball");
  const Row row = row_of(one, world, 1e-2), all = row_of(monitor(Kind::Energy), world, 1e-2);
  EXPECT_DOUBLE_EQ(row[0], translation);
  EXPECT_DOUBLE_EQ(row[1], rotation);
  EXPECT_DOUBLE_EQ(row[2], 3.0 * g * ball_mass);
  EXPECT_DOUBLE_EQ(row[3], translation + rotation + 3.0 * g * ball_mass);
  EXPECT_DOUBLE_EQ(all[2], 4.0 * g * ball_mass);
  const Energies exact = energies_of(world, Communicator::self()), plain = energies_of(world);
  EXPECT_DOUBLE_EQ(exact.kinetic, plain.kinetic);
  EXPECT_DOUBLE_EQ(exact.potential, plain.potential);
}

TEST(Monitors, TwoBallsHaveTheirWeights) {
  const Simulation simulation = two_balls();
  const World& world = simulation.world();
  const double weight = ball_mass * g;
  // both touch; the low one two others, the high one one
  EXPECT_THAT(row_of(monitor(Kind::Coordination), world, 1e-2), ElementsAre(2, 3, 1.5, 2, 1.5));
  const Row fabric = row_of(monitor(Kind::Fabric), world, 1e-2);
  EXPECT_EQ(fabric[0], 2.0);
  EXPECT_NEAR(fabric[6], 1.0, 1e-12);
  MonitorSettings forces = monitor(Kind::Forces);
  forces.bins = 2;
  forces.to = 2.0;  // of the mean: bins end at 1 and 2 times 1.5 weights
  const Row histogram = row_of(forces, world, 1e-2);
  EXPECT_NEAR(histogram[0], 1.5 * weight, 1e-8);
  EXPECT_THAT((Row{histogram.begin() + 1, histogram.end()}), ElementsAre(2, 1, 1, 0));
  MonitorSettings stress = monitor(Kind::Stress);
  stress.region = box_region({-0.5, -0.5, 0.0}, {0.5, 0.5, 0.4});
  const Row tensor = row_of(stress, world, 1e-2);
  // forces times arms: low one 2 weights from below, 1 from above; high one 1 from below
  EXPECT_NEAR(tensor[8], 4.0 * weight * 0.1 / 0.4, 1e-6);
  EXPECT_NEAR(tensor[9], tensor[8] / 3.0, 1e-6) << "pressure";
  for (const std::size_t k : {0, 1, 2, 3, 4, 5, 6, 7}) EXPECT_NEAR(tensor[k], 0.0, 1e-6);
  stress.region = box_region({-0.5, -0.5, 0.2}, {0.5, 0.5, 0.4});  // the centre of the high one
  EXPECT_NEAR(row_of(stress, world, 1e-2)[8], weight * 0.1 / 0.2, 1e-6);
}

TEST(Monitors, KineticStressIsAboutTheMeanVelocity) {
  SmallScene small(1e-2);
  small.set_gravity({});
  const Index ball = small.sphere(0.1);
  small.add("a", Motion::Dynamic, ball, {0.0, 0.0, 0.0});
  small.add("b", Motion::Dynamic, ball, {0.5, 0.0, 0.0});
  small.body(0).velocity = {7.0, 1.0, 0.0};
  small.body(1).velocity = {5.0, -1.0, 0.0};
  MonitorSettings stress = monitor(Kind::Stress);
  stress.region = box_region({-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0});
  const Row row = row_of(stress, small.start().world(), 1e-2);
  // v' = +-(1, 1, 0)
  for (const std::size_t k : {10, 11, 13}) EXPECT_DOUBLE_EQ(row[k], 2.0 * ball_mass / 8.0);
  for (const std::size_t k : {0, 4, 8, 12, 14, 15}) EXPECT_EQ(row[k], 0.0);
}

// Of a pile: sums over pairs, each written in one line.
TEST(Monitors, SumsOfAPileAreThePlainOnes) {
  const World world = support::settled_pile();
  const double h = support::step_of_pile;
  const ContactSet& contacts = world.contacts;
  std::set<std::pair<GlobalId, GlobalId>> pairs;
  std::set<GlobalId> touching;
  Sym3 fabric;
  Mat3 stress{};
  double sum = 0.0, count = 0.0;
  std::set<int> states;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const Vec3 f = (1.0 / h) * contacts.impulse[c], n = contacts.normal[c];
    states.insert(static_cast<int>(contact_forces(world, h).state[c]));
    if (length(f) == 0.0) continue;
    pairs.insert({contacts.name[c].a, contacts.name[c].b});
    for (const GlobalId id : {contacts.name[c].a, contacts.name[c].b})
      if (id > 1) touching.insert(id);
    fabric.xx += n.x * n.x;
    fabric.xy += n.x * n.y;
    fabric.zz += n.z * n.z;
    sum += dot(f, n);
    count += 1.0;
    // on a moving A acts -f, on a moving B f; arms from where they were when they touched
    for (const auto& [body, sign] :
         {std::pair{contacts.body_a[c], -1.0}, {contacts.body_b[c], 1.0}}) {
      const auto b = static_cast<std::size_t>(body);
      if (world.bodies.motion[b] != Motion::Dynamic) continue;
      const Vec3 arm =
          contacts.point[c] - (world.bodies.position[b] - h * world.bodies.velocity[b]);
      stress[2] += -sign * f.x * arm.z;
      stress[8] += -sign * f.z * arm.z;
    }
  }
  ASSERT_GT(pairs.size(), 20U);
  EXPECT_EQ(states, (std::set<int>{0, 1, 2})) << "some fly, some stick, some slide";
  double partners = 0.0;
  for (const auto& [a, b] : pairs) partners += (a > 1 ? 1.0 : 0.0) + (b > 1 ? 1.0 : 0.0);

  const Row z = row_of(monitor(Kind::Coordination), world, h);
  EXPECT_EQ(z[0], 36.0);
  EXPECT_EQ(z[1], partners);
  EXPECT_EQ(z[3], static_cast<double>(touching.size()));
  const Row f = row_of(monitor(Kind::Fabric), world, h);
  EXPECT_EQ(f[0], count);
  EXPECT_NEAR(f[1], fabric.xx / count, 1e-12);
  EXPECT_NEAR(f[2], fabric.xy / count, 1e-12);
  EXPECT_NEAR(f[6], fabric.zz / count, 1e-12);
  EXPECT_NEAR(f[1] + f[4] + f[6], 1.0, 1e-12);
  MonitorSettings all = monitor(Kind::Stress);
  all.region = box_region({-2.0, -2.0, -1.0}, {2.0, 2.0, 3.0});
  const Row tensor = row_of(all, world, h);
  EXPECT_NEAR(tensor[2], stress[2] / 64.0, 1e-9 * std::abs(tensor[8]));
  EXPECT_NEAR(tensor[8], stress[8] / 64.0, 1e-9 * std::abs(tensor[8]));
  MonitorSettings forces = monitor(Kind::Forces);
  forces.bins = 5;
  forces.to = 3.0;
  const Row histogram = row_of(forces, world, h);
  EXPECT_NEAR(histogram[0], sum / count, 1e-9 * sum);
  double binned = 0.0;
  for (std::size_t k = 2; k < histogram.size(); ++k) binned += histogram[k];
  EXPECT_EQ(binned, count);
}

TEST(Monitors, SolidFractionOfWholeAndCutBodies) {
  SmallScene small(1e-2);
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.0});
  small.add("brick", Motion::Dynamic, small.box({0.2, 0.4, 0.6}), {2.0, 0.0, 0.0});
  const World world = small.start().world();
  const double ball = ball_mass / 1000.0;
  const auto volume_in = [&](const Region& region) {
    MonitorSettings settings = monitor(Kind::SolidFraction);
    settings.region = region;
    return row_of(settings, world, 1e-2)[1];
  };
  EXPECT_DOUBLE_EQ(volume_in(box_region({-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0})), ball);
  EXPECT_EQ(volume_in(box_region({0.2, -1.0, -1.0}, {1.0, 1.0, 1.0})), 0.0);
  EXPECT_NEAR(volume_in(box_region({0.0, -1.0, -1.0}, {1.0, 1.0, 1.0})), ball / 2.0, 0.01 * ball);
  EXPECT_NEAR(volume_in(box_region({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0})), ball / 8.0, 0.01 * ball);
  // the cap of height 0.05: pi h^2 (3 r - h) / 3
  EXPECT_NEAR(volume_in(box_region({0.05, -1.0, -1.0}, {1.0, 1.0, 1.0})), pi * 0.0025 * 0.25 / 3.0,
              0.01 * ball);
  EXPECT_NEAR(volume_in(box_region({1.95, -1.0, -1.0}, {3.0, 1.0, 1.0})), 0.75 * 0.048, 5e-4);
  Region cylinder;
  cylinder.kind = Region::Kind::Cylinder;
  cylinder.radius = 0.05;
  cylinder.centre = {0.0, 0.0, -0.5};
  cylinder.height = 1.0;
  // a ball without its drilled hole: V - 4/3 pi (r^2 - a^2)^(3/2)
  EXPECT_NEAR(volume_in(cylinder), ball - 4.0 / 3.0 * pi * std::pow(0.0075, 1.5), 0.01 * ball);
  Region sphere;
  sphere.kind = Region::Kind::Sphere;
  sphere.radius = 0.05;
  EXPECT_NEAR(volume_in(sphere), ball / 8.0, 0.01 * ball);
}

TEST(Monitors, SolidFractionSeesImages) {
  SmallScene small(1e-2);
  small.set_gravity({});
  Domain& domain = small.scene.world.domain;
  domain.low = {0.0, -1.0, -1.0};
  domain.high = {1.0, 1.0, 1.0};
  domain.periodic = {true, false, false};
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.95, 0.0, 0.0});
  MonitorSettings settings = monitor(Kind::SolidFraction);
  settings.region = box_region({0.0, -1.0, -1.0}, {0.5, 1.0, 1.0});
  // what reaches over the border: the cap of height 0.05
  EXPECT_NEAR(row_of(settings, small.start().world(), 1e-2)[1], pi * 0.0025 * 0.25 / 3.0, 5e-5);
}

TEST(Monitors, FlowCountsWhatGoesThroughThePlane) {
  SmallScene small(1e-2);
  const Index ball = small.sphere(0.1);
  small.set_gravity({});
  for (int i = 0; i < 3; ++i) {
    const std::size_t made = small.add("one", Motion::Dynamic, ball, {1.0 * i, 0.0, 0.5 + 0.1 * i});
    small.body(made).velocity = {0.0, 0.0, -10.0};  // 0.1 m per step
  }
  small.body(2).velocity.z = 10.0;
  Simulation simulation = small.start();
  MonitorSettings flow = monitor(Kind::Flow);
  flow.at = {0.0, 0.0, 0.45};
  Monitors monitors({flow}, Communicator::self());
  ASSERT_TRUE(monitors.watches_steps());
  const auto run = [&](int steps) {
    for (int step = 0; step < steps; ++step) {
      simulation.step();
      monitors.after_step(simulation.world(), contact_forces(simulation.world(), 1e-2), 1);
    }
    return monitors.rows(0, simulation.world(), contact_forces(simulation.world(), 1e-2)).at(0);
  };
  EXPECT_THAT(run(1), ElementsAre(0.01, -1, DoubleEq(-ball_mass), DoubleEq(-100.0 * ball_mass), -1,
                                  DoubleEq(-ball_mass)));
  EXPECT_THAT(run(2), ElementsAre(0.03, -1, DoubleEq(-ball_mass), DoubleEq(-50.0 * ball_mass), -2,
                                  DoubleEq(-2.0 * ball_mass)));
  EXPECT_THAT(run(3), ElementsAre(0.06, 0, 0, 0, -2, DoubleEq(-2.0 * ball_mass)));
}

// What the floor has given is what the bodies have: momentum is kept.
TEST(Monitors, MeanLoadsAreTheMomentumThatIsMissing) {
  SmallScene small(1e-2, 0.3, 0.5);
  small.add_floor();
  for (int i = 0; i < 3; ++i) {
    const std::size_t made =
        small.add("one", Motion::Dynamic, small.sphere(0.1), {0.5 * i, 0.0, 0.12 + 0.05 * i});
    small.body(made).velocity = {1.0, -0.5, -1.0};
  }
  Simulation simulation = small.start();
  MonitorSettings load = monitor(Kind::Load);
  load.group = simulation.world().find_group("floor");
  load.at = {0.1, 0.2, 0.3};
  Monitors monitors({load}, Communicator::self());
  const Momenta before = momenta_of(simulation.world());
  constexpr int steps = 60;
  double weight_torque = 0.0;
  for (int step = 0; step < steps; ++step) {
    // the weights' torque about `at` over the step: bodies are where they are at its begin
    for (std::size_t b = 1; b < 4; ++b)
      weight_torque += -1e-2 * g * ball_mass * -(simulation.world().bodies.position[b].x - 0.1);
    simulation.step();
    monitors.after_step(simulation.world(), contact_forces(simulation.world(), 1e-2), 1);
  }
  const Momenta after = momenta_of(simulation.world());
  const ContactForces forces = contact_forces(simulation.world(), 1e-2);
  const Row row = monitors.rows(0, simulation.world(), forces).at(0);
  const double t = 0.01 * steps;
  EXPECT_NEAR(row[7] * t, before.linear.x - after.linear.x, 1e-9);
  EXPECT_NEAR(row[8] * t, before.linear.y - after.linear.y, 1e-9);
  EXPECT_NEAR(row[9] * t, before.linear.z - after.linear.z - 3.0 * ball_mass * g * t, 1e-9);
  // about `at`: L_at = L - at x p
  const auto about = [](const Momenta& m) {
    return m.angular.y - (0.3 * m.linear.x - 0.1 * m.linear.z);
  };
  const double torque = row[11] * t;
  EXPECT_NEAR(torque, about(before) - about(after) + weight_torque, 2e-2 * std::abs(torque))
      << "weights turn bodies that move within the step: first order in it";
  EXPECT_LT(row[3], 0.0) << "now: pressed down";
}

TEST(Monitors, AJointCarriesWhatHangsFromIt) {
  SmallScene small(1e-2);
  small.add("bob", Motion::Dynamic, small.sphere(0.1), {1.0, 0.0, 1.0});
  Joint rope;
  rope.name = "rope";
  rope.type = JointType::Distance;
  rope.body_a = 0;
  rope.frame_b.position = {1.0, 0.0, 2.0};
  rope.length = 1.0;
  small.scene.world.joints.push_back(rope);
  Simulation simulation = small.start();
  simulation.step();
  MonitorSettings settings = monitor(Kind::Reaction);
  settings.joint = "rope";
  const Row row = row_of(settings, simulation.world(), 1e-2);
  EXPECT_NEAR(row[2], -ball_mass * g, 1e-8) << "on the world";
  EXPECT_NEAR(row[0], 0.0, 1e-9);
}

TEST(Monitors, TracksHaveTheStateOfEachBody) {
  const World world = support::settled_pile();
  MonitorSettings settings = monitor(Kind::Track);
  settings.group = world.find_group("boxes");
  Monitors monitors({settings}, Communicator::self());
  const auto rows = monitors.rows(0, world, contact_forces(world, support::step_of_pile));
  std::size_t next = 0;
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b) {
    if (world.bodies.group[b] != settings.group) continue;
    ASSERT_LT(next, rows.size());
    const Row& row = rows[next++];
    EXPECT_EQ(row[1], static_cast<double>(world.bodies.id[b]));
    EXPECT_EQ(row[4], world.bodies.position[b].z);
    EXPECT_EQ(row[5], world.bodies.orientation[b].w);
    EXPECT_EQ(row[11], world.bodies.velocity[b].z);
    EXPECT_EQ(row[14], world.bodies.angular_velocity[b].z);
  }
  EXPECT_EQ(next, rows.size());
  EXPECT_EQ(next, 12U);
}

}  // namespace
}  // namespace talus
