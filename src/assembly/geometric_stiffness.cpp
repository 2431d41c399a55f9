// [Tournier15] treats the geometric stiffness of all constraints together in a matrix; [Andrews17]
// take a diagonal of it per body, which leaves the rest of the step as it is. Here it is per body
// too, but inertia on both sides of the step, which takes no energy away.

#include "assembly/geometric_stiffness.hpp"

#include "assembly/joint_frames.hpp"
#include "assembly/spectrum.hpp"
#include "model/body_traits.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace talus {
namespace {

Sym3 operator+(const Sym3& a, const Sym3& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
Sym3 operator*(double s, const Sym3& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
/// s 1 - a a^T.
Sym3 across(double s, const Vec3& a) {
  return {s - a.x * a.x, -a.x * a.y, -a.x * a.z, s - a.y * a.y, -a.y * a.z, s - a.z * a.z};
}
double size_of(const Sym3& a) {
  return std::sqrt(a.xx * a.xx + a.yy * a.yy + a.zz * a.zz +
                   2.0 * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz));
}

bool can_be_turned(const Sym3& inertia) {
  return inertia.xx > 0.0 && inertia.yy > 0.0 && inertia.zz > 0.0 &&
         std::isfinite(inertia.xx + inertia.yy + inertia.zz);
}

Sym3 inertia_in_world(const BodySet& bodies, std::size_t b) {
  const Sym3& inertia = bodies.inertia[b];
  return is_isotropic(inertia) ? inertia : rotated(bodies.orientation[b], inertia);
}

bool is_rope(JointType type) {
  return type == JointType::Distance || type == JointType::Spring;
}

/// What one joint does to one of its bodies.
struct Share {
  Index body = 0, joint = 0;
  double force = 0.0;
  Sym3 turning;
  double sideways = 0.0;
};

/// `far`: length of a rope, which pulls along `between`; 0: no rope, or one that pushes.
Share share_of(Index body, Index joint, const Vec3& arm, const Vec3& force, double far,
               const Vec3& between) {
  Share share{body, joint, length(force), lever_stiffness(arm, force), 0.0};
  if (far == 0.0) return share;
  // T/L |difference of the ends across the rope|^2 is at most twice the sum of both ends' squares,
  // and an end's, which the body moves and turns, twice the sum of what both do
  constexpr double of_two_ends = 2.0, of_two_ways = 2.0;
  const double pull = of_two_ends * share.force / far;
  share.sideways = pull;
  share.turning =
      share.turning +
      of_two_ways * pull * (across(dot(arm, arm), arm) + across(0.0, cross(arm, between)));
  return share;
}

/// The force of a joint acts at the origin of frame B on both bodies, that of a rope on each at its
/// own end. Torques need no term: they turn with the axes that they keep in line.
void add_shares(const World& world, Index number, std::vector<Share>& shares) {
  const Joint& joint = world.joints[number];
  const Vec3& force = joint.reaction_force;
  if (!joint.on || dot(force, force) == 0.0) return;
  const std::optional<JointFrames> frames = frames_of(world, joint);
  if (!frames) return;
  const auto moves = [&](Index body) {
    return body != no_body && world.bodies.is_owned(body) &&
           world.bodies.motion[body] == Motion::Dynamic;
  };
  const bool rope = is_rope(joint.type);
  const Vec3 between = unit(frames->b.position - frames->a.position);
  const double far =
      rope && dot(force, between) < 0.0 ? length(frames->b.position - frames->a.position) : 0.0;
  if (moves(frames->body_b))
    shares.push_back(share_of(frames->body_b, number, frames->b.position - frames->centre_b, force,
                              far, between));
  // where frame B slides along A, the force turns with A, and not its lever
  if (moves(frames->body_a) && !slides_along_axis(joint.type))
    shares.push_back(share_of(frames->body_a, number,
                              (rope ? frames->a.position : frames->b.position) - frames->centre_a,
                              -force, far, between));
}

/// Adds the shares of each body, and keeps those that are stiff.
StiffBodies gathered(const World& world, double h, std::vector<Share> shares) {
  const BodySet& bodies = world.bodies;
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.body < b.body; });
  StiffBodies found;
  for (std::size_t i = 0, end = 0; i < shares.size(); i = end) {
    StiffBody sum;
    sum.body = shares[i].body;
    double most = -1.0;
    for (end = i; end < shares.size() && shares[end].body == sum.body; ++end) {
      const Share& share = shares[end];
      sum.turning = sum.turning + share.turning;
      sum.sideways += share.sideways;
      const double stiff = size_of(share.turning) + share.sideways;
      if (stiff <= most) continue;
      most = stiff;
      sum.joint = share.joint;
      sum.force = share.force;
    }
    const auto b = static_cast<std::size_t>(sum.body);
    sum.step_angle = h * std::sqrt(sum.sideways / bodies.mass[b]);
    sum.sways = sum.step_angle > 0.0;
    const Sym3& inertia = bodies.inertia[b];
    if (can_be_turned(inertia)) {
      const Sym3 lightness = inverse(inertia);
      const double at_most =
          h * std::sqrt(size_of(sum.turning) * (lightness.xx + lightness.yy + lightness.zz));
      // the spectrum only of what may be the stiffest, or beyond
      if (at_most > std::min(found.stiffest.step_angle, followed_angle)) {
        const double turning = step_angle(inertia_in_world(bodies, b), sum.turning, h);
        sum.sways = sum.step_angle > turning;
        sum.step_angle = std::max(sum.step_angle, turning);
      }
    }
    if (sum.step_angle > found.stiffest.step_angle) found.stiffest = sum;
    if (sum.step_angle > followed_angle) found.beyond.push_back(sum);
  }
  return found;
}

/// What hangs on each joint, kg: joints are followed from the world and from bodies that impulses
/// do not move. 0 of those that close a loop, and of what hangs on nothing.
std::vector<double> hanging_masses(const World& world) {
  const BodySet& bodies = world.bodies;
  std::vector<double> hanging(world.joints.size(), 0.0);
  std::map<Index, std::vector<std::size_t>> joints_of;
  const auto index = [&](GlobalId id) { return id == world_id ? no_body : bodies.find(id); };
  const auto holds = [&](Index body) {
    return body == no_body || bodies.motion[body] != Motion::Dynamic;
  };
  struct Reached {
    Index body;
    std::size_t joint;
  };
  std::vector<Reached> order;
  std::map<Index, std::size_t> joint_above;
  const auto reach = [&](Index body, std::size_t joint) {
    if (!holds(body) && joint_above.emplace(body, joint).second) order.push_back({body, joint});
  };
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const Joint& joint = world.joints[j];
    const Index a = index(joint.body_a), b = index(joint.body_b);
    if (!joint.on || (a < 0 && joint.body_a != world_id) || (b < 0 && joint.body_b != world_id))
      continue;
    if (holds(a)) reach(b, j);
    if (holds(b)) reach(a, j);
    if (!holds(a)) joints_of[a].push_back(j);
    if (!holds(b)) joints_of[b].push_back(j);
  }
  // grows while it is gone through
  std::size_t followed = 0;
  while (followed < order.size()) {
    const Index from = order[followed++].body;
    for (const std::size_t j : joints_of[from]) {
      const Index a = index(world.joints[j].body_a), b = index(world.joints[j].body_b);
      reach(a == from ? b : a, j);
    }
  }
  std::for_each(order.rbegin(), order.rend(), [&](const Reached& last) {
    double& carried = hanging[last.joint];
    carried += bodies.mass[last.body];
    const Joint& joint = world.joints[last.joint];
    const Index a = index(joint.body_a), b = index(joint.body_b);
    const auto above = joint_above.find(a == last.body ? b : a);
    if (above != joint_above.end()) hanging[above->second] += carried;
  });
  return hanging;
}

}  // namespace

Sym3 lever_stiffness(const Vec3& arm, const Vec3& force) {
  const double s = dot(arm, force);
  return {s - arm.x * force.x,
          -0.5 * (arm.x * force.y + arm.y * force.x),
          -0.5 * (arm.x * force.z + arm.z * force.x),
          s - arm.y * force.y,
          -0.5 * (arm.y * force.z + arm.z * force.y),
          s - arm.z * force.z};
}

double step_angle(const Sym3& inertia, const Sym3& stiffness, double h) {
  const Spectrum s = spectrum_of(scaled(CholeskyFactor(inertia), stiffness));
  return h * std::sqrt(std::max({0.0, s.value[0], s.value[1], s.value[2]}));
}

Sym3 missing_inertia(const Sym3& inertia, const Sym3& stiffness, double h) {
  const CholeskyFactor factor(inertia);
  const Spectrum s = spectrum_of(scaled(factor, stiffness));
  Sym3 missing;
  for (std::size_t k = 0; k < s.value.size(); ++k) {
    const double share = h * h * s.value[k] / (followed_angle * followed_angle) - 1.0;
    if (!(share > 0.0)) continue;
    missing = missing + (-share) * across(0.0, factor.times(s.vector[k]));
  }
  return missing;
}

StiffBodies stiff_bodies(const World& world, double h) {
  std::vector<Share> shares;
  for (std::size_t j = 0; j < world.joints.size(); ++j)
    add_shares(world, static_cast<Index>(j), shares);
  return gathered(world, h, std::move(shares));
}

StiffBody stiffest_at_start(const World& world, double h, double gravity) {
  constexpr double swinging = 3.0;
  const std::vector<double> hanging = hanging_masses(world);
  std::vector<Share> shares;
  for (std::size_t j = 0; j < hanging.size(); ++j) {
    const double force = swinging * gravity * hanging[j];
    const std::optional<JointFrames> frames = frames_of(world, world.joints[j]);
    if (!(force > 0.0) || !frames) continue;
    const Vec3 way = frames->b.position - frames->a.position;
    const double far = is_rope(world.joints[j].type) ? length(way) : 0.0;
    const auto add = [&](Index body, const Vec3& arm) {
      if (body == no_body || world.bodies.motion[body] != Motion::Dynamic) return;
      // away from the centre: what pulls back the most
      const Vec3 outwards = dot(arm, arm) > 0.0 ? unit(arm) : unit(way);
      shares.push_back(
          share_of(body, static_cast<Index>(j), arm, force * outwards, far, unit(way)));
    };
    add(frames->body_a, (far > 0.0 ? frames->a : frames->b).position - frames->centre_a);
    add(frames->body_b, frames->b.position - frames->centre_b);
  }
  return gathered(world, h, std::move(shares)).stiffest;
}

std::vector<Sym3> added_inertia(const World& world, double h, const StiffBodies& stiff) {
  std::vector<Sym3> added;
  if (stiff.beyond.empty()) return added;
  const BodySet& bodies = world.bodies;
  added.assign(bodies.id.size(), Sym3{});
  for (const StiffBody& one : stiff.beyond) {
    const auto b = static_cast<std::size_t>(one.body);
    if (can_be_turned(bodies.inertia[b]))
      added[b] = missing_inertia(inertia_in_world(bodies, b), one.turning, h);
  }
  return added;
}

void add_inertia(const Sym3& added, Sym3& inverse_inertia, Vec3& momentum) {
  if (!(added.xx + added.yy + added.zz > 0.0)) return;
  momentum = momentum + added * (inverse_inertia * momentum);
  inverse_inertia = inverse(inverse(inverse_inertia) + added);
}

}  // namespace talus
