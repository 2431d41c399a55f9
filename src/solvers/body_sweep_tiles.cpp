// The contacts of bodies as tiles have them.

#include "parallel/tile_ranges.hpp"
#include "solvers/body_sweep.hpp"
#include "solvers/tile_kernels.hpp"

#include <type_traits>

namespace talus {
namespace {}  // namespace

void BodySweep::make_tiles(bool associated, double least_diagonality) {
  std::vector<MovedBodies> pairs;
  std::vector<std::uint8_t> fits;
  std::vector<TileMetric> metrics;
  pairs.reserve(contacts_.size());
  fits.reserve(contacts_.size());
  metrics.reserve(contacts_.size());
  for (const Contact& c : contacts_) {
    pairs.push_back({inertia_[c.body_a].is_movable ? c.body_a : no_body,
                     inertia_[c.body_b].is_movable ? c.body_b : no_body});
    metrics.push_back(tile_metric_of(c));
    fits.push_back(diagonality(metrics.back()) >= least_diagonality ? 1 : 0);
  }
  tiles_ = ConeTiles(tiles_of(cone_blocks_, pairs, fits, data_.body_count()), associated,
                     data_.body_count());
  const std::vector<TileOrder::Tile>& tiles = tiles_.order().tiles;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    for (std::size_t lane = 0; lane < 8 && tiles[tile][lane] != no_place; ++lane) {
      const std::size_t place = tiles[tile][lane];
      TileContact contact = tile_contact_of(contacts_[place]);
      contact.metric = metrics[place];
      tiles_.set(tile, lane, contact);
    }
}

bool BodySweep::has_all_in_tiles() const {
  return part_.owned_joint_rows == 0 && tiles_.contacts() == part_.owned_contacts;
}

/// Where bodies have one moment about all axes and are touched on the normal through their centres
/// (spheres), the block is diagonal: sum 1/m along the normal, sum 1/m + r^2/I across.
TileMetric BodySweep::tile_metric_of(const Contact& c) const {
  constexpr double rounding = 1e-25;  // of a squared length
  const auto is_radial = [&](const Vec3& lever) {
    const Vec3 off = cross(lever, c.normal);
    return dot(off, off) <= rounding * dot(lever, lever);
  };
  if (!is_round_ || !is_radial(c.lever_a) || !is_radial(c.lever_b))
    return metric_of(c.normal, split_->spatial_block(c.index));
  const Body &a = bodies_[c.body_a], &b = bodies_[c.body_b];
  const double mass = a.inverse_mass + b.inverse_mass;
  const double turning =
      a.inverse_moment * dot(c.lever_a, c.lever_a) + b.inverse_moment * dot(c.lever_b, c.lever_b);
  const double across = mass + turning + c.tangent_compliance;
  return {mass + c.normal_compliance, across, {}, across};
}

TileContact BodySweep::tile_contact_of(const Contact& c) const {
  TileContact contact;
  contact.normal = c.normal;
  contact.lever_a = c.lever_a;
  contact.lever_b = c.lever_b;
  contact.free_gap = spatial_value(cones_, free_gap_, c.index);
  const std::size_t slot = cones_.spatial_slot(c.index);
  contact.friction = {cones_.friction[slot], cones_.cosine[slot], cones_.sine[slot]};
  contact.normal_compliance = c.normal_compliance;
  contact.tangent_compliance = c.tangent_compliance;
  contact.body_a = c.body_a;
  contact.body_b = c.body_b;
  contact.moves_a = inertia_[c.body_a].is_movable;
  contact.moves_b = inertia_[c.body_b].is_movable;
  contact.row = cones_.spatial_row(c.index, 0);
  return contact;
}

// A line of a body is eight numbers in the order of its members.
void BodySweep::extrapolate(double factor, bool look_follows) {
  static_assert(sizeof(Body) == 64 && std::is_standard_layout_v<Body>);
  before_.resize(8 * bodies_.size());
  for_tile_ranges(static_cast<Index>(bodies_.size()), [&](Index begin, Index end) {
    tile_kernels().extrapolate(&bodies_.front().velocity.x, before_.data(), factor, begin, end);
  });
  tiles_.begin_step(factor, look_follows);
}

bool BodySweep::sweep_tiles(std::size_t block, bool forward, double relaxation) {
  // and so is one of its inertia, up to the flag
  static_assert(sizeof(Inertia) == 64 && std::is_standard_layout_v<Inertia>);
  const TileBodies bodies{&bodies_.front().velocity.x,
                          is_round_ ? nullptr : &inertia_.front().inverse.xx};
  return tiles_.sweep(block, forward, bodies, relaxation);
}

}  // namespace talus
