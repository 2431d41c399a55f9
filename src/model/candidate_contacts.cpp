#include "model/candidate_contacts.hpp"

#include "geometry/sphere_pairs.hpp"

#include <algorithm>
#include <array>

namespace talus {
namespace {

constexpr std::size_t pairs_of_a_tile = 8;
constexpr std::size_t tiles_at_once = 32;  // 16 kB of pairs and 14 kB of contacts: both stay near
constexpr std::size_t pairs_at_once = pairs_of_a_tile * tiles_at_once;

/// Sphere pairs are collided in tiles, everything else one by one, and all put down in the order of
/// candidates.
class Batch {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): tiles are filled before they are read
  Batch(const CandidateContacts& view, std::vector<ContactPoint>& points, ContactSet& contacts)
      : view_(view), points_(points), contacts_(contacts) {}

  /// At most `pairs_at_once`.
  void add(std::span<const CandidatePair> pairs) {
    std::size_t spheres = 0;
    for (const CandidatePair& pair : pairs)
      if (are_spheres(pair)) gather(pair, spheres++);
    for (std::size_t k = spheres; k % pairs_of_a_tile != 0; ++k) repeat(k);
    sphere_contacts(tiles_.data(), results_.data(),
                    static_cast<int>((spheres + pairs_of_a_tile - 1) / pairs_of_a_tile));
    spheres = 0;
    for (const CandidatePair& pair : pairs) {
      if (are_spheres(pair))
        put_spheres(pair, spheres++);
      else
        put_others(pair);
    }
  }

 private:
  bool are_spheres(const CandidatePair& pair) const {
    return view_.radius[pair.a] >= 0.0 && view_.radius[pair.b] >= 0.0;
  }
  double margin_of(const CandidatePair& pair) const {
    return view_.margin[pair.a] + view_.margin[pair.b];
  }
  Vec3 way_of(const CandidatePair& pair) const {
    return {pair.image[0] * view_.period.x, pair.image[1] * view_.period.y,
            pair.image[2] * view_.period.z};
  }

  void gather(const CandidatePair& pair, std::size_t k) {
    SpherePairTile& tile = tiles_[k / pairs_of_a_tile];
    const std::size_t lane = k % pairs_of_a_tile;
    const Vec3& a = view_.world.bodies.position[pair.a];
    const Vec3 b = view_.world.bodies.position[pair.b] + way_of(pair);
    tile.ax[lane] = a.x;
    tile.ay[lane] = a.y;
    tile.az[lane] = a.z;
    tile.a_radius[lane] = view_.radius[pair.a];
    tile.bx[lane] = b.x;
    tile.by[lane] = b.y;
    tile.bz[lane] = b.z;
    tile.b_radius[lane] = view_.radius[pair.b];
  }
  /// Fills a lane that has no pair with the pair before it.
  void repeat(std::size_t k) {
    SpherePairTile& tile = tiles_[k / pairs_of_a_tile];
    const std::size_t to = k % pairs_of_a_tile, from = to - 1;
    for (double* row :
         {tile.ax, tile.ay, tile.az, tile.a_radius, tile.bx, tile.by, tile.bz, tile.b_radius})
      row[to] = row[from];
  }

  void put_spheres(const CandidatePair& pair, std::size_t k) {
    const SphereContactTile& tile = results_[k / pairs_of_a_tile];
    const std::size_t lane = k % pairs_of_a_tile;
    if (!(tile.gap[lane] <= margin_of(pair))) return;
    put(pair, {{tile.px[lane], tile.py[lane], tile.pz[lane]},
               {tile.nx[lane], tile.ny[lane], tile.nz[lane]},
               tile.gap[lane],
               0});
  }

  void put_others(const CandidatePair& pair) {
    // Bounds without slack: what is found does not depend on how long ago was searched.
    const Bounds& of_b = view_.bounds[pair.b];
    const Vec3 way = way_of(pair);
    if (!overlap(view_.bounds[pair.a], {of_b.low + way, of_b.high + way})) return;
    PlacedShape b = placed(pair.b);
    b.pose.position = b.pose.position + way;
    points_.clear();
    collide(placed(pair.a), b, margin_of(pair), points_);
    for (const ContactPoint& point : points_) put(pair, point);
  }
  PlacedShape placed(Index body) const {
    const BodySet& bodies = view_.world.bodies;
    const std::size_t i = body;
    return {&view_.world.shapes[bodies.shape[i]],
            bodies.scale[i],
            {bodies.position[i], bodies.orientation[i]}};
  }

  void put(const CandidatePair& pair, const ContactPoint& point) {
    const BodySet& bodies = view_.world.bodies;
    contacts_.name.push_back({bodies.id[pair.a], bodies.id[pair.b], pair.image, point.feature});
    contacts_.body_a.push_back(pair.a);
    contacts_.body_b.push_back(pair.b);
    contacts_.point.push_back(point.point);
    contacts_.normal.push_back(point.normal);
    contacts_.gap.push_back(point.gap);
  }

  const CandidateContacts& view_;
  std::vector<ContactPoint>& points_;
  ContactSet& contacts_;
  std::array<SpherePairTile, tiles_at_once> tiles_;
  std::array<SphereContactTile, tiles_at_once> results_;
};

}  // namespace

void add_contacts(const CandidateContacts& view, std::span<const CandidatePair> pairs,
                  std::vector<ContactPoint>& points, ContactSet& contacts) {
  Batch batch(view, points, contacts);
  for (std::size_t first = 0; first < pairs.size(); first += pairs_at_once)
    batch.add(pairs.subspan(first, std::min(pairs_at_once, pairs.size() - first)));
}

bool never_touch(const World& world, const CandidatePair& pair) {
  const auto is_surface = [&](Index body) {
    const Shape& shape = world.shapes[world.bodies.shape[body]];
    return std::holds_alternative<Plane>(shape) || std::holds_alternative<Mesh>(shape);
  };
  return is_surface(pair.a) && is_surface(pair.b);
}

}  // namespace talus
