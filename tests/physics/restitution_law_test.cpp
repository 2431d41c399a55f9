// Laws of restitution: chains of balls, and that no impact makes energy.

#include "simulation/monitors.hpp"
#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace talus {
namespace {

using support::SmallScene;

class RestitutionLaws : public testing::TestWithParam<RestitutionLaw> {};

/// Speeds along x after one step of balls in a row that touch; the first comes with 1 m/s.
std::vector<double> after_impact(RestitutionLaw law, double e, const std::vector<double>& radii) {
  SmallScene small(1e-3, 0.0, e);
  small.scene.time.restitution_law = law;
  small.set_gravity({});
  double x = 0.0;
  for (std::size_t k = 0; k < radii.size(); ++k) {
    small.add(std::string(1, static_cast<char>('a' + k)), Motion::Dynamic, small.sphere(radii[k]),
              {x, 0.0, 0.0});
    // a hair of overlap: bodies at rest look no farther than they reach
    if (k + 1 < radii.size()) x += radii[k] + radii[k + 1] - 1e-14;
  }
  small.body(0).velocity = {1.0, 0.0, 0.0};
  Simulation simulation = small.start();
  simulation.step();
  std::vector<double> speeds;
  for (const Vec3& v : simulation.world().bodies.velocity) speeds.push_back(v.x);
  return speeds;
}

// The one-shot answers by hand: all are stopped together at v = 1/n; by Poisson's law each contact
// then gives e times its impulse once more, so that every ball moves by v + e (v - before).
TEST(PoissonsLaw, GivesEachContactOfARowItsShare) {
  for (const double e : {0.0, 0.4, 1.0})
    for (const std::size_t n : {2U, 3U, 5U}) {
      const std::vector<double> v =
          after_impact(RestitutionLaw::Poisson, e, std::vector<double>(n, 0.1));
      const double common = 1.0 / static_cast<double>(n);
      for (std::size_t k = 0; k < n; ++k)
        EXPECT_NEAR(v[k], common + e * (common - (k == 0 ? 1.0 : 0.0)), 1e-10) << e << ", " << k;
    }
}

// By Newton's law only the contact that is hit comes apart: the others push on as one body.
TEST(NewtonsLaw, LetsOnlyTheContactThatIsHitComeApart) {
  for (const double e : {0.0, 0.4, 1.0}) {
    const std::vector<double> v = after_impact(RestitutionLaw::Newton, e, {0.1, 0.1, 0.1, 0.1});
    EXPECT_NEAR(v[0], 1.0 - (1.0 + e) * 0.75, 1e-10);
    for (std::size_t k = 1; k < 4; ++k) EXPECT_NEAR(v[k], (1.0 + e) * 0.25, 1e-10);
  }
}

TEST_P(RestitutionLaws, OneBallBouncesFromAFloor) {
  SmallScene small(1e-3, 0.3, 0.6);
  small.scene.time.restitution_law = GetParam();
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.1});
  small.body(1).velocity = {0.0, 0.0, -2.0};
  Simulation simulation = small.start();
  simulation.step();
  EXPECT_NEAR(simulation.world().bodies.velocity[1].z, 0.6 * 2.0, 0.02);  // and g h
}

// What rests does not bounce because something else does.
TEST_P(RestitutionLaws, AStackAtRestStaysWhileAnotherBodyBounces) {
  SmallScene small(1e-3, 0.3, 0.8);
  small.scene.time.restitution_law = GetParam();
  small.add_floor();
  for (int k = 0; k < 5; ++k)
    small.add("box" + std::to_string(k), Motion::Dynamic, small.box({0.2, 0.2, 0.2}),
              {0.0, 0.0, 0.1 + 0.2 * k});
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {3.0, 0.0, 0.5});
  Simulation simulation = small.start();
  double highest = 0.0, fastest = 0.0;
  for (int step = 0; step < 600; ++step) {
    simulation.step();
    const BodySet& bodies = simulation.world().bodies;
    for (std::size_t b = 1; b < ball; ++b)
      if (step > 20) fastest = std::max(fastest, length(bodies.velocity[b]));
    if (step > 300) highest = std::max(highest, bodies.velocity[ball].z);
  }
  EXPECT_GT(highest, 1.0);
  EXPECT_LT(fastest, 2.0 * 9.81e-3) << "two steps of gravity at most";
}

/// A ball comes into the corner of a floor and a wall, at 45 degrees.
StepReport into_a_corner(RestitutionLaw law, double friction, Vec3* after) {
  SmallScene small(1e-3, friction, 0.8);
  small.scene.time.restitution_law = law;
  small.set_gravity({});
  small.solver.tolerance = 1e-6;
  small.solver.max_iterations = 2000;
  small.add_floor();
  small.add("wall", Motion::Fixed, small.plane({1.0, 0.0, 0.0}), {});
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.1, 0.0, 0.1});
  small.body(ball).velocity = {-1.0, 0.0, -1.0};
  Simulation simulation = small.start();
  const StepReport report = simulation.step();
  *after = simulation.world().bodies.velocity[ball];
  return report;
}

// With friction of 1 and more the ball sticks to both sides: T1 = N1 friction holds what N2 drives
// apart, and no impulses make what Newton's law asks for. Before, the step ended above its
// tolerance, with impulses that grew from iteration to iteration.
TEST_P(RestitutionLaws, LessIsGivenBackWhereFrictionLeavesNoAnswer) {
  for (const double friction : {0.2, 1.5}) {
    Vec3 after;
    const StepReport report = into_a_corner(GetParam(), friction, &after);
    EXPECT_EQ(report.status, SolveStatus::Converged);
    EXPECT_LE(report.error, 1e-6);
    EXPECT_LE(report.iterations, 2000);
    EXPECT_EQ(report.less_restitution, friction > 1.0);
    EXPECT_LE(length(after), 0.8 * std::sqrt(2.0) + 1e-6);
    if (friction < 1.0) {
      EXPECT_GE(after.x, 0.8 - 1e-5);
    }
  }
}

/// Spheres and boxes thrown at each other and at a floor, all touching.
SmallScene heap_of(std::mt19937_64& random, RestitutionLaw law) {
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  SmallScene small(1e-3, between(0.0, 2.0), between(0.0, 1.0));
  small.scene.time.restitution_law = law;
  small.scene.time.recovery_speed = 0.0;
  small.scene.max_overlap = 10.0;
  small.set_gravity({});
  small.solver.tolerance = 1e-10;
  small.add_floor();
  const int bodies = 2 + static_cast<int>(random() % 4);
  for (int k = 0; k < bodies; ++k) {
    const bool is_box = random() % 3 == 0;
    const int layer = k / 2;
    const double size = 0.05 * std::pow(2.0, between(0.0, 2.0));
    const std::size_t body = small.add(
        "b" + std::to_string(k), Motion::Dynamic,
        is_box ? small.box({2.0 * size, between(1.0, 3.0) * size, 2.0 * size}) : small.sphere(size),
        {between(-0.1, 0.1), between(-0.1, 0.1), size * between(0.7, 1.0) + 0.15 * layer});
    small.body(body).velocity = {between(-2, 2), between(-2, 2), between(-3, 1)};
    small.body(body).angular_velocity = {between(-20, 20), between(-20, 20), between(-20, 20)};
  }
  return small;
}

// docs/decisions/033: restitution with friction could make energy; it is cut to what it may give.
TEST_P(RestitutionLaws, NoImpactMakesEnergy) {
  constexpr int impacts = 2000;  // 10^5 of them have been tried: docs/decisions/033
  std::mt19937_64 random(7);
  int with_contacts = 0, cut = 0, unsolved = 0;
  for (int k = 0; k < impacts; ++k) {
    const SmallScene small = heap_of(random, GetParam());
    Simulation simulation = small.start();
    const StepReport report = simulation.step();
    const EnergyLedger& energy = report.energy;
    with_contacts += report.contacts > 1 ? 1 : 0;
    cut += report.less_restitution ? 1 : 0;
    // the answer to a problem, not a mixture of two that is none
    unsolved += report.error <= small.solver.tolerance ? 0 : 1;
    // the velocities of the solve, before bodies turn
    const double made = energy.kinetic_end + energy.time_step - energy.kinetic_start;
    EXPECT_LE(made, 1e-8 * energy.kinetic_start) << k;
    EXPECT_NEAR(energy.unaccounted(), 0.0, 1e-12 * energy.kinetic_start) << k;
  }
  EXPECT_GT(with_contacts, impacts / 2);
  EXPECT_GT(cut, impacts / 100);
  EXPECT_LE(unsolved, impacts / 200);  // bodies deep inside each other: 7 and 8
}

INSTANTIATE_TEST_SUITE_P(Laws, RestitutionLaws,
                         testing::Values(RestitutionLaw::Newton, RestitutionLaw::Poisson),
                         [](const auto& of) {
                           return of.param == RestitutionLaw::Newton ? "newton" : "poisson";
                         });

}  // namespace
}  // namespace talus
