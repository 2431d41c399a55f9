// Bodies that turn: what they are held by, or lie on, makes no energy. Against exact solutions.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

namespace talus {
namespace {

using support::SmallScene;

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;

/// J. With gravity velocities are those of half a step before positions are where they are: there
/// both are taken.
double energy_of(const Simulation& simulation) {
  const World& world = simulation.world();
  const Energies energies = energies_of(world);
  double sum = energies.kinetic + energies.potential;
  const Vec3 pull = constant_gravity(world);
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
    if (world.bodies.motion[b] == Motion::Dynamic)
      sum += 0.5 * simulation.settings().h * world.bodies.mass[b] *
             dot(pull, world.bodies.velocity[b]);
  return sum;
}

/// How far the origin of frame B of the first joint, to the world, is from that of frame A.
double joint_gap(const World& world) {
  const Joint& joint = world.joints.front();
  const Pose body{world.bodies.position[0], world.bodies.orientation[0]};
  return length((body * joint.frame_b).position - joint.frame_a.position);
}

double unaccounted(const EnergyLedger& l) {
  return l.kinetic_end - l.kinetic_start -
         (l.gravity + l.forces + l.motors + l.walls + l.bodies - l.friction - l.rolling - l.impact -
          l.cohesion - l.joints - l.springs - l.solver - l.time_step);
}

/// Of a run: the largest change of energy by the kinetic energy after the first step; where there
/// is a joint, its largest gap, m.
struct Drift {
  double energy = 0.0, gap = 0.0;
};

Drift drift_of(const SmallScene& small, double end) {
  Simulation simulation = small.start();
  simulation.step();
  const double start = energy_of(simulation), kinetic = energies_of(simulation.world()).kinetic;
  Drift drift;
  const auto steps = std::lround(end / simulation.settings().h);
  for (long k = 1; k < steps; ++k) {
    const StepReport report = simulation.step();
    drift.energy = std::max(drift.energy, std::abs(energy_of(simulation) - start) / kinetic);
    if (!simulation.world().joints.empty())
      drift.gap = std::max(drift.gap, joint_gap(simulation.world()));
    EXPECT_NEAR(unaccounted(report.energy), 0.0, 1e-13 * kinetic) << "step " << report.step;
  }
  return drift;
}

/// A box that is held at the point `at` of its own frame.
SmallScene pivoted(double h, const Vec3& size, const Vec3& at, const Vec3& w, double gravity,
                   const Quaternion& q = {}) {
  SmallScene small(h);
  small.set_gravity({0.0, 0.0, -gravity});
  const Vec3 centre = -rotate(q, at);
  const std::size_t body = small.add("body", Motion::Dynamic, small.box(size), centre);
  small.body(body).pose.orientation = q;
  small.body(body).angular_velocity = w;
  small.body(body).velocity = cross(w, centre);
  Joint joint;
  joint.name = "pivot";
  joint.type = JointType::Spherical;
  joint.body_b = 0;
  joint.frame_b = {at, conjugate(q)};
  small.scene.world.joints.push_back(joint);
  small.scene.joint_places.emplace_back("small");
  return small;
}

const Vec3 plate{0.2, 0.2, 0.05}, box{0.3, 0.2, 0.1};

TEST(PivotedBody, PlateAtItsCentreKeepsItsEnergy) {
  // a body with an axis of symmetry: the midpoint rule keeps its energy to rounding
  EXPECT_LE(drift_of(pivoted(1e-3, plate, {}, {1.0, 0.0, 100.0}, 0.0), 10.0).energy, 1e-9);
}

TEST(PivotedBody, BoxAtItsCentreKeepsItsEnergyToSecondOrder) {
  const auto run = [](double h) {
    return drift_of(pivoted(h, box, {}, {0.1, 10.0, 0.1}, 0.0), 10.0).energy;
  };
  const double coarse = run(2e-3), fine = run(1e-3);
  EXPECT_LE(fine, 5e-6);
  EXPECT_NEAR(coarse / fine, 4.0, 0.1);
}

TEST(PivotedBody, BoxAtItsCornerKeepsItsEnergyAndPlaceToSecondOrder) {
  for (const double gravity : {0.0, g}) {
    const auto run = [&](double h) {
      return drift_of(pivoted(h, box, 0.5 * box, {3.0, 10.0, 5.0}, gravity), 10.0);
    };
    const Drift coarse = run(2e-3), fine = run(1e-3);
    EXPECT_LE(fine.energy, 2e-4) << gravity;
    EXPECT_GE(coarse.energy / fine.energy, 3.5) << gravity;
    // without the second order of the rows 4.5e-5 m, without gravity
    EXPECT_LE(fine.gap, 1e-6) << gravity;
    EXPECT_GE(coarse.gap / fine.gap, 4.0) << gravity;
  }
}

TEST(PivotedBody, OneThatTurnsByARadianPerStepGainsNoEnergy) {
  const Drift drift =
      drift_of(pivoted(1e-3, plate, {0.0, 0.0, -0.1}, {10.0, 0.0, 1000.0}, 0.0), 2.0);
  EXPECT_LE(drift.energy, 1e-3);
  EXPECT_LE(drift.gap, 2e-3);
}

// ---- contact

/// A ball whose inertia is not that of a ball, spinning on a floor without friction.
SmallScene loaded_ball(double h, const Sym3& inertia, const Vec3& w) {
  SmallScene small(h);
  const std::size_t ball = small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.1});
  small.body(ball).mass = 2.0;
  small.body(ball).inertia = inertia;
  small.body(ball).angular_velocity = w;
  small.add_floor();
  return small;
}

/// A plate on a round tip, tilted, spinning about its axis.
SmallScene top_on_floor(double h, double spin) {
  SmallScene small(h);
  const Quaternion q = rotation_by({0.4, 0.0, 0.0});
  Compound top;
  top.parts.push_back({Box{0.5 * plate}, {{0.0, 0.0, 0.1}, {}}});
  top.parts.push_back({Sphere{0.01}, {}});
  small.scene.world.shapes.emplace_back(top);
  const std::size_t body = small.add("top", Motion::Dynamic, 0, {0.0, 0.0, 0.01});
  small.body(body).pose.orientation = q;
  small.body(body).angular_velocity = rotate(q, {0.0, 0.0, spin});
  small.add_floor();
  return small;
}

TEST(FrictionlessContact, LoadedBallKeepsItsEnergyToSecondOrder) {
  const auto run = [](double h) {
    return drift_of(loaded_ball(h, {0.02, 0.0, 0.0, 0.04, 0.0, 0.05}, {0.1, 10.0, 0.1}), 10.0)
        .energy;
  };
  const double coarse = run(2e-3), fine = run(1e-3);
  EXPECT_LE(fine, 5e-6);
  EXPECT_NEAR(coarse / fine, 4.0, 0.1);
}

TEST(FrictionlessContact, TopOnItsTipKeepsItsEnergyToSecondOrder) {
  const auto run = [](double h) { return drift_of(top_on_floor(h, 40.0), 2.0).energy; };
  const double coarse = run(1e-3), fine = run(5e-4);
  EXPECT_LE(coarse, 2e-4);
  EXPECT_GE(coarse / fine, 3.5);
  EXPECT_LE(drift_of(top_on_floor(1e-3, 100.0), 10.0).energy, 2e-4);
}

// ---- a heavy top

struct Path {
  double precession = 0.0;          ///< mean rate of the axis about the vertical, rad/s
  double nutation = 0.0;            ///< rad/s
  double least = 10.0, most = 0.0;  ///< angles of the axis from the vertical, rad
};

/// Follows the axis of a top.
class Watch {
 public:
  void see(double t, const Vec3& axis) {
    const double polar = std::atan2(std::hypot(axis.x, axis.y), axis.z);
    const double about = std::atan2(axis.y, axis.x);
    if (seen_ == 0) last_about_ = about;
    turned_ += std::remainder(about - last_about_, 2.0 * pi);
    last_about_ = about;
    path_.least = std::min(path_.least, polar);
    path_.most = std::max(path_.most, polar);
    // a period of nutation ends where the polar angle comes through the middle, downwards
    const double middle = 0.5 * (path_.least + path_.most);
    if (seen_ > 0 && t > 0.3 && last_polar_ > middle && polar <= middle) {
      const double at = last_t_ + (last_polar_ - middle) / (last_polar_ - polar) * (t - last_t_);
      const double share = (at - last_t_) / (t - last_t_);
      const double angle = turned_before_ + share * (turned_ - turned_before_);
      if (periods_ == 0) {
        first_ = at;
        first_angle_ = angle;
      }
      ++periods_;
      path_.nutation = periods_ > 1 ? 2.0 * pi * (periods_ - 1) / (at - first_) : 0.0;
      path_.precession = periods_ > 1 ? (angle - first_angle_) / (at - first_) : 0.0;
    }
    ++seen_;
    last_t_ = t;
    last_polar_ = polar;
    turned_before_ = turned_;
  }
  const Path& path() const { return path_; }

 private:
  Path path_;
  int seen_ = 0, periods_ = 0;
  double last_about_ = 0.0, turned_ = 0.0, turned_before_ = 0.0, last_t_ = 0.0;
  double last_polar_ = 0.0, first_ = 0.0, first_angle_ = 0.0;
};

struct Top {
  double mass = 2.0, to_centre = 0.1, spin = 100.0, tilt = 0.5, end = 4.0;

  /// Euler's equations with the moment of the weight, in axes of the body about the pivot
  /// [Goldstein02, 5.7], by the classical Runge-Kutta rule.
  Path exact() const {
    using State = std::array<double, 6>;  // angular velocity; the vertical in axes of the body
    const double across = mass * (0.2 * 0.2 + 0.05 * 0.05) / 12.0 + mass * to_centre * to_centre;
    const double along = mass * (0.2 * 0.2 + 0.2 * 0.2) / 12.0;
    const auto rate = [&](const State& s) {
      const double moment = mass * g * to_centre;
      return State{((across - along) * s[1] * s[2] + moment * s[4]) / across,
                   ((along - across) * s[0] * s[2] - moment * s[3]) / across,
                   0.0,
                   s[4] * s[2] - s[5] * s[1],
                   s[5] * s[0] - s[3] * s[2],
                   s[3] * s[1] - s[4] * s[0]};
    };
    const auto plus = [](State a, double f, const State& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] += f * b[i];
      return a;
    };
    State s{0.0, 0.0, spin, 0.0, std::sin(tilt), std::cos(tilt)};
    const double h = 5e-5;
    Watch watch;
    double about = 0.0;
    for (int k = 0; k * h < end; ++k) {
      // the rate of the azimuth: the horizontal part of the angular velocity along the axis' shadow
      watch.see(k * h, axis(s[5], about));
      const auto azimuth = [](const State& x) {
        return (x[0] * x[3] + x[1] * x[4]) / (x[3] * x[3] + x[4] * x[4]);
      };
      const State k1 = rate(s), s2 = plus(s, 0.5 * h, k1), k2 = rate(s2);
      const State s3 = plus(s, 0.5 * h, k2), k3 = rate(s3), s4 = plus(s, h, k3), k4 = rate(s4);
      about += h / 6.0 * (azimuth(s) + 2.0 * azimuth(s2) + 2.0 * azimuth(s3) + azimuth(s4));
      s = plus(plus(plus(plus(s, h / 6.0, k1), h / 3.0, k2), h / 3.0, k3), h / 6.0, k4);
    }
    return watch.path();
  }

  Path stepped(double h) const {
    const Quaternion q = rotation_by({tilt, 0.0, 0.0});
    Simulation simulation =
        pivoted(h, plate, {0.0, 0.0, -to_centre}, rotate(q, {0.0, 0.0, spin}), g, q).start();
    Watch watch;
    while (simulation.world().time < end) {
      simulation.step();
      watch.see(simulation.world().time,
                rotate(simulation.world().bodies.orientation[0], {0.0, 0.0, 1.0}));
    }
    return watch.path();
  }

 private:
  static Vec3 axis(double cosine, double about) {
    const double sine = std::sqrt(1.0 - cosine * cosine);
    return {sine * std::cos(about), sine * std::sin(about), cosine};
  }
};

TEST(HeavyTop, PrecessesAndNutatesLikeTheExactOneToSecondOrder) {
  const Top top;
  const Path exact = top.exact();
  // what every text has of a fast top: m g l / (I3 w)
  EXPECT_NEAR(exact.precession, 2.0 * g * 0.1 / (1.0 / 75.0 * 100.0), 0.05);
  const auto errors = [&](double h) {
    const Path got = top.stepped(h);
    return std::array<double, 3>{
        std::abs(got.precession / exact.precession - 1.0),
        std::abs(got.nutation / exact.nutation - 1.0),
        std::abs((got.most - got.least) / (exact.most - exact.least) - 1.0)};
  };
  const auto coarse = errors(1e-3), fine = errors(5e-4);
  for (const double error : coarse) EXPECT_LE(error, 2e-3);
  for (std::size_t i = 0; i < fine.size(); ++i) EXPECT_GE(coarse[i] / fine[i], 3.0) << i;
}

// ---- what turns carries what lies on it

constexpr double radius = 0.5, mu = 0.5;

/// The largest way, m, of a body on a turntable that turns with w^2 r = share * mu g from where it
/// lay, as the table sees it.
double way_on_table(const std::function<void(SmallScene&, double)>& put_table,
                    const std::function<std::size_t(SmallScene&)>& put_body, double share, double h,
                    double end) {
  const double w = std::sqrt(share * mu * g / radius);
  SmallScene small(h, mu);
  small.solver.tolerance = 1e-10;
  put_table(small, w);
  const std::size_t body = put_body(small);
  small.body(body).velocity = {0.0, w * radius, 0.0};
  small.body(body).angular_velocity = {0.0, 0.0, w};
  Simulation simulation = small.start();
  double way = 0.0;
  const auto steps = std::lround(end / h);
  for (long k = 0; k < steps; ++k) {
    simulation.step();
    const World& world = simulation.world();
    const Vec3 x =
        rotate_back(rotation_by({0.0, 0.0, w * world.time}), world.bodies.position[body]);
    way = std::max(way, std::hypot(x.x - radius, x.y));
  }
  return way;
}

void kinematic_table(SmallScene& small, double w) {
  const std::size_t table =
      small.add("table", Motion::Kinematic, small.box({2.0, 2.0, 0.1}), {0.0, 0.0, -0.05});
  KinematicMotion motion;
  motion.rate = Expression(w);
  small.body(table).kinematic = motion;
}

/// One with a motor on its axle.
void driven_table(SmallScene& small, double w) {
  const std::size_t table =
      small.add("table", Motion::Dynamic, small.box({2.0, 2.0, 0.1}), {0.0, 0.0, -0.05});
  small.body(table).angular_velocity = {0.0, 0.0, w};
  Joint axle;
  axle.name = "axle";
  axle.type = JointType::Revolute;
  axle.body_b = 0;
  const Quaternion up = rotation_between({1.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
  axle.frame_a = {{0.0, 0.0, -0.05}, up};
  axle.frame_b = {{}, up};
  axle.angle_motor.type = MotorType::Speed;
  axle.angle_motor.value = Expression(w);
  small.scene.world.joints.push_back(axle);
  small.scene.joint_places.emplace_back("small");
}

std::size_t flat_box(SmallScene& small) {
  return small.add("box", Motion::Dynamic, small.box({0.1, 0.06, 0.04}), {radius, 0.0, 0.02});
}

/// A ball that cannot roll.
std::size_t stuck_ball(SmallScene& small) {
  small.pair().rolling_friction = small.pair().spinning_friction = 1.0;
  small.set_pair();
  return small.add("ball", Motion::Dynamic, small.sphere(0.02), {radius, 0.0, 0.02});
}

TEST(Turntable, CarriesABoxBelowItsThresholdAndNotAbove) {
  EXPECT_LE(way_on_table(kinematic_table, flat_box, 0.98, 1e-3, 5.0), 1e-6);
  EXPECT_GE(way_on_table(kinematic_table, flat_box, 1.02, 1e-3, 1.0), 0.005);
}

TEST(Turntable, CarriesABallThatCannotRollBelowItsThreshold) {
  EXPECT_LE(way_on_table(kinematic_table, stuck_ball, 0.98, 1e-3, 0.5), 1e-9);
}

TEST(Turntable, ThatAMotorDrivesCarriesABoxToo) {
  const double coarse = way_on_table(driven_table, flat_box, 0.9, 2e-3, 1.0);
  const double fine = way_on_table(driven_table, flat_box, 0.9, 1e-3, 1.0);
  EXPECT_LE(fine, 1e-7);
  EXPECT_GE(coarse / fine, 3.5);
}

}  // namespace
}  // namespace talus
