#include "solvers/cone_tiles.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"

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

double coupling_of(const TileMetric& g) {
  const double product = g.n * g.t;
  return product > 0.0 ? std::sqrt(dot(g.coupling, g.coupling) / product) : 0.0;
}

/// Smaller couplings are rounding: those of a sphere's contact.
constexpr double no_coupling = 1e-12;

unsigned line_of(Index body) {
  return 8 * static_cast<unsigned>(body);
}

double inverse(double g) {
  return g > 0.0 ? 1.0 / g : 0.0;
}

}  // namespace

TileMetric metric_of(const Vec3& normal, const Mat3& block) {
  const Vec3 column = times(block, normal);
  const double nn = dot(normal, column);
  const Vec3 t1 = tangent_of(normal), t2 = cross(normal, t1);
  const Vec3 column1 = times(block, t1);
  const double a = dot(t1, column1), b = dot(t2, column1), d = dot(t2, times(block, t2));
  const double half = 0.5 * (a - d);
  const double mean = 0.5 * (a + d), radius = std::sqrt(half * half + b * b);
  return {nn, mean + radius, column - nn * normal, mean - radius};
}

double diagonality(const TileMetric& g) {
  const double round = g.t > 0.0 ? g.least_t / g.t : 1.0;
  return round * (1.0 - coupling_of(g));
}

ConeTiles::ConeTiles(TileOrder order, bool associated, Index world)
    : order_(std::move(order)), associated_(associated) {
  const std::size_t tiles = order_.tiles.size();
  TALUS_ASSERT(world < Index{1} << 28);  // lines are counted in numbers, 32-bit
  TileIndex empty{};
  std::fill_n(empty.body_a, 8, line_of(world));
  std::fill_n(empty.body_b, 8, line_of(world));
  index_.assign(tiles, empty);
  moves_.assign(tiles, TileMoves{});
  std::array<Index, 8> no_rows{};
  no_rows.fill(-1);
  rows_.assign(tiles, no_rows);
  x_.assign(24 * tiles, 0.0);
  frames_.assign(std::size_t{8} * tile_lanes * tiles, 0.0);
  if (associated) metric_.assign(std::size_t{8} * metric_lanes * tiles, 0.0);
  coupling_.assign(24 * tiles, 0.0);
  compliance_.assign(16 * tiles, 0.0);
}

void ConeTiles::set(std::size_t tile, std::size_t lane, const TileContact& contact) {
  TileIndex& index = index_[tile];
  index.body_a[lane] = line_of(contact.body_a);
  index.body_b[lane] = line_of(contact.body_b);
  rows_[tile][lane] = contact.row;
  ++contacts_;
  const auto bit = static_cast<unsigned char>(1U << lane);
  if (contact.moves_a) moves_[tile].a |= bit;
  if (contact.moves_b) moves_[tile].b |= bit;

  TileMetric g = contact.metric;
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

void ConeTiles::take_impulses(const RowVector& x) {
  for (std::size_t tile = 0; tile < rows_.size(); ++tile)
    for (std::size_t lane = 0; lane < 8 && rows_[tile][lane] >= 0; ++lane)
      for (std::size_t k = 0; k < 24; k += 8)
        x_[24 * tile + k + lane] = x[static_cast<std::size_t>(rows_[tile][lane]) + k];
}

void ConeTiles::give(const RowVector& values, RowVector& x) const {
  for (std::size_t tile = 0; tile < rows_.size(); ++tile)
    for (std::size_t lane = 0; lane < 8 && rows_[tile][lane] >= 0; ++lane)
      for (std::size_t k = 0; k < 24; k += 8)
        x[static_cast<std::size_t>(rows_[tile][lane]) + k] = values[24 * tile + k + lane];
}

void ConeTiles::begin_step(double factor, bool look_follows) {
  begins_step_ = true;
  factor_ = factor;
  look_follows_ = look_follows;
  before_.resize(x_.size());
  start_.resize(x_.size());
}

void ConeTiles::give_trail(RowVector& before, RowVector& start) const {
  if (before_.empty()) return;
  start.resize(before.size());
  give(before_, before);
  give(start_, start);
}

bool ConeTiles::sweep(std::size_t block, bool forward, const TileBodies& bodies,
                      double relaxation) {
  const TilePass pass{index_.data(),
                      moves_.data(),
                      frames_.data(),
                      associated_ ? metric_.data() : nullptr,
                      coupled_ ? coupling_.data() : nullptr,
                      compliant_ ? compliance_.data() : nullptr,
                      bodies.lines,
                      bodies.inertia,
                      x_.data(),
                      begins_step_ ? before_.data() : nullptr,
                      look_follows_ ? start_.data() : nullptr,
                      factor_,
                      relaxation,
                      static_cast<long>(index_.size())};
  const TileKernels& kernels = tile_kernels();
  const auto sweep = associated_ ? kernels.associated : kernels.coulomb;
  return sweep(pass, static_cast<long>(order_.tile_begin(block)),
               static_cast<long>(order_.tile_end[block]), forward);
}

}  // namespace talus
