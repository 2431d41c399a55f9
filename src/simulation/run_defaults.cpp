#include "talus/simulation/run_defaults.hpp"

#include "talus/parallel/exact_sum.hpp"

#include "core/elementary.hpp"
#include "simulation/default_tolerance.hpp"
#include "simulation/start_checks.hpp"
#include "simulation/start_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace talus {
namespace {

using Formulas = std::array<Expression, 3>;

/// All bodies that impulses move, at the start.
struct Bodies {
  double count = 0.0;
  /// kg: so many of the geometric mean mass. A press that is much heavier than what it presses, or
  /// a speck, hardly change it.
  double mass = 0.0;
};

Bodies moving_bodies(const World& world, const Communicator& comm) {
  std::vector<double> logarithms;
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b)
    if (world.bodies.motion[b] == Motion::Dynamic)
      logarithms.push_back(natural_logarithm(world.bodies.mass[b]));
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(logarithms.size())};
  comm.sum(count);
  const double sum = exact_sum(comm, logarithms);
  if (count[0] == 0) return {};
  const auto bodies = static_cast<double>(count[0]);
  return {bodies, bodies * exponential(sum / bodies)};
}

double largest_length(const Scene& scene, const Formulas& formulas) {
  const bool varies = formulas[0].varies() || formulas[1].varies() || formulas[2].varies();
  return largest_value(scene, varies, [&](double t) {
    return length(Vec3{formulas[0].sampled(t), formulas[1].sampled(t), formulas[2].sampled(t)});
  });
}

double largest_size_of(const Scene& scene, const Expression& formula) {
  return largest_value(scene, formula.varies(),
                       [&](double t) { return std::abs(formula.sampled(t)); });
}

/// Of how fast a formula changes within a step.
double largest_rate_of(const Scene& scene, const Expression& formula) {
  const double h = scene.time.step;
  return largest_value(scene, formula.varies(), [&](double t) {
    return std::abs(formula.sampled(t + h) - formula.sampled(t)) / h;
  });
}

/// The largest finite reach of the bodies that each joint drives, m; over all ranks.
std::vector<double> levers_of_joints(const World& world, const Communicator& comm) {
  std::vector<double> levers(world.joints.size(), 0.0);
  for (std::size_t j = 0; j < levers.size(); ++j)
    for (const GlobalId id : {world.joints[j].body_a, world.joints[j].body_b}) {
      const Index body = id == world_id ? -1 : world.bodies.find(id);
      if (body < 0) continue;
      const double reach = world.bodies.reach[body];
      if (std::isfinite(reach)) levers[j] = std::max(levers[j], reach);
    }
  comm.largest(levers);
  return levers;
}

/// N: what forces of groups push with, all their bodies together.
double force_of_groups(const Scene& scene, const World& world, const Bodies& moving,
                       const Communicator& comm) {
  std::vector<std::int64_t> members(world.forces.size(), 0);
  std::vector<double> reach(world.forces.size(), 0.0);
  const BodySet& bodies = world.bodies;
  for (std::size_t f = 0; f < members.size(); ++f)
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (bodies.motion[b] != Motion::Dynamic || bodies.group[b] != world.forces[f].group) continue;
      ++members[f];
      if (std::isfinite(bodies.reach[b])) reach[f] = std::max(reach[f], bodies.reach[b]);
    }
  comm.sum(members);
  comm.largest(reach);
  double sum = 0.0;
  for (std::size_t f = 0; f < members.size(); ++f) {
    const GroupForce& force = world.forces[f];
    const double twist = largest_length(scene, force.torque);
    sum += static_cast<double>(members[f]) *
           (largest_length(scene, force.force) + (reach[f] > 0.0 ? twist / reach[f] : 0.0) +
            largest_length(scene, force.acceleration) * moving.mass / moving.count);
  }
  return sum;
}

/// What motors do. A torque or a turn counts at the reach of the bodies that it drives.
struct Motors {
  double force = 0.0;   ///< N: of force motors, servo walls among them, all together
  double limits = 0.0;  ///< N: of motors that follow a value with a force that ends somewhere
  double speed = 0.0;   ///< m/s: the fastest
};

Motors motors_of(const Scene& scene, const World& world, const Communicator& comm) {
  const std::vector<double> levers = levers_of_joints(world, comm);
  Motors motors;
  for (std::size_t j = 0; j < levers.size(); ++j) {
    const auto look = [&](const Motor& motor, double force_factor, double speed_factor) {
      if (motor.type == MotorType::None) return;
      if (motor.type == MotorType::Force) {
        motors.force += force_factor * largest_size_of(scene, motor.value);
        return;
      }
      if (std::isfinite(motor.limit)) motors.limits += force_factor * motor.limit;
      const double speed = motor.type == MotorType::Speed ? largest_size_of(scene, motor.value)
                                                          : largest_rate_of(scene, motor.value);
      motors.speed = std::max(motors.speed, speed_factor * speed);
    };
    look(world.joints[j].way_motor, 1.0, 1.0);
    look(world.joints[j].angle_motor, levers[j] > 0.0 ? 1.0 / levers[j] : 0.0, levers[j]);
  }
  return motors;
}

/// m/s: the fastest that a body is at the start or is led, turning at its reach.
double largest_speed(const Scene& scene, const World& world, const Communicator& comm) {
  const BodySet& bodies = world.bodies;
  std::array<double, 1> fastest{0.0};
  const auto see = [&](double speed) { fastest[0] = std::max(fastest[0], speed); };
  const auto finite_reach = [&](std::size_t b) {
    return std::isfinite(bodies.reach[b]) ? bodies.reach[b] : 0.0;
  };
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    if (bodies.motion[b] == Motion::Dynamic)
      see(length(bodies.velocity[b]) + finite_reach(b) * length(bodies.angular_velocity[b]));
  const double h = scene.time.step;
  for (const KinematicMotion& motion : world.motions) {
    const Index body = bodies.find(motion.body);
    if (body < 0 || bodies.motion[body] != Motion::Kinematic) continue;
    see(largest_value(scene, true, [&](double t) {
      Vec3 velocity{motion.velocity[0].sampled(t), motion.velocity[1].sampled(t),
                    motion.velocity[2].sampled(t)};
      const Vec3 now{motion.way[0].sampled(t), motion.way[1].sampled(t), motion.way[2].sampled(t)};
      const Vec3 next{motion.way[0].sampled(t + h), motion.way[1].sampled(t + h),
                      motion.way[2].sampled(t + h)};
      const double rate =
          motion.rate.sampled(t) + (motion.angle.sampled(t + h) - motion.angle.sampled(t)) / h;
      return length(velocity + (1.0 / h) * (next - now)) +
             finite_reach(static_cast<std::size_t>(body)) * std::abs(rate);
    }));
  }
  comm.largest(fastest);
  return fastest[0];
}

/// "9.81 by gravity, 50 by forces": parts of an acceleration, of which those of 0 are left out.
std::string parts_text(double gravity, double forces, double motors) {
  std::vector<std::string> parts;
  if (gravity > 0.0) parts.push_back(fmt::format("{:.3g} by gravity", gravity));
  if (forces > 0.0) parts.push_back(fmt::format("{:.3g} by forces", forces));
  if (motors > 0.0) parts.push_back(fmt::format("{:.3g} by motors and servos", motors));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

double worst_over_tolerance(Measure measure) {
  return measure == Measure::NaturalVelocity ? 10.0 : 2.5;
}

DefaultTolerance default_tolerance(const Scene& scene, const World& world, Measure measure,
                                   double size, const Communicator& comm) {
  // Measured (docs/decisions/031): both cost the same iterations in packings of 1000 spheres.
  const double share = measure == Measure::NaturalVelocity ? 0.01 : 0.04;
  const double h = scene.time.step;
  const double gravity = largest_gravity(scene, world);
  const Bodies moving = moving_bodies(world, comm);
  const Motors motors = motors_of(scene, world, comm);
  const bool any = moving.count > 0.0;
  const double by_groups = any ? force_of_groups(scene, world, moving, comm) / moving.mass : 0.0;
  const double by_motors = any ? motors.force / moving.mass : 0.0;
  const double acceleration = gravity + by_groups + by_motors;
  DefaultTolerance chosen{share * h * acceleration,
                          fmt::format("{:g} a h, a = {:.3g} m/s2: {}", share, acceleration,
                                      parts_text(gravity, by_groups, by_motors))};
  if (gravity > 0.0) return chosen;
  if (!(acceleration > 0.0)) {
    // what moves at v and turns around within its size d; a limited motor within a step at most
    const double speed = std::max(motors.speed, largest_speed(scene, world, comm));
    const double turning = size > 0.0 ? speed * speed / size : 0.0;
    const double pushing = any ? std::min(motors.limits / moving.mass, motors.speed / h) : 0.0;
    chosen = {
        share * h * std::max(turning, pushing),
        pushing > turning
            ? fmt::format("{:g} a h, a = {:.3g} m/s2: by the limits of motors", share, pushing)
            : fmt::format("{:g} h v^2 / d: no force acts, speeds are up to v = {:.3g} m/s, "
                          "the smallest body is d = {:.3g} m",
                          share, speed, size)};
  }
  // Without gravity nothing says how far an error may carry a body: a millionth to a ten
  // thousandth of its size in a step.
  constexpr double least = 1e-6, most = 1e-4;
  const double fine = least * size / h, coarse = most * size / h;
  if (!(size > 0.0)) {
    if (!(chosen.value > 0.0)) chosen = {1e-9, "nothing moves and nothing acts"};
  } else if (chosen.value < fine) {
    chosen = {fine, fmt::format("what moves a body by {:g} of the smallest size, {:.3g} m, in a "
                                "step: what acts is less",
                                least, size)};
  } else if (chosen.value > coarse) {
    chosen = {coarse, fmt::format("what moves a body by {:g} of the smallest size, {:.3g} m, in a "
                                  "step: what acts is more ({})",
                                  most, size, chosen.reason)};
  }
  return chosen;
}

SolveOptions run_defaults() {
  SolveOptions options;
  options.measure = Measure::NaturalLocal;
  options.tolerance = 0.0;
  options.max_iterations = 10000;
  options.automatic.first = Method::Pspgfb;
  options.brief = true;
  return options;
}

}  // namespace talus
