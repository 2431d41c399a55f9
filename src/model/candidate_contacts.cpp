#include "model/candidate_contacts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace talus {
namespace {

constexpr std::size_t pairs_of_a_tile = 8;
constexpr std::size_t tiles_at_once = 32;  // 8 kB of pairs and 16 kB of contacts: both stay near
constexpr std::size_t pairs_of_a_line = 64 / sizeof(CandidatePair);
constexpr std::size_t pairs_at_once = pairs_of_a_tile * tiles_at_once;

/// All pairs are collided in tiles as if they were of spheres, those that are not then one by one,
/// and all put down in the order of candidates.
class Batch {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): results are made before they are read
  Batch(const CandidateContacts& view, std::vector<ContactPoint>& points, ContactSet& contacts)
      : view_(view),
        is_periodic_(view.world.periodicity().any()),
        points_(points),
        contacts_(contacts),
        room_(contacts.gap.size()) {}

  /// At most `pairs_at_once`, at least one. `next`: those to come.
  void add(std::span<const CandidatePair> pairs, std::span<const CandidatePair> next) {
    // a step touches so much that the last one has left nothing of the pairs near
    for (std::size_t k = 0; k < next.size(); k += pairs_of_a_line) __builtin_prefetch(&next[k]);
    const std::size_t tiles = (pairs.size() + pairs_of_a_tile - 1) / pairs_of_a_tile;
    for (std::size_t t = 0; t < tiles; ++t) gather(pairs.subspan(t * pairs_of_a_tile), tiles_[t]);
    sphere_contacts(view_.place.data(), view_.margin.data(), tiles_.data(), results_.data(),
                    static_cast<int>(tiles));
    for (std::size_t t = 0; t < tiles; ++t) {
      const SphereContactTile& found = results_[t];
      const auto of_tile = pairs.subspan(t * pairs_of_a_tile);
      unsigned left = found.touching | found.others;
      if (of_tile.size() < pairs_of_a_tile) left &= (1U << of_tile.size()) - 1U;
      for (; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if ((found.others >> lane & 1U) != 0)
          put_others(of_tile[lane]);
        else
          put(of_tile[lane], {{found.px[lane], found.py[lane], found.pz[lane]},
                              {found.nx[lane], found.ny[lane], found.nz[lane]},
                              found.gap[lane],
                              0});
      }
    }
  }
  /// After the last.
  void end() { resize_found(contacts_, count_); }

 private:
  Vec3 way_of(const CandidatePair& pair) const {
    return {pair.image[0] * view_.period.x, pair.image[1] * view_.period.y,
            pair.image[2] * view_.period.z};
  }

  /// The first of `pairs`; a lane that has no pair has that of the last.
  void gather(std::span<const CandidatePair> pairs, SpherePairTile& tile) const {
    for (std::size_t lane = 0; lane < pairs_of_a_tile; ++lane) {
      const CandidatePair& pair = pairs[std::min(lane, pairs.size() - 1)];
      tile.a[lane] = pair.a;
      tile.b[lane] = pair.b;
      if (!is_periodic_) continue;
      const Vec3 way = way_of(pair);
      tile.way_x[lane] = way.x;
      tile.way_y[lane] = way.y;
      tile.way_z[lane] = way.z;
    }
  }

  void put_others(const CandidatePair& pair) {
    const auto first = static_cast<std::size_t>(pair.a), second = static_cast<std::size_t>(pair.b);
    // Bounds without slack: what is found does not depend on how long ago was searched.
    const Bounds of_b = view_.bounds_of(second);
    const Vec3 way = way_of(pair);
    if (!overlap(view_.bounds_of(first), {of_b.low + way, of_b.high + way})) return;
    PlacedShape b = placed(second);
    b.pose.position = b.pose.position + way;
    points_.clear();
    collide(placed(first), b, view_.margin[first] + view_.margin[second], points_);
    for (const ContactPoint& point : points_) put(pair, point);
  }
  PlacedShape placed(std::size_t i) const {
    const BodySet& bodies = view_.world.bodies;
    return {&view_.world.shapes[bodies.shape[i]],
            bodies.scale[i],
            {bodies.position[i], bodies.orientation[i]}};
  }

  void put(const CandidatePair& pair, const ContactPoint& point) {
    // what a set has had before is written over: new room would be set to zero first
    if (count_ == room_) resize_found(contacts_, room_ += pairs_at_once);
    const GlobalId* id = view_.world.bodies.id.data();
    const std::size_t c = count_++;
    ContactName& name = contacts_.name[c];  // member by member: no detour by the stack
    name.a = id[pair.a];
    name.b = id[pair.b];
    name.image = pair.image;
    name.feature = point.feature;
    contacts_.body_a[c] = pair.a;
    contacts_.body_b[c] = pair.b;
    contacts_.point[c] = point.point;
    contacts_.normal[c] = point.normal;
    contacts_.gap[c] = point.gap;
  }

  const CandidateContacts& view_;
  const bool is_periodic_;
  std::vector<ContactPoint>& points_;
  ContactSet& contacts_;
  std::size_t count_ = 0, room_;
  std::array<SpherePairTile, tiles_at_once> tiles_{};  // ways stay 0 where nothing is periodic
  std::array<SphereContactTile, tiles_at_once> results_;
};

}  // namespace

void find_contacts(const CandidateContacts& view, std::span<const CandidatePair> pairs,
                   std::vector<ContactPoint>& points, ContactSet& contacts) {
  Batch batch(view, points, contacts);
  while (!pairs.empty()) {
    const std::size_t now = std::min(pairs_at_once, pairs.size());
    const auto next = pairs.subspan(now);
    batch.add(pairs.first(now), next.first(std::min(pairs_at_once, next.size())));
    pairs = next;
  }
  batch.end();
}

void resize_found(ContactSet& contacts, std::size_t count) {
  contacts.name.resize(count);
  contacts.body_a.resize(count);
  contacts.body_b.resize(count);
  contacts.point.resize(count);
  contacts.normal.resize(count);
  contacts.gap.resize(count);
}

bool never_touch(const World& world, const CandidatePair& pair) {
  const auto is_surface = [&](Index body) {
    const Shape& shape = world.shapes[world.bodies.shape[body]];
    return std::holds_alternative<Plane>(shape) || std::holds_alternative<Mesh>(shape);
  };
  return is_surface(pair.a) && is_surface(pair.b);
}

}  // namespace talus
