#include "assembly/contact_rows.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_problem.hpp"

#include "assembly/geometric_stiffness.hpp"
#include "assembly/joint_frames.hpp"
#include "assembly/joint_rows.hpp"
#include "cones/frame_tiles.hpp"
#include "core/arithmetic.hpp"
#include "core/in_parallel.hpp"
#include "core/key_order.hpp"
#include "core/vector_numbers.hpp"
#include "model/body_traits.hpp"
#include "model/outer_forces.hpp"
#include "model/row_owners.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

namespace talus {
namespace {

void add(Vec6& momentum, const Vec3& linear, const Vec3& angular) {
  const Vec6 more{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (std::size_t k = 0; k < more.size(); ++k) momentum[k] += more[k];
}

/// Adds what forces of groups do over a step.
void add_group_forces(const World& world, double h, BodyProblem& problem) {
  const BodySet& bodies = world.bodies;
  for (const GroupForce& force : world.forces) {
    if (!force.on) continue;
    const Vec3 f = value_at(force.force, world.time), m = value_at(force.torque, world.time),
               a = value_at(force.acceleration, world.time);
    for (std::size_t b = 0; b < bodies.id.size(); ++b) {
      if (bodies.group[b] != force.group || bodies.motion[b] != Motion::Dynamic) continue;
      add(problem.momentum[b], h * (f + bodies.mass[b] * a), h * m);
    }
  }
}

/// The same of what callers do.
void add_outer_forces(const World& world, double h, BodyProblem& problem) {
  each_outer_force(world, [&](Index body, const OuterForce& outer) {
    add(problem.momentum[body], h * outer.force, h * outer.torque);
  });
}

Vec3 velocity_at(const BodySet& bodies, Index body, const Vec3& point) {
  const auto b = static_cast<std::size_t>(body);
  return bodies.velocity[b] + cross(bodies.angular_velocity[b], point - bodies.position[b]);
}

/// visit(body, point, impulse on it) for both bodies of every cohesive contact, in the order of
/// contacts.
template <class Visit>
void each_pull(const World& world, double h, const Visit& visit) {
  const ContactSet& contacts = world.contacts;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const double pull = cohesion_pull(world, static_cast<Index>(c), h);
    if (pull == 0.0) continue;
    visit(c, contacts.body_a[c], contacts.point[c], pull * contacts.normal[c]);
    visit(c, contacts.body_b[c], contact_point_on_b(world, static_cast<Index>(c)),
          -pull * contacts.normal[c]);
  }
}

Vec6 wrench_of(const World& world, Index body, const Vec3& point, const Vec3& pull) {
  const Vec3 turn = cross(point - world.bodies.position[body], pull);
  return {pull.x, pull.y, pull.z, turn.x, turn.y, turn.z};
}

void add_cohesion(const World& world, double h, const std::vector<std::uint8_t>& hub,
                  BodyProblem& problem) {
  if (!world.materials.is_cohesive()) return;
  const RowOwners owners(world.bodies, hub);
  each_pull(world, h, [&](std::size_t, Index body, const Vec3& point, const Vec3& pull) {
    if (!owners.binds(body)) return;
    const Vec6 wrench = wrench_of(world, body, point, pull);
    Vec6& f = problem.momentum[body];
    for (std::size_t k = 0; k < wrench.size(); ++k) f[k] += wrench[k];
  });
}

double share_of(const World& world, Index body, const Vec6& block, bool prescribed_only) {
  if (body == no_body) return 0.0;
  const auto b = static_cast<std::size_t>(body);
  if (prescribed_only && world.bodies.motion[b] != Motion::Kinematic) return 0.0;
  return dot({block[0], block[1], block[2]}, world.bodies.velocity[b]) +
         dot({block[3], block[4], block[5]}, world.bodies.angular_velocity[b]);
}

}  // namespace

void body_rows(const World& world, double h, const std::vector<Vec6>& wrench, BodyProblem& problem,
               const std::vector<Sym3>& added) {
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  problem.body_id = bodies.id;
  problem.centre = bodies.position;
  problem.inverse_mass.assign(count, 0.0);
  problem.inverse_inertia.assign(count, Sym3{});
  problem.momentum.assign(count, Vec6{});
  const Vec3 g = value_at(world.gravity, world.time);
  in_parallel(count, [&](std::size_t b) {
    if (bodies.motion[b] != Motion::Dynamic) return;
    const double mass = bodies.mass[b];
    const Sym3& inertia = bodies.inertia[b];
    problem.inverse_mass[b] = 1.0 / mass;
    Vec3 turning;  // angular momentum; none of what cannot turn (inertia infinite)
    if (is_isotropic(inertia)) {
      const double inverse_moment = inertia.xx > 0.0 ? 1.0 / inertia.xx : 0.0;
      problem.inverse_inertia[b] = {inverse_moment, 0.0, 0.0, inverse_moment, 0.0, inverse_moment};
      if (inverse_moment > 0.0) turning = inertia.xx * bodies.angular_velocity[b];
    } else {
      // of the axes half way through the step: docs/algorithms/stepping.md
      const HalfTurn half =
          half_turn(inertia, bodies.orientation[b], bodies.angular_velocity[b], h);
      problem.inverse_inertia[b] = rotated(half.orientation, inverse(inertia));
      turning = rotated(bodies.orientation[b], inertia) * bodies.angular_velocity[b];
    }
    if (!added.empty()) add_inertia(added[b], problem.inverse_inertia[b], turning);
    const Vec3& v = bodies.velocity[b];
    const Vec6& q = wrench[b];
    problem.momentum[b] = {mass * v.x + h * (mass * g.x + q[0]),
                           mass * v.y + h * (mass * g.y + q[1]),
                           mass * v.z + h * (mass * g.z + q[2]),
                           turning.x + h * q[3],
                           turning.y + h * q[4],
                           turning.z + h * q[5]};
  });
  add_group_forces(world, h, problem);
  add_outer_forces(world, h, problem);
}

std::vector<SpeedGain> speed_gains(const World& world, double h) {
  const BodySet& bodies = world.bodies;
  const bool forced = std::any_of(world.forces.begin(), world.forces.end(),
                                  [](const GroupForce& force) { return force.on; });
  std::map<GlobalId, std::array<double, 2>> driven;  // N along, N m about the axis
  for (const Joint& joint : world.joints) {
    const auto force = [&](const Motor& motor) {
      const bool pushes = joint.on && motor.on && motor.type == MotorType::Force;
      return pushes ? std::abs(force_of(motor, world.time, h)) : 0.0;
    };
    const double along = force(joint.way_motor), about = force(joint.angle_motor);
    if (!(along > 0.0) && !(about > 0.0)) continue;
    for (const GlobalId id : {joint.body_a, joint.body_b}) {
      driven[id][0] += along;
      driven[id][1] += about;
    }
  }
  if (!forced && driven.empty() && world.held.empty() && world.pushed.empty()) return {};
  BodyProblem problem;
  problem.momentum.assign(bodies.id.size(), Vec6{});
  add_group_forces(world, h, problem);
  add_outer_forces(world, h, problem);
  std::vector<SpeedGain> gains(bodies.id.size());
  for (std::size_t b = 0; b < gains.size(); ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    const Vec6& p = problem.momentum[b];
    double push = length(Vec3{p[0], p[1], p[2]}), twist = length(Vec3{p[3], p[4], p[5]});
    if (const auto motor = driven.find(bodies.id[b]); motor != driven.end()) {
      const double reach = std::isfinite(bodies.reach[b]) ? bodies.reach[b] : 0.0;
      push += h * motor->second[0];
      twist += h * (motor->second[1] + reach * motor->second[0]);
    }
    const Sym3& inertia = bodies.inertia[b];
    const Sym3 lightness = is_isotropic(inertia) ? Sym3{} : inverse(inertia);
    const double most = is_isotropic(inertia) ? (inertia.xx > 0.0 ? 1.0 / inertia.xx : 0.0)
                                              : lightness.xx + lightness.yy + lightness.zz;
    gains[b] = {push / bodies.mass[b], most * twist};
  }
  return gains;
}

double cohesion_pull(const World& world, Index contact, double h) {
  const auto c = static_cast<std::size_t>(contact);
  const double force = pair_of(world, c).cohesion;
  if (force == 0.0) return 0.0;
  // What is held together has a gap of some rounding and solver error.
  constexpr double hair = 1e-3;  // of the smaller body
  const double size = std::min(world.bodies.reach[world.contacts.body_a[c]],
                               world.bodies.reach[world.contacts.body_b[c]]);
  return world.contacts.gap[c] <= hair * size ? h * force : 0.0;
}

std::vector<std::int64_t> row_counts(const World& world, const std::vector<JointRow>& joints) {
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  std::vector<std::int64_t> rows(bodies.id.size(), 0);
  const auto is_local = [&](Index body) { return body != no_body && bodies.is_local(body); };
  const auto count = [&](Index body, Index other, std::int64_t each) {
    if (body == no_body) return;
    // that of a body everywhere counts where its partner is owned, else where itself is
    const Index place = is_local(body) || !is_local(other) ? body : other;
    if (is_local(body) || bodies.is_owned(place)) rows[body] += each;
  };
  const std::int64_t each = stored_rows_per_contact(!contacts.angular_impulse.empty());
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    count(contacts.body_a[c], contacts.body_b[c], each);
    count(contacts.body_b[c], contacts.body_a[c], each);
  }
  for (const JointRow& row : joints) {
    count(row.body_a, row.body_b, 1);
    count(row.body_b, row.body_a, 1);
  }
  return rows;
}

std::vector<GlobalId> contact_keys(const World& world, const std::vector<std::uint8_t>& hub) {
  constexpr int count_bits = 20;
  const BodySet& bodies = world.bodies;
  const ContactSet& contacts = world.contacts;
  const RowOwners owners(bodies, hub);
  std::vector<GlobalId> owned(bodies.id.size(), 0), keys(contacts.gap.size());
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const auto owner =
        static_cast<std::size_t>(owners.body_of(contacts.body_a[c], contacts.body_b[c]));
    TALUS_ASSERT(owned[owner] < GlobalId{1} << count_bits);
    keys[c] = (bodies.id[owner] << count_bits) + owned[owner]++;
  }
  return keys;
}

std::vector<GlobalId> contact_identities(const ContactSet& contacts) {
  std::vector<GlobalId> identities(contacts.name.size());
  for (std::size_t c = 0; c < identities.size(); ++c) {
    const ContactName& name = contacts.name[c];
    std::uint64_t code = name.feature;
    for (const std::int8_t image : name.image)
      code = (code << 8) | static_cast<std::uint8_t>(image);
    const std::uint64_t pair =
        mixed_bits(static_cast<std::uint64_t>(name.a)) ^ static_cast<std::uint64_t>(name.b);
    identities[c] = static_cast<GlobalId>(mixed_bits(mixed_bits(pair) ^ code) >> 1);
  }
  return identities;
}

void add_hub_cohesion(const World& world, double h, const std::vector<std::uint8_t>& hub,
                      const Communicator& comm, BodyProblem& problem) {
  if (!world.materials.is_cohesive()) return;
  std::vector<std::size_t> place(hub.size(), 0);
  std::vector<Index> bodies;
  for (std::size_t b = 0; b < hub.size(); ++b)
    if (hub[b] != 0) bodies.push_back(static_cast<Index>(b));
  if (bodies.empty()) return;
  sort_by_id(world.bodies, bodies);
  for (std::size_t k = 0; k < bodies.size(); ++k) place[bodies[k]] = k;
  const RowOwners owners(world.bodies, hub);
  std::vector<LimbSum> sums(6 * bodies.size());
  each_pull(world, h, [&](std::size_t c, Index body, const Vec3& point, const Vec3& pull) {
    const auto b = static_cast<std::size_t>(body);
    if (hub[b] == 0 || !owners.owned(world.contacts.body_a[c], world.contacts.body_b[c])) return;
    const Vec6 wrench = wrench_of(world, body, point, pull);
    for (std::size_t k = 0; k < wrench.size(); ++k)
      sums[6 * place[b] + k].add(std::span(&wrench[k], 1));
  });
  reduce(comm, sums);
  for (std::size_t i = 0; i < sums.size(); ++i)
    problem.momentum[bodies[i / 6]][i % 6] += sums[i].value();
}

namespace {

/// m/s: what is slower sticks, and its velocity is what the tolerance has left of it: a tenth of
/// what gravity gives in a step.
double least_slip(const World& world, double h) {
  return 0.1 * h * length(value_at(world.gravity, world.time));
}

bool names_a_tangent(const PairProperties& pair) {
  return pair.friction_along_slip || dot(pair.friction_axis, pair.friction_axis) > 0.0;
}

/// Along the slip or the axis that the pair names, where that has a direction in the plane of the
/// contact.
Vec3 named_tangent(const PairProperties& pair, const World& world, Index contact, double slow) {
  const Vec3& normal = world.contacts.normal[contact];
  const Vec3 axis =
      pair.friction_along_slip ? contact_velocity(world, contact) : pair.friction_axis;
  const Vec3 along = axis - dot(axis, normal) * normal;
  const double size = length(along);
  // of an axis: below, rounding of the normal would turn it
  const double least = pair.friction_along_slip ? std::max(slow, 1e-3 * length(axis)) : 1e-3;
  if (!(size > least)) return tangent_of(normal);
  const Vec3 tangent = (1.0 / size) * along;
  return unit(tangent - dot(tangent, normal) * normal);  // once more: what was left over has grown
}

}  // namespace

void contact_rows(const World& world, double h, const std::vector<std::uint8_t>& hub,
                  BodyProblem& problem) {
  const ContactSet& contacts = world.contacts;
  const std::size_t count = contacts.gap.size();
  const bool rolling = !contacts.angular_impulse.empty();
  const bool periodic = world.periodicity().any();
  problem.time_step = h;
  problem.contact_key = contact_keys(world, hub);
  problem.contact_body_a = contacts.body_a;
  problem.contact_body_b = contacts.body_b;
  problem.normal = contacts.normal;
  problem.point = contacts.point;
  problem.tangent.resize(count);
  frame_kernels().tangents(numbers_of(problem.normal), numbers_of(problem.tangent),
                           contacts.count());
  problem.friction.resize(count);
  problem.contact_bias.assign(count, Vec3{});
  problem.normal_compliance.assign(count, 0.0);
  problem.tangent_compliance.assign(count, 0.0);
  problem.rolling_friction.assign(rolling ? count : 0, 0.0);
  problem.spinning_friction.assign(rolling ? count : 0, 0.0);
  problem.point_b.assign(periodic ? count : 0, Vec3{});
  const double slow = least_slip(world, h);
  in_parallel(count, [&](std::size_t c) {
    const PairProperties& pair = pair_of(world, c);
    if (names_a_tangent(pair))
      problem.tangent[c] = named_tangent(pair, world, static_cast<Index>(c), slow);
    problem.friction[c] = pair.friction;
    if (rolling) problem.rolling_friction[c] = pair.rolling_friction;
    if (rolling) problem.spinning_friction[c] = pair.spinning_friction;
    if (periodic) problem.point_b[c] = contact_point_on_b(world, static_cast<Index>(c));
  });
  add_cohesion(world, h, hub, problem);
}

Vec3 contact_point_on_b(const World& world, Index contact) {
  return contact_point_on_b(world, world.contacts, contact);
}

Vec3 contact_point_on_b(const World& world, const ContactSet& contacts, Index contact) {
  const auto c = static_cast<std::size_t>(contact);
  const auto& image = contacts.name[c].image;
  if (image[0] == 0 && image[1] == 0 && image[2] == 0) return contacts.point[c];
  const Vec3 period = world.periodicity().period;
  return contacts.point[c] - Vec3{image[0] * period.x, image[1] * period.y, image[2] * period.z};
}

Vec3 contact_velocity(const World& world, Index contact) {
  const auto c = static_cast<std::size_t>(contact);
  return velocity_at(world.bodies, world.contacts.body_b[c], contact_point_on_b(world, contact)) -
         velocity_at(world.bodies, world.contacts.body_a[c], world.contacts.point[c]);
}

Vec3 prescribed_turning(const World& world, Index contact) {
  const auto c = static_cast<std::size_t>(contact);
  const auto turning = [&](Index body) {
    const auto b = static_cast<std::size_t>(body);
    return world.bodies.motion[b] == Motion::Kinematic ? world.bodies.angular_velocity[b] : Vec3{};
  };
  return turning(world.contacts.body_b[c]) - turning(world.contacts.body_a[c]);
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
