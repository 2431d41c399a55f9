#include "talus/problem/body_slice.hpp"

#include "talus/parallel/agreement.hpp"
#include "talus/parallel/merged_errors.hpp"

#include "problem/body_checks.hpp"

#include <algorithm>

namespace talus {
namespace {

/// The entries of a range; an array that the problem does without stays so.
template <class Item>
std::vector<Item> cut(const std::vector<Item>& items, const SliceRange& range) {
  if (items.empty()) return {};
  return {items.begin() + range.first, items.begin() + range.last};
}

std::vector<GlobalId> cut_wide(const std::vector<Index>& bodies, const SliceRange& range) {
  return {bodies.begin() + range.first, bodies.begin() + range.last};
}

}  // namespace

SliceRange slice_range(GlobalId total, int rank, int ranks) {
  const GlobalId each = (total + ranks - 1) / ranks;
  return {std::min(total, each * rank), std::min(total, each * (rank + 1))};
}

int slice_rank(GlobalId total, GlobalId place, int ranks) {
  return static_cast<int>(place / ((total + ranks - 1) / ranks));
}

BodySlice slice_of(const BodyProblem& whole, int rank, int ranks) {
  BodySlice slice;
  BodyProblem& p = slice.data;
  p.time_step = whole.time_step;
  p.title = whole.title;

  slice.total_bodies = whole.body_count();
  const SliceRange bodies = slice_range(slice.total_bodies, rank, ranks);
  p.body_id = cut(whole.body_id, bodies);
  p.centre = cut(whole.centre, bodies);
  p.inverse_mass = cut(whole.inverse_mass, bodies);
  p.inverse_inertia = cut(whole.inverse_inertia, bodies);
  p.momentum = cut(whole.momentum, bodies);

  slice.total_contacts = whole.contact_count();
  const SliceRange contacts = slice_range(slice.total_contacts, rank, ranks);
  p.contact_key = cut(whole.contact_key, contacts);
  p.normal = cut(whole.normal, contacts);
  p.tangent = cut(whole.tangent, contacts);
  p.point = cut(whole.point, contacts);
  p.point_b = cut(whole.point_b, contacts);
  p.friction = cut(whole.friction, contacts);
  p.contact_bias = cut(whole.contact_bias, contacts);
  p.normal_compliance = cut(whole.normal_compliance, contacts);
  p.tangent_compliance = cut(whole.tangent_compliance, contacts);
  p.rolling_friction = cut(whole.rolling_friction, contacts);
  p.spinning_friction = cut(whole.spinning_friction, contacts);
  p.contact_body_a.assign(p.normal.size(), no_body);
  p.contact_body_b = p.contact_body_a;
  slice.contact_a = cut_wide(whole.contact_body_a, contacts);
  slice.contact_b = cut_wide(whole.contact_body_b, contacts);

  slice.total_joint_rows = whole.joint_row_count();
  const SliceRange joints = slice_range(slice.total_joint_rows, rank, ranks);
  p.joint_key = cut(whole.joint_key, joints);
  p.joint_block_a = cut(whole.joint_block_a, joints);
  p.joint_block_b = cut(whole.joint_block_b, joints);
  p.joint_bias = cut(whole.joint_bias, joints);
  p.joint_compliance = cut(whole.joint_compliance, joints);
  p.joint_lower = cut(whole.joint_lower, joints);
  p.joint_upper = cut(whole.joint_upper, joints);
  p.joint_body_a.assign(p.joint_bias.size(), no_body);
  p.joint_body_b = p.joint_body_a;
  slice.joint_a = cut_wide(whole.joint_body_a, joints);
  slice.joint_b = cut_wide(whole.joint_body_b, joints);
  return slice;
}

void check(const BodySlice& slice, const std::string& name, const Communicator& comm,
           InputErrors& errors) {
  CheckedRows rows;
  rows.contact_a = side_of(slice.contact_a);
  rows.contact_b = side_of(slice.contact_b);
  rows.joint_a = side_of(slice.joint_a);
  rows.joint_b = side_of(slice.joint_b);
  rows.bodies = slice.total_bodies;
  rows.first_body = slice_range(slice.total_bodies, comm.rank(), comm.size()).first;
  rows.first_contact = slice_range(slice.total_contacts, comm.rank(), comm.size()).first;
  rows.first_joint = slice_range(slice.total_joint_rows, comm.rank(), comm.size()).first;
  agree(comm, [&] { check_entries(slice.data, rows, name, errors); });
  check_keys(slice.data, rows, name, comm, errors);
}

void validate(const BodySlice& slice, const std::string& name, const Communicator& comm) {
  InputErrors errors;
  check(slice, name, comm, errors);
  throw_merged(comm, errors);
}

}  // namespace talus
