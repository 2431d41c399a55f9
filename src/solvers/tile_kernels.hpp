#pragma once
// One sweep over tiles: eight contacts that share no body that moves, a contact per lane
// (cone_tiles.hpp). Plain pointers: included by the kernel file.

namespace talus {

// Lanes of a tile in `frames`: what every contact has. Velocities and levers in the world frame.
constexpr int tile_normal = 0, tile_lever_a = 3, tile_lever_b = 6, tile_free_velocity = 9;
constexpr int tile_inverse_n = 12, tile_inverse_t = 13;  ///< 1 / g_n, 1 / g_t; 0: nothing moves
constexpr int tile_friction = 14;
constexpr int tile_lanes = 15;

// Lanes of a tile in `metric`: the cone in the metric diag(g_n, g_t, g_t), associated law.
constexpr int metric_cosine = 0, metric_sine = 1;
constexpr int metric_pull = 2;     ///< sine g_t / g_n
constexpr int metric_inverse = 3;  ///< 1 / (cosine^2 + sine^2 g_t / g_n)
constexpr int metric_lanes = 4;

/// Where the lines of eight contacts' bodies begin, 8 numbers each; the last one, of the world,
/// where there is none. Unsigned, so that they need not be widened to be added to an address.
struct TileIndex {
  unsigned body_a[8], body_b[8];
};

/// Bit i: the contact in lane i moves its body A; its body B. Empty lanes have no normal, so that
/// their impulse stays 0, and move nothing.
struct TileMoves {
  unsigned char a, b;
};

struct TilePass {
  const TileIndex* index;
  const TileMoves* moves;
  const double* frames;      ///< 8 tile_lanes per tile
  const double* metric;      ///< 8 metric_lanes per tile; null under the Coulomb law
  const double* coupling;    ///< A_tn, world frame, 24 per tile; null where there is none
  const double* compliance;  ///< normal, tangential, 16 per tile; null where there is none
  /// Eight numbers per body: v, omega, inverse mass, inverse moment.
  double* lines;
  const double* inertia;  ///< eight per body, six inverse moments; null where one is enough
  double* x;              ///< impulses, 24 per tile
  /// Of the step that this sweep begins (Momentum), 24 per tile: x goes to x + factor (x - before)
  /// and becomes `before`. Null: the sweep goes on from x.
  double* before;
  double* start;  ///< gets where that led; null where nobody asks
  double factor;
  double relaxation;
  long tiles;  ///< of all blocks: as far as may be read ahead
};

struct TileKernels {
  /// Tiles [begin, end) in order, or backward; whether an impulse has changed.
  bool (*coulomb)(const TilePass&, long begin, long end, bool forward);
  bool (*associated)(const TilePass&, long begin, long end, bool forward);
  /// Lines of bodies [begin, end): u goes to u + factor (u - before) and becomes `before`.
  void (*extrapolate)(double* lines, double* before, double factor, long begin, long end);
};

/// The kernels of the level in use (core/simd.hpp).
const TileKernels& tile_kernels();

}  // namespace talus
