#include "talus/simulation/energy_ledger.hpp"

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
inline double rotation_energy(const Sym3& inertia, const Quaternion& q, const Vec3& w) {
  if (!std::isfinite(inertia.xx)) return 0.0;
  if (is_isotropic(inertia)) return 0.5 * inertia.xx * dot(w, w);
  const Vec3 turned = rotate_back(q, w);
  return 0.5 * dot(turned, inertia * turned);
}

inline double kinetic_of(const BodySet& bodies, std::size_t b, const Vec3& v, const Quaternion& q,
                         const Vec3& w) {
  return 0.5 * bodies.mass[b] * dot(v, v) + rotation_energy(bodies.inertia[b], q, w);
}
double kinetic_of(const BodySet& bodies, std::size_t b) {
  return kinetic_of(bodies, b, bodies.velocity[b], bodies.orientation[b],
                    bodies.angular_velocity[b]);
}

double power(const Vec6& wrench, const Twist& twist) {
  const Vec3 &v = twist.linear, &w = twist.angular;
  return 0.0 + wrench[0] * v.x + wrench[1] * v.y + wrench[2] * v.z + wrench[3] * w.x +
         wrench[4] * w.y + wrench[5] * w.z;
}

/// visit(first, end, sums) for each eight of `count` places, with sums of its own for each thread.
template <class Visit>
void add_eights(std::size_t count, EnergySums& total, const Visit& visit) {
  // waking threads for a few bodies costs more than the bodies
  [[maybe_unused]] const bool worth_threads = count > 1000;
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel if (worth_threads) default(none) firstprivate(arithmetic) \
    shared(count, total, visit, caught)
  {
    EnergySums mine;
#pragma omp for schedule(static) nowait
    for (std::size_t first = 0; first < count; first += lanes)
      caught.run(first, [&] { visit(first, std::min(first + lanes, count), mine); });
#pragma omp critical(energy_sums)
    total.merge(mine);
  }
  caught.rethrow();
}

void put(const Vec3& v, double* to) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

/// What concerns bodies alone.
class BodyEnergies {
 public:
  BodyEnergies(const SolvedStep& step, Halfway& halfway)
      : step_(step), halfway_(halfway), gravity_(value_at(step.world.gravity, step.world.time)) {}

  /// Of bodies [first, end), eight at most; those of another rank only come half way.
  void add(std::size_t first, std::size_t end, EnergySums& sums) const {
    Eight eight;
    for (std::size_t b = first; b < end; ++b) set(b, b - first, eight);
    sums.add(EnergyPart::Before, eight.before);
    sums.add(EnergyPart::Turned, eight.turned);
    sums.add(EnergyPart::Solved, eight.solved);
    sums.add(EnergyPart::Gravity, eight.gravity);
    sums.add(EnergyPart::Late, eight.late);
    sums.add(EnergyPart::FreeFall, eight.free_fall);
    sums.add(EnergyPart::Motors, eight.motors);
    if (!step_.added.empty()) sums.add(EnergyPart::Added, eight.added);
  }

 private:
  using Terms = std::array<double, lanes>;
  struct Eight {
    Terms before{}, turned{}, solved{}, gravity{}, late{}, free_fall{}, motors{}, added{};
  };

  void set(std::size_t b, std::size_t lane, Eight& eight) const {
    const BodySet& bodies = step_.world.bodies;
    const Vec3 &before = bodies.velocity[b], &spin = bodies.angular_velocity[b];
    HalfwayBody& halfway = halfway_[b];
    put(bodies.position[b], halfway.position);
    if (bodies.motion[b] == Motion::Fixed) return;
    if (bodies.motion[b] == Motion::Kinematic) {
      put(before, halfway.linear);
      put(spin, halfway.angular);
      return;
    }
    const double h = step_.h, mass = bodies.mass[b];
    // with its inertia as the problem of the step has it, and nothing done to it yet
    const bool is_round = is_isotropic(bodies.inertia[b]);
    const HalfTurn half =
        is_round ? HalfTurn{} : half_turn(bodies.inertia[b], bodies.orientation[b], spin, h);
    const Quaternion& q = is_round ? bodies.orientation[b] : half.orientation;
    const Vec3& turning = is_round ? spin : half.angular_velocity;
    const Vec6& u = step_.velocities[b];
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]}, &g = gravity_;
    const Twist mean{0.5 * (before + v), 0.5 * (turning + w)};
    put(mean.linear, halfway.linear);
    put(mean.angular, halfway.angular);
    if (!bodies.is_owned(static_cast<Index>(b))) return;
    eight.before[lane] = kinetic_of(bodies, b);
    eight.turned[lane] = is_round ? eight.before[lane] : kinetic_of(bodies, b, before, q, turning);
    eight.solved[lane] = kinetic_of(bodies, b, v, q, w);
    eight.gravity[lane] = h * mass * dot(g, v);
    eight.late[lane] = 0.5 * h * mass * dot(g, v - before);
    eight.free_fall[lane] = 0.5 * h * h * mass * dot(g, g);
    eight.motors[lane] = h * power(step_.wrench[b], mean);
    if (!step_.added.empty())
      eight.added[lane] = dot(0.5 * (w + turning), step_.added[b] * (w - turning));
  }

  const SolvedStep& step_;
  Halfway& halfway_;
  Vec3 gravity_;
};

/// Returns all bodies half way.
Halfway add_bodies(const SolvedStep& step, EnergySums& total) {
  const std::size_t count = step.world.bodies.id.size();
  Halfway halfway(count);
  const BodyEnergies energies(step, halfway);
  add_eights(count, total, [&](std::size_t first, std::size_t end, EnergySums& sums) {
    energies.add(first, end, sums);
  });
  return halfway;
}

void add_group_forces(const SolvedStep& step, const Halfway& halfway, EnergySums& total) {
  const BodySet& bodies = step.world.bodies;
  for (const GroupForce& force : step.world.forces) {
    if (!force.on) continue;
    const double t = step.world.time;
    const Vec3 f = value_at(force.force, t), m = value_at(force.torque, t),
               a = value_at(force.acceleration, t);
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (bodies.group[b] != force.group || bodies.motion[b] != Motion::Dynamic) continue;
      const Vec3 all = f + bodies.mass[b] * a;
      total.add(EnergyPart::Forces,
                step.h * power({all.x, all.y, all.z, m.x, m.y, m.z}, twist_of(halfway[b])));
    }
  }
}

void add_outer_forces(const SolvedStep& step, const Halfway& halfway, EnergySums& total) {
  each_outer_force(step.world, [&](Index body, const OuterForce& outer) {
    if (!step.world.bodies.is_owned(body)) return;
    const Vec3 &f = outer.force, &m = outer.torque;
    total.add(EnergyPart::Forces,
              step.h * power({f.x, f.y, f.z, m.x, m.y, m.z}, twist_of(halfway[body])));
  });
}

/// Rows that this rank owns come first.
void add_contacts(const SolvedStep& step, const Halfway& halfway, EnergySums& total) {
  const auto count = static_cast<std::size_t>(step.problem.cones.contact_count());
  const ContactEnergies energies(step, halfway);
  add_eights(count, total, [&](std::size_t first, std::size_t end, EnergySums& sums) {
    if (energies.has_tiles() && end - first == lanes) {
      energies.add_tile(static_cast<Index>(first / lanes), sums);
      return;
    }
    for (std::size_t cone = first; cone < end; ++cone) energies.add(static_cast<Index>(cone), sums);
  });
}

}  // namespace

void EnergySums::add(EnergyPart part, std::span<const double, 8> terms) {
  const auto k = static_cast<std::size_t>(part);
  if (count_[k] + terms.size() > at_once) flush(k);
  std::copy(terms.begin(), terms.end(), waiting_[k].begin() + count_[k]);
  count_[k] += terms.size();
}

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
  EnergySums total;
  const Halfway halfway = add_bodies(step, total);
  add_group_forces(step, halfway, total);
  add_outer_forces(step, halfway, total);
  add_contacts(step, halfway, total);
  for (std::size_t j = 0; j < static_cast<std::size_t>(step.problem.cones.scalar_count); ++j)
    add_joint_row(step, halfway, j, total);
  return total.sums();
}

LimbSum kinetic_sum(const World& world) {
  const BodySet& bodies = world.bodies;
  EnergySums total;
  const auto add = [&](std::size_t first, std::size_t end, EnergySums& sums) {
    std::array<double, lanes> terms{};
    for (std::size_t b = first; b < end; ++b)
      if (bodies.motion[b] == Motion::Dynamic) terms[b - first] = kinetic_of(bodies, b);
    sums.add(EnergyPart::After, terms);
  };
  add_eights(static_cast<std::size_t>(bodies.owned), total, add);
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

void add_joint_row(const SolvedStep& step, const Halfway& halfway, std::size_t j,
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
    const double share = power(block, twist_of(halfway[body]));
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
