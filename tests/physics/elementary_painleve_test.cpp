// Painleve's rod: the lower end of a leaning rod slides on a rough floor, towards where the rod
// does not lean. Above some friction the smooth Coulomb problem has no solution there, or two; the
// end is then stopped at once by an impulse without a collision [Genot99].

#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::expect_on_page;
using support::measured;
using support::run_until;
using support::SmallScene;
using support::TruthRow;

constexpr double g = 9.81;

/// A uniform rod of 1 kg in the plane of x and z: its lower end has a ball of no size to speak of,
/// its centre is at +x of that end, and the angle is from the floor.
struct Rod {
  double half = 0.5, tip = 1e-5;  // m
  double angle = std::numbers::pi / 3.0;
  double inertia() const { return half * half / 3.0; }
  Vec3 lever(double at) const { return {half * std::cos(at), 0.0, half * std::sin(at) + tip}; }
  /// Acceleration of the end along the normal by a normal force of 1 N with friction, while the
  /// end slides to -x.
  double mobility(double friction) const {
    const Vec3 arm = lever(angle);
    return 1.0 + arm.x * (arm.x - friction * arm.z) / inertia();
  }
};

Simulation start(const Rod& rod, double friction, double h, double speed, double turning = 0.0) {
  SmallScene small(h, friction);
  small.add_floor();
  Compound ends;
  for (const double x : {-rod.half, rod.half})
    ends.parts.push_back({Sphere{rod.tip}, {{x, 0.0, 0.0}, {}}});
  small.scene.world.shapes.emplace_back(ends);
  const auto shape = static_cast<Index>(small.scene.world.shapes.size()) - 1;
  const std::size_t body = small.add("rod", Motion::Dynamic, shape, rod.lever(rod.angle));
  small.body(body).pose.orientation = rotation_by({0.0, -rod.angle, 0.0});
  small.body(body).mass = 1.0;
  small.body(body).inertia = Sym3{1e-3, 0.0, 0.0, rod.inertia(), 0.0, rod.inertia()};
  // so that the end moves with -speed along the floor; angles grow about -y
  const Vec3 arm = rod.lever(rod.angle);
  small.body(body).velocity = {-speed - turning * arm.z, 0.0, turning * arm.x};
  small.body(body).angular_velocity = {0.0, -turning, 0.0};
  return small.start();
}

Vec3 end_velocity(const Simulation& simulation, const Rod& rod) {
  const BodySet& bodies = simulation.world().bodies;
  return bodies.velocity[1] - cross(bodies.angular_velocity[1], rod.lever(rod.angle));
}

double energy(const Simulation& simulation) {
  const Energies energies = energies_of(simulation.world());
  return energies.kinetic + energies.potential;
}

TEST(TruthOfPainleve, RodHasNoSmoothSolutionAboveItsFriction) {
  const Rod rod;
  // of a thin uniform rod: mu (3 sin cos) = 1 + 3 cos^2
  const double critical = (1.0 + 3.0 * 0.25) / (3.0 * 0.5 * std::sqrt(0.75));
  EXPECT_GT(rod.mobility(critical - 0.01), 0.0);
  EXPECT_LT(rod.mobility(critical + 0.01), 0.0);
}

/// Angle, x of the centre and their rates of the rod that slides to -x, by Runge and Kutta.
std::array<double, 4> slide(const Rod& rod, double friction, double speed, double t) {
  using State = std::array<double, 4>;
  const auto rates = [&](const State& s) {
    const double a = s[0], w = s[2];
    const Vec3 arm = rod.lever(a);
    // the centre is above the end by half sin(a) + tip: z'' = half (cos w' - sin w^2)
    const double torque = -(arm.x - friction * arm.z);  // of a normal force of 1 N, counted with a
    const double force =
        (g - rod.half * std::sin(a) * w * w) / (1.0 - arm.x * torque / rod.inertia());
    return State{w, s[3], torque * force / rod.inertia(), friction * force};
  };
  State s{rod.angle, rod.lever(rod.angle).x, 0.0, -speed};
  const int steps = 2000;
  const double h = t / steps;
  const auto moved = [](const State& x, const State& v, double by) {
    return State{x[0] + by * v[0], x[1] + by * v[1], x[2] + by * v[2], x[3] + by * v[3]};
  };
  for (int k = 0; k < steps; ++k) {
    const State k1 = rates(s), k2 = rates(moved(s, k1, 0.5 * h)), k3 = rates(moved(s, k2, 0.5 * h)),
                k4 = rates(moved(s, k3, h));
    for (std::size_t i = 0; i < 4; ++i)
      s.at(i) += h / 6.0 * (k1.at(i) + 2.0 * k2.at(i) + 2.0 * k3.at(i) + k4.at(i));
  }
  return s;
}

TEST(TruthOfPainleve, RodSlidesSmoothlyBelowIt) {
  const Rod rod;
  const double friction = 1.0, speed = 3.0, t = 0.05;
  ASSERT_GT(rod.mobility(friction), 0.0);
  const std::array<double, 4> wanted = slide(rod, friction, speed, t);
  const auto run = [&](double h) {
    Simulation simulation = start(rod, friction, h, speed);
    run_until(simulation, t);
    return simulation;
  };
  const TruthRow row =
      measured("Painleve's rod, friction 1: spin after 0.05 s, rad/s", wanted[2], 1e-3,
               [&](double h) { return -run(h).world().bodies.angular_velocity[1].y; });
  EXPECT_GT(row.order(), 0.9);
  expect_on_page(row);
  expect_on_page(measured("Painleve's rod, friction 1: velocity of its centre, m/s", wanted[3],
                          1e-3, [&](double h) { return run(h).world().bodies.velocity[1].x; }));
}

// The end is at rest after the first step, and the angular momentum about it has stayed.
TEST(TruthOfPainleve, RodIsStoppedAtOnceAboveIt) {
  const Rod rod;
  const double friction = 2.0, speed = 1.0;
  ASSERT_LT(rod.mobility(friction), 0.0);
  const Vec3 arm = rod.lever(rod.angle);
  const double about_end = rod.inertia() + arm.x * arm.x + arm.z * arm.z;
  const double spin = speed * arm.z / about_end;
  const TruthRow row =
      measured("Painleve's rod, friction 2: spin after its impact without collision, rad/s", spin,
               1e-3, [&](double h) {
                 Simulation simulation = start(rod, friction, h, speed);
                 const double before = energy(simulation);
                 const StepReport report = simulation.step();
                 EXPECT_EQ(report.status, SolveStatus::Converged);
                 EXPECT_LT(length(end_velocity(simulation, rod)), 1e-3 * speed);
                 EXPECT_LT(energy(simulation), before);
                 return -simulation.world().bodies.angular_velocity[1].y;
               });
  EXPECT_NEAR(row.order(), 1.0, 0.05);
  expect_on_page(row);
}

// A rod that turns so fast that its end would leave the floor has two solutions: it leaves, or it
// is stopped as before. Whichever it is, energy falls and the floor holds.
TEST(TruthOfPainleve, RodWithTwoSolutionsTakesOneOfThem) {
  const Rod rod;
  const double friction = 2.0, turning = 8.0;
  ASSERT_GT(rod.half * std::sin(rod.angle) * turning * turning, g);
  Simulation simulation = start(rod, friction, 1e-4, 1.0, turning);
  const double before = energy(simulation);
  simulation.step();
  const Vec3 v = end_velocity(simulation, rod);
  EXPECT_GE(v.z, -1e-3);
  EXPECT_TRUE(std::abs(v.x) < 1e-2 || std::abs(v.x + 1.0) < 1e-2) << v.x;
  EXPECT_LT(energy(simulation), before + 1e-3);
  run_until(simulation, 0.05);
  EXPECT_LT(energy(simulation), before + 1e-3);
}

}  // namespace
}  // namespace talus
