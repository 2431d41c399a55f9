#include "simulation/energy_of_rows.hpp"

#include "talus/assembly/contact_rows.hpp"
#include "talus/core/arithmetic.hpp"

#include "model/body_traits.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
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
  const StandardArithmetic arithmetic;
#pragma omp parallel for schedule(static) if (count > 1000) default(none) firstprivate(arithmetic) \
    shared(count, bodies, h, after, mean)
  for (std::size_t b = 0; b < count; ++b) {
    if (bodies.motion[b] == Motion::Fixed) continue;
    const bool moved = bodies.motion[b] == Motion::Dynamic;
    const Vec3& v = bodies.velocity[b];
    const Vec3 w = moved ? half_of(bodies, b, h).angular_velocity : bodies.angular_velocity[b];
    mean[b] = {v.x, v.y, v.z, w.x, w.y, w.z};
    if (!moved) continue;
    for (std::size_t k = 0; k < mean[b].size(); ++k) mean[b][k] = 0.5 * (mean[b][k] + after[b][k]);
  }
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
  sums.add(EnergyPart::Cohesion, pull * vn);
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
