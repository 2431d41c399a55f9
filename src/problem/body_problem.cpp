#include "talus/problem/body_problem.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"

#include "problem/body_checks.hpp"

namespace talus {

Index BodyProblem::add_body(const Vec3& body_centre, double body_inverse_mass,
                            const Sym3& body_inverse_inertia, const Vec6& body_momentum) {
  const Index i = body_count();
  body_id.push_back(i);
  centre.push_back(body_centre);
  inverse_mass.push_back(body_inverse_mass);
  inverse_inertia.push_back(body_inverse_inertia);
  momentum.push_back(body_momentum);
  return i;
}

Index BodyProblem::add_contact(Index body_a, Index body_b, const Vec3& contact_normal,
                               const Vec3& contact_point, double contact_friction,
                               const Vec3& bias) {
  const Index i = contact_count();
  contact_key.push_back(i);
  contact_body_a.push_back(body_a);
  contact_body_b.push_back(body_b);
  normal.push_back(contact_normal);
  tangent.push_back(tangent_of(contact_normal));
  point.push_back(contact_point);
  if (!point_b.empty()) point_b.push_back(contact_point);
  friction.push_back(contact_friction);
  contact_bias.push_back(bias);
  normal_compliance.push_back(0.0);
  tangent_compliance.push_back(0.0);
  if (!rolling_friction.empty()) rolling_friction.push_back(0.0);
  if (!spinning_friction.empty()) spinning_friction.push_back(0.0);
  if (!turning_bias.empty()) turning_bias.emplace_back();
  return i;
}

Index BodyProblem::add_joint_row(Index body_a, Index body_b, const Vec6& block_a,
                                 const Vec6& block_b, double bias) {
  const Index i = joint_row_count();
  joint_key.push_back(i);
  joint_body_a.push_back(body_a);
  joint_body_b.push_back(body_b);
  joint_block_a.push_back(block_a);
  joint_block_b.push_back(block_b);
  joint_bias.push_back(bias);
  joint_compliance.push_back(0.0);
  joint_lower.push_back(-infinity);
  joint_upper.push_back(infinity);
  return i;
}

void validate(const BodyProblem& problem, const std::string& name) {
  CheckedRows rows;
  rows.contact_a = side_of(problem.contact_body_a);
  rows.contact_b = side_of(problem.contact_body_b);
  rows.joint_a = side_of(problem.joint_body_a);
  rows.joint_b = side_of(problem.joint_body_b);
  rows.bodies = problem.body_count();
  InputErrors errors;
  check_entries(problem, rows, name, errors);
  check_keys(problem, rows, name, Communicator::self(), errors);
  errors.throw_if_any();
}

}  // namespace talus
