// The contacts of bodies as tiles have them.

#include "solvers/body_sweep.hpp"

#include <type_traits>

namespace talus {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

void BodySweep::make_tiles(bool associated, double least_diagonality) {
  std::vector<MovedBodies> pairs;
  std::vector<bool> fits;
  std::vector<TileContact> contacts;
  for (const Contact& c : contacts_) {
    pairs.push_back({inertia_[at(c.body_a)].is_movable ? c.body_a : no_body,
                     inertia_[at(c.body_b)].is_movable ? c.body_b : no_body});
    contacts.push_back(tile_contact_of(c));
    fits.push_back(diagonality(contacts.back()) >= least_diagonality);
  }
  tiles_ = ConeTiles(tiles_of(cone_blocks_, pairs, fits, data_.body_count()), associated,
                     data_.body_count());
  const std::vector<TileOrder::Tile>& tiles = tiles_.order().tiles;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    for (std::size_t lane = 0; lane < 8 && tiles[tile][lane] != no_place; ++lane)
      tiles_.set(tile, lane, contacts[tiles[tile][lane]]);
}

TileContact BodySweep::tile_contact_of(const Contact& c) const {
  TileContact contact;
  contact.normal = c.normal;
  contact.lever_a = c.lever_a;
  contact.lever_b = c.lever_b;
  contact.free_gap = spatial_value(cones_, free_gap_, c.index);
  contact.block = split_->spatial_block(c.index);
  const std::size_t slot = at(cones_.spatial_slot(c.index));
  contact.friction = {cones_.friction[slot], cones_.cosine[slot], cones_.sine[slot]};
  contact.normal_compliance = c.normal_compliance;
  contact.tangent_compliance = c.tangent_compliance;
  contact.body_a = c.body_a;
  contact.body_b = c.body_b;
  contact.moves_a = inertia_[at(c.body_a)].is_movable;
  contact.moves_b = inertia_[at(c.body_b)].is_movable;
  contact.row = cones_.spatial_row(c.index, 0);
  return contact;
}

bool BodySweep::sweep_tiles(std::size_t block, bool forward, RowVector& x, double relaxation) {
  // a line of a body is eight numbers in this order, and so is one of its inertia, up to the flag
  static_assert(sizeof(Body) == 64 && std::is_standard_layout_v<Body>);
  static_assert(sizeof(Inertia) == 64 && std::is_standard_layout_v<Inertia>);
  const TileBodies bodies{&bodies_.front().velocity.x,
                          is_round_ ? nullptr : &inertia_.front().inverse.xx};
  return tiles_.sweep(block, forward, bodies, x, relaxation);
}

}  // namespace talus
