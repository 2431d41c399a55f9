#pragma once
// Which contacts of a block make a tile: eight that share no body that moves, so that they can be
// swept at the same time. docs/algorithms/psor.md, "Eight contacts at a time".

#include "talus/cones/cone_set.hpp"

#include "solvers/local_cone.hpp"
#include "solvers/row_blocks.hpp"
#include "solvers/tile_kernels.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace talus {

inline constexpr std::size_t no_place = ~std::size_t{0};

struct TileOrder {
  using Tile = std::array<std::size_t, 8>;  ///< places in RowBlocks::order, then no_place
  std::vector<Tile> tiles;
  /// Per block: where its tiles end. A block without any is swept contact by contact.
  std::vector<std::size_t> tile_end;

  std::size_t tile_begin(std::size_t block) const { return block == 0 ? 0 : tile_end[block - 1]; }
  bool has_tiles(std::size_t block) const {
    return !tile_end.empty() && tile_begin(block) < tile_end[block];
  }
};

/// `moved` by place, and whether a tile may hold the contact; blocks with one that may not get no
/// tiles. Every contact goes into the first of the open tiles that holds neither of its
/// bodies, so that tiles keep the order of the block as nearly as they can. Blocks whose tiles
/// would be less than half full (a drum: all of its contacts share it) get none.
TileOrder tiles_of(const RowBlocks& blocks, const std::vector<MovedBodies>& moved,
                   const std::vector<std::uint8_t>& fits, Index bodies);

// The impulses of one cone in its contact frame. Friction cones count planar ones first, then
// spatial ones, and speak the contact frame (n, t1, t2); a planar cone has t2 = 0. Rolling cones
// are counted apart: (n, t1, t2 | s, r1, r2), torques in the units of forces.

/// The impulse of a friction cone in its contact frame, and back into the stored rows.
Vec3 cone_impulse(const ConeSet& cones, const RowVector& x, Index cone);
void set_cone_impulse(const ConeSet& cones, RowVector& x, Index cone, const Vec3& impulse);

SixRows rolling_impulse(const ConeSet& cones, const RowVector& x, Index cone);
void set_rolling_impulse(const ConeSet& cones, RowVector& x, Index cone, const SixRows& impulse);

/// The start of box friction, whose bounds cut off and add corners of the cones: x_N >= 0 and every
/// tangent within +-mu x_N. `clipped` holds the projection on the cones and keeps its scalar rows.
void clip_to_boxes(const ConeSet& cones, const RowVector& start, RowVector& clipped);

/// F A F^T, where the rows of F are the unit vectors of the frame.
Mat3 seen_from(const std::array<Vec3, 3>& frame, const Mat3& block);

// Contacts of a sweep eight at a time, in vector lanes: what the kernels read, in the order of a
// sweep. docs/algorithms/psor.md, "Eight contacts at a time".

/// The diagonal g = (n, t, t) of a contact's block A in the contact frame, n = A_nn and
/// t = lambda_max(A_tt), compliance included: A itself for spheres. And what it leaves out.
struct TileMetric {
  double n = 0.0, t = 0.0;
  Vec3 coupling;         ///< A_tn, world frame
  double least_t = 0.0;  ///< lambda_min(A_tt)
};

/// `block` in the world frame.
TileMetric metric_of(const Vec3& normal, const Mat3& block);

/// How near the diagonal in which a tile steps is to the contact's block A: 1 where they are the
/// same (spheres), near 0 where steps in it are far shorter than the exact answer. Not above the
/// least eigenvalue of g^-1/2 A g^-1/2, but for the weight of the off-diagonal part.
double diagonality(const TileMetric& g);

/// A contact as a tile has it.
struct TileContact {
  Vec3 normal, lever_a, lever_b, free_velocity;  ///< world frame
  TileMetric metric;
  FrictionAngle friction;
  double normal_compliance = 0.0, tangent_compliance = 0.0;
  Index body_a = 0, body_b = 0;  ///< lines; the world's where there is no body
  bool moves_a = false, moves_b = false;
  Index row = 0;  ///< stored, of the first component
};

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
  /// Once for each place in order(), the lanes of a tile from the first on.
  void set(std::size_t tile, std::size_t lane, const TileContact& contact);
  Index contacts() const { return contacts_; }

  // While sweeps go on, tiles have the impulses of their contacts, and stored rows lag behind.
  void take_impulses(const RowVector& x);
  void give_impulses(RowVector& x) const { give(x_, x); }

  /// The next sweep begins a step of the momentum: it goes to x + factor (x - x where the step
  /// before began). `look_follows`: give_trail() is asked before the next step.
  void begin_step(double factor, bool look_follows);
  /// Stored rows of x where the last step began, and of where the momentum led from there. Nothing
  /// before the first step.
  void give_trail(RowVector& before, RowVector& start) const;

  /// Sweeps the tiles of a block; whether an impulse has changed.
  bool sweep(std::size_t block, bool forward, const TileBodies& bodies, double relaxation);
  /// All blocks are swept.
  void end_sweep() { begins_step_ = false; }

 private:
  void give(const RowVector& values, RowVector& x) const;

  TileOrder order_;
  bool associated_ = false, coupled_ = false, compliant_ = false;
  Index contacts_ = 0;
  std::vector<TileIndex> index_;
  std::vector<TileMoves> moves_;
  /// Stored row of the first component of the impulse, the others 8 and 16 further; -1 in an empty
  /// lane.
  std::vector<std::array<Index, 8>> rows_;
  RowVector frames_, metric_, coupling_, compliance_;
  RowVector x_, before_, start_;  ///< 24 per tile, see TilePass
  bool begins_step_ = false, look_follows_ = false;
  double factor_ = 0.0;
};

}  // namespace talus
