#include "talus/problem/body_problem.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "problem/body_checks.hpp"

#include <algorithm>
#include <numeric>

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
  const CheckedRows rows = checked_rows(problem);
  InputErrors errors;
  check_entries(problem, rows, name, errors);
  check_keys(problem, rows, name, Communicator::self(), errors);
  errors.throw_if_any();
}

namespace {

void require_layout(const BodyProblem& problem) {
  InputErrors errors;
  check_layout(problem, checked_rows(problem), "problem", errors);
  errors.throw_if_any();
}

std::vector<Index> find_hub_bodies(const BodyProblem& data) {
  std::vector<std::int64_t> rows(data.centre.size(), 0);
  const auto count = [&](const std::vector<Index>& bodies, std::int64_t each) {
    for (const Index body : bodies)
      if (body != no_body) rows[body] += each;
  };
  const std::int64_t per_contact = stored_rows_per_contact(data.has_rolling());
  count(data.contact_body_a, per_contact);
  count(data.contact_body_b, per_contact);
  count(data.joint_body_a, 1);
  count(data.joint_body_b, 1);
  std::vector<Index> hub;
  for (std::size_t b = 0; b < rows.size(); ++b)
    if (rows[b] > most_rows_of_one_rank &&
        is_movable(data.inverse_mass[b], data.inverse_inertia[b]))
      hub.push_back(static_cast<Index>(b));
  return hub;
}

}  // namespace

bool is_movable(double inverse_mass, const Sym3& inverse_inertia) {
  return inverse_mass > 0.0 || inverse_inertia.xx > 0.0 || inverse_inertia.yy > 0.0 ||
         inverse_inertia.zz > 0.0;
}

BodyPart whole_part(BodyProblem data) {
  require_layout(data);
  BodyPart part;
  part.owned_bodies = data.body_count();
  part.owned_contacts = data.contact_count();
  part.owned_joint_rows = data.joint_row_count();
  part.total_bodies = part.owned_bodies;
  part.total_contacts = part.owned_contacts;
  part.total_joint_rows = part.owned_joint_rows;
  const auto number = [](std::vector<GlobalId>& places, Index count) {
    places.resize(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), GlobalId{0});
  };
  number(part.body_place, part.owned_bodies);
  number(part.contact_place, part.owned_contacts);
  number(part.joint_place, part.owned_joint_rows);
  part.hub_bodies = find_hub_bodies(data);
  part.data = std::move(data);
  return part;
}

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
  require_layout(whole);
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
