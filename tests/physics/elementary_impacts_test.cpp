// Impacts of single spheres against the formulas of rigid impact: the eight tests of Chung and Ooi
// [ChungOoi11] as far as rigid contact answers them, and bounces. Rows of
// docs/truth.md.

#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::expect_on_page;
using support::measured;
using support::SmallScene;
using support::TruthRow;

constexpr double degree = std::numbers::pi / 180.0;

struct Ball {
  double radius = 0.0;   // m
  double density = 0.0;  // kg/m3
  Vec3 velocity, spin;
  double mass() const { return 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3) * density; }
};

struct Surface {
  double friction = 0.0, restitution = 1.0;
};

/// Balls before or after an impact; B, if there is one, is above A.
struct Pair {
  Ball a, b;
  bool wall = false;  ///< A is the floor, which nothing moves
};

/// Textbook impact of two solid spheres along z. Friction stops the slip, or cannot.
Pair impact_by_formula(Pair pair, const Surface& surface) {
  const double ma = pair.wall ? 0.0 : 1.0 / pair.a.mass(), mb = 1.0 / pair.b.mass();
  const double approach = pair.a.velocity.z - pair.b.velocity.z;
  const double normal = (1.0 + surface.restitution) * approach / (ma + mb);
  const Vec3 down{0.0, 0.0, -pair.b.radius}, up{0.0, 0.0, pair.a.radius};
  Vec3 slip = pair.b.velocity + cross(pair.b.spin, down);
  if (!pair.wall) slip = slip - pair.a.velocity - cross(pair.a.spin, up);
  slip.z = 0.0;
  // the slip of a solid sphere changes by (1 + 5/2) / m per impulse
  const double stops = length(slip) / (3.5 * (ma + mb));
  const double along = std::min(stops, surface.friction * normal);
  Vec3 impulse = length(slip) > 0.0 ? (-along / length(slip)) * slip : Vec3{};
  impulse.z = normal;
  const auto inertia = [](const Ball& ball) {
    return 0.4 * ball.mass() * std::pow(ball.radius, 2);
  };
  pair.b.velocity = pair.b.velocity + mb * impulse;
  pair.b.spin = pair.b.spin + (1.0 / inertia(pair.b)) * cross(down, impulse);
  if (pair.wall) return pair;
  pair.a.velocity = pair.a.velocity - ma * impulse;
  pair.a.spin = pair.a.spin - (1.0 / inertia(pair.a)) * cross(up, impulse);
  return pair;
}

/// The same by talus; they start with a gap of so many steps' approach.
Pair impact_by_steps(Pair pair, const Surface& surface, double h, double steps) {
  SmallScene small(h, surface.friction, surface.restitution);
  small.set_gravity({});
  const double gap = steps * h * (pair.a.velocity.z - pair.b.velocity.z);
  const auto add = [&](const char* name, const Ball& ball, double z) {
    const std::size_t k =
        small.add(name, Motion::Dynamic, small.sphere(ball.radius), {0.0, 0.0, z});
    small.body(k).mass = ball.mass();
    small.body(k).velocity = ball.velocity;
    small.body(k).angular_velocity = ball.spin;
    return k;
  };
  const std::size_t a = pair.wall ? small.add_floor() : add("a", pair.a, -pair.a.radius);
  const std::size_t b = add("b", pair.b, pair.b.radius + gap);
  Simulation simulation = small.start();
  for (int k = 0; k < 3; ++k) simulation.step();
  const BodySet& bodies = simulation.world().bodies;
  pair.a.velocity = bodies.velocity[a];
  pair.a.spin = bodies.angular_velocity[a];
  pair.b.velocity = bodies.velocity[b];
  pair.b.spin = bodies.angular_velocity[b];
  return pair;
}

/// Largest difference of velocities, those of surfaces by spin among them, m/s.
double difference(const Pair& x, const Pair& y) {
  double most = 0.0;
  for (const auto& [p, q] : {std::pair{x.a, y.a}, std::pair{x.b, y.b}}) {
    most = std::max(most, length(p.velocity - q.velocity));
    most = std::max(most, p.radius * length(p.spin - q.spin));
  }
  return most;
}

/// The worst of some impacts, with steps of h, h/2 and h/4; `exact` and `got` are the speed of B's
/// lowest point along x after the last of them.
TruthRow row_of(const std::string& name, const std::vector<Pair>& impacts, const Surface& surface,
                double h, double steps) {
  const auto shown = [](const Pair& pair) {
    return pair.b.velocity.x - pair.b.radius * pair.b.spin.y;
  };
  TruthRow row{name, shown(impact_by_formula(impacts.back(), surface)), 0.0, h, {}, 1e-9};
  for (std::size_t k = 0; k < 3; ++k) {
    const double step = h / static_cast<double>(1 << k);
    for (const Pair& pair : impacts) {
      const Pair got = impact_by_steps(pair, surface, step, steps);
      row.got = shown(got);
      row.error.at(k) =
          std::max(row.error.at(k), difference(got, impact_by_formula(pair, surface)));
    }
  }
  return row;
}

Pair on_floor(double radius, double density, const Vec3& velocity, const Vec3& spin = {}) {
  return {{}, {radius, density, velocity, spin}, true};
}

/// 1 and 2: head on, elastic. `exact` of these rows would be 0: the speed along z is shown.
TEST(TruthOfImpacts, ChungAndOoi1And2) {
  for (const double density : {2800.0, 2500.0}) {  // glass, limestone
    const Ball ball{0.01, density, {0.0, 0.0, 10.0}, {}};
    Pair pair{ball, ball, false};
    pair.b.velocity.z = -10.0;
    for (const double steps : {0.0, 0.5}) {
      const Pair got = impact_by_steps(pair, {0.35, 1.0}, 1e-4, steps);
      EXPECT_NEAR(got.a.velocity.z, -10.0, 1e-11);
      EXPECT_NEAR(got.b.velocity.z, 10.0, 1e-11);
    }
  }
  const auto rebound = [](double density, double speed, double e, double h) {
    return impact_by_steps(on_floor(0.1, density, {0.0, 0.0, -speed}), {0.0, e}, h, 0.5)
        .b.velocity.z;
  };
  expect_on_page(measured("Chung & Ooi 1: two spheres of glass at 10 m/s, speed after, m/s", 10.0,
                          1e-4, [](double h) {
                            const Ball ball{0.01, 2800.0, {0.0, 0.0, 10.0}, {}};
                            Pair pair{ball, ball, false};
                            pair.b.velocity.z = -10.0;
                            return impact_by_steps(pair, {0.35, 1.0}, h, 0.5).b.velocity.z;
                          }));
  expect_on_page(measured("Chung & Ooi 2: aluminium on a wall at 0.2 m/s, speed after, m/s", 0.2,
                          1e-3, [&](double h) { return rebound(2699.0, 0.2, 1.0, h); }));
  EXPECT_NEAR(rebound(1800.0, 0.2, 1.0, 1e-3), 0.2, 1e-12);  // magnesium
}

TEST(TruthOfImpacts, ChungAndOoi3) {
  for (const double density : {4000.0, 7000.0})  // aluminium oxide, cast iron
    for (const double e : {0.2, 0.4, 0.6, 0.8, 1.0}) {
      const Pair pair = on_floor(0.0025, density, {0.0, 0.0, -3.9});
      EXPECT_NEAR(impact_by_steps(pair, {0.0, e}, 1e-5, 0.5).b.velocity.z, 3.9 * e, 1e-11) << e;
    }
  const Pair oxide = on_floor(0.0025, 4000.0, {0.0, 0.0, -3.9});
  expect_on_page(
      measured("Chung & Ooi 3: at 3.9 m/s, e = 0.6, speed after, m/s", 2.34, 1e-5, [&](double h) {
        return impact_by_steps(oxide, {0.0, 0.6}, h, 0.5).b.velocity.z;
      }));
}

std::vector<Pair> at_angles() {
  std::vector<Pair> impacts;
  for (const double angle : {80.0, 60.0, 40.0, 30.0, 20.0, 15.0, 10.0, 5.0, 45.0})
    for (const double density : {2700.0, 4000.0})  // aluminium alloy, aluminium oxide
      impacts.push_back(on_floor(
          0.0025, density, {3.9 * std::sin(angle * degree), 0.0, -3.9 * std::cos(angle * degree)}));
  return impacts;
}

/// 5: tangential speeds; 6: spins; both at one normal speed.
std::vector<Pair> with_sideways(bool spinning) {
  std::vector<Pair> impacts;
  for (const double speed : {0.01, 0.1, 0.3, 0.5, 1.5, 4.0, 0.8}) {
    Pair pair = on_floor(0.1, 2699.0, {spinning ? 0.0 : speed, 0.0, -0.2});
    if (spinning) pair.b.spin.y = -speed / 0.1;
    impacts.push_back(pair);
  }
  return impacts;
}

/// 7 and 8: A at rest, B spins. Also about an axis that is not across the plane of the paper.
std::vector<Pair> spinning_on_another(double radius_a) {
  std::vector<Pair> impacts;
  for (const double speed : {0.01, 0.1, 0.3, 0.5, 1.5, 4.0, 0.8}) {
    Pair pair;
    pair.a = {radius_a, 2699.0, {}, {}};
    pair.b = {0.1, 2699.0, {0.0, 0.0, -0.2}, {0.3 * speed / 0.1, -speed / 0.1, 1.0}};
    impacts.push_back(pair);
  }
  return impacts;
}

struct Oblique {
  const char* name;
  std::vector<Pair> impacts;
  Surface surface;
  double h;
};

std::vector<Oblique> oblique_cases() {
  const Surface own{0.4, 0.5};
  return {{"Chung & Ooi 4: 5 to 80 degrees", at_angles(), {0.092, 0.98}, 1e-5},
          {"Chung & Ooi 5: tangential speed 0.01 to 4 m/s", with_sideways(false), own, 1e-3},
          {"Chung & Ooi 6: spin 0.1 to 40 rad/s", with_sideways(true), own, 1e-3},
          {"Chung & Ooi 7: spin, two equal spheres", spinning_on_another(0.1), own, 1e-3},
          {"Chung & Ooi 8: spin, unequal spheres", spinning_on_another(0.3), own, 1e-3}};
}

TEST(TruthOfImpacts, ObliqueFromTouchIsExact) {
  for (const Oblique& c : oblique_cases()) {
    const TruthRow row = row_of(std::string(c.name) + ", m/s", c.impacts, c.surface, c.h, 0.0);
    for (const double e : row.error) EXPECT_LE(e, 1e-9 * std::abs(row.exact)) << row.name;
    expect_on_page(row);
  }
}

// A bounce happens where the body is, up to a step early: friction then has a lever that is longer
// by half the gap.
TEST(TruthOfImpacts, ObliqueFromAwayIsOfFirstOrder) {
  for (const Oblique& c : oblique_cases()) {
    const TruthRow row = row_of(std::string(c.name) + ", from half a step away, m/s", c.impacts,
                                c.surface, c.h, 0.5);
    EXPECT_NEAR(row.order(), 1.0, 0.1) << row.name;
    expect_on_page(row);
  }
}

/// Height of an apex over the floor, as a share of what it must be: the worst of several heights
/// of fall, because a bounce falls on any part of a step.
double worst_apex(double e, int impact, double h) {
  const double r = 0.1;
  double worst = 1.0;
  for (int k = 0; k < 5; ++k) {
    const double fall = 0.4 + 0.0037 * k;
    SmallScene small(h, 0.0, e);
    small.add_floor();
    const std::size_t ball =
        small.add("ball", Motion::Dynamic, small.sphere(r), {0.0, 0.0, r + fall});
    Simulation simulation = small.start();
    const BodySet& bodies = simulation.world().bodies;
    int bounces = 0;
    double highest = 0.0, before = 0.0;
    while (bounces < impact || bodies.velocity[ball].z > 0.0) {
      simulation.step();
      const double now = bodies.velocity[ball].z;
      if (now > 0.0 && before <= 0.0) {
        ++bounces;
        highest = 0.0;
      }
      highest = std::max(highest, bodies.position[ball].z - r);
      before = now;
    }
    const double share = highest / (fall * std::pow(e, 2 * impact));
    if (std::abs(share - 1.0) > std::abs(worst - 1.0)) worst = share;
  }
  return worst;
}

TEST(TruthOfImpacts, ThirdApexOfBounces) {
  for (const double e : {0.5, 0.7}) {
    const TruthRow row =
        measured("Bounces, e = " + std::to_string(e).substr(0, 3) + ": third apex, of its height",
                 1.0, 4e-4, [&](double h) { return worst_apex(e, 3, h); });
    EXPECT_LE(row.error[2], 0.01);
    EXPECT_NEAR(row.order(), 1.0, 0.25);
    expect_on_page(row);
  }
}

}  // namespace
}  // namespace talus
