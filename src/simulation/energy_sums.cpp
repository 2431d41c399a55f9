#include "simulation/energy_sums.hpp"

#include "talus/core/arithmetic.hpp"

#include "model/body_traits.hpp"
#include "simulation/energy_of_rows.hpp"

#include <cmath>

namespace talus {
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

Vec3 value_at(const std::array<Expression, 3>& formulas, double t) {
  return {formulas[0].at(t), formulas[1].at(t), formulas[2].at(t)};
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
#pragma omp parallel if (worth_threads) default(none) firstprivate(arithmetic) \
    shared(count, total, visit)
  {
    EnergySums mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < count; ++i) visit(i, mine);
#pragma omp critical(energy_sums)
    total.merge(mine);
  }
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

EnergyLedger energy_ledger(const World& world, std::vector<LimbSum> sums, double kinetic_start,
                           const Communicator& comm) {
  sums[static_cast<std::size_t>(EnergyPart::After)] = kinetic_sum(world);
  reduce(comm, sums);
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

}  // namespace talus
