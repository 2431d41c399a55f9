#include "talus/partition/state_slice.hpp"

#include "talus/model/row_homes.hpp"

#include "sorted_slice.hpp"

#include <tuple>

namespace talus {

StateSlice state_slice(const Communicator& comm, const BodySet& bodies) {
  std::vector<StoredBody> mine;
  for (Index i = 0; i < bodies.owned; ++i) mine.push_back(stored(bodies, i));
  SortedSlice<StoredBody> slice = sorted_slice(
      comm, mine, [](const StoredBody& body) { return static_cast<std::uint64_t>(body.body.id); },
      [](const StoredBody& a, const StoredBody& b) { return a.body.id < b.body.id; });
  return {std::move(slice.things), slice.total};
}

ContactSlice contact_slice(const Communicator& comm, const World& world) {
  const ContactSet& contacts = world.contacts;
  std::vector<StoredContact> mine;
  for (Index c = 0; c < contacts.count(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    if (speaks_for(world.bodies, contacts.body_a[i], contacts.body_b[i]))
      mine.push_back(stored(contacts, c));
  }
  // by the second body first: the first is often a floor, which half of all contacts have
  SortedSlice<StoredContact> slice = sorted_slice(
      comm, mine, [](const StoredContact& c) { return static_cast<std::uint64_t>(c.name.b); },
      [](const StoredContact& a, const StoredContact& b) {
        return std::tie(a.name.b, a.name) < std::tie(b.name.b, b.name);
      });
  return {std::move(slice.things), slice.total};
}

}  // namespace talus
