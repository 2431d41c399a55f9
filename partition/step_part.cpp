#include "partition/step_part.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace talus {
namespace {

template <class T>
void choose(std::vector<T>& values, const std::vector<Index>& order, const T& filling) {
  std::vector<T> chosen(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    chosen[i] = order[i] < 0 ? filling : values[order[i]];
  values = std::move(chosen);
}

/// Rows that this rank owns, filling up to a whole tile, rows that it mirrors.
struct RowOrder {
  std::vector<Index> order;
  Index owned = 0, mirrored = 0;
  bool is_given(std::size_t rows) const { return static_cast<std::size_t>(owned) == rows; }
};
RowOrder row_order(const RowOwners& owners, const std::vector<Index>& a,
                   const std::vector<Index>& b, int ranks) {
  RowOrder rows;
  if (ranks == 1) {
    rows.order.resize(a.size());
    std::iota(rows.order.begin(), rows.order.end(), 0);
    rows.owned = static_cast<Index>(a.size());
    return rows;
  }
  std::vector<Index> mirrors;
  for (std::size_t r = 0; r < a.size(); ++r) {
    const auto row = static_cast<Index>(r);
    if (owners.owned(a[r], b[r]))
      rows.order.push_back(row);
    else if (owners.kept(a[r], b[r]))
      mirrors.push_back(row);
  }
  rows.owned = static_cast<Index>(rows.order.size());
  rows.mirrored = static_cast<Index>(mirrors.size());
  if (mirrors.empty()) return rows;
  rows.order.resize(static_cast<std::size_t>(first_mirror(rows.owned)), -1);
  rows.order.insert(rows.order.end(), mirrors.begin(), mirrors.end());
  return rows;
}

class StepPartition {
 public:
  StepPartition(const World& world, const std::vector<std::uint8_t>& hub, BodyProblem data,
                const Communicator& comm)
      : bodies_(world.bodies), hub_(hub), homes_(bodies_, hub), comm_(comm) {
    result_.part.data = std::move(data);
  }

  StepPart run(std::vector<GlobalId> identity) {
    BodyPart& part = result_.part;
    BodyProblem& d = part.data;
    const RowOrder contacts = row_order(homes_, d.contact_body_a, d.contact_body_b, comm_.size());
    const RowOrder joints = row_order(homes_, d.joint_body_a, d.joint_body_b, comm_.size());
    part.owned_contacts = contacts.owned;
    part.mirrored_contacts = contacts.mirrored;
    part.owned_joint_rows = joints.owned;
    part.mirrored_joint_rows = joints.mirrored;
    result_.contact = contacts.order;
    result_.joint_row = joints.order;
    part.contact_identity = std::move(identity);
    if (!contacts.is_given(d.contact_body_a.size())) choose_contacts();
    if (!joints.is_given(d.joint_body_a.size())) choose_joints();
    order_bodies();
    for (Index i = 0; i < d.body_count(); ++i)
      if (hub_[result_.body[i]] != 0) part.hub_bodies.push_back(i);
    std::sort(part.hub_bodies.begin(), part.hub_bodies.end(),
              [&](Index a, Index b) { return d.body_id[a] < d.body_id[b]; });
    return std::move(result_);
  }

 private:
  void choose_contacts() {
    BodyProblem& d = result_.part.data;
    const std::vector<Index>& order = result_.contact;
    choose(d.contact_key, order, GlobalId{0});
    choose(d.contact_body_a, order, no_body);
    choose(d.contact_body_b, order, no_body);
    choose(d.normal, order, Vec3{1.0, 0.0, 0.0});
    choose(d.tangent, order, Vec3{0.0, 1.0, 0.0});
    choose(d.point, order, Vec3{});
    if (!d.point_b.empty()) choose(d.point_b, order, Vec3{});
    choose(d.friction, order, 0.0);
    choose(d.contact_bias, order, Vec3{});
    choose(d.normal_compliance, order, 0.0);
    choose(d.tangent_compliance, order, 0.0);
    if (!d.rolling_friction.empty()) choose(d.rolling_friction, order, 0.0);
    if (!d.spinning_friction.empty()) choose(d.spinning_friction, order, 0.0);
    if (!d.turning_bias.empty()) choose(d.turning_bias, order, Vec3{});
    choose(result_.part.contact_identity, order, GlobalId{0});
  }

  void choose_joints() {
    BodyProblem& d = result_.part.data;
    const std::vector<Index>& order = result_.joint_row;
    choose(d.joint_key, order, GlobalId{0});
    choose(d.joint_body_a, order, no_body);
    choose(d.joint_body_b, order, no_body);
    choose(d.joint_block_a, order, Vec6{});
    choose(d.joint_block_b, order, Vec6{});
    choose(d.joint_bias, order, 0.0);
    choose(d.joint_compliance, order, 0.0);
    choose(d.joint_lower, order, -infinity);
    choose(d.joint_upper, order, infinity);
  }

  /// Neighbours by the rows that both keep: a body that binds its rows goes to the owners of the
  /// other bodies that bind theirs, and comes from there. Both sides find the same lists.
  void find_neighbours(std::vector<std::vector<Index>>& send,
                       std::vector<std::vector<Index>>& receive) const {
    const BodyProblem& d = result_.part.data;
    const auto look = [&](const std::vector<Index>& a, const std::vector<Index>& b) {
      for (std::size_t r = 0; r < a.size(); ++r)
        for (const auto& [here, there] : {std::pair(a[r], b[r]), std::pair(b[r], a[r])}) {
          if (!homes_.binds(here) || !homes_.binds(there) || !bodies_.is_owned(here) ||
              bodies_.is_owned(there))
            continue;
          const auto rank = static_cast<std::size_t>(bodies_.owner[there]);
          send[rank].push_back(here);
          receive[rank].push_back(there);
        }
    };
    look(d.contact_body_a, d.contact_body_b);
    look(d.joint_body_a, d.joint_body_b);
    for (auto* lists : {&send, &receive})
      for (auto& list : *lists) {
        std::sort(list.begin(), list.end(),
                  [&](Index x, Index y) { return bodies_.id[x] < bodies_.id[y]; });
        list.erase(std::unique(list.begin(), list.end()), list.end());
      }
  }

  void order_bodies() {
    BodyPart& part = result_.part;
    BodyProblem& d = part.data;
    const auto ranks = static_cast<std::size_t>(comm_.size());
    std::vector<std::vector<Index>> send(ranks), receive(ranks);
    if (ranks > 1) find_neighbours(send, receive);
    std::vector<std::uint8_t> on_boundary(bodies_.id.size(), 0);
    for (const auto& list : send)
      for (const Index i : list) on_boundary[i] = 1;
    result_.body.resize(bodies_.id.size());
    std::iota(result_.body.begin(), result_.body.end(), 0);
    std::stable_partition(result_.body.begin(), result_.body.begin() + bodies_.owned,
                          [&](Index i) { return on_boundary[i] != 0; });
    part.owned_bodies = bodies_.owned;
    part.boundary_bodies =
        static_cast<Index>(std::count(on_boundary.begin(), on_boundary.end(), std::uint8_t{1}));
    std::vector<Index> place(result_.body.size());
    for (std::size_t k = 0; k < place.size(); ++k) place[result_.body[k]] = static_cast<Index>(k);
    const auto renumber = [&](std::vector<Index>& list) {
      for (Index& i : list)
        if (i != no_body) i = place[i];
    };
    for (auto* list : {&d.contact_body_a, &d.contact_body_b, &d.joint_body_a, &d.joint_body_b})
      renumber(*list);
    for (std::size_t r = 0; r < ranks; ++r) {
      if (send[r].empty() && receive[r].empty()) continue;
      renumber(send[r]);
      renumber(receive[r]);
      part.neighbours.push_back({static_cast<int>(r), std::move(send[r]), std::move(receive[r])});
    }
    if (part.boundary_bodies == 0) return;
    choose(d.body_id, result_.body, GlobalId{0});
    choose(d.centre, result_.body, Vec3{});
    choose(d.inverse_mass, result_.body, 0.0);
    choose(d.inverse_inertia, result_.body, Sym3{});
    choose(d.momentum, result_.body, Vec6{});
  }

  const BodySet& bodies_;
  const std::vector<std::uint8_t>& hub_;
  RowOwners homes_;
  const Communicator& comm_;
  StepPart result_;
};

}  // namespace

StepPart step_part(const World& world, const std::vector<std::uint8_t>& hub, BodyProblem data,
                   std::vector<GlobalId> identity, const Communicator& comm) {
  return StepPartition(world, hub, std::move(data), comm).run(std::move(identity));
}

}  // namespace talus
