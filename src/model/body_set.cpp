#include "talus/model/body_set.hpp"

#include "talus/core/error.hpp"

#include "model/body_traits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace talus {
namespace {

/// All arrays of bodies, so that none is forgotten where bodies are added or taken away: a new
/// member does not compile without its name here.
auto arrays_of(BodySet& bodies) {
  auto& [id, motion, shape, scale, material, group, mass, inertia, reach, position, orientation,
         velocity, angular_velocity, owner, residence, owned, late, rank] = bodies;
  return std::tie(id, motion, shape, scale, material, group, mass, inertia, reach, position,
                  orientation, velocity, angular_velocity, owner, residence);
}

/// Puts all of `more` in front of body number `place`.
void insert_all(BodySet& bodies, BodySet& more, Index place) {
  const auto to = arrays_of(bodies), from = arrays_of(more);
  const auto one = [&](auto& array, auto& added) {
    array.insert(array.begin() + place, added.begin(), added.end());
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (one(std::get<i>(to), std::get<i>(from)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(arrays_of(bodies))>>{});
}

template <class T>
void compact(std::vector<T>& values, const std::vector<std::uint8_t>& marks) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (marks[i] != 0) values[kept++] = values[i];
  values.resize(kept);
}

}  // namespace

Index BodySet::find(GlobalId wanted) const {
  const auto ghosts = id.begin() + owned, late_ghosts = id.end() - late;
  for (const auto& [first, last] :
       {std::pair(id.begin(), ghosts), std::pair(ghosts, late_ghosts)}) {
    const auto at = std::lower_bound(first, last, wanted);
    if (at != last && *at == wanted) return static_cast<Index>(at - id.begin());
  }
  const auto at = std::find(late_ghosts, id.end(), wanted);
  return at == id.end() ? -1 : static_cast<Index>(at - id.begin());
}

void BodySet::keep(const std::vector<std::uint8_t>& marks) {
  TALUS_ASSERT(marks.size() == id.size());
  const auto kept = [](auto first, auto last) {
    return static_cast<Index>(
        std::count_if(first, last, [](std::uint8_t mark) { return mark != 0; }));
  };
  const Index kept_late = kept(marks.end() - late, marks.end());
  const Index kept_owned = kept(marks.begin(), marks.begin() + owned);
  std::apply([&](auto&... array) { (compact(array, marks), ...); }, arrays_of(*this));
  owned = kept_owned;
  late = kept_late;
}

void BodySet::reorder(const std::vector<Index>& order) {
  TALUS_ASSERT(order.size() == id.size());
  const auto one = [&](auto& array) {
    auto moved = array;
    for (std::size_t k = 0; k < order.size(); ++k) moved[k] = array[order[k]];
    array = std::move(moved);
  };
  std::apply([&](auto&... array) { (one(array), ...); }, arrays_of(*this));
}

void sort_by_id(const BodySet& bodies, std::vector<Index>& indices) {
  std::sort(indices.begin(), indices.end(),
            [&](Index a, Index b) { return bodies.id[a] < bodies.id[b]; });
}

std::vector<Index> replicated_that_move(const BodySet& bodies) {
  std::vector<Index> found;
  for (Index i = 0; i < bodies.count(); ++i)
    if (!bodies.is_local(i) && bodies.motion[i] == Motion::Dynamic) found.push_back(i);
  sort_by_id(bodies, found);
  return found;
}

void append(BodySet& bodies, const NewBody& body, double reach) {
  TALUS_ASSERT(bodies.owned == bodies.count());  // it would stand behind ghosts
  TALUS_ASSERT(bodies.id.empty() || bodies.id.back() < body.id);
  append_stored(bodies, {body, reach, bodies.rank, Residence::Local});
  ++bodies.owned;
}

StoredBody stored(const BodySet& bodies, Index body) {
  const auto b = static_cast<std::size_t>(body);
  StoredBody one;
  one.body.id = bodies.id[b];
  one.body.motion = bodies.motion[b];
  one.body.shape = bodies.shape[b];
  one.body.scale = bodies.scale[b];
  one.body.material = bodies.material[b];
  one.body.group = bodies.group[b];
  one.body.mass = bodies.mass[b];
  one.body.inertia = bodies.inertia[b];
  one.body.pose = {bodies.position[b], bodies.orientation[b]};
  one.body.velocity = bodies.velocity[b];
  one.body.angular_velocity = bodies.angular_velocity[b];
  one.reach = bodies.reach[b];
  one.owner = bodies.owner[b];
  one.residence = bodies.residence[b];
  return one;
}

void append_stored(BodySet& bodies, const StoredBody& one) {
  const auto& [body, reach, owner, residence] = one;
  const auto& [id, motion, shape, scale, material, group, mass, inertia, pose, velocity,
               angular_velocity] = body;
  bodies.id.push_back(id);
  bodies.motion.push_back(motion);
  bodies.shape.push_back(shape);
  bodies.scale.push_back(scale);
  bodies.material.push_back(material);
  bodies.group.push_back(group);
  bodies.mass.push_back(mass);
  bodies.inertia.push_back(inertia);
  bodies.reach.push_back(reach);
  bodies.position.push_back(pose.position);
  bodies.orientation.push_back(pose.orientation);
  bodies.velocity.push_back(velocity);
  bodies.angular_velocity.push_back(angular_velocity);
  bodies.owner.push_back(owner);
  bodies.residence.push_back(residence);
}

void insert(BodySet& bodies, const std::vector<StoredBody>& owned,
            const std::vector<StoredBody>& ghosts) {
  const auto set_of = [](const std::vector<StoredBody>& list) {
    BodySet set;
    for (const StoredBody& body : list) append_stored(set, body);
    return set;
  };
  BodySet in_front = set_of(owned), behind = set_of(ghosts);
  insert_all(bodies, behind, bodies.count() - bodies.late);
  insert_all(bodies, in_front, bodies.owned);
  bodies.owned += in_front.count();
}

HalfTurn half_turn(const Sym3& inertia, const Quaternion& q, const Vec3& w, double h) {
  if (dot(w, w) == 0.0) return {q, w};
  // In the axes of the body at the begin, where the inertia is what it is: `part` turns them half
  // the way.
  Vec3 spin = rotate_back(q, w);
  const Vec3 momentum = inertia * spin;
  const Sym3 lightness = inverse(inertia);
  // Each pass leaves about h |w| / 2 of the change of the one before. Where that is above 1 they do
  // not settle, and the turn is of no order; L is kept, and the energy bounded by it, all the same.
  constexpr int most_passes = 16;
  constexpr double settled = 1e-13;
  Quaternion part;
  for (int pass = 0; pass < most_passes; ++pass) {
    part = rotation_by(0.5 * h * spin);
    const Vec3 next = lightness * rotate_back(part, momentum);
    const Vec3 change = next - spin;
    spin = next;
    if (!(dot(change, change) > settled * settled * dot(next, next))) break;
  }
  // `spin` is along the axes that `part` has turned
  const Quaternion half = normalised(q * part);
  return {half, rotate(half, spin)};
}

}  // namespace talus
