// Copies of bodies that other ranks own: which, and how they stay what their owners have.

#include "partition/world_share.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_problem.hpp"

#include "mail.hpp"
#include "model/outer_forces.hpp"
#include "model/row_owners.hpp"
#include "parallel/halo.hpp"
#include "partition/ghost_plan.hpp"
#include "records.hpp"

#include <algorithm>
#include <map>

namespace talus {
namespace {

constexpr Index state_size = 14;  // position, orientation, velocities, shift

/// Three small whole numbers as one.
double code_of(const Shift& shift) {
  return (shift[0] + 128.0) + 256.0 * ((shift[1] + 128.0) + 256.0 * (shift[2] + 128.0));
}
Shift shift_of(double code) {
  const auto whole = static_cast<std::int32_t>(code);
  return {static_cast<std::int8_t>(whole % 256 - 128),
          static_cast<std::int8_t>(whole / 256 % 256 - 128),
          static_cast<std::int8_t>(whole / 65536 - 128)};
}

void write_state(const BodySet& bodies, std::size_t b, const Shift& shift, double* to) {
  const Vec3 &x = bodies.position[b], &v = bodies.velocity[b], &w = bodies.angular_velocity[b];
  const Quaternion& q = bodies.orientation[b];
  const std::array<double, state_size> numbers{x.x, x.y, x.z, q.w, q.x, q.y, q.z,
                                               v.x, v.y, v.z, w.x, w.y, w.z, code_of(shift)};
  std::copy(numbers.begin(), numbers.end(), to);
}

void read_state(const double* from, std::size_t b, BodySet& bodies, Shift& shift) {
  bodies.position[b] = {from[0], from[1], from[2]};
  bodies.orientation[b] = {from[3], from[4], from[5], from[6]};
  bodies.velocity[b] = {from[7], from[8], from[9]};
  bodies.angular_velocity[b] = {from[10], from[11], from[12]};
  shift = shift_of(from[13]);
}

HaloLayout all_of(Index stride) {
  HaloLayout layout{stride, {}};
  for (Index k = 0; k < stride; ++k) layout.offsets.push_back(k);
  return layout;
}

}  // namespace

namespace {

struct RankOfId {
  GlobalId id = 0;
  std::int32_t rank = 0;
};

}  // namespace

/// Adds to the lists of what other ranks need the partners of their bodies in joints.
void WorldShare::send_partners(const World& world, std::vector<std::vector<Index>>& to) const {
  const BodySet& bodies = world.bodies;
  std::vector<RankOfId> mine;
  for (const Joint& joint : world.joints)
    for (const GlobalId id : {joint.body_a, joint.body_b}) {
      const Index body = id == world_id ? Index{-1} : bodies.find(id);
      if (body >= 0 && bodies.is_owned(body)) mine.push_back({id, comm_.rank()});
    }
  std::map<GlobalId, int> owner;
  for (const RankOfId& one : of_all_ranks(comm_, mine)) owner.emplace(one.id, one.rank);
  for (const Joint& joint : world.joints) {
    if (joint.body_a == world_id || joint.body_b == world_id) continue;
    for (const auto& [here, there] :
         {std::pair(joint.body_a, joint.body_b), std::pair(joint.body_b, joint.body_a)}) {
      const Index body = bodies.find(here);
      const auto partner = owner.find(there);
      if (body < 0 || !bodies.is_owned(body) || !bodies.is_local(body) || partner == owner.end() ||
          partner->second == comm_.rank())
        continue;
      to[partner->second].push_back(body);
    }
  }
}

/// The same of contacts that this rank has kept: while it has no ghosts it has not their partners.
void WorldShare::send_partners_in_contacts(const World& world,
                                           std::vector<std::vector<Index>>& to) const {
  std::vector<GlobalId> absent;
  for (const ContactName& name : world.contacts.name)
    for (const GlobalId id : {name.a, name.b})
      if (world.bodies.find(id) < 0) absent.push_back(id);
  std::sort(absent.begin(), absent.end());
  absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
  std::vector<RankOfId> mine;
  for (const GlobalId id : absent) mine.push_back({id, comm_.rank()});
  for (const RankOfId& wanted : of_all_ranks(comm_, mine)) {
    const Index body = world.bodies.find(wanted.id);
    if (body >= 0 && world.bodies.is_owned(body)) to[wanted.rank].push_back(body);
  }
}

void WorldShare::find_ghosts(World& world, const std::vector<Bounds>& bounds, Partners partners) {
  const Phase phase("fetching ghosts");
  neighbours_.clear();
  ghosts_ = 0;
  if (comm_.size() == 1) return;
  BodySet& bodies = world.bodies;
  TALUS_ASSERT(bounds.size() == static_cast<std::size_t>(bodies.owned));
  std::vector<Index> local;
  std::vector<Bounds> of_local;
  for (Index i = 0; i < bodies.owned; ++i)
    if (bodies.is_local(i)) {
      local.push_back(i);
      of_local.push_back(bounds[i]);
    }
  const std::vector<std::uint8_t> moves(local.size(), 1);
  std::vector<std::vector<Index>> to = ghosts_for(comm_, {of_local, moves, world.periodicity()});
  for (auto& list : to)
    for (Index& i : list) i = local[i];
  if (!world.joints.empty()) send_partners(world, to);
  if (partners == Partners::OfJointsAndContacts) send_partners_in_contacts(world, to);
  std::vector<Bytes> packed(to.size());
  for (std::size_t r = 0; r < to.size(); ++r) {
    std::sort(to[r].begin(), to[r].end());
    to[r].erase(std::unique(to[r].begin(), to[r].end()), to[r].end());
    std::vector<StoredBody> sent;
    for (const Index i : to[r]) sent.push_back(stored(bodies, i));
    if (!sent.empty()) put_records(packed[r], sent);
  }
  std::vector<StoredBody> ghosts;
  for (const Bytes& bytes : comm_.all_to_all(packed)) {
    std::size_t at = 0;
    take_records(bytes, at, ghosts);
  }
  ghosts_ = static_cast<std::int64_t>(ghosts.size());
  for (Index i = bodies.owned; i < bodies.count(); ++i) ghosts.push_back(stored(bodies, i));
  std::sort(ghosts.begin(), ghosts.end(),
            [](const StoredBody& a, const StoredBody& b) { return a.body.id < b.body.id; });
  std::vector<std::uint8_t> marks(bodies.id.size(), 1);
  std::fill(marks.begin() + bodies.owned, marks.end(), std::uint8_t{0});
  bodies.keep(marks);
  for (const StoredBody& ghost : ghosts) append_stored(bodies, ghost);

  std::vector<HaloNeighbour> all(to.size());
  for (std::size_t r = 0; r < to.size(); ++r) {
    all[r].rank = static_cast<int>(r);
    all[r].send = std::move(to[r]);
  }
  for (Index i = bodies.owned; i < bodies.count(); ++i)
    if (bodies.is_local(i)) all[bodies.owner[i]].receive.push_back(i);
  for (HaloNeighbour& n : all)
    if (!n.send.empty() || !n.receive.empty()) neighbours_.push_back(std::move(n));
  states_ = std::make_shared<Halo>(comm_, neighbours_, all_of(state_size));
  momenta_ = std::make_shared<Halo>(comm_, neighbours_, all_of(6));
  find_bodies(world);
}

void WorldShare::refresh(World& world, std::vector<Shift>& shifts) {
  if (comm_.size() == 1) return;
  BodySet& bodies = world.bodies;
  numbers_.resize(static_cast<std::size_t>(state_size) * bodies.id.size());
  const auto place = [&](Index i) { return numbers_.data() + state_size * std::ptrdiff_t{i}; };
  for (const HaloNeighbour& n : neighbours_)
    for (const Index i : n.send)
      write_state(bodies, static_cast<std::size_t>(i), shifts[i], place(i));
  if (states_) {
    states_->start(numbers_.data());
    states_->finish(numbers_.data());
  }
  for (const HaloNeighbour& n : neighbours_)
    for (const Index i : n.receive)
      read_state(place(i), static_cast<std::size_t>(i), bodies, shifts[i]);
  // bodies that are everywhere: the bits of their owners and zeros, added
  const std::vector<Index> common = replicated_that_move(bodies);
  if (common.empty()) return;
  std::vector<std::int64_t> bits(common.size() * state_size, 0);
  std::array<double, state_size> state{};
  for (std::size_t k = 0; k < common.size(); ++k) {
    const auto b = static_cast<std::size_t>(common[k]);
    if (!bodies.is_owned(common[k])) continue;
    write_state(bodies, b, shifts[b], state.data());
    std::transform(state.begin(), state.end(),
                   bits.begin() + static_cast<std::ptrdiff_t>(k * state_size), bits_of);
  }
  comm_.sum(bits);
  for (std::size_t k = 0; k < common.size(); ++k) {
    const auto b = static_cast<std::size_t>(common[k]);
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = from_bits(bits[k * state_size + i]);
    read_state(state.data(), b, bodies, shifts[b]);
  }
}

bool WorldShare::find_hubs(World& world, std::vector<std::int64_t>& rows,
                           std::vector<std::uint8_t>& hub, std::span<double> riders) {
  BodySet& bodies = world.bodies;
  const std::vector<Index> common = replicated_that_move(bodies);
  std::vector<std::int64_t> sums{0};
  for (Index i = 0; i < bodies.owned; ++i) {
    const auto b = static_cast<std::size_t>(i);
    if (bodies.is_local(i) && rows[b] > most_rows_of_one_rank &&
        bodies.motion[b] == Motion::Dynamic) {
      hub_from_now_.push_back(bodies.id[b]);
      ++sums[0];
    }
  }
  for (const Index i : common) sums.push_back(rows[i]);
  reduce(comm_, {sums, riders});
  hub.assign(bodies.id.size(), 0);
  for (std::size_t k = 0; k < common.size(); ++k) {
    const auto b = static_cast<std::size_t>(common[k]);
    rows[b] = sums[k + 1];
    if (rows[b] <= most_rows_of_one_rank) continue;
    hub[b] = 1;
    bodies.residence[b] = Residence::AlwaysReplicated;
  }
  return sums[0] > 0;
}

bool WorldShare::replicates_moving(const World& world) {
  return !replicated_that_move(world.bodies).empty();
}

void WorldShare::drop_late(World& world) {
  BodySet& bodies = world.bodies;
  late_to_.clear();
  late_from_.clear();
  if (bodies.late == 0) return;
  const Index first = bodies.count() - bodies.late;
  ContactSet& contacts = world.contacts;
  // the owners of the late ghosts have their contacts, and send them anew
  std::vector<std::uint8_t> stays(contacts.gap.size(), 1);
  for (std::size_t c = 0; c < stays.size(); ++c)
    if (contacts.body_a[c] >= first || contacts.body_b[c] >= first) stays[c] = 0;
  keep(contacts, stays);
  std::vector<std::uint8_t> marks(bodies.id.size(), 1);
  std::fill(marks.begin() + first, marks.end(), std::uint8_t{0});
  bodies.keep(marks);
}

void WorldShare::send_contacts(World& world, const std::vector<std::uint8_t>& hub) {
  BodySet& bodies = world.bodies;
  const std::vector<Index> common = replicated_that_move(bodies);
  const auto narrow = [&](Index i) { return hub[i] == 0; };
  late_to_.clear();
  late_from_.clear();
  if (comm_.size() == 1) return;
  if (std::none_of(common.begin(), common.end(), narrow)) return;
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::vector<StoredContact>> contacts(ranks);
  late_to_.resize(ranks);
  late_from_.resize(ranks);
  for (Index c = 0; c < world.contacts.count(); ++c) {
    const Index a = world.contacts.body_a[c], b = world.contacts.body_b[c];
    for (const auto& [body, other] : {std::pair(a, b), std::pair(b, a)}) {
      const auto i = static_cast<std::size_t>(body);
      if (bodies.is_local(body) || bodies.motion[i] != Motion::Dynamic || !narrow(body) ||
          bodies.is_owned(body) || !bodies.is_local(other) || !bodies.is_owned(other))
        continue;
      const auto to = static_cast<std::size_t>(bodies.owner[i]);
      contacts[to].push_back(stored(world.contacts, c));
      late_to_[to].push_back(other);
    }
  }
  std::vector<Bytes> packed(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (contacts[r].empty()) continue;
    std::sort(late_to_[r].begin(), late_to_[r].end());
    late_to_[r].erase(std::unique(late_to_[r].begin(), late_to_[r].end()), late_to_[r].end());
    std::vector<StoredBody> others;
    for (const Index body : late_to_[r]) others.push_back(stored(bodies, body));
    put_records(packed[r], contacts[r]);
    put_records(packed[r], others);
  }
  std::vector<StoredContact> came;
  const std::vector<Bytes> from_each = comm_.all_to_all(packed);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::size_t at = 0;
    std::vector<StoredBody> came_with;
    take_records(from_each[r], at, came);
    take_records(from_each[r], at, came_with);
    for (const StoredBody& ghost : came_with) {
      if (bodies.find(ghost.body.id) < 0) {
        append_stored(bodies, ghost);
        ++bodies.late;
      }
      late_from_[r].push_back(bodies.find(ghost.body.id));
    }
  }
  if (came.empty()) return;
  merge(world.contacts, came, rolling);
  find_bodies(world);
}

void WorldShare::share_momenta(const World& world, std::vector<Vec6>& momenta) {
  if (comm_.size() == 1) return;
  const BodySet& bodies = world.bodies;
  numbers_.resize(6 * bodies.id.size());
  const auto place = [&](Index i) { return numbers_.data() + 6 * std::ptrdiff_t{i}; };
  for (const HaloNeighbour& n : neighbours_)
    for (const Index i : n.send) std::copy_n(momenta[i].begin(), 6, place(i));
  if (momenta_) {
    momenta_->start(numbers_.data());
    momenta_->finish(numbers_.data());
  }
  for (const HaloNeighbour& n : neighbours_)
    for (const Index i : n.receive) std::copy_n(place(i), 6, momenta[i].begin());
  if (!late_to_.empty()) {
    std::vector<Bytes> packed(late_to_.size());
    for (std::size_t r = 0; r < packed.size(); ++r) {
      std::vector<Vec6> sent;
      for (const Index i : late_to_[r]) sent.push_back(momenta[i]);
      packed[r] = to_bytes(sent);
    }
    const std::vector<Bytes> from_each = comm_.all_to_all(packed);
    for (std::size_t r = 0; r < packed.size(); ++r) {
      const std::vector<Vec6> came = from_bytes<Vec6>(from_each[r]);
      for (std::size_t k = 0; k < came.size(); ++k) momenta[late_from_[r][k]] = came[k];
    }
  }
  const std::vector<Index> common = replicated_that_move(bodies);
  std::vector<std::int64_t> bits(6 * common.size(), 0);
  if (bits.empty()) return;
  for (std::size_t k = 0; k < bits.size(); ++k)
    if (bodies.is_owned(common[k / 6])) bits[k] = bits_of(momenta[common[k / 6]][k % 6]);
  comm_.sum(bits);
  for (std::size_t k = 0; k < bits.size(); ++k) momenta[common[k / 6]][k % 6] = from_bits(bits[k]);
}

void WorldShare::share_pushed(World& world) {
  if (comm_.size() == 1) return;
  const BodySet& bodies = world.bodies;
  TALUS_ASSERT(bodies.late == 0);
  std::vector<Vec6> wrenches(bodies.id.size(), Vec6{});
  for (const OuterForce& outer : world.pushed) {
    const Index body = bodies.find(outer.body);
    const Vec3 &f = outer.force, &m = outer.torque;
    if (body >= 0 && bodies.is_owned(body)) wrenches[body] = {f.x, f.y, f.z, m.x, m.y, m.z};
  }
  share_momenta(world, wrenches);
  world.pushed.clear();
  for (Index body = 0; body < bodies.count(); ++body) {
    const Vec6& w = wrenches[body];
    if (w != Vec6{})
      world.pushed.push_back({bodies.id[body], {w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
  }
  sort_by_body(world.pushed);
}

}  // namespace talus
