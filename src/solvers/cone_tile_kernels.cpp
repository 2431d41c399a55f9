// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.
// Letters: x impulse, w gap velocity, n normal, A the contact's diagonal block, g its majorant.
// docs/algorithms/psor.md, "Eight contacts at a time".

#include "cones/law_lanes.hpp"
#include "core/lane_transpose.hpp"
#include "solvers/tile_kernels.hpp"

namespace talus::TALUS_LEVEL {
namespace {

TALUS_INLINE void load3(const double* p, V8* out) {
  for (int k = 0; k < 3; ++k) out[k] = load(p + 8 * k);
}

/// Eight bodies: v and omega, inverse mass and moment.
struct Bodies {
  V8 line[8];
  TALUS_INLINE Bodies(const double* lines, const unsigned* body) {
    lanes_from([&](int i) { return load4(lines + body[i]); }, line);
    lanes_from([&](int i) { return load4(lines + body[i] + 4); }, line + 4);
  }
  /// Lanes of `moves` only: other threads read the lines of bodies that nothing moves.
  TALUS_INLINE void put(double* lines, const unsigned* body, unsigned moves) const {
    if (moves == 0xffU)
      put_where([](int /*lane*/) { return true; }, lines, body);
    else
      put_where([=](int lane) { return (moves >> lane & 1U) != 0; }, lines, body);
  }
  template <class Moves>
  TALUS_INLINE void put_where(const Moves& moves, double* lines, const unsigned* body) const {
    const auto into = [&](long first) {
      return [=](int i, V4 four) {
        if (moves(i)) store4(lines + body[i] + first, four);
      };
    };
    lanes_into(line, into(0));
    lanes_into(line + 4, into(4));
  }
  TALUS_INLINE void velocity_at(const V8* lever, V8* v) const {
    cross3(line + 3, lever, v);
    for (int k = 0; k < 3; ++k) v[k] += line[k];
  }
  TALUS_INLINE void push(const V8* force, const V8* lever, const double* inertia,
                         const unsigned* body) {
    V8 torque[3];
    cross3(lever, force, torque);
    for (int k = 0; k < 3; ++k) line[k] += line[6] * force[k];
    if (inertia == nullptr) {
      for (int k = 0; k < 3; ++k) line[3 + k] += line[7] * torque[k];
      return;
    }
    V8 m[8];  // xx, xy, xz, yy, yz, zz
    lanes_from([&](int i) { return load4(inertia + body[i]); }, m);
    lanes_from([&](int i) { return load4(inertia + body[i] + 4); }, m + 4);
    line[3] += m[0] * torque[0] + m[1] * torque[1] + m[2] * torque[2];
    line[4] += m[1] * torque[0] + m[3] * torque[1] + m[4] * torque[2];
    line[5] += m[2] * torque[0] + m[4] * torque[1] + m[5] * torque[2];
  }
};

/// Impulse and gap velocity of eight contacts, and the steps that they take.
struct Contacts {
  V8 n[3], x[3], w[3], x_n, w_n;

  /// x + omega (answer of the metric - x) in the tangent plane: what is left of x - omega w / g.
  TALUS_INLINE void tangent_step(V8 step, V8* x_t, V8* t) const {
    for (int k = 0; k < 3; ++k) {
      x_t[k] = x[k] - x_n * n[k];
      t[k] = x_t[k] - step * (w[k] - w_n * n[k]);
    }
  }
  /// The impulse with these parts; lanes that nothing changes keep their bits.
  TALUS_INLINE void assemble(V8 normal, L8 keep, V8 shrink, const V8* x_t, const V8* t) {
    const L8 stays =
        keep & (normal == x_n) & (t[0] == x_t[0]) & (t[1] == x_t[1]) & (t[2] == x_t[2]);
    for (int k = 0; k < 3; ++k)
      x[k] = select(stays, x[k], normal * n[k] + select(keep, t[k], shrink * t[k]));
  }
};

/// n, then t under the x_N that it has just found: the exact answer where g is the block.
struct CoulombStep {
  static TALUS_INLINE void take(const TilePass& p, long tile, const double* f, Contacts& c) {
    const V8 omega = broadcast(p.relaxation);
    const V8 normal = not_negative(c.x_n - omega * load(f + 8 * tile_inverse_n) * c.w_n);
    if (p.coupling != nullptr) {
      const double* a_tn = p.coupling + 24 * tile;
      for (int k = 0; k < 3; ++k) c.w[k] += (normal - c.x_n) * load(a_tn + 8 * k);
    }
    V8 x_t[3], t[3];
    c.tangent_step(omega * load(f + 8 * tile_inverse_t), x_t, t);
    const V8 friction = load(f + 8 * tile_friction), size = length3(t);
    const V8 bound = bound_of(friction, normal);
    c.assemble(normal, (friction >= no_bound) | (size <= bound), bound / size, x_t, t);
  }
};

/// The nearest point of the cone in the metric of g, in closed form: with the tangents times
/// sqrt(g_t / g_n) it is the Euclidean one of a cone.
struct AssociatedStep {
  static TALUS_INLINE void take(const TilePass& p, long tile, const double* f, Contacts& c) {
    const V8 omega = broadcast(p.relaxation);
    const double* m = p.metric + 8 * metric_lanes * tile;
    const V8 cosine = load(m + 8 * metric_cosine), sine = load(m + 8 * metric_sine);
    const V8 z = c.x_n - omega * load(f + 8 * tile_inverse_n) * c.w_n;
    V8 x_t[3], t[3];
    c.tangent_step(omega * load(f + 8 * tile_inverse_t), x_t, t);
    const V8 size = length3(t);
    const V8 along = (cosine * z + load(m + 8 * metric_pull) * size) * load(m + 8 * metric_inverse);
    const L8 keep = cosine * size <= sine * z;
    const L8 vanish = (along <= 0.0) & (z <= 0.0);
    const V8 shrink = select(vanish, zero(), sine * along / size);
    c.assemble(select(keep, z, select(vanish, zero(), cosine * along)), keep & ~vanish, shrink, x_t,
               t);
  }
};

TALUS_INLINE void fetch(const TilePass& p, long tile) {
  const TileIndex& index = p.index[tile];
  for (int i = 0; i < 8; ++i) {
    __builtin_prefetch(p.lines + index.body_a[i]);
    __builtin_prefetch(p.lines + index.body_b[i]);
    if (p.inertia != nullptr) {
      __builtin_prefetch(p.inertia + index.body_a[i]);
      __builtin_prefetch(p.inertia + index.body_b[i]);
    }
  }
}

/// The impulses that the sweep starts from.
TALUS_INLINE void begin_with(const TilePass& p, long tile, V8* x) {
  load3(p.x + 24 * tile, x);
  if (p.before == nullptr) return;
  double* const before = p.before + 24 * tile;
  for (int k = 0; k < 3; ++k) {
    const V8 now = x[k];
    if (p.factor != 0.0) x[k] = now + broadcast(p.factor) * (now - load(before + 8 * k));
    store(before + 8 * k, now);
    store(p.x + 24 * tile + 8 * k, x[k]);
    if (p.start != nullptr) store(p.start + 24 * tile + 8 * k, x[k]);
  }
}

template <class Step>
TALUS_INLINE bool sweep_tile(const TilePass& p, long tile) {
  const TileIndex& index = p.index[tile];
  const double* f = p.frames + 8L * tile_lanes * tile;
  Bodies a(p.lines, index.body_a), b(p.lines, index.body_b);
  V8 lever_a[3], lever_b[3], at_a[3], at_b[3];
  load3(f + 8 * tile_lever_a, lever_a);
  load3(f + 8 * tile_lever_b, lever_b);
  a.velocity_at(lever_a, at_a);
  b.velocity_at(lever_b, at_b);
  Contacts c;
  load3(f + 8 * tile_normal, c.n);
  begin_with(p, tile, c.x);
  for (int k = 0; k < 3; ++k) c.w[k] = (at_b[k] - at_a[k]) + load(f + 8 * (tile_free_velocity + k));
  c.x_n = dot3(c.n, c.x);
  if (p.compliance != nullptr) {
    const V8 normal = load(p.compliance + 16 * tile), tangent = load(p.compliance + 16 * tile + 8);
    for (int k = 0; k < 3; ++k)
      c.w[k] += normal * (c.x_n * c.n[k]) + tangent * (c.x[k] - c.x_n * c.n[k]);
  }
  c.w_n = dot3(c.n, c.w);
  const V8 before[3] = {c.x[0], c.x[1], c.x[2]};
  Step::take(p, tile, f, c);
  V8 change[3];
  for (int k = 0; k < 3; ++k) change[k] = c.x[k] - before[k];
  if (!any((change[0] != 0.0) | (change[1] != 0.0) | (change[2] != 0.0))) return false;
  for (int k = 0; k < 3; ++k) store(p.x + 24 * tile + 8 * k, c.x[k]);
  b.push(change, lever_b, p.inertia, index.body_b);
  b.put(p.lines, index.body_b, p.moves[tile].b);
  for (V8& part : change) part = -part;
  a.push(change, lever_a, p.inertia, index.body_a);
  a.put(p.lines, index.body_a, p.moves[tile].a);
  return true;
}

constexpr long fetch_ahead = 4;  // tiles

template <class Step>
TALUS_INLINE bool sweep_tiles(const TilePass& p, long begin, long end, bool forward) {
  bool moved = false;
  const long step = forward ? 1 : -1;
  for (long left = end - begin, tile = forward ? begin : end - 1; left > 0; --left, tile += step) {
    const long next = tile + step * fetch_ahead;
    if (0 <= next && next < p.tiles) fetch(p, next);
    if (sweep_tile<Step>(p, tile)) moved = true;
  }
  return moved;
}

bool sweep_coulomb(const TilePass& p, long begin, long end, bool forward) {
  return sweep_tiles<CoulombStep>(p, begin, end, forward);
}
bool sweep_associated(const TilePass& p, long begin, long end, bool forward) {
  return sweep_tiles<AssociatedStep>(p, begin, end, forward);
}

// The masses at the end of a line do not change.
void extrapolate(double* lines, double* before, double factor, long begin, long end) {
  for (long body = begin; body < end; ++body) {
    const V8 now = load(lines + 8 * body);
    if (factor != 0.0)
      store(lines + 8 * body, now + broadcast(factor) * (now - load(before + 8 * body)));
    store(before + 8 * body, now);
  }
}

}  // namespace

extern const TileKernels tile_kernel_table;
const TileKernels tile_kernel_table = {sweep_coulomb, sweep_associated, extrapolate};

}  // namespace talus::TALUS_LEVEL
