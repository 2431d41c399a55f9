#pragma once
// Contacts of a sweep eight at a time, in vector lanes: what the kernels read, in the order of a
// sweep. docs/algorithms/psor.md, "Eight contacts at a time".

#include "solvers/local_cone.hpp"
#include "solvers/tile_kernels.hpp"
#include "solvers/tile_order.hpp"

namespace talus {

/// A contact as a tile has it.
struct TileContact {
  Vec3 normal, lever_a, lever_b, free_gap;  ///< world frame
  Mat3 block{};                             ///< world frame, with the compliance
  FrictionAngle friction;
  double normal_compliance = 0.0, tangent_compliance = 0.0;
  Index body_a = 0, body_b = 0;  ///< lines; the world's where there is no body
  bool moves_a = false, moves_b = false;
  Index row = 0;  ///< stored, of the first component
};

/// How near the diagonal in which a tile steps is to the contact's block A: 1 where they are the
/// same (spheres), near 0 where steps in it are far shorter than the exact answer. Not above the
/// least eigenvalue of g^-1/2 A g^-1/2, but for the weight of the off-diagonal part.
double diagonality(const TileContact& contact);

/// The bodies as tiles see them: eight numbers each, and whether one moment is enough for all.
struct TileBodies {
  double* lines;
  const double* inertia;  ///< null: the moment in the line is enough
};

class ConeTiles {
 public:
  ConeTiles() = default;
  /// `associated`: steps of the associated law, else of the Coulomb law; `world` is the last line.
  ConeTiles(TileOrder order, bool associated, Index world);

  const TileOrder& order() const { return order_; }
  /// Once for each place in order().
  void set(std::size_t tile, std::size_t lane, const TileContact& contact);

  /// Sweeps the tiles of a block; whether an impulse has changed.
  bool sweep(std::size_t block, bool forward, const TileBodies& bodies, RowVector& x,
             double relaxation) const;

 private:
  TileOrder order_;
  bool associated_ = false, coupled_ = false, compliant_ = false;
  std::vector<TileIndex> index_;
  RowVector frames_, metric_, coupling_, compliance_;
};

}  // namespace talus
