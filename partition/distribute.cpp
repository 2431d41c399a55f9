#include "talus/partition/distribute.hpp"

#include "talus/core/error.hpp"

#include "mail.hpp"
#include "records.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace talus {
namespace {

/// What a row must know of its bodies to know where it belongs.
struct BodyHome {
  std::int32_t owner = -1, movable = 0;
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
    std::array<double, 2> has{slice_.data.point_b.empty() ? 0.0 : 1.0,
                              slice_.data.has_rolling() ? 1.0 : 0.0};
    comm_.largest(has);
    kinds_ = {has[0] > 0.0, has[1] > 0.0};
  }

  BodyHome home_in_slice(GlobalId place) const {
    const auto i = static_cast<std::size_t>(place - bodies_.first);
    return {owner_[i],
            is_movable(slice_.data.inverse_mass[i], slice_.data.inverse_inertia[i]) ? 1 : 0};
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

  /// Sends a row to the owners of its movable bodies; the owner of the row is that of the movable
  /// body with the lower place, or of either body, or rank 0.
  template <class Record>
  void send_row(Record record, Mail<Record>& mail) const {
    const BodyHome low = home_of(std::min(record.a, record.b)),
                   high = home_of(std::max(record.a, record.b));
    record.owner = 0;
    if (low.movable != 0)
      record.owner = low.owner;
    else if (high.movable != 0)
      record.owner = high.owner;
    else if (low.owner >= 0 || high.owner >= 0)
      record.owner = low.owner >= 0 ? low.owner : high.owner;
    mail.put(record.owner, record);
    for (const BodyHome& home : {low, high})
      if (home.movable != 0 && home.owner != record.owner) mail.put(home.owner, record);
  }

  std::vector<ContactRecord> send_contacts() const {
    Mail<ContactRecord> mail(comm_.size());
    const GlobalId first = slice_range(slice_.total_contacts, comm_.rank(), comm_.size()).first;
    for (std::size_t i = 0; i < slice_.contact_a.size(); ++i) {
      ContactRecord record = contact_record(slice_.data, i);
      record.place = first + static_cast<GlobalId>(i);
      record.a = slice_.contact_a[i];
      record.b = slice_.contact_b[i];
      send_row(record, mail);
    }
    return joined(mail.deliver(comm_));
  }

  std::vector<JointRecord> send_joints() const {
    Mail<JointRecord> mail(comm_.size());
    const GlobalId first = slice_range(slice_.total_joint_rows, comm_.rank(), comm_.size()).first;
    for (std::size_t i = 0; i < slice_.joint_a.size(); ++i) {
      JointRecord record = joint_record(slice_.data, i);
      record.place = first + static_cast<GlobalId>(i);
      record.a = slice_.joint_a[i];
      record.b = slice_.joint_b[i];
      send_row(record, mail);
    }
    return joined(mail.deliver(comm_));
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
      mail.put(owner_[static_cast<std::size_t>(place - bodies_.first)], record_of(place));
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
    std::vector<GlobalId> named;
    for (const auto& row : contacts) named.insert(named.end(), {row.a, row.b});
    for (const auto& row : joints) named.insert(named.end(), {row.a, row.b});
    std::vector<BodyRecord> bodies = fetch_bodies(distinct_places(std::move(named)));
    const auto is_mine = [&](const BodyRecord& body) { return body.owner == comm_.rank(); };
    const auto ghosts = std::stable_partition(bodies.begin(), bodies.end(), is_mine);
    // Bodies that nothing moves are at rest everywhere: they are copied, never exchanged.
    Mail<GlobalId> needed(comm_.size());
    std::sort(ghosts, bodies.end(), [](const BodyRecord& a, const BodyRecord& b) {
      return std::pair(a.owner, a.place) < std::pair(b.owner, b.place);
    });
    for (auto body = ghosts; body != bodies.end(); ++body)
      if (is_movable(body->inverse_mass, body->inverse_inertia))
        needed.put(body->owner, body->place);
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
    list_neighbours(bodies, needed_of_me);
  }

  void list_neighbours(const std::vector<BodyRecord>& bodies,
                       const std::vector<std::vector<GlobalId>>& needed_of_me) {
    std::vector<HaloNeighbour> all(static_cast<std::size_t>(comm_.size()));
    for (int r = 0; r < comm_.size(); ++r) {
      HaloNeighbour& n = all[static_cast<std::size_t>(r)];
      n.rank = r;
      for (const GlobalId place : needed_of_me[static_cast<std::size_t>(r)])
        n.send.push_back(local_.at(place));
    }
    for (auto i = static_cast<std::size_t>(part_.owned_bodies); i < bodies.size(); ++i)
      if (is_movable(bodies[i].inverse_mass, bodies[i].inverse_inertia))
        all[static_cast<std::size_t>(bodies[i].owner)].receive.push_back(static_cast<Index>(i));
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
    place_group(contacts, no_contact, put_contact, part_.contact_place,
                part_.contact_mirror_place);
    place_group(joints, JointRecord{}, put_joint, part_.joint_place,
                part_.joint_mirror_place);
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
  std::unordered_map<GlobalId, BodyHome> homes_;
  std::unordered_map<GlobalId, Index> local_;
  BodyPart part_;
};

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
  slice.total_bodies = whole.body_count();
  slice.total_contacts = whole.contact_count();
  slice.total_joint_rows = whole.joint_row_count();
  slice.data.time_step = whole.time_step;
  slice.data.title = whole.title;
  const SliceRange bodies = slice_range(slice.total_bodies, rank, ranks);
  for (GlobalId i = bodies.first; i < bodies.last; ++i)
    append(slice.data, body_record(whole, static_cast<std::size_t>(i)));
  const RowKinds kinds{!whole.point_b.empty(), whole.has_rolling()};
  const SliceRange contacts = slice_range(slice.total_contacts, rank, ranks);
  for (GlobalId c = contacts.first; c < contacts.last; ++c) {
    const auto i = static_cast<std::size_t>(c);
    append(slice.data, contact_record(whole, i), kinds, no_body, no_body);
    slice.contact_a.push_back(whole.contact_body_a[i]);
    slice.contact_b.push_back(whole.contact_body_b[i]);
  }
  const SliceRange joints = slice_range(slice.total_joint_rows, rank, ranks);
  for (GlobalId j = joints.first; j < joints.last; ++j) {
    const auto i = static_cast<std::size_t>(j);
    append(slice.data, joint_record(whole, i), no_body, no_body);
    slice.joint_a.push_back(whole.joint_body_a[i]);
    slice.joint_b.push_back(whole.joint_body_b[i]);
  }
  return slice;
}

BodyPart distribute(const Communicator& comm, const BodySlice& slice,
                    const std::vector<int>& owner) {
  const Phase phase("distributing the problem");
  return Distribution(comm, slice, owner).run();
}

}  // namespace talus
