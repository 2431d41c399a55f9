// What nothing outside changes: momentum, energy that never grows without a source, the angular
// momentum of a free body. And the same bits for any number of threads.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

namespace talus {
namespace {

using support::SmallScene;

/// Spheres and boxes with random velocities in a closed box without gravity.
SmallScene closed_box(double restitution, double friction) {
  SmallScene small(1e-3, friction, restitution);
  small.set_gravity({});
  const double side = 1.0;
  for (const auto& [normal, at] : {std::pair{Vec3{1, 0, 0}, Vec3{}},
                                   {Vec3{0, 1, 0}, Vec3{}},
                                   {Vec3{0, 0, 1}, Vec3{}},
                                   {Vec3{-1, 0, 0}, Vec3{side, 0, 0}},
                                   {Vec3{0, -1, 0}, Vec3{0, side, 0}},
                                   {Vec3{0, 0, -1}, Vec3{0, 0, side}}})
    small.add("wall", Motion::Fixed, small.plane(normal), at);
  const Index sphere = small.sphere(0.07), box = small.box({0.12, 0.1, 0.08});
  std::uint64_t state = 12345;
  const auto random = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) {
        const std::size_t b =
            small.add("body", Motion::Dynamic, (i + j + k) % 2 == 0 ? sphere : box,
                      {0.14 + 0.24 * i, 0.14 + 0.24 * j, 0.14 + 0.24 * k});
        small.body(b).velocity = {4.0 * random(), 4.0 * random(), 4.0 * random()};
        small.body(b).angular_velocity = {9.0 * random(), 9.0 * random(), 9.0 * random()};
      }
  small.solver.tolerance = 1e-10;
  return small;
}

class ClosedBox : public testing::TestWithParam<Law> {};

TEST_P(ClosedBox, EnergyNeverGrows) {
  SmallScene small = closed_box(0.5, 0.3);
  small.solver.law = GetParam();
  Simulation simulation = small.start();
  double energy = energies_of(simulation.world()).kinetic;
  const double start = energy;
  for (int k = 0; k < 500; ++k) {
    simulation.step();
    const double now = energies_of(simulation.world()).kinetic;
    // What the solver's tolerance may add (1e-10 m/s: 1.6e-10 of the start were the most). Recovery
    // of overlaps gives nothing: contacts are seen before bodies overlap.
    EXPECT_LE(now, energy + 1e-9 * start) << "step " << k;
    energy = now;
  }
  EXPECT_LT(energy, 0.9 * start);
}
INSTANTIATE_TEST_SUITE_P(Laws, ClosedBox, testing::Values(Law::Coulomb, Law::Associated, Law::Box));

TEST(FreeBodies, CollisionsConserveMomentum) {
  SmallScene small = closed_box(0.5, 0.3);
  small.scene.bodies.erase(small.scene.bodies.begin(), small.scene.bodies.begin() + 6);  // no walls
  Simulation simulation = small.start();
  const Momenta before = momenta_of(simulation.world());
  double size = 0.0;
  std::int64_t contacts = 0;
  for (const double mass : simulation.world().bodies.mass) size += mass;
  for (int k = 0; k < 200; ++k) contacts += simulation.step().contacts;
  EXPECT_GT(contacts, 20);
  const Momenta after = momenta_of(simulation.world());
  EXPECT_LE(length(after.linear - before.linear), 1e-13 * size);
  EXPECT_LE(length(after.angular - before.angular), 1e-12 * size);
}

TEST(FreeRigidBody, KeepsItsAngularMomentumAndDriftsLittleInEnergy) {
  SmallScene small(1e-3);
  small.set_gravity({});
  const std::size_t body =
      small.add("body", Motion::Dynamic, small.box({0.3, 0.2, 0.1}), {0.0, 0.0, 0.0});
  small.body(body).angular_velocity = {0.1, 10.0, 0.1};  // about the middle axis: it tumbles
  Simulation simulation = small.start();
  const Momenta before = momenta_of(simulation.world());
  const double energy = energies_of(simulation.world()).kinetic;
  double least = 1.0, largest_change = 0.0;
  for (int k = 0; k < 5000; ++k) {
    simulation.step();
    const Quaternion& q = simulation.world().bodies.orientation[body];
    least = std::min(least, rotate(q, {0.0, 1.0, 0.0}).y);
    const double now = energies_of(simulation.world()).kinetic;
    largest_change = std::max(largest_change, std::abs(now / energy - 1.0));
  }
  EXPECT_LT(least, -0.9) << "has turned over (Dzhanibekov)";
  const Momenta after = momenta_of(simulation.world());
  EXPECT_LE(length(after.angular - before.angular), 1e-11 * length(before.angular));
  // docs/algorithms/stepping.md: 2.9e-6 and 1.1e-7 at this step
  EXPECT_LE(largest_change, 3.2e-6);
  EXPECT_NEAR(energies_of(simulation.world()).kinetic / energy, 1.0, 1.3e-7);
}

TEST(SameBits, ForAnyNumberOfThreadsOver500Steps) {
  SmallScene small = closed_box(0.5, 0.3);
  small.set_gravity({0.0, 0.0, -9.81});
  small.solver.tolerance = 1e-6;
  small.solver.max_iterations = 100;
  const int threads_before = omp_get_max_threads();
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    omp_set_num_threads(threads);
    Simulation simulation = small.start();
    for (int k = 0; k < 500; ++k) simulation.step();
    hashes.push_back(trajectory_hash(simulation.world().bodies));
  }
  omp_set_num_threads(threads_before);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace talus
