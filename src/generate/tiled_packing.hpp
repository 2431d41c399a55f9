#pragma once
// Copies of a periodic cell in a box: which of their spheres are bodies, and their numbers, all
// without looking at any other copy.

#include "talus/problem/body_problem.hpp"

#include "generate/periodic_cell.hpp"
#include "generate/settings.hpp"

#include <string>
#include <vector>

namespace talus {

/// One copy of the cell: how many sides it is moved along x, y and z.
struct Tile {
  Index x = 0, y = 0, z = 0;
};

/// The box is [0, width) in x and y and open at the top. A sphere with its centre in the box is a
/// body, up to the number that was asked for, the lowest first (in a layer of tiles; of copies of
/// the same sphere, those at lower y and then x). Spheres with their centre beside or below the box
/// are its walls and floor. Bodies are numbered tile by tile, and in a tile from the lowest up.
class SphereTiling {
 public:
  /// `cell` must outlive the tiling. The box is about as wide as it is filled.
  SphereTiling(const PeriodicCell& cell, GlobalId bodies);

  const PeriodicCell& cell() const { return cell_; }
  double width() const { return width_; }
  GlobalId bodies() const { return bodies_; }
  /// Tiles that have bodies: x runs fastest and z slowest.
  std::int64_t tiles() const { return layers_ * per_side_ * per_side_; }
  Tile tile(std::int64_t number) const;
  Index per_side() const { return per_side_; }
  /// Whether the layer of the tile is filled to its top.
  bool is_full(const Tile& tile) const { return tile.z < full_layers_; }
  /// How many bodies the tiles before this one have, for numbers up to tiles().
  GlobalId first_body(std::int64_t number) const;

  bool in_box(const Tile& tile, Index sphere) const;
  bool is_body(const Tile& tile, Index sphere) const;
  GlobalId body(const Tile& tile, Index sphere) const;
  /// Number of a tile that has bodies.
  std::int64_t number(const Tile& tile) const;

 private:
  /// The spheres of a layer: all below sphere `cut`, and `copies` copies of that one.
  struct Filling {
    Index cut = 0;
    GlobalId copies = 0;
  };
  const Filling& filling(Index layer) const { return layer < full_layers_ ? full_ : top_; }
  void spread_out(double width);
  void cut_top(GlobalId rest);
  int kind(const Tile& tile) const;
  Index columns_along(double coordinate) const;
  GlobalId copies_before(const Tile& tile, Index sphere) const;

  const PeriodicCell& cell_;
  GlobalId bodies_;
  double width_ = 0.0;
  double edge_ = 0.0;      // width of the last tiles in x and y
  Index per_side_ = 0;     // tiles along x, and along y
  GlobalId in_layer_ = 0;  // bodies of a full layer
  std::int64_t layers_ = 0, full_layers_ = 0;
  Filling full_, top_;
  // Tiles are of four kinds: inner, last in x, last in y, last in both. Of each kind, how many
  // bodies are below a sphere of the cell.
  std::array<std::vector<Index>, 4> below_;
};

// A packing of spheres, whole or in parts that can be made apart.

/// Some tiles of a packing: their bodies and all contacts that touch them.
struct PackingPart {
  /// Bodies: the part's own in the order of their ids, then those of other parts that they touch.
  /// Contacts: those that the part owns (its body B is of the part), then those of other parts that
  /// touch its bodies. Every contact has the same numbers in every part it is in.
  BodyProblem problem;
  Index own_bodies = 0, own_contacts = 0;
};

class TiledPacking {
 public:
  explicit TiledPacking(const GenerateSettings& settings);
  TiledPacking(const TiledPacking&) = delete;
  TiledPacking& operator=(const TiledPacking&) = delete;

  const SphereTiling& tiling() const { return tiling_; }
  /// Tiles first, ..., end - 1; nothing that is kept or computed depends on the other tiles.
  PackingPart part(std::int64_t first, std::int64_t end) const;
  /// Of each tile, how many contacts the tiles before it own; behind the last tile all of them.
  std::vector<GlobalId> first_contacts() const;
  /// The slice of one rank. What is made on the way is little more than the slice.
  BodySlice slice(int rank, int ranks) const;

  std::string title() const;

 private:
  GenerateSettings settings_;
  PeriodicCell cell_;
  SphereTiling tiling_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

}  // namespace talus
