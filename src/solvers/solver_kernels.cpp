// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "cones/law_lanes.hpp"
#include "parallel/exact_lanes.hpp"
#include "solvers/pass_kernels.hpp"

#include <type_traits>

namespace talus::TALUS_LEVEL {
namespace {

template <class Law, class Tile>
TALUS_INLINE V8 residual_term(const ConeView& view, const Tile& tile, const V8* x, const V8* g,
                              const ResidualWeights& weights) {
  return load(weights.weight + tile.slot) *
         Law::defect(view, tile, x, g, load(weights.inverse_scale + tile.slot));
}

template <class Law>
void spg_advance(const SpgPass& p, double lambda, double alpha, int begin, int end,
                 const double* scales, LaneTotals& totals) {
  LaneSums<1> sums(scales);
  const V8 step = broadcast(lambda), length = broadcast(alpha);
  visit_tiles(p.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 x[rows], g[rows], y[rows];
    const V8 back = length * load(p.inverse_scale + tile.slot);
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      x[k] = load(p.x + row) + step * load(p.d + row);
      g[k] = load(p.g + row) + step * load(p.q + row);
      store(p.x + row, x[k]);
      store(p.g + row, g[k]);
      y[k] = x[k] - back * g[k];
    }
    sums.add(0, residual_term<Law>(p.cones, tile, x, g, p.residual));
    Law::step(p.cones, tile, y);
    for (int k = 0; k < rows; ++k) store(p.d + tile.row + 8 * k, y[k] - x[k]);
  });
  drain(sums, totals);
}

void spg_sums(const SpgPass& p, int begin, int end, const double* scales, LaneTotals& totals) {
  LaneSums<4> sums(scales);
  visit_tiles(p.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 dg = zero(), dq = zero(), dd = zero(), qq = zero();
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 d = load(p.d + row), q = load(p.q + row);
      dg += d * load(p.g + row);
      dq += d * q;
      dd += d * d;
      qq += q * q;
    }
    sums.add(0, dg);
    sums.add(1, dq);
    sums.add(2, load(p.scale + tile.slot) * dd);
    sums.add(3, load(p.inverse_scale + tile.slot) * qq);
  });
  drain(sums, totals);
}

template <class Law>
void residual(const ConeView& cones, const double* x_rows, const double* g_rows,
              const ResidualWeights& weights, int begin, int end, const double* scales,
              LaneTotals& totals) {
  LaneSums<1> sums(scales);
  visit_tiles(cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 x[rows], g[rows];
    for (int k = 0; k < rows; ++k) {
      x[k] = load(x_rows + tile.row + 8 * k);
      g[k] = load(g_rows + tile.row + 8 * k);
    }
    sums.add(0, residual_term<Law>(cones, tile, x, g, weights));
  });
  drain(sums, totals);
}

template <class Law>
void apgd_trial(const ApgdPass& p, double beta, double step, int begin, int end) {
  const V8 momentum = broadcast(beta), length = broadcast(step);
  visit_tiles(p.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 y[rows], z[rows];
    const V8 back = length * load(p.inverse_scale + tile.slot);
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 x = load(p.x + row), gx = load(p.gx + row);
      const V8 gy = gx + momentum * (gx - load(p.gx_previous + row));
      y[k] = x + momentum * (x - load(p.x_previous + row));
      z[k] = y[k] - back * gy;
      store(p.gy + row, gy);
    }
    Law::step(p.cones, tile, z);
    for (int k = 0; k < rows; ++k) {
      store(p.z + tile.row + 8 * k, z[k]);
      store(p.d + tile.row + 8 * k, z[k] - y[k]);
    }
  });
}

template <class Law>
void apgd_sums(const ApgdPass& p, int begin, int end, const double* scales, LaneTotals& totals) {
  LaneSums<4> sums(scales);
  visit_tiles(p.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 z[rows], gz[rows];
    V8 dq = zero(), dd = zero(), dz = zero();
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 d = load(p.d + row), q = load(p.q + row);
      z[k] = load(p.z + row);
      gz[k] = load(p.gy + row) + q;
      store(p.gz + row, gz[k]);
      dq += d * q;
      dd += d * d;
      dz += d * (z[k] - load(p.x + row));
    }
    const V8 scale = load(p.scale + tile.slot);
    sums.add(0, dq);
    sums.add(1, scale * dd);
    sums.add(2, scale * dz);
    sums.add(3, residual_term<Law>(p.cones, tile, z, gz, p.residual));
  });
  drain(sums, totals);
}

void krylov_advance(const KrylovPass& pass, double alpha, double beta, int begin, int end) {
  const V8 length = broadcast(alpha), memory = broadcast(beta);
  visit_tiles(pass.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    const V8 inverse_scale = load(pass.inverse_scale + tile.slot);
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 p = load(pass.z + row) + memory * load(pass.p + row);
      const V8 q = load(pass.v + row) + memory * load(pass.q + row);
      const V8 g = load(pass.g + row) - length * q;
      store(pass.p + row, p);
      store(pass.q + row, q);
      store(pass.x + row, load(pass.x + row) - length * p);
      store(pass.g + row, g);
      store(pass.z + row, inverse_scale * g);
    }
  });
}

/// Sums 0 and 6 of both methods: the residual term of x and z.P z.
template <class Tile>
TALUS_INLINE void add_sizes(const KrylovPass& pass, const Tile& tile, LaneSums<7>& sums) {
  V8 x[Tile::rows], g[Tile::rows];
  V8 zz = zero();
  for (int k = 0; k < Tile::rows; ++k) {
    const int row = tile.row + 8 * k;
    const V8 z = load(pass.z + row);
    x[k] = load(pass.x + row);
    g[k] = load(pass.g + row);
    zz += z * z;
  }
  sums.add(0, residual_term<AssociatedLaw>(pass.cones, tile, x, g, pass.residual));
  sums.add(6, load(pass.scale + tile.slot) * zz);
}

void cg_sums(const KrylovPass& pass, int begin, int end, const double* scales, LaneTotals& totals) {
  LaneSums<7> sums(scales);
  visit_tiles(pass.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 zg = zero(), zv = zero(), zq = zero(), pq = zero(), gp = zero();
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 g = load(pass.g + row), p = load(pass.p + row);
      const V8 q = load(pass.q + row), z = load(pass.z + row);
      zg += z * g;
      zv += z * load(pass.v + row);
      zq += z * q;
      pq += p * q;
      gp += g * p;
    }
    add_sizes(pass, tile, sums);
    sums.add(1, zg);
    sums.add(2, zv);
    sums.add(3, zq);
    sums.add(4, pq);
    sums.add(5, gp);
  });
  drain(sums, totals);
}

void minres_sums(const KrylovPass& pass, int begin, int end, const double* scales,
                 LaneTotals& totals) {
  LaneSums<7> sums(scales);
  visit_tiles(pass.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 zv = zero(), vv = zero(), vq = zero(), qq = zero(), zq = zero();
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 q = load(pass.q + row), v = load(pass.v + row), z = load(pass.z + row);
      zv += z * v;
      vv += v * v;
      vq += v * q;
      qq += q * q;
      zq += z * q;
    }
    const V8 inverse_scale = load(pass.inverse_scale + tile.slot);
    add_sizes(pass, tile, sums);
    sums.add(1, zv);
    sums.add(2, inverse_scale * vv);
    sums.add(3, inverse_scale * vq);
    sums.add(4, inverse_scale * qq);
    sums.add(5, zq);
  });
  drain(sums, totals);
}

void momentum_sums(const MomentumPass& p, int begin, int end, const double* scales,
                   LaneTotals& totals) {
  LaneSums<2> sums(scales);
  visit_tiles(p.cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 uphill = zero(), objective = zero();
    for (int k = 0; k < rows; ++k) {
      const int row = tile.row + 8 * k;
      const V8 x = load(p.x + row);
      uphill += (load(p.y + row) - x) * (x - load(p.x_previous + row));
      objective += 0.5 * x * (load(p.gap + row) + load(p.free_velocity + row));
    }
    sums.add(0, load(p.scale + tile.slot) * uphill);
    sums.add(1, objective);
  });
  drain(sums, totals);
}

template <class Law>
constexpr PassKernels kernels_of = {spg_advance<Law>, spg_sums,       residual<Law>,
                                    apgd_trial<Law>,  apgd_sums<Law>, krylov_advance,
                                    cg_sums,          minres_sums,    momentum_sums};

}  // namespace

extern const LawKernels pass_kernel_table;
const LawKernels pass_kernel_table = {kernels_of<CoulombLaw>, kernels_of<AssociatedLaw>,
                                      kernels_of<BoxLaw>};

}  // namespace talus::TALUS_LEVEL
