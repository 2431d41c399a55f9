#include "talus/model/world.hpp"

#include "core/elementary.hpp"

#include <gtest/gtest.h>

#include <set>

namespace talus {
namespace {

constexpr double infinite = infinity;

NewBody moving(GlobalId id, double mass, const Sym3& inertia) {
  NewBody body;
  body.id = id;
  body.mass = mass;
  body.inertia = inertia;
  return body;
}

TEST(Worlds, PeriodicityIsTheDomainAlongPeriodicAxes) {
  World world;
  EXPECT_FALSE(world.periodicity().any());

  world.domain.low = {-1.0, -2.0, -3.0};
  world.domain.high = {2.0, 4.0, infinite};
  world.domain.periodic = {false, true, false};
  Periodicity periodicity = world.periodicity();
  EXPECT_EQ(periodicity.axis, (std::array<bool, 3>{false, true, false}));
  EXPECT_EQ(periodicity.low.y, -2.0);
  EXPECT_EQ(periodicity.period.y, 6.0);
  EXPECT_EQ(periodicity.period.z, 0.0);  // finite where the domain is not

  world.domain.high.z = 9.0;
  world.domain.periodic = {true, false, true};
  periodicity = world.periodicity();
  EXPECT_EQ(periodicity.low.x, -1.0);
  EXPECT_EQ(periodicity.period.x, 3.0);
  EXPECT_EQ(periodicity.period.z, 12.0);
}

TEST(Worlds, FindGroupsByName) {
  World world;
  world.groups = {"floor", "grains"};
  EXPECT_EQ(world.find_group("grains"), 1);
  EXPECT_EQ(world.find_group("walls"), -1);
}

TEST(Worlds, EnergyAndMomentumAreThoseOfBodiesThatImpulsesMove) {
  World world;
  world.gravity = {0.0, 0.0, -10.0};
  NewBody a = moving(0, 2.0, {1.0, 0, 0, 2.0, 0, 3.0});
  // a quarter turn about z: the body's x axis is the world's y axis
  a.pose = {{1.0, 0.0, 5.0}, rotation_by({0.0, 0.0, 0.5 * pi})};
  a.velocity = {0.0, 3.0, 0.0};
  a.angular_velocity = {0.0, 4.0, 0.0};
  append(world.bodies, a, 1.0);
  NewBody wall = moving(1, 6.0, {infinite, 0, 0, infinite, 0, infinite});  // cannot turn
  wall.velocity = {1.0, 0.0, 0.0};
  append(world.bodies, wall, infinite);
  NewBody driven = moving(2, infinite, {infinite, 0, 0, infinite, 0, infinite});
  driven.motion = Motion::Kinematic;
  driven.velocity = driven.angular_velocity = {1.0, 1.0, 1.0};
  append(world.bodies, driven, 1.0);

  const Energies energies = energies_of(world);
  EXPECT_NEAR(energies.kinetic, 0.5 * 2 * 9 + 0.5 * 1.0 * 16 + 0.5 * 6, 1e-13);  // rounding of 20
  EXPECT_NEAR(energies.potential, 2.0 * 10.0 * 5.0, 1e-13);
  const Momenta momenta = momenta_of(world);
  EXPECT_EQ(momenta.linear.x, 6.0);
  EXPECT_EQ(momenta.linear.y, 6.0);
  EXPECT_EQ(momenta.linear.z, 0.0);
  // x cross m v = (1, 0, 5) cross (0, 6, 0), and the spin 1 * 4 about y
  EXPECT_NEAR(momenta.angular.x, -30.0, 1e-13);
  EXPECT_NEAR(momenta.angular.y, 4.0, 1e-13);
  EXPECT_NEAR(momenta.angular.z, 6.0, 1e-13);
}

TEST(Worlds, GravityThatVariesHasNoPotential) {
  World world;
  world.gravity = {0.0, 0.0, Expression("-10*t", {}, {"t"})};
  NewBody a = moving(0, 2.0, {1.0, 0, 0, 1.0, 0, 1.0});
  a.pose.position = {0.0, 0.0, 7.0};
  append(world.bodies, a, 1.0);

  EXPECT_EQ(energies_of(world).potential, 0.0);
}

TEST(TrajectoryHash, ChangesWithEveryNumberAndIsTheSameForBothZeros) {
  BodySet bodies;
  NewBody body = moving(0, 1.0, {});
  append(bodies, body, 1.0);
  body.id = 1;
  append(bodies, body, 1.0);
  std::set<std::uint64_t> hashes{trajectory_hash(BodySet{}), trajectory_hash(bodies)};
  std::size_t changes = 2;
  const auto change = [&](auto&& how) {
    BodySet changed = bodies;
    how(changed);
    hashes.insert(trajectory_hash(changed));
    ++changes;
  };
  change([](BodySet& b) { b.id[1] = 2; });
  change([](BodySet& b) { b.position[0].z = 1e-300; });
  change([](BodySet& b) { b.position[1].z = 1e-300; });
  change([](BodySet& b) { b.orientation[1].z = 1e-300; });
  change([](BodySet& b) { b.velocity[1].x = 1e-300; });
  change([](BodySet& b) { b.angular_velocity[1].y = 1e-300; });
  change([](BodySet& b) { b.owned = 1; });  // ghosts are hashed by their owners
  EXPECT_EQ(hashes.size(), changes);

  const std::uint64_t before = trajectory_hash(bodies);
  bodies.velocity[0].y = -0.0;
  EXPECT_EQ(trajectory_hash(bodies), before);
}

}  // namespace
}  // namespace talus
