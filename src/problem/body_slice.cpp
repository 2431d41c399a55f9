#include "talus/problem/body_slice.hpp"

#include "talus/parallel/agreement.hpp"
#include "talus/parallel/merged_errors.hpp"

#include "problem/body_checks.hpp"

#include <algorithm>

namespace talus {
namespace {

/// Copies the entries of a range of some arrays; an array that the problem does without stays so.
template <class... Arrays>
void cut(const BodyProblem& from, const SliceRange& range, BodyProblem& to, Arrays... arrays) {
  const auto one = [&](auto array) {
    const auto& items = from.*array;
    if (!items.empty()) (to.*array).assign(items.begin() + range.first, items.begin() + range.last);
  };
  (one(arrays), ...);
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
  using P = BodyProblem;
  cut(whole, bodies, p, &P::body_id, &P::centre, &P::inverse_mass, &P::inverse_inertia,
      &P::momentum);

  slice.total_contacts = whole.contact_count();
  const SliceRange contacts = slice_range(slice.total_contacts, rank, ranks);
  cut(whole, contacts, p, &P::contact_key, &P::normal, &P::tangent, &P::point, &P::point_b,
      &P::friction, &P::contact_bias, &P::normal_compliance, &P::tangent_compliance,
      &P::rolling_friction, &P::spinning_friction, &P::turning_bias);
  p.contact_body_a.assign(p.normal.size(), no_body);
  p.contact_body_b = p.contact_body_a;
  slice.contact_a = cut_wide(whole.contact_body_a, contacts);
  slice.contact_b = cut_wide(whole.contact_body_b, contacts);

  slice.total_joint_rows = whole.joint_row_count();
  const SliceRange joints = slice_range(slice.total_joint_rows, rank, ranks);
  cut(whole, joints, p, &P::joint_key, &P::joint_block_a, &P::joint_block_b, &P::joint_bias,
      &P::joint_compliance, &P::joint_lower, &P::joint_upper);
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
