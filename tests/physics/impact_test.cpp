// Impacts against the laws of rigid impact: bounce heights, oblique impacts on both sides of
// sticking, two spheres.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::SmallScene;

/// Highest centre after each impact.
std::vector<double> apexes(Simulation& simulation, std::size_t sphere, int count) {
  std::vector<double> found;
  bool rising = false;
  while (static_cast<int>(found.size()) < count) {
    const Vec3 before = simulation.world().bodies.position[sphere];
    simulation.step();
    const Vec3 now = simulation.world().bodies.position[sphere];
    if (rising && now.z < before.z) found.push_back(before.z);
    if (now.z != before.z) rising = now.z > before.z;  // at the top it may stand still for a step
  }
  return found;
}

class Bounce : public testing::TestWithParam<double> {};

TEST_P(Bounce, HeightsFollowTheSquareOfRestitution) {
  const double e = GetParam(), r = 0.1, h0 = 0.5;
  SmallScene small(1e-4, 0.0, e);
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, h0});
  Simulation simulation = small.start();
  const std::vector<double> heights = apexes(simulation, ball, 3);
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double wanted = (h0 - r) * std::pow(e, 2.0 * static_cast<double>(k + 1));
    // a step of first order: an impact is early by up to a step (MFiX DEM02 as h -> 0)
    EXPECT_NEAR(heights[k] - r, wanted, 0.01 * wanted) << "impact " << k + 1;
  }
}
INSTANTIATE_TEST_SUITE_P(Restitution, Bounce, testing::Values(0.5, 0.7, 0.9, 1.0));

struct Oblique {
  double angle;  // degrees from the normal
};

class ObliqueImpact : public testing::TestWithParam<double> {};

// Rigid Coulomb impact of a sphere: it sticks where friction can bring the slip to zero.
TEST_P(ObliqueImpact, FollowsCoulombsLawOfImpact) {
  const double angle = GetParam() * std::numbers::pi / 180.0;
  const double r = 0.05, speed = 3.0, e = 0.8, mu = 0.3;
  SmallScene small(1e-3, mu, e);
  small.set_gravity({});
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r});
  const double vn = speed * std::cos(angle), vt = speed * std::sin(angle);
  small.body(ball).velocity = {vt, 0.0, -vn};
  small.solver.law = Law::Coulomb;
  Simulation simulation = small.start();
  simulation.step();
  const Vec3 v = simulation.world().bodies.velocity[ball],
             w = simulation.world().bodies.angular_velocity[ball];
  EXPECT_NEAR(v.z, e * vn, 1e-10);
  // the tangential impulse per mass that stops the slip of a solid sphere is 2/7 v_t
  const double stopping = 2.0 / 7.0 * vt, most = mu * (1.0 + e) * vn;
  const double impulse = std::min(stopping, most);
  EXPECT_NEAR(v.x, vt - impulse, 1e-10);
  EXPECT_NEAR(w.y, 2.5 * impulse / r, 1e-8);
}
INSTANTIATE_TEST_SUITE_P(Angles, ObliqueImpact,
                         testing::Values(0.0, 10.0, 30.0, 50.0, 60.0, 64.0, 70.0, 80.0));

TEST(TwoSpheres, ImpactConservesMomentumAndTurnsTheRelativeVelocityAround) {
  const double e = 0.6;
  SmallScene small(1e-3, 0.4, e);
  small.set_gravity({});
  const std::size_t a = small.add("a", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.0});
  const std::size_t b = small.add("b", Motion::Dynamic, small.sphere(0.05), {0.15, 0.0, 0.0});
  small.body(a).velocity = {1.0, 0.3, 0.0};
  small.body(b).velocity = {-2.0, 0.3, 0.0};
  Simulation simulation = small.start();
  const Momenta before = momenta_of(simulation.world());
  simulation.step();
  const BodySet& bodies = simulation.world().bodies;
  EXPECT_NEAR(bodies.velocity[b].x - bodies.velocity[a].x, e * 3.0, 1e-11);
  const Momenta after = momenta_of(simulation.world());
  const double size = bodies.mass[a] + 2.0 * bodies.mass[b];
  EXPECT_LE(length(after.linear - before.linear), 1e-14 * size);
  EXPECT_LE(length(after.angular - before.angular), 1e-14 * size);
}

TEST(TwoSpheres, BounceSlowerThanTheThresholdIsNoBounce) {
  SmallScene small(1e-3, 0.0, 0.9);
  small.add_floor();
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.1});
  small.body(ball).velocity = {0.0, 0.0, -0.01};  // below 2 g h
  Simulation simulation = small.start();
  simulation.step();
  EXPECT_NEAR(simulation.world().bodies.velocity[ball].z, 0.0, 1e-12);
}

// Three in a row: Newton's law for all pairs at once is no sequence of impacts. The answer of one
// shot is documented (docs/algorithms/stepping.md), and this is it.
TEST(NewtonCradle, OneShotAnswerConservesMomentumAndObeysNewtonAtEveryContact) {
  SmallScene small(1e-3, 0.0, 1.0);
  small.set_gravity({});
  const Index ball = small.sphere(0.1);
  for (int k = 0; k < 3; ++k)
    small.add(std::string(1, static_cast<char>('a' + k)), Motion::Dynamic, ball,
              {0.2 * k, 0.0, 0.0});
  small.body(0).velocity = {1.0, 0.0, 0.0};
  Simulation simulation = small.start();
  simulation.step();
  const auto& v = simulation.world().bodies.velocity;
  EXPECT_NEAR(v[0].x + v[1].x + v[2].x, 1.0, 1e-13);
  EXPECT_NEAR(v[1].x - v[0].x, 1.0, 1e-11);  // approached with 1
  EXPECT_GE(v[2].x - v[1].x, -1e-11);        // touched at rest
}

}  // namespace
}  // namespace talus
