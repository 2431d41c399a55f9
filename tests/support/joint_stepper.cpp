#include "support/joint_stepper.hpp"

#include "talus/problem/body_problem.hpp"

#include "support/solved.hpp"

#include <gtest/gtest.h>

namespace talus::support {
namespace {

Vec3 first(const Vec6& v) {
  return {v[0], v[1], v[2]};
}
Vec3 second(const Vec6& v) {
  return {v[3], v[4], v[5]};
}

double rate(const BodySet& bodies, Index body, const Vec6& block) {
  if (body == no_body) return 0.0;
  const auto i = static_cast<std::size_t>(body);
  return dot(first(block), bodies.velocity[i]) + dot(second(block), bodies.angular_velocity[i]);
}

/// M v + h Q, gyroscopic torque included.
void add_bodies(const World& world, double h, const Vec3& gravity, const std::vector<Vec6>& wrench,
                BodyProblem& problem) {
  const BodySet& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.motion[i] != Motion::Dynamic) {
      problem.add_body(bodies.position[i], 0.0, {}, {});
      continue;
    }
    const Sym3 inertia = rotated(bodies.orientation[i], bodies.inertia[i]);
    const Vec3& w = bodies.angular_velocity[i];
    const Vec3 spin = inertia * w;
    const Vec3 p = bodies.mass[i] * (bodies.velocity[i] + h * gravity) + h * first(wrench[i]);
    const Vec3 l = spin - h * cross(w, spin) + h * second(wrench[i]);
    problem.add_body(bodies.position[i], 1.0 / bodies.mass[i], inverse(inertia),
                     {p.x, p.y, p.z, l.x, l.y, l.z});
  }
}

void add_row(const JointRow& row, const World& world, double h, double stabilisation,
             BodyProblem& problem) {
  double bias = -row.target, compliance = 0.0;
  const double behind = row.error + h * row.target;
  if (row.compliance > 0.0) {
    const double a = 1.0 + 4.0 * (row.damping_time >= 0.0 ? row.damping_time / h : 2.0);
    const double before =
        rate(world.bodies, row.body_a, row.block_a) + rate(world.bodies, row.body_b, row.block_b);
    bias += 4.0 / (h * a) * behind - before / a;
    compliance = 4.0 * row.compliance / (h * h * a);
  } else if (row.kind == JointRow::Kind::AtLeast && row.error > 0.0) {
    bias += row.error / h;
  } else if (row.kind != JointRow::Kind::Velocity) {
    bias += stabilisation * behind / h;
  }
  problem.add_joint_row(row.body_a, row.body_b, row.block_a, row.block_b, bias);
  problem.joint_key.back() = key_of(row);
  problem.joint_compliance.back() = compliance;
  problem.joint_upper.back() = h * row.largest_force;
  problem.joint_lower.back() = row.kind == JointRow::Kind::AtLeast ? 0.0 : -h * row.largest_force;
}

}  // namespace

GlobalId JointStepper::add_body(const Pose& pose, double mass, const Sym3& inertia) {
  NewBody body;
  body.id = world.next_id++;
  body.mass = mass;
  body.inertia = inertia;
  body.pose = pose;
  append(world.bodies, body, 1.0);
  return body.id;
}

Joint& JointStepper::add_joint(JointType type, GlobalId a, GlobalId b, const Pose& frame) {
  Joint joint;
  joint.type = type;
  joint.name = name_of(type);
  joint.body_a = a;
  joint.body_b = b;
  joint.frame_a = inverse(pose(a)) * frame;
  joint.frame_b = inverse(pose(b)) * frame;
  return world.joints.emplace_back(joint);
}

Pose JointStepper::pose(GlobalId body) const {
  if (body == world_id) return {};
  const auto i = static_cast<std::size_t>(world.bodies.find(body));
  return {world.bodies.position[i], world.bodies.orientation[i]};
}

void JointStepper::step() {
  BodySet& bodies = world.bodies;
  std::vector<Vec6> wrench(bodies.id.size());
  joint_rows(world, h_, rows_, wrench);
  BodyProblem problem;
  add_bodies(world, h_, gravity, wrench, problem);
  Solution warm;
  for (const JointRow& row : rows_) {
    add_row(row, world, h_, stabilisation, problem);
    warm.l.push_back(world.joints[static_cast<std::size_t>(row.joint)]
                         .impulse[static_cast<std::size_t>(row.place)]);
  }
  SolveOptions options;
  // absolute: where a mechanism runs on by itself, nothing is left that 1e-10 could be a share of
  options.measure = Measure::NaturalVelocity;
  options.tolerance = 1e-11;
  const Solved answer = solved(problem, options, impulses_from(make_cone_problem(problem), warm));
  ASSERT_EQ(answer.report.status, SolveStatus::Converged);
  impulses_ = answer.solution.l;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.motion[i] != Motion::Dynamic) continue;
    const double* v = &answer.solution.v[6 * i];
    bodies.velocity[i] = {v[0], v[1], v[2]};
    bodies.angular_velocity[i] = {v[3], v[4], v[5]};
    bodies.position[i] = bodies.position[i] + h_ * bodies.velocity[i];
    bodies.orientation[i] =
        normalised(rotation_by(h_ * bodies.angular_velocity[i]) * bodies.orientation[i]);
  }
  world.time += h_;
  ++world.step;
  update_joints(world, h_, rows_, impulses_);
}

Pose frame_at(const Vec3& position, const Vec3& axis) {
  return {position, rotation_between({1.0, 0.0, 0.0}, unit(axis))};
}

Sym3 rod_inertia(double mass, double l) {
  const double across = mass * l * l / 12.0;
  return {1e-3 * across, 0.0, 0.0, across, 0.0, across};
}

}  // namespace talus::support
