#include "partition/distribute.hpp"

#include "talus/core/error.hpp"

#include "body_rows.hpp"
#include "mail.hpp"
#include "records.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace talus {
namespace {

/// What a row must know of its bodies to know where it belongs.
struct BodyHome {
  std::int32_t owner = -1;
  Binding binding = Binding::World;
};

template <class Record>
std::vector<Record> joined(std::vector<std::vector<Record>> lists) {
  std::vector<Record> all;
  for (auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end(),
            [](const Record& a, const Record& b) { return a.place < b.place; });
  return all;
}

class Distribution {
 public:
  Distribution(const Communicator& comm, const BodySlice& slice, const std::vector<int>& owner)
      : comm_(comm),
        slice_(slice),
        owner_(owner),
        bodies_(slice_range(slice.total_bodies, comm.rank(), comm.size())) {
    TALUS_ASSERT(owner.size() == slice.data.centre.size());
  }

  BodyPart run() {
    agree_on_kinds();
    bindings_ = bindings_of_bodies(slice_, rows_of_bodies(comm_, slice_));
    find_hub_bodies();
    find_homes();
    const std::vector<ContactRecord> contacts = send_contacts();
    const std::vector<JointRecord> joints = send_joints();
    part_.total_bodies = slice_.total_bodies;
    part_.total_contacts = slice_.total_contacts;
    part_.total_joint_rows = slice_.total_joint_rows;
    part_.data.time_step = slice_.data.time_step;
    part_.data.title = slice_.data.title;
    place_bodies(contacts, joints);
    place_rows(contacts, joints);
    return std::move(part_);
  }

 private:
  void agree_on_kinds() {
    std::array<double, 3> has{slice_.data.point_b.empty() ? 0.0 : 1.0,
                              slice_.data.has_rolling() ? 1.0 : 0.0,
                              slice_.data.turning_bias.empty() ? 0.0 : 1.0};
    comm_.largest(has);
    kinds_ = {has[0] > 0.0, has[1] > 0.0, has[2] > 0.0};
  }

  BodyHome home_in_slice(GlobalId place) const {
    const auto i = static_cast<std::size_t>(place - bodies_.first);
    return {owner_[i], bindings_[i]};
  }

  /// Places of the hub bodies of all slices, ascending.
  void find_hub_bodies() {
    Mail<GlobalId> mail(comm_.size());
    for (std::size_t i = 0; i < bindings_.size(); ++i)
      for (int rank = 0; rank < comm_.size() && bindings_[i] == Binding::Wide; ++rank)
        mail.put(rank, bodies_.first + static_cast<GlobalId>(i));
    for (const auto& list : mail.deliver(comm_)) hub_.insert(hub_.end(), list.begin(), list.end());
  }

  bool is_hub(GlobalId place) const { return std::binary_search(hub_.begin(), hub_.end(), place); }

  /// Only such bodies are exchanged: those that nothing moves are at rest everywhere, and hubs
  /// are summed everywhere.
  bool is_exchanged(const BodyRecord& body) const {
    return is_movable(body.inverse_mass, body.inverse_inertia) && !is_hub(body.place);
  }

  /// Asks the slices that hold them where the bodies of this slice's rows belong.
  void find_homes() {
    std::vector<GlobalId> places;
    for (const auto* list :
         {&slice_.contact_a, &slice_.contact_b, &slice_.joint_a, &slice_.joint_b})
      places.insert(places.end(), list->begin(), list->end());
    homes_ = ask_slices<BodyHome>(comm_, slice_.total_bodies, distinct_places(std::move(places)),
                                  [&](GlobalId place) { return home_in_slice(place); });
  }

  BodyHome home_of(GlobalId place) const { return place < 0 ? BodyHome{} : homes_.at(place); }

  /// Sends a row to the owners of its bodies that bind it. The row is owned where the body that
  /// binds it more is owned, of two alike the one with the lower place; by rank 0 where both are
  /// the world.
  template <class Record>
  void send_row(Record record, Mail<Record>& mail) const {
    const BodyHome low = home_of(std::min(record.a, record.b)),
                   high = home_of(std::max(record.a, record.b));
    record.owner = std::max(0, high.binding > low.binding ? high.owner : low.owner);
    mail.put(record.owner, record);
    for (const BodyHome& owner : {low, high})
      if (owner.binding == Binding::Owned && owner.owner != record.owner)
        mail.put(owner.owner, record);
  }

  /// `record_at` makes the record of a row of this rank's slice, whose bodies are at `a` and `b`.
  template <class Record>
  std::vector<Record> send_rows(GlobalId total, const std::vector<GlobalId>& a,
                                const std::vector<GlobalId>& b,
                                Record (*record_at)(const BodyProblem&, std::size_t)) const {
    Mail<Record> mail(comm_.size());
    const GlobalId first = slice_range(total, comm_.rank(), comm_.size()).first;
    for (std::size_t i = 0; i < a.size(); ++i) {
      Record record = record_at(slice_.data, i);
      record.place = first + static_cast<GlobalId>(i);
      record.a = a[i];
      record.b = b[i];
      send_row(record, mail);
    }
    return joined(mail.deliver(comm_));
  }

  std::vector<ContactRecord> send_contacts() const {
    return send_rows(slice_.total_contacts, slice_.contact_a, slice_.contact_b, contact_record);
  }

  std::vector<JointRecord> send_joints() const {
    return send_rows(slice_.total_joint_rows, slice_.joint_a, slice_.joint_b, joint_record);
  }

  BodyRecord record_of(GlobalId place) const {
    const auto i = static_cast<std::size_t>(place - bodies_.first);
    BodyRecord record = body_record(slice_.data, i);
    record.place = place;
    record.owner = owner_[i];
    return record;
  }

  /// Own bodies come from the slices by themselves; those that only rows name are asked for.
  std::vector<BodyRecord> fetch_bodies(const std::vector<GlobalId>& named) const {
    Mail<BodyRecord> mail(comm_.size());
    for (GlobalId place = bodies_.first; place < bodies_.last; ++place)
      mail.put(owner_[place - bodies_.first], record_of(place));
    std::vector<BodyRecord> mine = joined(mail.deliver(comm_));
    std::vector<GlobalId> others;
    for (const GlobalId place : named) {
      const auto at = std::lower_bound(
          mine.begin(), mine.end(), place,
          [](const BodyRecord& body, GlobalId value) { return body.place < value; });
      if (at == mine.end() || at->place != place) others.push_back(place);
    }
    const auto fetched = ask_slices<BodyRecord>(comm_, slice_.total_bodies, others,
                                                [&](GlobalId place) { return record_of(place); });
    for (const GlobalId place : others) mine.push_back(fetched.at(place));
    return mine;
  }

  /// Chooses the local order of bodies, fills them in, and agrees with the neighbours on what is
  /// exchanged.
  void place_bodies(const std::vector<ContactRecord>& contacts,
                    const std::vector<JointRecord>& joints) {
    std::vector<GlobalId> named = hub_;
    for (const auto& row : contacts) named.insert(named.end(), {row.a, row.b});
    for (const auto& row : joints) named.insert(named.end(), {row.a, row.b});
    std::vector<BodyRecord> bodies = fetch_bodies(distinct_places(std::move(named)));
    const auto is_mine = [&](const BodyRecord& body) { return body.owner == comm_.rank(); };
    const auto ghosts = std::stable_partition(bodies.begin(), bodies.end(), is_mine);
    Mail<GlobalId> needed(comm_.size());
    std::sort(ghosts, bodies.end(), [](const BodyRecord& a, const BodyRecord& b) {
      return std::pair(a.owner, a.place) < std::pair(b.owner, b.place);
    });
    for (auto body = ghosts; body != bodies.end(); ++body)
      if (is_exchanged(*body)) needed.put(body->owner, body->place);
    const auto needed_of_me = needed.deliver(comm_);
    std::unordered_map<GlobalId, bool> on_boundary;
    for (const auto& list : needed_of_me)
      for (const GlobalId place : list) on_boundary[place] = true;
    const auto interior = std::stable_partition(
        bodies.begin(), ghosts, [&](const BodyRecord& b) { return on_boundary.contains(b.place); });
    part_.boundary_bodies = static_cast<Index>(interior - bodies.begin());
    part_.owned_bodies = static_cast<Index>(ghosts - bodies.begin());
    for (const BodyRecord& body : bodies) {
      local_[body.place] = part_.data.body_count();
      if (is_mine(body)) part_.body_place.push_back(body.place);
      append(part_.data, body);
    }
    for (const GlobalId place : hub_) part_.hub_bodies.push_back(local_.at(place));
    list_neighbours(bodies, needed_of_me);
  }

  void list_neighbours(const std::vector<BodyRecord>& bodies,
                       const std::vector<std::vector<GlobalId>>& needed_of_me) {
    std::vector<HaloNeighbour> all(static_cast<std::size_t>(comm_.size()));
    for (int r = 0; r < comm_.size(); ++r) {
      HaloNeighbour& n = all[r];
      n.rank = r;
      for (const GlobalId place : needed_of_me[r]) n.send.push_back(local_.at(place));
    }
    for (auto i = static_cast<std::size_t>(part_.owned_bodies); i < bodies.size(); ++i)
      if (is_exchanged(bodies[i])) all[bodies[i].owner].receive.push_back(static_cast<Index>(i));
    for (HaloNeighbour& n : all)
      if (!n.send.empty() || !n.receive.empty()) part_.neighbours.push_back(std::move(n));
  }

  Index local_of(GlobalId place) const { return place < 0 ? no_body : local_.at(place); }

  /// Owned rows, filling up to a whole tile where mirrors follow, mirrored rows.
  template <class Record, class Put>
  void place_group(const std::vector<Record>& rows, const Record& filling, const Put& put,
                   std::vector<GlobalId>& places, std::vector<GlobalId>& mirror_places) const {
    for (const Record& row : rows) {
      if (row.owner != comm_.rank()) continue;
      places.push_back(row.place);
      put(row);
    }
    if (places.size() == rows.size()) return;
    const auto owned = static_cast<Index>(places.size());
    for (Index i = owned; i < first_mirror(owned); ++i) put(filling);
    for (const Record& row : rows) {
      if (row.owner == comm_.rank()) continue;
      mirror_places.push_back(row.place);
      put(row);
    }
  }

  void place_rows(const std::vector<ContactRecord>& contacts,
                  const std::vector<JointRecord>& joints) {
    const auto put_contact = [&](const ContactRecord& row) {
      append(part_.data, row, kinds_, local_of(row.a), local_of(row.b));
    };
    const auto put_joint = [&](const JointRecord& row) {
      append(part_.data, row, local_of(row.a), local_of(row.b));
    };
    ContactRecord no_contact;  // filling: a frictionless contact of the world with itself
    no_contact.normal = {1.0, 0.0, 0.0};
    no_contact.tangent = {0.0, 1.0, 0.0};
    place_group(contacts, no_contact, put_contact, part_.contact_place, part_.contact_mirror_place);
    place_group(joints, JointRecord{}, put_joint, part_.joint_place, part_.joint_mirror_place);
    part_.owned_contacts = static_cast<Index>(part_.contact_place.size());
    part_.owned_joint_rows = static_cast<Index>(part_.joint_place.size());
    part_.mirrored_contacts = static_cast<Index>(part_.contact_mirror_place.size());
    part_.mirrored_joint_rows = static_cast<Index>(part_.joint_mirror_place.size());
  }

  const Communicator& comm_;
  const BodySlice& slice_;
  const std::vector<int>& owner_;
  SliceRange bodies_;
  RowKinds kinds_;
  std::vector<Binding> bindings_;  ///< of the slice
  std::vector<GlobalId> hub_;
  std::unordered_map<GlobalId, BodyHome> homes_;
  std::unordered_map<GlobalId, Index> local_;
  BodyPart part_;
};

}  // namespace

BodyPart distribute(const Communicator& comm, const BodySlice& slice,
                    const std::vector<int>& owner) {
  const Phase phase("distributing the problem");
  return Distribution(comm, slice, owner).run();
}

}  // namespace talus
