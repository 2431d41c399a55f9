#include "talus/simulation/energy_ledger.hpp"

#include "assembly/contact_rows.hpp"
#include "core/arithmetic.hpp"
#include "core/caught.hpp"
#include "core/in_parallel.hpp"
#include "model/body_traits.hpp"
#include "model/outer_forces.hpp"
#include "simulation/energy_sums.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

double EnergyLedger::moved() const {
  return std::abs(gravity) + std::abs(forces) + std::abs(motors) + std::abs(walls) +
         std::abs(bodies);
}

void EnergyLedger::add(const EnergyLedger& next) {
  if (steps == 0) kinetic_start = next.kinetic_start;
  through += next.moved();
  kinetic_most = std::max({kinetic_most, next.kinetic_start, next.kinetic_end});
  kinetic_end = next.kinetic_end;
  steps += next.steps;
  gravity += next.gravity;
  forces += next.forces;
  motors += next.motors;
  walls += next.walls;
  bodies += next.bodies;
  friction += next.friction;
  rolling += next.rolling;
  impact += next.impact;
  recovered += next.recovered;
  cohesion += next.cohesion;
  joints += next.joints;
  springs += next.springs;
  solver += next.solver;
  time_step += next.time_step;
  late += next.late;
  free_fall = std::max(free_fall, next.free_fall);
  solver_magnitude += next.solver_magnitude;
}

namespace {

/// 1/2 w . I w; 0 of what nothing turns.
double rotation_energy(const Sym3& inertia, const Quaternion& q, const Vec3& w) {
  if (!std::isfinite(inertia.xx)) return 0.0;
  if (is_isotropic(inertia)) return 0.5 * inertia.xx * dot(w, w);
  const Vec3 turned = rotate_back(q, w);
  return 0.5 * dot(turned, inertia * turned);
}

double kinetic_of(const BodySet& bodies, std::size_t b, const Vec3& v, const HalfTurn& turn) {
  return 0.5 * bodies.mass[b] * dot(v, v) +
         rotation_energy(bodies.inertia[b], turn.orientation, turn.angular_velocity);
}
double kinetic_of(const BodySet& bodies, std::size_t b) {
  return kinetic_of(bodies, b, bodies.velocity[b],
                    {bodies.orientation[b], bodies.angular_velocity[b]});
}

double power(const Vec6& wrench, const Vec6& twist) {
  double sum = 0.0;
  for (std::size_t k = 0; k < wrench.size(); ++k) sum += wrench[k] * twist[k];
  return sum;
}

/// A loop over `count` places with a sum of its own for each thread.
template <class Visit>
void add_all(std::size_t count, EnergySums& total, const Visit& visit) {
  // waking threads for a few bodies costs more than the bodies
  [[maybe_unused]] const bool worth_threads = count > 1000;
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel if (worth_threads) default(none) firstprivate(arithmetic) \
    shared(count, total, visit, caught)
  {
    EnergySums mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < count; ++i) caught.run(i, [&] { visit(i, mine); });
#pragma omp critical(energy_sums)
    total.merge(mine);
  }
  caught.rethrow();
}

void add_bodies(const SolvedStep& step, const std::vector<Vec6>& mean, EnergySums& total) {
  const BodySet& bodies = step.world.bodies;
  const Vec3 g = value_at(step.world.gravity, step.world.time);
  const double h = step.h;
  add_all(static_cast<std::size_t>(bodies.owned), total, [&](std::size_t b, EnergySums& sums) {
    if (bodies.motion[b] != Motion::Dynamic) return;
    const Vec6& u = step.velocities[b];
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]}, before = bodies.velocity[b];
    const HalfTurn half = half_of(bodies, b, h);
    sums.add(EnergyPart::Before, kinetic_of(bodies, b));
    sums.add(EnergyPart::Turned, kinetic_of(bodies, b, before, half));
    sums.add(EnergyPart::Solved, kinetic_of(bodies, b, v, {half.orientation, w}));
    sums.add(EnergyPart::Gravity, h * bodies.mass[b] * dot(g, v));
    sums.add(EnergyPart::Late, 0.5 * h * bodies.mass[b] * dot(g, v - before));
    sums.add(EnergyPart::FreeFall, 0.5 * h * h * bodies.mass[b] * dot(g, g));
    sums.add(EnergyPart::Motors, h * power(step.wrench[b], mean[b]));
    if (step.added.empty()) return;
    const Vec3& turning = half.angular_velocity;
    sums.add(EnergyPart::Added, dot(0.5 * (w + turning), step.added[b] * (w - turning)));
  });
}

void add_group_forces(const SolvedStep& step, const std::vector<Vec6>& mean, EnergySums& total) {
  const BodySet& bodies = step.world.bodies;
  for (const GroupForce& force : step.world.forces) {
    if (!force.on) continue;
    const double t = step.world.time;
    const Vec3 f = value_at(force.force, t), m = value_at(force.torque, t),
               a = value_at(force.acceleration, t);
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (bodies.group[b] != force.group || bodies.motion[b] != Motion::Dynamic) continue;
      const Vec3 all = f + bodies.mass[b] * a;
      total.add(EnergyPart::Forces, step.h * power({all.x, all.y, all.z, m.x, m.y, m.z}, mean[b]));
    }
  }
}

void add_outer_forces(const SolvedStep& step, const std::vector<Vec6>& mean, EnergySums& total) {
  each_outer_force(step.world, [&](Index body, const OuterForce& outer) {
    if (!step.world.bodies.is_owned(body)) return;
    const Vec3 &f = outer.force, &m = outer.torque;
    total.add(EnergyPart::Forces, step.h * power({f.x, f.y, f.z, m.x, m.y, m.z}, mean[body]));
  });
}

}  // namespace

void EnergySums::flush(std::size_t k) {
  sums_[k].add({waiting_[k].data(), count_[k]});
  count_[k] = 0;
}

void EnergySums::merge(EnergySums& other) {
  for (std::size_t k = 0; k < energy_parts; ++k) {
    other.flush(k);
    sums_[k].merge(other.sums_[k]);
  }
}

std::vector<LimbSum> EnergySums::sums() {
  for (std::size_t k = 0; k < energy_parts; ++k) flush(k);
  return {sums_.begin(), sums_.end()};
}

std::vector<LimbSum> energy_sums(const SolvedStep& step) {
  const std::vector<Vec6> mean = mean_velocities(step.world, step.h, step.velocities);
  EnergySums total;
  add_bodies(step, mean, total);
  add_group_forces(step, mean, total);
  add_outer_forces(step, mean, total);
  // rows that this rank owns come first
  const ConeSet& cones = step.problem.cones;
  const ContactEnergies of_contacts(step, mean);
  add_all(static_cast<std::size_t>(cones.contact_count()), total,
          [&](std::size_t k, EnergySums& sums) { of_contacts.add(static_cast<Index>(k), sums); });
  for (std::size_t j = 0; j < static_cast<std::size_t>(cones.scalar_count); ++j)
    add_joint_row(step, mean, j, total);
  return total.sums();
}

LimbSum kinetic_sum(const World& world) {
  const BodySet& bodies = world.bodies;
  EnergySums total;
  add_all(static_cast<std::size_t>(bodies.owned), total, [&](std::size_t b, EnergySums& sums) {
    if (bodies.motion[b] == Motion::Dynamic) sums.add(EnergyPart::After, kinetic_of(bodies, b));
  });
  return total.sums()[static_cast<std::size_t>(EnergyPart::After)];
}

double kinetic_energy(const World& world, const Communicator& comm) {
  std::array<LimbSum, 1> sum{kinetic_sum(world)};
  reduce(comm, sum);
  return sum[0].value();
}

std::vector<LimbSum> energy_sums_at_end(const World& world, std::vector<LimbSum> sums) {
  sums[static_cast<std::size_t>(EnergyPart::After)] = kinetic_sum(world);
  return sums;
}

EnergyLedger energy_ledger(const std::vector<LimbSum>& sums, double kinetic_start) {
  const auto value = [&](EnergyPart part) { return sums[static_cast<std::size_t>(part)].value(); };
  EnergyLedger ledger;
  ledger.steps = 1;
  ledger.kinetic_start = kinetic_start;
  ledger.kinetic_end = value(EnergyPart::After);
  ledger.gravity = value(EnergyPart::Gravity);
  ledger.forces = value(EnergyPart::Forces);
  ledger.motors = value(EnergyPart::Motors);
  ledger.walls = value(EnergyPart::Walls);
  ledger.bodies = value(EnergyPart::Before) - kinetic_start;
  ledger.friction = value(EnergyPart::Friction);
  ledger.rolling = value(EnergyPart::Rolling);
  ledger.impact = value(EnergyPart::Impact);
  ledger.recovered = value(EnergyPart::Recovered);
  ledger.cohesion = value(EnergyPart::Cohesion);
  ledger.joints = value(EnergyPart::Joints);
  ledger.springs = value(EnergyPart::Springs);
  ledger.solver = value(EnergyPart::Solver);
  ledger.solver_magnitude = value(EnergyPart::SolverMagnitude);
  ledger.late = value(EnergyPart::Late);
  ledger.free_fall = value(EnergyPart::FreeFall);
  ledger.time_step = value(EnergyPart::Before) - value(EnergyPart::Turned) +
                     value(EnergyPart::Solved) - value(EnergyPart::After) +
                     value(EnergyPart::Late) + value(EnergyPart::Added);
  return ledger;
}

namespace {

struct Twist {
  Vec3 linear, angular;
};

Twist twist_of(const Vec6& u) {
  return {{u[0], u[1], u[2]}, {u[3], u[4], u[5]}};
}

double times_finite(double coefficient, double x) {
  return coefficient < infinity ? coefficient * x : 0.0;
}

/// What complementarity leaves over, J: 0 of an exact answer, whatever it is. Together x . w^ of
/// the law (docs/measures.md), where x is the impulse and w^ the velocity that it is set against.
struct Leftover {
  double normal = 0.0, tangential = 0.0, rolling = 0.0;
  double all() const { return normal + tangential + rolling; }
};

/// One contact: impulse with its torque, and gap velocity; lengths as in the stored rows.
struct SolvedContact {
  SixRows impulse, gap;
  RollingFriction friction;
  bool rolls = false;
};

Leftover leftover_of(Law law, const SolvedContact& contact, const ConeSet& cones, Index frame,
                     const Vec3& n) {
  const Vec3 &x = contact.impulse.linear, &w = contact.gap.linear;
  const double xn = dot(x, n), wn = dot(w, n);
  const Vec3 wt = w - wn * n;
  double slip = length(wt);
  if (law == Law::Box) {
    const Vec3 parts = to_contact_frame(cones, frame, w);
    slip = std::abs(parts.y) + std::abs(parts.z);
  }
  const double sliding = xn * times_finite(contact.friction.sliding, slip);
  Leftover left{xn * wn, dot(x, wt) + sliding, 0.0};
  if (contact.rolls) {
    const Vec3 &m = contact.impulse.angular, &turn = contact.gap.angular;
    const double spin = dot(turn, n);
    double across = length(turn - spin * n);
    if (law == Law::Box) {
      const Vec3 parts = to_contact_frame(cones, frame, turn);
      across = std::abs(parts.y) + std::abs(parts.z);
    }
    const double resisted = xn * (times_finite(contact.friction.rolling, across) +
                                  times_finite(contact.friction.spinning, std::abs(spin)));
    left.rolling = dot(m, turn) + resisted;
    if (law == Law::Associated) left.normal -= resisted;
  }
  if (law == Law::Associated) left.normal -= sliding;
  return left;
}

bool is_zero(const SixRows& x) {
  return dot(x.linear, x.linear) == 0.0 && dot(x.angular, x.angular) == 0.0;
}

}  // namespace

HalfTurn half_of(const BodySet& bodies, std::size_t b, double h) {
  const Quaternion& q = bodies.orientation[b];
  const Vec3& w = bodies.angular_velocity[b];
  if (is_isotropic(bodies.inertia[b])) return {q, w};
  return half_turn(bodies.inertia[b], q, w, h);
}

std::vector<Vec6> mean_velocities(const World& world, double h, const std::vector<Vec6>& after) {
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  std::vector<Vec6> mean(count);
  in_parallel(count, [&](std::size_t b) {
    if (bodies.motion[b] == Motion::Fixed) return;
    const bool moved = bodies.motion[b] == Motion::Dynamic;
    const Vec3& v = bodies.velocity[b];
    const Vec3 w = moved ? half_of(bodies, b, h).angular_velocity : bodies.angular_velocity[b];
    mean[b] = {v.x, v.y, v.z, w.x, w.y, w.z};
    if (!moved) return;
    for (std::size_t k = 0; k < mean[b].size(); ++k) mean[b][k] = 0.5 * (mean[b][k] + after[b][k]);
  });
  return mean;
}

void ContactEnergies::add(Index cone, EnergySums& sums) const {
  const World& world = step_.world;
  const ContactSet& contacts = world.contacts;
  const ConeSet& cones = step_.problem.cones;
  const Index contact = step_.part.contact[cone];
  const auto c = static_cast<std::size_t>(contact);
  const auto a = static_cast<std::size_t>(contacts.body_a[c]),
             b = static_cast<std::size_t>(contacts.body_b[c]);
  const double pull = !cohesive_ ? 0.0 : cohesion_pull(world, contact, step_.h);
  SolvedContact solved;
  solved.rolls = !contacts.angular_impulse.empty();
  if (solved.rolls)
    solved.impulse = rolling_value(cones, step_.impulses, cone);
  else
    solved.impulse.linear = spatial_value(cones, step_.impulses, cone);
  if (pull == 0.0 && is_zero(solved.impulse)) return;

  const Vec3& n = contacts.normal[c];
  const Vec3 arm_a = contacts.point[c] - world.bodies.position[a];
  const Vec3 arm_b = contact_point_on_b(world, contact) - world.bodies.position[b];
  const auto speed = [](const Twist& u, const Vec3& arm) {
    return u.linear + cross(u.angular, arm);
  };
  const Twist of_a = twist_of(mean_[a]), of_b = twist_of(mean_[b]);
  const Vec3 v = speed(of_b, arm_b) - speed(of_a, arm_a);
  const double vn = dot(v, n);

  const double length = solved.rolls ? cones.rolling_length[cone] : 1.0;
  if (solved.rolls) {
    solved.gap = rolling_value(cones, step_.gap, cone);
    solved.friction = cones.rolling_friction_of(cone);
  } else {
    solved.gap.linear = spatial_value(cones, step_.gap, cone);
    solved.friction.sliding = cones.friction[cones.spatial_slot(cone)];
  }
  const Index frame = solved.rolls ? cones.rolling_frame(cone) : cone;
  const Leftover left = leftover_of(step_.law, solved, cones, frame, n);

  const Vec3& x = solved.impulse.linear;
  const Vec3 torque = length * solved.impulse.angular;
  const double xn = dot(x, n);
  const double taken = 0.5 * left.normal - xn * vn;
  if (pair_of(world, contact).compliance > 0.0) {
    sums.add(EnergyPart::Springs, taken);
  } else {
    sums.add(EnergyPart::Impact, taken);
    if (contacts.gap[c] < 0.0) sums.add(EnergyPart::Recovered, std::max(0.0, -taken));
  }
  sums.add(EnergyPart::Friction, 0.5 * left.tangential - dot(x - xn * n, v));
  sums.add(EnergyPart::Solver, -0.5 * left.all());
  sums.add(EnergyPart::SolverMagnitude, std::abs(0.5 * left.all()));
  if (solved.rolls)
    sums.add(EnergyPart::Rolling, 0.5 * left.rolling - dot(torque, of_b.angular - of_a.angular));
  if (pull != 0.0) sums.add(EnergyPart::Cohesion, pull * vn);
  const auto give = [&](std::size_t body, const Twist& u, const Vec3& arm, double sign) {
    if (world.bodies.motion[body] != Motion::Kinematic) return;
    // the body does on its partner what the contact does not do on it
    sums.add(EnergyPart::Walls,
             -sign * (dot(x - pull * n, speed(u, arm)) + dot(torque, u.angular)));
  };
  give(a, of_a, arm_a, -1.0);
  give(b, of_b, arm_b, 1.0);
}

void add_joint_row(const SolvedStep& step, const std::vector<Vec6>& mean, std::size_t j,
                   EnergySums& sums) {
  const World& world = step.world;
  const JointRow& row = step.rows[step.part.joint_row[j]];
  const double x = step.impulses[j], w = step.gap[j];
  const ConeSet& cones = step.problem.cones;
  const double bound = w > 0.0 ? cones.lower[j] : cones.upper[j];
  const double left = x * w - (std::abs(bound) < infinity ? bound * w : 0.0);
  double rate = 0.0, given = 0.0;
  const auto add_end = [&](Index body, const Vec6& block) {
    if (body == no_body) return;
    double share = 0.0;
    for (std::size_t k = 0; k < block.size(); ++k) share += block[k] * mean[body][k];
    rate += share;
    if (world.bodies.motion[body] == Motion::Kinematic) given -= x * share;
  };
  add_end(row.body_a, row.block_a);
  add_end(row.body_b, row.block_b);
  const double done = x * rate - 0.5 * left;
  const Joint& joint = world.joints[row.joint];
  if (row.drives)
    sums.add(EnergyPart::Motors, done);
  else if (joint.type == JointType::Spring || joint.compliance > 0.0)
    sums.add(EnergyPart::Springs, -done);
  else
    sums.add(EnergyPart::Joints, -done);
  sums.add(EnergyPart::Walls, given);
  sums.add(EnergyPart::Solver, -0.5 * left);
  sums.add(EnergyPart::SolverMagnitude, std::abs(0.5 * left));
}

}  // namespace talus
