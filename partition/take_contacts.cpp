// Contacts of a file to the ranks that have their bodies.

#include "talus/partition/world_share.hpp"

#include "mail.hpp"

#include <algorithm>

namespace talus {
namespace {

/// Ids of bodies that all ranks will have: a contact with one of those is wanted where its other
/// body is. They are few. Collective.
std::vector<GlobalId> common_ids(const WorldShare& share, const BodySet& bodies,
                                 const Communicator& comm) {
  std::vector<GlobalId> mine;
  for (Index i = 0; i < bodies.owned; ++i)
    if (share.residence_of(bodies, i) != Residence::Local) mine.push_back(bodies.id[i]);
  std::vector<GlobalId> all = of_all_ranks(comm, mine);
  std::sort(all.begin(), all.end());
  return all;
}

/// The first id of each rank that has bodies, and which rank that is.
struct FirstId {
  GlobalId id = 0;
  std::int64_t rank = 0;
};

int rank_of(const std::vector<FirstId>& firsts, GlobalId id) {
  const auto next = std::upper_bound(firsts.begin(), firsts.end(), id,
                                     [](GlobalId i, const FirstId& first) { return i < first.id; });
  return next == firsts.begin() ? 0 : static_cast<int>(std::prev(next)->rank);
}

}  // namespace

void WorldShare::take_contacts(World& world, const std::vector<StoredContact>& slice) const {
  const BodySet& bodies = world.bodies;
  std::vector<FirstId> first;
  if (bodies.owned > 0) first.push_back({bodies.id.front(), comm_.rank()});
  first = of_all_ranks(comm_, first);
  const std::vector<GlobalId> common = common_ids(*this, bodies, comm_);
  Mail<StoredContact> to_owners(comm_.size());
  for (const StoredContact& contact : slice) {
    const auto is_common = [&](GlobalId id) {
      return std::binary_search(common.begin(), common.end(), id);
    };
    const int a = rank_of(first, contact.name.a), b = rank_of(first, contact.name.b);
    // between two that are common it goes to all when bodies migrate
    if (!is_common(contact.name.a) || is_common(contact.name.b)) to_owners.put(a, contact);
    if (!is_common(contact.name.b) && (a != b || is_common(contact.name.a)))
      to_owners.put(b, contact);
  }
  std::vector<StoredContact> mine;
  for (const auto& list : to_owners.deliver(comm_))
    mine.insert(mine.end(), list.begin(), list.end());
  world.contacts.clear();
  merge(world.contacts, mine, rolling);
  find_bodies(world);
}

}  // namespace talus
