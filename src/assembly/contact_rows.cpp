#include "talus/assembly/contact_rows.hpp"

#include "talus/assembly/joint_rows.hpp"
#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"
#include "talus/problem/body_part.hpp"

#include "model/body_traits.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

std::array<double, 3> values_at(const std::array<Expression, 3>& formulas, double t) {
  return {formulas[0].at(t), formulas[1].at(t), formulas[2].at(t)};
}

/// Adds what forces of groups do over a step.
void add_group_forces(const World& world, double h, BodyProblem& problem) {
  const BodySet& bodies = world.bodies;
  for (const GroupForce& force : world.forces) {
    if (!force.on) continue;
    const auto f = values_at(force.force, world.time), m = values_at(force.torque, world.time),
               a = values_at(force.acceleration, world.time);
    for (std::size_t b = 0; b < bodies.id.size(); ++b) {
      if (bodies.group[b] != force.group || bodies.motion[b] != Motion::Dynamic) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        problem.momentum[b][k] += h * (f[k] + bodies.mass[b] * a[k]);
        problem.momentum[b][k + 3] += h * m[k];
      }
    }
  }
}

/// Marks of the bodies that have more rows than one rank keeps (docs/decisions/013).
std::vector<std::uint8_t> bodies_with_many_rows(const World& world) {
  const ContactSet& contacts = world.contacts;
  std::vector<std::int64_t> rows(world.bodies.id.size(), 0);
  const std::int64_t each = stored_rows_per_contact(!contacts.angular_impulse.empty());
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    rows[static_cast<std::size_t>(contacts.body_a[c])] += each;
    rows[static_cast<std::size_t>(contacts.body_b[c])] += each;
  }
  std::vector<std::uint8_t> wide(rows.size(), 0);
  for (std::size_t b = 0; b < rows.size(); ++b) wide[b] = rows[b] > most_rows_of_one_rank ? 1 : 0;
  return wide;
}

const PairProperties& pair_of(const World& world, std::size_t c) {
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  return world.materials.pair(bodies.material[static_cast<std::size_t>(contacts.body_a[c])],
                              bodies.material[static_cast<std::size_t>(contacts.body_b[c])]);
}

/// Where B is touched: its own copy of the point.
Vec3 point_on_b(const World& world, std::size_t c) {
  const auto& image = world.contacts.name[c].image;
  if (image[0] == 0 && image[1] == 0 && image[2] == 0) return world.contacts.point[c];
  const Vec3 period = world.periodicity().period;
  return world.contacts.point[c] -
         Vec3{image[0] * period.x, image[1] * period.y, image[2] * period.z};
}

Vec3 velocity_at(const BodySet& bodies, Index body, const Vec3& point) {
  const auto b = static_cast<std::size_t>(body);
  return bodies.velocity[b] + cross(bodies.angular_velocity[b], point - bodies.position[b]);
}

/// Applies the pull of cohesive contacts to the momenta, in the order of contacts.
void add_cohesion(const World& world, double h, BodyProblem& problem) {
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  const auto apply = [&](Index body, const Vec3& point, const Vec3& pull) {
    const auto b = static_cast<std::size_t>(body);
    if (bodies.motion[b] != Motion::Dynamic) return;
    const Vec3 turn = cross(point - bodies.position[b], pull);
    Vec6& f = problem.momentum[b];
    f = {f[0] + pull.x, f[1] + pull.y, f[2] + pull.z, f[3] + turn.x, f[4] + turn.y, f[5] + turn.z};
  };
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const double pull = cohesion_pull(world, static_cast<Index>(c), h);
    if (pull == 0.0) continue;
    apply(contacts.body_a[c], contacts.point[c], pull * contacts.normal[c]);
    apply(contacts.body_b[c], point_on_b(world, c), -pull * contacts.normal[c]);
  }
}

double share_of(const World& world, Index body, const Vec6& block, bool prescribed_only) {
  if (body == no_body) return 0.0;
  const auto b = static_cast<std::size_t>(body);
  if (prescribed_only && world.bodies.motion[b] != Motion::Kinematic) return 0.0;
  return dot({block[0], block[1], block[2]}, world.bodies.velocity[b]) +
         dot({block[3], block[4], block[5]}, world.bodies.angular_velocity[b]);
}

}  // namespace

void body_rows(const World& world, double h, const std::vector<Vec6>& wrench,
               BodyProblem& problem) {
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  problem.body_id = bodies.id;
  problem.centre = bodies.position;
  problem.inverse_mass.assign(count, 0.0);
  problem.inverse_inertia.assign(count, Sym3{});
  problem.momentum.assign(count, Vec6{});
  const auto g = values_at(world.gravity, world.time);
#pragma omp parallel for schedule(static) if (count > 1000) default(none) \
    shared(count, bodies, problem, g, h, wrench)
  for (std::size_t b = 0; b < count; ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    const double mass = bodies.mass[b];
    const Sym3& inertia = bodies.inertia[b];
    problem.inverse_mass[b] = 1.0 / mass;
    Vec3 turning;  // angular momentum; none of what cannot turn (inertia infinite)
    if (is_isotropic(inertia)) {
      const double inverse_moment = inertia.xx > 0.0 ? 1.0 / inertia.xx : 0.0;
      problem.inverse_inertia[b] = {inverse_moment, 0.0, 0.0, inverse_moment, 0.0, inverse_moment};
      if (inverse_moment > 0.0) turning = inertia.xx * bodies.angular_velocity[b];
    } else {
      problem.inverse_inertia[b] = rotated(bodies.orientation[b], inverse(inertia));
      turning = rotated(bodies.orientation[b], inertia) * bodies.angular_velocity[b];
    }
    const Vec3& v = bodies.velocity[b];
    const Vec6& q = wrench[b];
    problem.momentum[b] = {mass * v.x + h * (mass * g[0] + q[0]),
                           mass * v.y + h * (mass * g[1] + q[1]),
                           mass * v.z + h * (mass * g[2] + q[2]),
                           turning.x + h * q[3],
                           turning.y + h * q[4],
                           turning.z + h * q[5]};
  }
  add_group_forces(world, h, problem);
}

std::vector<Vec6> velocity_gains(const World& world, double h) {
  const auto pushes = [](const Joint& joint) {
    return joint.on && ((joint.angle_motor.on && joint.angle_motor.type == MotorType::Force) ||
                        (joint.way_motor.on && joint.way_motor.type == MotorType::Force));
  };
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  std::vector<Vec6> gains(count, Vec6{});
  if (std::any_of(world.joints.begin(), world.joints.end(), pushes)) {
    std::vector<JointRow> ignored;
    joint_rows(world, h, ignored, gains);  // N, N m
  } else if (std::none_of(world.forces.begin(), world.forces.end(),
                          [](const GroupForce& force) { return force.on; })) {
    return {};
  }
  BodyProblem problem;
  problem.momentum.resize(count);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t k = 0; k < 6; ++k) problem.momentum[b][k] = h * gains[b][k];
  add_group_forces(world, h, problem);
  for (std::size_t b = 0; b < count; ++b) {
    gains[b] = Vec6{};
    if (bodies.motion[b] != Motion::Dynamic) continue;
    const Vec6& p = problem.momentum[b];
    const Vec3 turn{p[3], p[4], p[5]};
    const Sym3& inertia = bodies.inertia[b];
    const double moment = inertia.xx;
    const Vec3 spin = !is_isotropic(inertia)
                          ? rotated(bodies.orientation[b], inverse(inertia)) * turn
                          : (moment > 0.0 ? 1.0 / moment : 0.0) * turn;
    const double lightness = 1.0 / bodies.mass[b];
    gains[b] = {lightness * p[0], lightness * p[1], lightness * p[2], spin.x, spin.y, spin.z};
  }
  return gains;
}

double cohesion_pull(const World& world, Index contact, double h) {
  const auto c = static_cast<std::size_t>(contact);
  const double force = pair_of(world, c).cohesion;
  if (force == 0.0) return 0.0;
  // What is held together has a gap of some rounding and solver error.
  constexpr double hair = 1e-3;  // of the smaller body
  const double size =
      std::min(world.bodies.reach[static_cast<std::size_t>(world.contacts.body_a[c])],
               world.bodies.reach[static_cast<std::size_t>(world.contacts.body_b[c])]);
  return world.contacts.gap[c] <= hair * size ? h * force : 0.0;
}

std::vector<GlobalId> contact_keys(const World& world) {
  constexpr int count_bits = 20;
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  const std::vector<std::uint8_t> wide = bodies_with_many_rows(world);
  const auto may_own = [&](Index body) {
    const auto b = static_cast<std::size_t>(body);
    return bodies.motion[b] == Motion::Dynamic && wide[b] == 0;
  };
  std::vector<GlobalId> owned(bodies.id.size(), 0), keys(contacts.gap.size());
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const Index a = contacts.body_a[c], b = contacts.body_b[c];
    const auto owner = static_cast<std::size_t>(may_own(a) || !may_own(b) ? a : b);
    TALUS_ASSERT(owned[owner] < GlobalId{1} << count_bits);
    keys[c] = (bodies.id[owner] << count_bits) + owned[owner]++;
  }
  return keys;
}

void contact_rows(const World& world, double h, BodyProblem& problem) {
  const ContactSet& contacts = world.contacts;
  const std::size_t count = contacts.gap.size();
  const bool rolling = !contacts.angular_impulse.empty();
  const bool periodic = world.periodicity().any();
  problem.time_step = h;
  problem.contact_key = contact_keys(world);
  problem.contact_body_a = contacts.body_a;
  problem.contact_body_b = contacts.body_b;
  problem.normal = contacts.normal;
  problem.point = contacts.point;
  problem.tangent.resize(count);
  problem.friction.resize(count);
  problem.contact_bias.assign(count, Vec3{});
  problem.normal_compliance.assign(count, 0.0);
  problem.tangent_compliance.assign(count, 0.0);
  problem.rolling_friction.assign(rolling ? count : 0, 0.0);
  problem.spinning_friction.assign(rolling ? count : 0, 0.0);
  problem.point_b.assign(periodic ? count : 0, Vec3{});
#pragma omp parallel for schedule(static) if (count > 1000) default(none) \
    shared(count, contacts, world, problem, rolling, periodic)
  for (std::size_t c = 0; c < count; ++c) {
    const PairProperties& pair = pair_of(world, c);
    problem.tangent[c] = tangent_of(contacts.normal[c]);
    problem.friction[c] = pair.friction;
    if (rolling) problem.rolling_friction[c] = pair.rolling_friction;
    if (rolling) problem.spinning_friction[c] = pair.spinning_friction;
    if (periodic) problem.point_b[c] = point_on_b(world, c);
  }
  add_cohesion(world, h, problem);
}

Vec3 contact_velocity(const World& world, Index contact) {
  const auto c = static_cast<std::size_t>(contact);
  return velocity_at(world.bodies, world.contacts.body_b[c], point_on_b(world, c)) -
         velocity_at(world.bodies, world.contacts.body_a[c], world.contacts.point[c]);
}

Vec3 prescribed_contact_velocity(const World& world, Index contact) {
  const auto c = static_cast<std::size_t>(contact);
  const auto is_kinematic = [&](Index body) {
    return world.bodies.motion[static_cast<std::size_t>(body)] == Motion::Kinematic;
  };
  const Index a = world.contacts.body_a[c], b = world.contacts.body_b[c];
  const Vec3 of_b = is_kinematic(b) ? velocity_at(world.bodies, b, point_on_b(world, c)) : Vec3{};
  const Vec3 of_a =
      is_kinematic(a) ? velocity_at(world.bodies, a, world.contacts.point[c]) : Vec3{};
  return of_b - of_a;
}

double row_velocity(const World& world, const JointRow& row) {
  return share_of(world, row.body_a, row.block_a, false) +
         share_of(world, row.body_b, row.block_b, false);
}

double prescribed_row_velocity(const World& world, const JointRow& row) {
  return share_of(world, row.body_a, row.block_a, true) +
         share_of(world, row.body_b, row.block_b, true);
}

}  // namespace talus
