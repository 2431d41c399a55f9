#include "talus/problem/body_part.hpp"

#include <numeric>

namespace talus {
namespace {

std::vector<Index> find_wide_bodies(const BodyProblem& data) {
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
  std::vector<Index> wide;
  for (std::size_t b = 0; b < rows.size(); ++b)
    if (rows[b] > most_rows_of_one_rank &&
        is_movable(data.inverse_mass[b], data.inverse_inertia[b]))
      wide.push_back(static_cast<Index>(b));
  return wide;
}

}  // namespace

bool is_movable(double inverse_mass, const Sym3& inverse_inertia) {
  return inverse_mass > 0.0 || inverse_inertia.xx > 0.0 || inverse_inertia.yy > 0.0 ||
         inverse_inertia.zz > 0.0;
}

BodyPart whole_part(BodyProblem data) {
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
  part.wide_bodies = find_wide_bodies(data);
  part.data = std::move(data);
  return part;
}

}  // namespace talus
