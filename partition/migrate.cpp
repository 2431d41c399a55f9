// Bodies on their way to their owners, with all that the next step needs of them.

#include "talus/core/error.hpp"

#include "mail.hpp"
#include "migration_check.hpp"
#include "model/outer_forces.hpp"
#include "partition/world_share.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace talus {
namespace {

/// What a joint remembers from step to step.
struct JointMemory {
  std::int64_t joint = 0;
  double angle = 0.0;
  std::array<double, joint_places> impulse{};
  Vec3 force, torque;
};

JointMemory memory_of(const World& world, std::size_t j) {
  const Joint& joint = world.joints[j];
  return {static_cast<std::int64_t>(j), joint.angle, joint.impulse, joint.reaction_force,
          joint.reaction_torque};
}

struct Outgoing {
  std::vector<StoredBody> bodies;
  std::vector<StoredContact> contacts;
  std::vector<JointMemory> joints;
  std::vector<OuterForce> pushed;
};

/// One migration of this rank.
class Migration {
 public:
  Migration(const Communicator& comm, const WorldShare& share, World& world,
            const OwnerOf& owner_of)
      : comm_(comm),
        world_(world),
        bodies_(world.bodies),
        rolling_(share.rolling),
        to_(static_cast<std::size_t>(comm.size())) {
    const std::size_t count = bodies_.id.size();
    residence_.resize(count);
    owner_.resize(count);
    for (std::size_t b = 0; b < count; ++b) {
      const auto body = static_cast<Index>(b);
      const bool known = is_known(body);
      residence_[b] = known ? share.residence_of(bodies_, body) : Residence::Local;
      owner_[b] = known && residence_[b] == Residence::Local
                      ? owner_of(bodies_.id[b], bodies_.position[b])
                      : bodies_.owner[b];
    }
  }

  std::int64_t run() {
    const MigrationCheck check(world_);
    pack_bodies();
    pack_contacts();
    pack_joints();
    pack_pushed();
    deliver();
    check.check(comm_, before_, bodies_);
    return moved_;
  }

 private:
  /// This rank can tell where the body goes: it owns it, or all have it.
  bool is_known(Index body) const { return bodies_.is_owned(body) || !bodies_.is_local(body); }
  bool leaves(std::size_t b) const { return owner_[b] != bodies_.rank; }
  bool becomes_common(std::size_t b) const {
    return bodies_.is_local(static_cast<Index>(b)) && residence_[b] != Residence::Local;
  }
  /// It is stored here now and somebody else owns it anew.
  bool goes_away(std::size_t b) const {
    const bool changes = bodies_.residence[b] != residence_[b] || bodies_.owner[b] != owner_[b];
    return is_known(static_cast<Index>(b)) && residence_[b] == Residence::Local && changes &&
           leaves(b);
  }
  template <class Send>
  void to_all_others(const Send& send) {
    for (int rank = 0; rank < comm_.size(); ++rank)
      if (rank != comm_.rank()) send(to_[rank]);
  }

  void pack_bodies() {
    for (Index i = 0; i < bodies_.owned; ++i) {
      const auto b = static_cast<std::size_t>(i);
      StoredBody body = stored(bodies_, i);
      body.owner = owner_[b];
      body.residence = residence_[b];
      if (becomes_common(b))
        to_all_others([&](Outgoing& to) { to.bodies.push_back(body); });
      else if (goes_away(b))
        to_[owner_[b]].bodies.push_back(body);
      if (leaves(b)) ++moved_;
    }
  }

  /// To the new owners of its bodies; where both are everywhere from now on, to all.
  void pack_contacts() {
    const ContactSet& contacts = world_.contacts;
    for (Index c = 0; c < contacts.count(); ++c) {
      const Index a = contacts.body_a[c], b = contacts.body_b[c];
      for (const Index body : {a, b}) {
        if (body < 0) continue;
        const auto i = static_cast<std::size_t>(body);
        if (goes_away(i))
          to_[owner_[i]].contacts.push_back(stored(contacts, c));
        else if (bodies_.is_owned(body) && becomes_common(i))
          to_all_others([&](Outgoing& to) { to.contacts.push_back(stored(contacts, c)); });
      }
    }
  }

  void pack_joints() {
    for (std::size_t j = 0; j < world_.joints.size(); ++j) {
      const Joint& joint = world_.joints[j];
      for (const GlobalId id : {joint.body_a, joint.body_b}) {
        const Index body = id == world_id ? Index{-1} : bodies_.find(id);
        if (body < 0) continue;
        const auto i = static_cast<std::size_t>(body);
        if (goes_away(i) && knows(joint))
          to_[owner_[i]].joints.push_back(memory_of(world_, j));
        else if (bodies_.is_owned(body) && becomes_common(i))
          to_all_others([&](Outgoing& to) { to.joints.push_back(memory_of(world_, j)); });
      }
    }
  }

  void pack_pushed() {
    for (const OuterForce& outer : world_.pushed) {
      const Index body = bodies_.find(outer.body);
      if (body < 0 || !bodies_.is_owned(body)) continue;
      const auto b = static_cast<std::size_t>(body);
      if (goes_away(b)) to_[owner_[b]].pushed.push_back(outer);
    }
  }

  /// What the joint remembers is right here: this rank owns a body of it that not all have, or all
  /// have both. A body that was released a moment ago was nobody's joint to keep before.
  bool knows(const Joint& joint) const {
    bool all_have = true;
    for (const GlobalId id : {joint.body_a, joint.body_b}) {
      if (id == world_id) continue;
      const Index body = bodies_.find(id);
      if (body >= 0 && !bodies_.is_local(body)) continue;
      if (body >= 0 && bodies_.is_owned(body)) return true;
      all_have = false;
    }
    return all_have;
  }

  void deliver() {
    std::vector<Bytes> packed(to_.size());
    for (std::size_t r = 0; r < to_.size(); ++r) {
      const Outgoing to = std::move(to_[r]);
      if (to.bodies.empty() && to.contacts.empty() && to.joints.empty()) continue;
      put_records(packed[r], to.bodies);
      put_records(packed[r], to.contacts);
      put_records(packed[r], to.joints);
      if (!to.pushed.empty()) put_records(packed[r], to.pushed);
    }
    Outgoing arrived;
    const std::vector<Bytes> came = comm_.all_to_all(packed);
    packed.clear();
    for (const Bytes& bytes : came) {
      std::size_t at = 0;
      take_records(bytes, at, arrived.bodies);
      take_records(bytes, at, arrived.contacts);
      take_records(bytes, at, arrived.joints);
      take_records(bytes, at, arrived.pushed);
    }
    rebuild(arrived.bodies);
    keep_pushed(arrived.pushed);
    keep_contacts(arrived.contacts);
    for (const JointMemory& memory : arrived.joints) {
      Joint& joint = world_.joints[memory.joint];
      joint.angle = memory.angle;
      joint.impulse = memory.impulse;
      joint.reaction_force = memory.force;
      joint.reaction_torque = memory.torque;
    }
  }

  /// Owned bodies, then foreign ones that are everywhere, both in the order of ids.
  void rebuild(const std::vector<StoredBody>& arrived) {
    // what a fault would name
    before_.id = bodies_.id;
    before_.mass = bodies_.mass;
    before_.position = bodies_.position;
    before_.orientation = bodies_.orientation;
    before_.velocity = bodies_.velocity;
    before_.angular_velocity = bodies_.angular_velocity;
    before_.owned = bodies_.owned;
    std::vector<std::uint8_t> stays(bodies_.id.size(), 0);
    for (std::size_t b = 0; b < stays.size(); ++b) {
      const bool local = residence_[b] == Residence::Local;
      if (bodies_.is_owned(static_cast<Index>(b)) ? !local || !leaves(b) : !local) stays[b] = 1;
      bodies_.owner[b] = owner_[b];
      bodies_.residence[b] = residence_[b];
    }
    bodies_.keep(stays);
    for (const StoredBody& body : arrived) append_stored(bodies_, body);
    std::vector<Index> order(bodies_.id.size());
    std::iota(order.begin(), order.end(), 0);
    const auto rank_in_order = [&](Index body) {
      const auto b = static_cast<std::size_t>(body);
      return std::pair(bodies_.owner[b] != bodies_.rank, bodies_.id[b]);
    };
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return rank_in_order(a) < rank_in_order(b); });
    bodies_.reorder(order);
    bodies_.owned =
        static_cast<Index>(std::count(bodies_.owner.begin(), bodies_.owner.end(), bodies_.rank));
  }

  /// Those of owned bodies that move, and those between bodies that are everywhere.
  void keep_contacts(const std::vector<StoredContact>& arrived) {
    ContactSet& contacts = world_.contacts;
    merge(contacts, arrived, rolling_);
    find_bodies(world_);
    std::vector<std::uint8_t> marks(contacts.gap.size(), 0);
    const auto is_common = [&](Index body) { return body >= 0 && !bodies_.is_local(body); };
    const auto is_mine = [&](Index body) {
      return body >= 0 && bodies_.is_owned(body) && bodies_.is_local(body);
    };
    for (std::size_t c = 0; c < marks.size(); ++c) {
      const Index a = contacts.body_a[c], b = contacts.body_b[c];
      marks[c] = is_mine(a) || is_mine(b) || (is_common(a) && is_common(b)) ? 1 : 0;
    }
    keep(contacts, marks);
  }

  /// Of owned bodies alone.
  void keep_pushed(const std::vector<OuterForce>& arrived) {
    std::vector<OuterForce>& pushed = world_.pushed;
    pushed.insert(pushed.end(), arrived.begin(), arrived.end());
    std::erase_if(pushed, [&](const OuterForce& outer) {
      const Index body = bodies_.find(outer.body);
      return body < 0 || !bodies_.is_owned(body);
    });
    sort_by_body(pushed);
  }

  const Communicator& comm_;
  World& world_;
  BodySet& bodies_;
  bool rolling_;
  std::vector<Outgoing> to_;
  std::vector<Residence> residence_;  ///< anew
  std::vector<std::int32_t> owner_;   ///< anew
  BodySet before_;                    ///< this rank's
  std::int64_t moved_ = 0;
};

}  // namespace

Residence WorldShare::residence_of(const BodySet& bodies, Index body) const {
  const auto b = static_cast<std::size_t>(body);
  if (bodies.residence[b] == Residence::AlwaysReplicated ||
      std::find(hub_from_now_.begin(), hub_from_now_.end(), bodies.id[b]) != hub_from_now_.end())
    return Residence::AlwaysReplicated;
  return residence_of(bodies.motion[b], bodies.reach[b]);
}

Residence WorldShare::residence_of(Motion motion, double reach) const {
  const bool is_small = std::isfinite(reach) && reach <= large_reach;
  return motion == Motion::Dynamic && is_small ? Residence::Local : Residence::Replicated;
}

std::int64_t WorldShare::migrate(World& world, const OwnerOf& owner_of) {
  const Phase phase("migrating bodies");
  drop_late(world);
  const std::int64_t moved = Migration(comm_, *this, world, owner_of).run();
  hub_from_now_.clear();
  return moved;
}

// Contacts of a file to the ranks that have their bodies.

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
