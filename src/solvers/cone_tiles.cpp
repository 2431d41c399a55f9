#include "solvers/cone_tiles.hpp"

#include "talus/cones/cone_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace talus {
namespace {

void put(RowVector& rows, std::size_t first, const Vec3& value) {
  rows[first] = value.x;
  rows[first + 8] = value.y;
  rows[first + 16] = value.z;
}

/// A diagonal g = (n, t, t) in the contact frame, and what it leaves out.
struct Metric {
  double n = 0.0, t = 0.0;
  Vec3 coupling;         // A_tn, world frame
  double least_t = 0.0;  // lambda_min(A_tt)
};

/// g_n = A_nn and g_t = lambda_max(A_tt): the block itself for spheres.
Metric metric_of(const TileContact& c) {
  const Vec3 column = times(c.block, c.normal);
  const double nn = dot(c.normal, column);
  const Vec3 t1 = tangent_of(c.normal), t2 = cross(c.normal, t1);
  const Vec3 column1 = times(c.block, t1);
  const double a = dot(t1, column1), b = dot(t2, column1), d = dot(t2, times(c.block, t2));
  const double half = 0.5 * (a - d);
  const double mean = 0.5 * (a + d), radius = std::sqrt(half * half + b * b);
  return {nn, mean + radius, column - nn * c.normal, mean - radius};
}

double coupling_of(const Metric& g) {
  const double product = g.n * g.t;
  return product > 0.0 ? std::sqrt(dot(g.coupling, g.coupling) / product) : 0.0;
}

/// Smaller couplings are rounding: those of a sphere's contact.
constexpr double no_coupling = 1e-12;

double inverse(double g) {
  return g > 0.0 ? 1.0 / g : 0.0;
}

}  // namespace

double diagonality(const TileContact& contact) {
  const Metric g = metric_of(contact);
  const double round = g.t > 0.0 ? g.least_t / g.t : 1.0;
  return round * (1.0 - coupling_of(g));
}

ConeTiles::ConeTiles(TileOrder order, bool associated, Index world)
    : order_(std::move(order)), associated_(associated) {
  const std::size_t tiles = order_.tiles.size();
  TileIndex empty{};
  std::fill_n(empty.body_a, 8, world);
  std::fill_n(empty.body_b, 8, world);
  index_.assign(tiles, empty);
  frames_.assign(std::size_t{8} * tile_lanes * tiles, 0.0);
  if (associated) metric_.assign(std::size_t{8} * metric_lanes * tiles, 0.0);
  coupling_.assign(24 * tiles, 0.0);
  compliance_.assign(16 * tiles, 0.0);
}

void ConeTiles::set(std::size_t tile, std::size_t lane, const TileContact& contact) {
  TileIndex& index = index_[tile];
  index.body_a[lane] = contact.body_a;
  index.body_b[lane] = contact.body_b;
  // empty lanes, which follow, read the impulse of the first contact and write none
  if (lane == 0) std::fill_n(index.row, 8, contact.row);
  index.row[lane] = contact.row;
  const auto bit = static_cast<unsigned char>(1U << lane);
  index.used |= bit;
  if (contact.moves_a) index.moves_a |= bit;
  if (contact.moves_b) index.moves_b |= bit;

  Metric g = metric_of(contact);
  const double coupling = coupling_of(g);
  if (associated_ && coupling > no_coupling) {
    // (1 + q) (A_nn, lambda_max, lambda_max) >= A: so no step raises the objective
    g.n *= 1.0 + coupling;
    g.t *= 1.0 + coupling;
  }
  const std::size_t frame = std::size_t{8} * tile_lanes * tile + lane;
  put(frames_, frame + 8 * tile_normal, contact.normal);
  put(frames_, frame + 8 * tile_lever_a, contact.lever_a);
  put(frames_, frame + 8 * tile_lever_b, contact.lever_b);
  put(frames_, frame + 8 * tile_free_gap, contact.free_gap);
  frames_[frame + 8 * tile_inverse_n] = inverse(g.n);
  frames_[frame + 8 * tile_inverse_t] = inverse(g.t);
  frames_[frame + 8 * tile_friction] = contact.friction.mu;
  if (associated_) {
    const double ratio = g.n > 0.0 && g.t > 0.0 ? g.t / g.n : 1.0;
    const double cosine = contact.friction.cosine, sine = contact.friction.sine;
    const std::size_t metric = std::size_t{8} * metric_lanes * tile + lane;
    metric_[metric + 8 * metric_cosine] = cosine;
    metric_[metric + 8 * metric_sine] = sine;
    metric_[metric + 8 * metric_pull] = sine * ratio;
    metric_[metric + 8 * metric_inverse] = 1.0 / (cosine * cosine + sine * sine * ratio);
  } else if (coupling > no_coupling) {
    coupled_ = true;
    put(coupling_, 24 * tile + lane, g.coupling);
  }
  compliance_[16 * tile + lane] = contact.normal_compliance;
  compliance_[16 * tile + 8 + lane] = contact.tangent_compliance;
  compliant_ = compliant_ || contact.normal_compliance > 0.0 || contact.tangent_compliance > 0.0;
}

bool ConeTiles::sweep(std::size_t block, bool forward, const TileBodies& bodies, RowVector& x,
                      double relaxation) const {
  const TilePass pass{index_.data(),
                      frames_.data(),
                      associated_ ? metric_.data() : nullptr,
                      coupled_ ? coupling_.data() : nullptr,
                      compliant_ ? compliance_.data() : nullptr,
                      bodies.lines,
                      bodies.inertia,
                      x.data(),
                      relaxation,
                      static_cast<long>(index_.size())};
  const TileKernels& kernels = tile_kernels();
  const auto sweep = associated_ ? kernels.associated : kernels.coulomb;
  return sweep(pass, static_cast<long>(order_.tile_begin(block)),
               static_cast<long>(order_.tile_end[block]), forward);
}

}  // namespace talus
