// What only their owners know of joints and contacts of bodies that are everywhere.

#include "talus/core/error.hpp"
#include "talus/problem/body_problem.hpp"

#include "mail.hpp"
#include "model/row_owners.hpp"
#include "partition/state_slice.hpp"
#include "partition/world_share.hpp"
#include "records.hpp"
#include "sorted_slice.hpp"

#include <array>
#include <tuple>
#include <vector>

namespace talus {
namespace {

/// What a joint remembers, as bits that are added up: those of its owner and zeros.
class JointBits {
 public:
  JointBits(World& world, const std::vector<std::uint8_t>& hub)
      : world_(world), homes_(world.bodies, hub) {}

  /// visit(joint, a, b) with the indices of its bodies, -1 where they are not here.
  template <class Visit>
  void each(const Visit& visit) {
    const auto index = [&](GlobalId id) {
      return id == world_id ? no_body : world_.bodies.find(id);
    };
    for (Joint& joint : world_.joints) visit(joint, index(joint.body_a), index(joint.body_b));
  }
  void put(const Joint& joint, Index a, Index b, std::vector<std::int64_t>& bits) const {
    // who has not the partner cannot own the row
    const bool whole = (a >= 0 || joint.body_a == world_id) && (b >= 0 || joint.body_b == world_id);
    const bool mine = whole && homes_.owned(a, b);
    const Vec3 &f = joint.reaction_force, &m = joint.reaction_torque;
    for (const double number : {joint.angle, f.x, f.y, f.z, m.x, m.y, m.z})
      bits.push_back(mine ? bits_of(number) : 0);
    for (const double impulse : joint.impulse) bits.push_back(mine ? bits_of(impulse) : 0);
  }
  static void take(Joint& joint, const std::int64_t*& from) {
    const auto next = [&] { return from_bits(*from++); };
    joint.angle = next();
    for (Vec3* v : {&joint.reaction_force, &joint.reaction_torque})
      for (double* x : {&v->x, &v->y, &v->z}) *x = next();
    for (double& impulse : joint.impulse) impulse = next();
  }

 private:
  World& world_;
  RowOwners homes_;
};

}  // namespace

void WorldShare::gather_joints(World& world, const std::vector<std::uint8_t>& hub) {
  if (comm_.size() == 1 || world.joints.empty()) return;
  std::vector<std::uint8_t> marks = hub;
  marks.resize(world.bodies.id.size(), 0);
  JointBits joints(world, marks);
  std::vector<std::int64_t> bits;
  joints.each([&](const Joint& joint, Index a, Index b) { joints.put(joint, a, b, bits); });
  comm_.sum(bits);
  const std::int64_t* next = bits.data();
  joints.each([&](Joint& joint, Index, Index) { JointBits::take(joint, next); });
}

void WorldShare::share_rows_of_everywhere(World& world, const std::vector<std::uint8_t>& hub) {
  BodySet& bodies = world.bodies;
  if (comm_.size() == 1 || replicated_that_move(bodies).empty()) return;
  const RowOwners owners(bodies, hub);
  const auto moves_everywhere = [&](Index body) {
    return body >= 0 && !bodies.is_local(body) && bodies.motion[body] == Motion::Dynamic;
  };
  JointBits joints(world, hub);
  const auto each_joint = [&](const auto& visit) {
    joints.each([&](Joint& joint, Index a, Index b) {
      if (moves_everywhere(a) || moves_everywhere(b)) visit(joint, a, b);
    });
  };
  ContactSet& contacts = world.contacts;
  const auto each_contact = [&](const auto& visit) {
    for (std::size_t c = 0; c < contacts.gap.size(); ++c)
      if (!bodies.is_local(contacts.body_a[c]) && !bodies.is_local(contacts.body_b[c])) visit(c);
  };
  // bodies that are everywhere, and their joints and contacts with each other, are the same here
  // and there: so is the number of them
  std::vector<std::int64_t> bits;
  each_joint([&](const Joint& joint, Index a, Index b) { joints.put(joint, a, b, bits); });
  each_contact([&](std::size_t c) {
    const bool mine = owners.owned(contacts.body_a[c], contacts.body_b[c]);
    const Vec3& p = contacts.impulse[c];
    const Vec3 l = rolling ? contacts.angular_impulse[c] : Vec3{};
    for (const double number : {p.x, p.y, p.z, l.x, l.y, l.z})
      bits.push_back(mine ? bits_of(number) : 0);
  });
  if (bits.empty()) return;
  comm_.sum(bits);
  const std::int64_t* next = bits.data();
  each_joint([&](Joint& joint, Index, Index) { JointBits::take(joint, next); });
  each_contact([&](std::size_t c) {
    Vec3& p = contacts.impulse[c];
    Vec3 l;
    for (double* x : {&p.x, &p.y, &p.z, &l.x, &l.y, &l.z}) *x = from_bits(*next++);
    if (rolling) contacts.angular_impulse[c] = l;
  });
}

namespace {

/// Numbers of one body, contact or joint row as they travel.
template <std::size_t width>
struct Numbers {
  GlobalId place = 0;
  std::array<double, width> values{};
};

/// `values` has `count` numbers for each of the places, which are of `total`; returns those of this
/// rank's slice. Collective.
template <std::size_t width>
std::vector<double> in_slice_order(const Communicator& comm, GlobalId total,
                                   const std::vector<GlobalId>& places,
                                   const std::vector<double>& values, std::size_t count) {
  TALUS_ASSERT(values.size() == count * places.size());
  Mail<Numbers<width>> mail(comm.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    Numbers<width> record{places[i], {}};
    std::copy_n(values.data() + count * i, count, record.values.begin());
    mail.put(slice_rank(total, places[i], comm.size()), record);
  }
  const SliceRange range = slice_range(total, comm.rank(), comm.size());
  std::vector<double> ordered(count * static_cast<std::size_t>(range.count()));
  for (const auto& list : mail.deliver(comm))
    for (const Numbers<width>& record : list)
      std::copy_n(record.values.begin(), count,
                  ordered.data() + count * static_cast<std::size_t>(record.place - range.first));
  return ordered;
}

}  // namespace

SolutionSlice solution_slice(const Communicator& comm, const BodyPart& part,
                             const Solution& owned) {
  std::array<double, 1> rows{static_cast<double>(part.data.rows_per_contact())};
  comm.largest(rows);  // a part without contacts cannot know
  SolutionSlice slice;
  slice.total_bodies = part.total_bodies;
  slice.total_contacts = part.total_contacts;
  slice.total_joint_rows = part.total_joint_rows;
  slice.rows_per_contact = static_cast<Index>(rows[0]);
  const auto per_contact = static_cast<std::size_t>(slice.rows_per_contact);
  slice.rows.v = in_slice_order<6>(comm, part.total_bodies, part.body_place, owned.v, 6);
  slice.rows.u =
      in_slice_order<6>(comm, part.total_contacts, part.contact_place, owned.u, per_contact);
  slice.rows.r =
      in_slice_order<6>(comm, part.total_contacts, part.contact_place, owned.r, per_contact);
  slice.rows.l = in_slice_order<1>(comm, part.total_joint_rows, part.joint_place, owned.l, 1);
  return slice;
}

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
