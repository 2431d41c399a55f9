// A slice of a packing: made of small parts one after the other, so that a rank holds its slice and
// little more.

#include "generate/tiled_packing.hpp"

#include <algorithm>

namespace talus {
namespace {

constexpr std::int64_t tiles_at_a_time = 8;  // 8000 bodies

/// [first, last) of the entries of a part.
struct Entries {
  std::ptrdiff_t first = 0, last = 0;
};

/// Those of `count` entries, which stand at `place` and behind it in the whole, that are in a
/// range.
Entries within(const SliceRange& range, GlobalId place, Index count) {
  const auto from = std::clamp<GlobalId>(range.first - place, 0, count);
  return {from, std::clamp<GlobalId>(range.last - place, from, count)};
}

template <class Item>
void append(std::vector<Item>& to, const std::vector<Item>& from, const Entries& entries) {
  if (from.empty()) return;
  to.insert(to.end(), from.begin() + entries.first, from.begin() + entries.last);
}

void append_bodies(BodySlice& slice, const BodyProblem& part, const Entries& entries) {
  BodyProblem& p = slice.data;
  append(p.body_id, part.body_id, entries);
  append(p.centre, part.centre, entries);
  append(p.inverse_mass, part.inverse_mass, entries);
  append(p.inverse_inertia, part.inverse_inertia, entries);
  append(p.momentum, part.momentum, entries);
}

void append_contacts(BodySlice& slice, const BodyProblem& part, const Entries& entries) {
  BodyProblem& p = slice.data;
  append(p.contact_key, part.contact_key, entries);
  append(p.normal, part.normal, entries);
  append(p.tangent, part.tangent, entries);
  append(p.point, part.point, entries);
  append(p.friction, part.friction, entries);
  append(p.contact_bias, part.contact_bias, entries);
  append(p.normal_compliance, part.normal_compliance, entries);
  append(p.tangent_compliance, part.tangent_compliance, entries);
  append(p.rolling_friction, part.rolling_friction, entries);
  append(p.spinning_friction, part.spinning_friction, entries);
  // bodies of a packing are numbered as they are stored: the id is the place
  const auto place_of = [&](Index body) {
    return body == no_body ? GlobalId{no_body} : part.body_id[body];
  };
  for (std::ptrdiff_t c = entries.first; c < entries.last; ++c) {
    slice.contact_a.push_back(place_of(part.contact_body_a[c]));
    slice.contact_b.push_back(place_of(part.contact_body_b[c]));
  }
}

/// So that growing arrays do not hold twice what they need.
void reserve(BodySlice& slice, std::size_t bodies, std::size_t contacts) {
  BodyProblem& p = slice.data;
  const auto each = [](std::size_t count, auto&... arrays) { (arrays.reserve(count), ...); };
  each(bodies, p.body_id, p.centre, p.inverse_mass, p.inverse_inertia, p.momentum);
  each(contacts, p.contact_key, p.normal, p.tangent, p.point, p.friction, p.contact_bias,
       p.normal_compliance, p.tangent_compliance, slice.contact_a, slice.contact_b);
}

}  // namespace

BodySlice TiledPacking::slice(int rank, int ranks) const {
  const std::vector<GlobalId> first_contact = first_contacts();
  BodySlice made;
  made.total_bodies = tiling_.bodies();
  made.total_contacts = first_contact.back();
  const SliceRange bodies = slice_range(made.total_bodies, rank, ranks),
                   contacts = slice_range(made.total_contacts, rank, ranks);
  reserve(made, static_cast<std::size_t>(bodies.count()),
          static_cast<std::size_t>(contacts.count()));
  for (std::int64_t tile = 0; tile < tiling_.tiles(); tile += tiles_at_a_time) {
    const std::int64_t end = std::min(tile + tiles_at_a_time, tiling_.tiles());
    const GlobalId first_body = tiling_.first_body(tile);
    const bool has_bodies = first_body < bodies.last && tiling_.first_body(end) > bodies.first;
    const bool has_contacts =
        first_contact[tile] < contacts.last && first_contact[end] > contacts.first;
    if (!has_bodies && !has_contacts) continue;
    const PackingPart some = part(tile, end);
    append_bodies(made, some.problem, within(bodies, first_body, some.own_bodies));
    append_contacts(made, some.problem, within(contacts, first_contact[tile], some.own_contacts));
  }
  made.data.contact_body_a.assign(made.data.normal.size(), no_body);
  made.data.contact_body_b = made.data.contact_body_a;
  made.data.time_step = settings_.step;
  made.data.title = title();
  return made;
}

}  // namespace talus
