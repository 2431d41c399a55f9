#include "solvers/cone_tiles.hpp"

#include "talus/cones/cone_set.hpp"
#include "talus/core/error.hpp"

#include "core/of_level.hpp"
#include "solvers/local_cone.hpp"
#include "solvers/tile_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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
  put(frames_, frame + 8 * tile_free_velocity, contact.free_velocity);
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

namespace baseline {
extern const TileKernels tile_kernel_table;
}
namespace v3 {
extern const TileKernels tile_kernel_table;
}
namespace v4 {
extern const TileKernels tile_kernel_table;
}

const TileKernels& tile_kernels() {
  return of_level(baseline::tile_kernel_table, v3::tile_kernel_table, v4::tile_kernel_table);
}

namespace {}  // namespace

Mat3 seen_from(const std::array<Vec3, 3>& frame, const Mat3& block) {
  Mat3 turned{};
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 image = times(block, frame[j]);
    for (std::size_t i = 0; i < 3; ++i) turned[3 * i + j] = dot(frame[i], image);
  }
  return turned;
}

Vec3 cone_impulse(const ConeSet& cones, const RowVector& x, Index cone) {
  if (cone < cones.planar_count)
    return {x[cones.planar_row(cone, 0)], x[cones.planar_row(cone, 1)], 0.0};
  const Index spatial = cone - cones.planar_count;
  return to_contact_frame(cones, spatial, spatial_value(cones, x, spatial));
}

void set_cone_impulse(const ConeSet& cones, RowVector& x, Index cone, const Vec3& impulse) {
  if (cone < cones.planar_count) {
    x[cones.planar_row(cone, 0)] = impulse.x;
    x[cones.planar_row(cone, 1)] = impulse.y;
    return;
  }
  const Index spatial = cone - cones.planar_count;
  set_spatial_value(cones, x, spatial, from_contact_frame(cones, spatial, impulse));
}

SixRows rolling_impulse(const ConeSet& cones, const RowVector& x, Index cone) {
  return rolling_to_contact_frame(cones, cone, rolling_value(cones, x, cone));
}

void set_rolling_impulse(const ConeSet& cones, RowVector& x, Index cone, const SixRows& impulse) {
  set_rolling_value(cones, x, cone, rolling_from_contact_frame(cones, cone, impulse));
}

void clip_to_boxes(const ConeSet& cones, const RowVector& start, RowVector& clipped) {
  TALUS_ASSERT(cones.mirrors.planar == 0);  // only rigid bodies have mirrors
  const auto clip_cone = [&](Index c, Index slot) {
    const Vec3 x = cone_impulse(cones, start, c);
    const double normal = std::max(x.x, 0.0);
    const double bound = normal > 0.0 ? cones.friction[slot] * normal : 0.0;
    set_cone_impulse(cones, clipped, c,
                     {normal, std::clamp(x.y, -bound, bound), std::clamp(x.z, -bound, bound)});
  };
  for (Index c = 0; c < cones.planar_count; ++c) clip_cone(c, cones.planar_slot(c));
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    clip_cone(cones.planar_count + c, cones.spatial_slot(c));
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    const SixRows x = rolling_impulse(cones, start, c);
    const RollingFriction mu = cones.rolling_friction_of(c);
    const double normal = std::max(x.linear.x, 0.0);
    const auto clip = [normal](double value, double coefficient) {
      const double bound = normal > 0.0 ? coefficient * normal : 0.0;
      return std::clamp(value, -bound, bound);
    };
    const Vec3 &f = x.linear, &m = x.angular;
    set_rolling_impulse(cones, clipped, c,
                        {{normal, clip(f.y, mu.sliding), clip(f.z, mu.sliding)},
                         {clip(m.x, mu.spinning), clip(m.y, mu.rolling), clip(m.z, mu.rolling)}});
  });
}

namespace {

using Tile = TileOrder::Tile;

/// The tiles of a block while they fill up. Open ones are numbered round the bits of a word, so
/// that a body can remember in which of them it is.
class OpenTiles {
 public:
  OpenTiles(const std::vector<MovedBodies>& moved, const std::vector<std::uint8_t>& fits,
            Index bodies)
      : moved_(moved), fits_(fits), in_(static_cast<std::size_t>(bodies), 0) {}

  /// Of the places [begin, end); none where they fit badly.
  const std::vector<Tile>& fill(std::size_t begin, std::size_t end) {
    tiles_.clear();
    count_.clear();
    open_ = 0;
    bool fits = true;
    for (std::size_t place = begin; place < end; ++place) {
      const MovedBodies& pair = moved_[place];
      fits = fits && fits_[place] != 0 && (pair[0] == no_body || pair[0] != pair[1]);
      add(place);
    }
    for (std::size_t place = begin; place < end; ++place)
      each_body(place, [](Word& in) { in = 0; });
    if (!fits || 2 * (end - begin) < 8 * tiles_.size()) tiles_.clear();
    return tiles_;
  }

 private:
  static constexpr std::size_t most_open = 32;
  using Word = std::uint32_t;
  static Word bit(std::size_t tile) { return Word{1} << (tile % most_open); }

  template <class Use>
  void each_body(std::size_t place, const Use& use) {
    for (const Index body : moved_[place])
      if (body != no_body) use(in_[body]);
  }

  void add(std::size_t place) {
    Word taken = 0;
    each_body(place, [&](Word in) { taken |= in; });
    const std::size_t tile = first_of(open_ & ~taken);
    tiles_[tile][count_[tile]++] = place;
    each_body(place, [&](Word& in) { in |= bit(tile); });
    if (count_[tile] == 8) open_ &= ~bit(tile);
  }

  /// The oldest of these, or a new one in the place of what is oldest.
  std::size_t first_of(Word fitting) {
    const std::size_t next = tiles_.size();
    if (fitting != 0) {
      const int oldest = static_cast<int>(next % most_open);
      const auto age = static_cast<std::size_t>(std::countr_zero(std::rotr(fitting, oldest)));
      return next - most_open + age;
    }
    if (next >= most_open)
      for (const std::size_t place : tiles_[next - most_open])
        if (place != no_place) each_body(place, [&](Word& in) { in &= ~bit(next); });
    tiles_.emplace_back().fill(no_place);
    count_.push_back(0);
    open_ |= bit(next);
    return next;
  }

  const std::vector<MovedBodies>& moved_;
  const std::vector<std::uint8_t>& fits_;
  std::vector<Word> in_;  // per body: open tiles that hold it
  std::vector<Tile> tiles_;
  std::vector<std::size_t> count_;
  Word open_ = 0;
};

}  // namespace

TileOrder tiles_of(const RowBlocks& blocks, const std::vector<MovedBodies>& moved,
                   const std::vector<std::uint8_t>& fits, Index bodies) {
  TileOrder order;
  OpenTiles open(moved, fits, bodies);
  for (std::size_t block = 0; block < blocks.block_end.size(); ++block) {
    const std::vector<Tile>& tiles = open.fill(blocks.block_begin(block), blocks.block_end[block]);
    order.tiles.insert(order.tiles.end(), tiles.begin(), tiles.end());
    order.tile_end.push_back(order.tiles.size());
  }
  return order;
}

}  // namespace talus
