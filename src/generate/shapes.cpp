#include "generate/shapes.hpp"

#include "talus/core/error.hpp"

#include <cmath>

namespace talus {
namespace {

Vec6 momentum_of(double mass, const Departure& motion) {
  const Vec3& v = motion.velocity;
  return {mass * v.x, mass * v.y, mass * (v.z - motion.step * standard_gravity), 0.0, 0.0, 0.0};
}

/// The world has place 0, below every body; 27 bits for each place, 9 for the feature.
GlobalId pair_key(const BodyProblem& problem, Index body_a, Index body_b, int feature) {
  const auto place = [&](Index body) { return body == no_body ? 0 : problem.body_id[body] + 1; };
  const GlobalId a = place(body_a), b = place(body_b);
  TALUS_ASSERT(std::max(a, b) < (GlobalId{1} << 27) && feature >= 0 && feature < 512);
  return std::min(a, b) << 36 | std::max(a, b) << 9 | feature;
}

}  // namespace

double cube_root(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  double root = std::ldexp(1.0, exponent / 3 + 1);  // above the root, where Newton descends
  for (int i = 0; i < 60; ++i) root -= (root - x / (root * root)) / 3.0;
  return root;
}

double fractional_power(double x, double t) {
  // t = sum of bits / 2^k, so x^t is a product of repeated square roots
  double result = t >= 1.0 ? x : 1.0, root = x, rest = t >= 1.0 ? t - 1.0 : t;
  for (int k = 0; k < 53 && rest > 0.0; ++k) {
    root = std::sqrt(root);
    rest *= 2.0;
    if (rest < 1.0) continue;
    result *= root;
    rest -= 1.0;
  }
  return result;
}

Index add_box(BodyProblem& problem, const Vec3& centre, const Vec3& size, double mass,
              const Departure& motion) {
  const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
  Sym3 inverse;
  inverse.xx = 12.0 / (mass * (yy + zz));
  inverse.yy = 12.0 / (mass * (xx + zz));
  inverse.zz = 12.0 / (mass * (xx + yy));
  return problem.add_body(centre, 1.0 / mass, inverse, momentum_of(mass, motion));
}

Index add_sphere(BodyProblem& problem, const Vec3& centre, double radius, double mass,
                 const Departure& motion) {
  Sym3 inverse;
  inverse.xx = inverse.yy = inverse.zz = 2.5 / (mass * radius * radius);
  return problem.add_body(centre, 1.0 / mass, inverse, momentum_of(mass, motion));
}

void add_contact(BodyProblem& problem, const PointContact& contact, double friction, double step) {
  problem.add_contact(contact.body_a, contact.body_b, contact.normal, contact.point, friction,
                      {contact.gap / step, 0.0, 0.0});
  problem.contact_key.back() = pair_key(problem, contact.body_a, contact.body_b, contact.feature);
}

void add_joint(BodyProblem& problem, const AxisRow& row) {
  const auto block = [&](Index body, double sign) -> Vec6 {
    if (body == no_body) return {};
    const Vec3 d = sign * row.axis;
    if (row.angular) return {0.0, 0.0, 0.0, d.x, d.y, d.z};
    const Vec3 turn = cross(row.point - problem.centre[body], d);
    return {d.x, d.y, d.z, turn.x, turn.y, turn.z};
  };
  problem.add_joint_row(row.body_a, row.body_b, block(row.body_a, -1.0), block(row.body_b, 1.0),
                        0.0);
  problem.joint_key.back() = pair_key(problem, row.body_a, row.body_b, row.feature);
}

void add_ball_joint(BodyProblem& problem, Index body_a, Index body_b, const Vec3& point,
                    int feature) {
  const std::array<Vec3, 3> axes = {Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}, Vec3{0.0, 0.0, 1.0}};
  for (int k = 0; k < 3; ++k)
    add_joint(problem, {body_a, body_b, feature + k, axes[k], point, false});
}

}  // namespace talus
