// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "core/lane_transpose.hpp"
#include "core/lane_vectors.hpp"
#include "problem/body_kernels.hpp"

namespace talus::TALUS_LEVEL {
namespace {

/// What a contact does to one of its bodies: a force, its torque about the body's centre, and where
/// it rolls a torque of its own.
struct Push {
  double force[3], torque[3], turn[3];
};

template <bool rolling>
TALUS_INLINE Push push_of(const BodyPass& p, const double* x, unsigned entry, const double* c) {
  const unsigned contact = entry >> 1;
  const double sign = (entry & 1U) != 0 ? -1.0 : 1.0;
  const long tile = static_cast<long>(contact / 8), lane = contact % 8;
  const long row = tile * 24 + lane;
  const double* f = x + tile * (rolling ? 48 : 24) + lane;
  const double fx = sign * f[0], fy = sign * f[8], fz = sign * f[16];
  double rx = p.point[row] - c[0];
  double ry = p.point[row + 8] - c[1];
  double rz = p.point[row + 16] - c[2];
  if (p.offset != nullptr && sign > 0.0) {
    rx += p.offset[row];
    ry += p.offset[row + 8];
    rz += p.offset[row + 16];
  }
  Push push = {{fx, fy, fz}, {ry * fz - rz * fy, rz * fx - rx * fz, rx * fy - ry * fx}, {}};
  if constexpr (rolling) {
    const double length = sign * p.length[contact];
    for (int k = 0; k < 3; ++k) push.turn[k] = length * f[24 + 8 * k];
  }
  return push;
}

template <bool rolling>
TALUS_INLINE void accumulate_wrenches(const BodyPass& p, const double* x, long begin, long end) {
  for (long b = begin; b < end; ++b) {
    double force[3] = {0.0, 0.0, 0.0}, torque[3] = {0.0, 0.0, 0.0};
    if (p.wrench != nullptr) {
      for (int k = 0; k < 3; ++k) {
        force[k] = p.wrench[6 * b + k];
        torque[k] = p.wrench[6 * b + 3 + k];
      }
    }
    const double* c = p.centre + 3 * b;
    for (long e = p.contact_start[b]; e < p.contact_start[b + 1]; ++e) {
      const Push push = push_of<rolling>(p, x, p.contact_entry[e], c);
      for (int k = 0; k < 3; ++k) {
        force[k] += push.force[k];
        torque[k] += push.torque[k];
        if constexpr (rolling) torque[k] += push.turn[k];
      }
    }
    const double* m = p.inverse + 8 * b;
    const double wx = m[1] * torque[0] + m[2] * torque[1] + m[3] * torque[2];
    const double wy = m[2] * torque[0] + m[4] * torque[1] + m[5] * torque[2];
    const double wz = m[3] * torque[0] + m[5] * torque[1] + m[6] * torque[2];
    double* line = p.lines + 8 * b;
    // the velocity of the material point at the origin: v - w x c
    line[0] = m[0] * force[0] - (wy * c[2] - wz * c[1]);
    line[1] = m[0] * force[1] - (wz * c[0] - wx * c[2]);
    line[2] = m[0] * force[2] - (wx * c[1] - wy * c[0]);
    line[4] = wx;
    line[5] = wy;
    line[6] = wz;
  }
}

void accumulate(const BodyPass& p, const double* x, long begin, long end) {
  if (p.length != nullptr)
    accumulate_wrenches<true>(p, x, begin, end);
  else
    accumulate_wrenches<false>(p, x, begin, end);
}

template <bool rolling>
TALUS_INLINE void list_wrenches(const BodyPass& p, const double* x, long body,
                                const unsigned* entries, long count, double* terms, long stride) {
  const double* c = p.centre + 3 * body;
  for (long i = 0; i < count; ++i) {
    const Push push = push_of<rolling>(p, x, entries[i], c);
    for (int k = 0; k < 3; ++k) {
      terms[k * stride + i] = push.force[k];
      terms[(3 + k) * stride + i] = push.torque[k];
      if constexpr (rolling) terms[(3 + k) * stride + i] += push.turn[k];
    }
  }
}

void wrench_terms(const BodyPass& p, const double* x, long body, const unsigned* entries,
                  long count, double* terms, long stride) {
  if (p.length != nullptr)
    list_wrenches<true>(p, x, body, entries, count, terms, stride);
  else
    list_wrenches<false>(p, x, body, entries, count, terms, stride);
}

template <bool rolling>
TALUS_INLINE void gaps_of_tiles(const BodyPass& p, const double* x, double* y, int begin, int end) {
  constexpr long stride = rolling ? 48 : 24;
  for (int tile = begin; tile < end; ++tile) {
    const int* body_a = p.body_a + 8L * tile;
    const int* body_b = p.body_b + 8L * tile;
    V8 u[4], spin[4];  // of B relative to A
    lanes_from(
        [&](int i) { return load4(p.lines + 8L * body_b[i]) - load4(p.lines + 8L * body_a[i]); },
        u);
    lanes_from(
        [&](int i) {
          return load4(p.lines + 8L * body_b[i] + 4) - load4(p.lines + 8L * body_a[i] + 4);
        },
        spin);
    const double* point = p.point + 24L * tile;
    const V8 px = load(point), py = load(point + 8), pz = load(point + 16);
    V8 w[3] = {u[0] + (spin[1] * pz - spin[2] * py), u[1] + (spin[2] * px - spin[0] * pz),
               u[2] + (spin[0] * py - spin[1] * px)};
    if (p.offset != nullptr) {
      V8 s[4];  // spin of B
      lanes_from([&](int i) { return load4(p.lines + 8L * body_b[i] + 4); }, s);
      const double* offset = p.offset + 24L * tile;
      const V8 ox = load(offset), oy = load(offset + 8), oz = load(offset + 16);
      w[0] += s[1] * oz - s[2] * oy;
      w[1] += s[2] * ox - s[0] * oz;
      w[2] += s[0] * oy - s[1] * ox;
    }
    if (p.normal_compliance != nullptr) {
      const double* axis = p.axis + 24L * tile;
      const double* impulse = x + stride * tile;
      const V8 en = load(p.normal_compliance + 8 * tile);
      const V8 et = load(p.tangent_compliance + 8 * tile);
      V8 n[3], f[3];
      for (int k = 0; k < 3; ++k) {
        n[k] = load(axis + 8 * k);
        f[k] = load(impulse + 8 * k);
      }
      const V8 normal = n[0] * f[0] + n[1] * f[1] + n[2] * f[2];
      for (int k = 0; k < 3; ++k) w[k] += en * (normal * n[k]) + et * (f[k] - normal * n[k]);
    }
    for (int k = 0; k < 3; ++k) store(y + stride * tile + 8 * k, w[k]);
    if constexpr (rolling) {
      const V8 length = load(p.length + 8L * tile);
      for (int k = 0; k < 3; ++k) store(y + stride * tile + 24 + 8 * k, length * spin[k]);
    }
  }
}

void contact_gaps(const BodyPass& p, const double* x, double* y, int begin, int end) {
  if (p.length != nullptr)
    gaps_of_tiles<true>(p, x, y, begin, end);
  else
    gaps_of_tiles<false>(p, x, y, begin, end);
}

/// Three numbers from any address, and 0.
TALUS_INLINE V4 load_three(const double* p) {
#if defined(__AVX512VL__)
  return reinterpret_cast<V4>(_mm256_maskz_loadu_pd(7, p));
#elif defined(__AVX__)
  return reinterpret_cast<V4>(_mm256_maskload_pd(p, __m256i{-1, -1, -1, 0}));
#else
  return V4{p[0], p[1], p[2], 0.0};
#endif
}

/// One body of each contact of a tile; body 0 stands for the world and in lanes without a contact.
struct Eight {
  long body[8];
  bool meets_world = false;
  L8 is_body;
  TALUS_INLINE Eight(const SetUpPass& p, const int* bodies, int contacts) {
    for (int i = 0; i < 8; ++i) {
      body[i] = i < contacts ? bodies[i] : 0;
      meets_world = meets_world || body[i] == p.world;
    }
    if (!meets_world) return;
    for (int i = 0; i < 8; ++i) {
      is_body[i] = body[i] == p.world ? 0 : -1;
      if (body[i] == p.world) body[i] = 0;
    }
  }
  /// Four numbers of each body; of the world they are 0.
  template <class Four>
  TALUS_INLINE void gather(const Four& four, V8* out) const {
    lanes_from([&](int i) { return four(body[i]); }, out);
    if (!meets_world) return;
    for (int k = 0; k < 4; ++k) out[k] = select(is_body, out[k], zero());
  }
  TALUS_INLINE void vectors(const BodyVectors& of, V8* out) const {
    gather([&](long b) { return load_three(of.first + of.stride * b); }, out);
  }
};

TALUS_INLINE int contacts_of_tile(const SetUpPass& p, int tile) {
  return p.contacts - 8 * tile < 8 ? p.contacts - 8 * tile : 8;
}

/// From the centre of each body to the point of its contact.
TALUS_INLINE void levers(const SetUpPass& p, const Eight& eight, const double* points, int count,
                         V8* arm) {
  V8 centre[4];
  eight.vectors(p.centre, centre);
  vectors_from(points, count, arm);
  for (int k = 0; k < 3; ++k) arm[k] -= centre[k];
}

template <bool rolling>
TALUS_INLINE void velocities_of_tiles(const SetUpPass& p, int begin, int end) {
  for (int tile = begin; tile < end; ++tile) {
    const int contacts = contacts_of_tile(p, tile);
    V8 at[2][3], turn[2][4];
    const int* const bodies[2] = {p.body_a, p.body_b};
    const double* const points[2] = {p.point_a, p.point_b};
    for (int side = 0; side < 2; ++side) {
      const Eight eight(p, bodies[side] + 8L * tile, contacts);
      V8 arm[3], v[4];
      levers(p, eight, points[side] + 24L * tile, contacts, arm);
      eight.vectors(p.velocity, v);
      eight.vectors(p.spin, turn[side]);
      cross3(turn[side], arm, at[side]);
      for (int k = 0; k < 3; ++k) at[side][k] = v[k] + at[side][k];
    }
    double* rows = p.rows + (rolling ? 48L : 24L) * tile;
    for (int k = 0; k < 3; ++k) numbers_into(rows + 8 * k, contacts, at[1][k] - at[0][k]);
    if constexpr (rolling) {
      const V8 length = load(p.length + 8L * tile);
      for (int k = 0; k < 3; ++k)
        numbers_into(rows + 24 + 8 * k, contacts, length * (turn[1][k] - turn[0][k]));
    }
  }
}

void relative_velocities(const SetUpPass& p, int begin, int end) {
  if (p.length != nullptr)
    velocities_of_tiles<true>(p, begin, end);
  else
    velocities_of_tiles<false>(p, begin, end);
}

/// e_k . (I^-1 (r x e_k)) x r + 1/m of one body.
TALUS_INLINE void add_lightness(const V8* r, const V8* mass, const V8* more, V8* sum) {
  const V8 m = mass[0], xx = mass[1], xy = mass[2], xz = mass[3], yy = more[0], yz = more[1],
           zz = more[2];
  sum[0] += (yy * r[2] - yz * r[1]) * r[2] - (yz * r[2] - zz * r[1]) * r[1] + m;
  sum[1] += (zz * r[0] - xz * r[2]) * r[0] - (xz * r[0] - xx * r[2]) * r[2] + m;
  sum[2] += (xx * r[1] - xy * r[0]) * r[1] - (xy * r[1] - yy * r[0]) * r[0] + m;
}

template <bool rolling>
TALUS_INLINE void diagonal_of_tiles(const SetUpPass& p, int begin, int end) {
  for (int tile = begin; tile < end; ++tile) {
    const int contacts = contacts_of_tile(p, tile);
    V8 of_force[3] = {zero(), zero(), zero()}, of_turn[3] = {zero(), zero(), zero()};
    const V8 length = rolling ? load(p.length + 8L * tile) : zero();
    const int* const bodies[2] = {p.body_a, p.body_b};
    const double* const points[2] = {p.point_a, p.point_b};
    for (int side = 0; side < 2; ++side) {
      const Eight eight(p, bodies[side] + 8L * tile, contacts);
      V8 arm[3], mass[4], more[4];
      levers(p, eight, points[side] + 24L * tile, contacts, arm);
      eight.gather([&](long b) { return load4(p.inverse + 8 * b); }, mass);
      eight.gather([&](long b) { return load4(p.inverse + 8 * b + 4); }, more);
      add_lightness(arm, mass, more, of_force);
      const V8 principal[3] = {mass[1], more[0], more[2]};
      for (int k = 0; k < 3; ++k) of_turn[k] += length * (length * principal[k]);
    }
    if (p.normal_compliance != nullptr) {
      const V8 en = load(p.normal_compliance + 8L * tile);
      const V8 et = load(p.tangent_compliance + 8L * tile);
      for (int k = 0; k < 3; ++k) {
        const V8 n = load(p.axis + 24L * tile + 8 * k);
        of_force[k] += (en - et) * n * n + et;
      }
    }
    double* rows = p.rows + (rolling ? 48L : 24L) * tile;
    for (int k = 0; k < 3; ++k) {
      numbers_into(rows + 8 * k, contacts, of_force[k]);
      if constexpr (rolling) numbers_into(rows + 24 + 8 * k, contacts, of_turn[k]);
    }
  }
}

void diagonal(const SetUpPass& p, int begin, int end) {
  if (p.length != nullptr)
    diagonal_of_tiles<true>(p, begin, end);
  else
    diagonal_of_tiles<false>(p, begin, end);
}

}  // namespace

extern const BodyKernels body_kernel_table;
const BodyKernels body_kernel_table = {accumulate, wrench_terms, contact_gaps, relative_velocities,
                                       diagonal};

}  // namespace talus::TALUS_LEVEL
