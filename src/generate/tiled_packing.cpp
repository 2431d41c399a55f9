#include "generate/tiled_packing.hpp"

#include "talus/core/error.hpp"

#include "core/words.hpp"
#include "generate/random.hpp"
#include "generate/settings.hpp"
#include "generate/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace talus {

SphereTiling::SphereTiling(const PeriodicCell& cell, GlobalId bodies)
    : cell_(cell), bodies_(bodies) {
  const double cells = static_cast<double>(bodies) / cell.count();
  // a very narrow box may hold no centre at all
  for (double width = cell.side * cube_root(cells); in_layer_ == 0; width *= 1.25)
    spread_out(width);
  full_layers_ = bodies / in_layer_;
  full_ = {cell.count(), 0};
  top_ = full_;
  const GlobalId rest = bodies % in_layer_;
  layers_ = full_layers_ + (rest > 0 ? 1 : 0);
  if (rest > 0) cut_top(rest);
}

void SphereTiling::spread_out(double width) {
  width_ = width;
  per_side_ = std::max<Index>(1, static_cast<Index>(width / cell_.side));
  while (per_side_ * cell_.side < width) ++per_side_;
  edge_ = width - (per_side_ - 1) * cell_.side;
  in_layer_ = 0;
  for (auto& below : below_) below.assign(1, 0);
  for (const Vec3& p : cell_.centre) {
    const bool in_x = p.x < edge_, in_y = p.y < edge_;
    const std::array<bool, 4> in_kind = {true, in_x, in_y, in_x && in_y};
    for (std::size_t kind = 0; kind < 4; ++kind)
      below_[kind].push_back(below_[kind].back() + (in_kind[kind] ? 1 : 0));
    in_layer_ += static_cast<GlobalId>(columns_along(p.x)) * columns_along(p.y);
  }
}

void SphereTiling::cut_top(GlobalId rest) {
  for (Index c = 0;; ++c) {
    const Vec3& p = cell_.centre[c];
    const GlobalId copies = static_cast<GlobalId>(columns_along(p.x)) * columns_along(p.y);
    if (copies > rest) {
      top_ = {c, rest};
      return;
    }
    rest -= copies;
  }
}

Index SphereTiling::columns_along(double coordinate) const {
  return per_side_ - 1 + (coordinate < edge_ ? 1 : 0);
}

int SphereTiling::kind(const Tile& tile) const {
  return (tile.x == per_side_ - 1 ? 1 : 0) + (tile.y == per_side_ - 1 ? 2 : 0);
}

/// Copies of a sphere in tiles of the same layer that come before this one.
GlobalId SphereTiling::copies_before(const Tile& tile, Index sphere) const {
  const Vec3& p = cell_.centre[sphere];
  const Index along_x = columns_along(p.x), along_y = columns_along(p.y);
  const GlobalId rows = static_cast<GlobalId>(std::min(tile.y, along_y)) * along_x;
  return rows + (tile.y < along_y ? std::min(tile.x, along_x) : 0);
}

Tile SphereTiling::tile(std::int64_t number) const {
  const std::int64_t column = number % (static_cast<std::int64_t>(per_side_) * per_side_);
  return {static_cast<Index>(column % per_side_), static_cast<Index>(column / per_side_),
          static_cast<Index>(number / per_side_ / per_side_)};
}

std::int64_t SphereTiling::number(const Tile& tile) const {
  return tile.x + static_cast<std::int64_t>(per_side_) *
                      (tile.y + static_cast<std::int64_t>(per_side_) * tile.z);
}

GlobalId SphereTiling::first_body(std::int64_t number) const {
  if (number == tiles()) return bodies_;
  const Tile t = tile(number);
  const auto [cut, copies] = filling(t.z);
  const auto bodies_of = [&](int kind) -> GlobalId { return below_[kind][cut]; };
  const GlobalId per_row = (per_side_ - 1) * bodies_of(0) + bodies_of(1);
  const GlobalId before =
      t.z * in_layer_ + t.y * per_row + t.x * bodies_of(t.y == per_side_ - 1 ? 2 : 0);
  return copies == 0 ? before : before + std::min(copies, copies_before(t, cut));
}

bool SphereTiling::in_box(const Tile& tile, Index sphere) const {
  const auto inside = [&](Index i, double coordinate) {
    return i >= 0 && i < columns_along(coordinate);
  };
  const Vec3& p = cell_.centre[sphere];
  return tile.z >= 0 && inside(tile.x, p.x) && inside(tile.y, p.y);
}

bool SphereTiling::is_body(const Tile& tile, Index sphere) const {
  if (!in_box(tile, sphere) || tile.z >= layers_) return false;
  const auto [cut, copies] = filling(tile.z);
  return sphere < cut || (sphere == cut && copies_before(tile, sphere) < copies);
}

GlobalId SphereTiling::body(const Tile& tile, Index sphere) const {
  return first_body(number(tile)) + below_[kind(tile)][sphere];
}

namespace {

constexpr double density = 2500.0;  // kg/m3, glass
constexpr double farthest = 0.004;  // gap of a contact, mean radii

/// What can come into touch within the step: two bodies that approach with twice the speed gained
/// in it. Beyond the limit, which only coarse steps meet, spheres would be neighbours that are not
/// felt in a pile at rest.
double reach_of(const GenerateSettings& s) {
  return std::min(2.0 * standard_gravity * s.step * s.step / s.radius, farthest);
}

void reserve(BodyProblem& p, std::size_t bodies, std::size_t contacts) {
  const auto each = [](std::size_t count, auto&... arrays) { (arrays.reserve(count), ...); };
  each(bodies, p.body_id, p.centre, p.inverse_mass, p.inverse_inertia, p.momentum);
  each(contacts, p.contact_key, p.contact_body_a, p.contact_body_b, p.normal, p.tangent, p.point,
       p.friction, p.contact_bias, p.normal_compliance, p.tangent_compliance);
}

using NeighbourLists = std::vector<std::vector<Neighbour>>;

class PartMaker {
 public:
  PartMaker(const GenerateSettings& settings, const SphereTiling& tiling,
            const NeighbourLists& neighbours)
      : s_(settings), cell_(tiling.cell()), tiling_(tiling), neighbours_(neighbours) {}

  PackingPart make(std::int64_t first, std::int64_t end) {
    own_first_ = tiling_.first_body(first);
    own_end_ = tiling_.first_body(end);
    std::size_t contacts = 0;
    const auto count = [&](const Place& at) {
      each_contact(at, [&](std::size_t, GlobalId) { ++contacts; });
    };
    each_own(first, end, [&](const Place& at) {
      find_others(at);
      count(at);
    });
    sort_others();
    for (const Other& other : others_) count(other.place);

    BodyProblem& problem = part_.problem;
    problem.time_step = s_.step;
    part_.own_bodies = static_cast<Index>(own_end_ - own_first_);
    reserve(problem, static_cast<std::size_t>(part_.own_bodies) + others_.size(), contacts);
    each_own(first, end, [&](const Place& at) { add_body(at); });
    for (const Other& other : others_) add_body(other.place);
    each_own(first, end, [&](const Place& at) { add_contacts(at); });
    part_.own_contacts = problem.contact_count();
    for (const Other& other : others_) add_contacts(other.place);
    if (s_.rolling_friction > 0.0 || s_.spinning_friction > 0.0) {
      problem.rolling_friction.assign(contacts, s_.rolling_friction);
      problem.spinning_friction.assign(contacts, s_.spinning_friction);
    }
    return std::move(part_);
  }

  /// Contacts that a tile owns in the whole packing.
  GlobalId count_contacts(std::int64_t tile) {
    own_first_ = 0;
    own_end_ = tiling_.bodies();
    GlobalId contacts = 0;
    each_own(tile, tile + 1, [&](const Place& at) {
      each_contact(at, [&](std::size_t, GlobalId) { ++contacts; });
    });
    return contacts;
  }

 private:
  struct Place {
    Tile tile;
    Index sphere;
  };
  /// A body of another part that a body of this one touches.
  struct Other {
    GlobalId id;
    Place place;
  };
  static constexpr GlobalId world = -1;

  template <class Visit>
  void each_own(std::int64_t first, std::int64_t end, const Visit& visit) const {
    for (std::int64_t number = first; number < end; ++number) {
      const Tile tile = tiling_.tile(number);
      for (Index sphere = 0; sphere < cell_.count(); ++sphere)
        if (tiling_.is_body(tile, sphere)) visit(Place{tile, sphere});
    }
  }

  const std::vector<Neighbour>& neighbours(const Place& at) const { return neighbours_[at.sphere]; }
  static Place beside(const Place& at, const Neighbour& near) {
    const auto& [x, y, z] = near.image;
    return {{at.tile.x + x, at.tile.y + y, at.tile.z + z}, near.sphere};
  }
  GlobalId id_of(const Place& at) const { return tiling_.body(at.tile, at.sphere); }
  bool own(GlobalId id) const { return id >= own_first_ && id < own_end_; }

  /// visit(place in the list of neighbours, partner) for the contacts that are made where this body
  /// is: with the world and with bodies of lower number. Of bodies of other parts only those that
  /// touch a body of this one.
  template <class Visit>
  void each_contact(const Place& at, const Visit& visit) const {
    const GlobalId id = id_of(at);
    for (std::size_t k = 0; k < neighbours(at).size(); ++k) {
      const Place other = beside(at, neighbours(at)[k]);
      if (tiling_.is_body(other.tile, other.sphere)) {
        const GlobalId partner = id_of(other);
        if (partner < id && (own(id) || own(partner))) visit(k, partner);
      } else if (own(id) && !tiling_.in_box(other.tile, other.sphere)) {
        visit(k, world);
      }
    }
  }

  void find_others(const Place& at) {
    for (const Neighbour& near : neighbours(at)) {
      const Place other = beside(at, near);
      if (!tiling_.is_body(other.tile, other.sphere)) continue;
      const GlobalId id = id_of(other);
      if (!own(id)) others_.push_back({id, other});
    }
  }

  void sort_others() {
    std::sort(others_.begin(), others_.end(),
              [](const Other& a, const Other& b) { return a.id < b.id; });
    const auto end = std::unique(others_.begin(), others_.end(),
                                 [](const Other& a, const Other& b) { return a.id == b.id; });
    others_.erase(end, others_.end());
  }

  Index index_of(GlobalId id) const {
    if (id == world) return no_body;
    if (own(id)) return static_cast<Index>(id - own_first_);
    const auto found =
        std::lower_bound(others_.begin(), others_.end(), id,
                         [](const Other& other, GlobalId wanted) { return other.id < wanted; });
    return part_.own_bodies + static_cast<Index>(found - others_.begin());
  }

  void add_body(const Place& at) {
    const auto i = static_cast<std::size_t>(at.sphere);
    const Vec3& p = cell_.centre[i];
    const double side = cell_.side, r = s_.radius * cell_.radius[i];
    const Vec3 place{p.x + side * at.tile.x, p.y + side * at.tile.y, p.z + side * at.tile.z};
    const GlobalId id = id_of(at);
    const Vec3 drift =
        s_.speed * KeyedRandom(s_.seed, static_cast<std::uint64_t>(id), 0).direction();
    add_sphere(part_.problem, s_.radius * place, r, 4.0 / 3.0 * pi * density * r * r * r,
               {drift, s_.step});
    part_.problem.body_id.back() = id;
  }

  void add_contacts(const Place& at) {
    const Index b = index_of(id_of(at));
    const Vec3 centre = part_.problem.centre[b];
    const double r = cell_.radius[at.sphere];
    each_contact(at, [&](std::size_t k, GlobalId partner) {
      const Neighbour& near = neighbours(at)[k];
      const Vec3 point = centre - s_.radius * (r + 0.5 * near.gap) * near.normal;
      // spheres that overlap a little touch: a bias below zero would drive them apart, and in a
      // packing as tight as this there is no room for all of them to give way
      const double gap = std::max(0.0, s_.radius * near.gap);
      // a body can touch several spheres of the wall, another body only once
      const int feature = partner == world ? static_cast<int>(k) : 0;
      add_contact(part_.problem, {index_of(partner), b, feature, near.normal, point, gap},
                  s_.friction, s_.step);
    });
  }

  const GenerateSettings& s_;
  const PeriodicCell& cell_;
  const SphereTiling& tiling_;
  const NeighbourLists& neighbours_;
  GlobalId own_first_ = 0, own_end_ = 0;
  std::vector<Other> others_;
  PackingPart part_;
};

}  // namespace

TiledPacking::TiledPacking(const GenerateSettings& settings)
    : settings_(settings),
      cell_(relaxed_cell(settings.seed, settings.spread)),
      tiling_(cell_, settings.bodies),
      neighbours_(neighbours_of(cell_, reach_of(settings))) {}

PackingPart TiledPacking::part(std::int64_t first, std::int64_t end) const {
  TALUS_ASSERT(first >= 0 && first <= end && end <= tiling_.tiles());
  return PartMaker(settings_, tiling_, neighbours_).make(first, end);
}

std::vector<GlobalId> TiledPacking::first_contacts() const {
  // A tile owns contacts within it and with tiles of lower number. In full layers their number
  // depends only on how far the sides of the box and the floor are, up to two tiles away.
  std::map<std::array<Index, 5>, GlobalId> of_kind;
  const auto kind_of = [&](const Tile& t) {
    const Index last = tiling_.per_side() - 1;
    return std::array<Index, 5>{std::min<Index>(t.x, 1), std::min<Index>(last - t.x, 2),
                                std::min<Index>(t.y, 1), std::min<Index>(last - t.y, 2),
                                std::min<Index>(t.z, 1)};
  };
  PartMaker maker(settings_, tiling_, neighbours_);
  std::vector<GlobalId> first{0};
  for (std::int64_t number = 0; number < tiling_.tiles(); ++number) {
    const Tile tile = tiling_.tile(number);
    GlobalId contacts = 0;
    if (!tiling_.is_full(tile)) {
      contacts = maker.count_contacts(number);
    } else {
      const auto [found, is_new] = of_kind.try_emplace(kind_of(tile), 0);
      if (is_new) found->second = maker.count_contacts(number);
      contacts = found->second;
    }
    first.push_back(first.back() + contacts);
  }
  return first;
}

std::string TiledPacking::title() const {
  return fmt::format("packing of {}, radius {} m +- {}, friction {}",
                     counted(settings_.bodies, "sphere"), settings_.radius, settings_.spread,
                     settings_.friction);
}

BodyProblem make_packing(const GenerateSettings& s) {
  const TiledPacking packing(s);
  BodyProblem problem = packing.part(0, packing.tiling().tiles()).problem;
  problem.title = packing.title();
  return problem;
}

BodySlice make_packing_slice(const GenerateSettings& s, int rank, int ranks) {
  return TiledPacking(s).slice(rank, ranks);
}

}  // namespace talus
