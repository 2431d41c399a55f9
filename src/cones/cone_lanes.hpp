#pragma once
// Projections of eight cones at a time, for kernel files: the operations of cones/projection.cpp in
// the same order, so the same bits; and the walk over tiles of all groups.

#include "cones/cone_view.hpp"
#include "core/lanes.hpp"

namespace talus::TALUS_LEVEL {
namespace {

struct ScalarTile {
  static constexpr int rows = 1;
  int row, slot;  // first row, first slot
  V8 lower, upper;
  TALUS_INLINE void project(V8* x) const {
    x[0] = select(x[0] < lower, lower, select(x[0] > upper, upper, x[0]));
  }
};

struct PlanarTile {
  static constexpr int rows = 2;
  int row, slot;
  V8 cosine, sine;
  TALUS_INLINE void project(V8* x) const {
    const V8 tangent = absolute(x[1]);
    const V8 along = cosine * x[0] + sine * tangent;
    const L8 keep = cosine * tangent <= sine * x[0];
    const U8 sign = bits(x[1]) & 0x8000000000000000UL;
    const V8 signed_tangent = reinterpret_cast<V8>(bits(absolute(sine * along)) | sign);
    const L8 vanish = (along <= 0.0) & (x[0] <= 0.0);
    x[0] = select(vanish, zero(), select(keep, x[0], cosine * along));
    x[1] = select(vanish, zero(), select(keep, x[1], signed_tangent));
  }
};

struct SpatialTile {
  static constexpr int rows = 3;
  int row, slot;
  V8 cosine, sine, axis[3];
  TALUS_INLINE void project(V8* x) const {
    const V8 square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const L8 is_zero = (x[0] == 0.0) & (x[1] == 0.0) & (x[2] == 0.0);
    const L8 in_range = (square <= 1e280) & ((square >= 1e-280) | is_zero);
    if (any(~in_range)) return project_one_by_one(x);
    const V8 normal = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
    const V8 t[3] = {x[0] - normal * axis[0], x[1] - normal * axis[1], x[2] - normal * axis[2]};
    const V8 tangent = square_root(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    const V8 along = cosine * normal + sine * tangent;
    const L8 vanish = (along <= 0.0) & (normal <= 0.0);
    const L8 keep = cosine * tangent <= sine * normal;
    const V8 projected_normal = cosine * along;
    const V8 shrink =
        sine * along / tangent;  // NaN where tangent = 0: such a lane is kept or vanishes
    for (int k = 0; k < 3; ++k)
      x[k] = select(vanish, zero(), select(keep, x[k], projected_normal * axis[k] + shrink * t[k]));
  }
  void project_one_by_one(V8* x) const {
    for (int i = 0; i < 8; ++i) {
      const double in[3] = {x[0][i], x[1][i], x[2][i]};
      const double about[3] = {axis[0][i], axis[1][i], axis[2][i]};
      double out[3];
      project_spatial_plain(in, about, cosine[i], sine[i], out);
      for (int k = 0; k < 3; ++k) x[k][i] = out[k];
    }
  }
};

struct RollingTile {
  static constexpr int rows = 6;
  int row, slot;
  V8 axis[3], friction[3];
  TALUS_INLINE void project(V8* x) const {
    const V8 square =
        x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]);
    L8 is_zero = x[0] == 0.0;
    for (int k = 1; k < 6; ++k) is_zero &= x[k] == 0.0;
    const L8 in_range = (square <= 1e280) & ((square >= 1e-280) | is_zero);
    if (any(~in_range)) return project_one_by_one(x);
    const V8 normal = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
    const V8 spin = axis[0] * x[3] + axis[1] * x[4] + axis[2] * x[5];
    V8 t[3], roll[3];
    for (int k = 0; k < 3; ++k) {
      t[k] = x[k] - normal * axis[k];
      roll[k] = x[3 + k] - spin * axis[k];
    }
    const V8 size[3] = {square_root(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]),
                        square_root(roll[0] * roll[0] + roll[1] * roll[1] + roll[2] * roll[2]),
                        absolute(spin)};
    const V8 nearest = nearest_normal(normal, size);
    V8 shrink[3];
    L8 keep[3];
    for (int i = 0; i < 3; ++i) {
      const V8 bound = friction[i] * nearest;
      keep[i] = (friction[i] >= 1e100) | (size[i] <= bound);
      shrink[i] = select(keep[i], broadcast(1.0), bound / size[i]);
    }
    const L8 keep_force = keep[0] & (nearest == normal), keep_torque = keep[1] & keep[2];
    const V8 along = shrink[2] * spin;
    for (int k = 0; k < 3; ++k) {
      x[k] = select(keep_force, x[k], nearest * axis[k] + shrink[0] * t[k]);
      x[3 + k] = select(keep_torque, x[3 + k], along * axis[k] + shrink[1] * roll[k]);
    }
  }
  TALUS_INLINE V8 nearest_normal(V8 normal, const V8* size) const {
    V8 active[3], root = zero();
    for (int i = 0; i < 3; ++i) active[i] = select(friction[i] < 1e100, friction[i], zero());
    for (int round = 0; round < 4; ++round) {
      V8 above = normal, below = broadcast(1.0);
      for (int i = 0; i < 3; ++i) {
        above += active[i] * size[i];
        below += active[i] * active[i];
      }
      const V8 next = above / below;
      root = select(next > root, next, root);
      for (int i = 0; i < 3; ++i) active[i] = select(size[i] > active[i] * root, active[i], zero());
    }
    return root;
  }
  void project_one_by_one(V8* x) const {
    for (int i = 0; i < 8; ++i) {
      double in[6], out[6];
      for (int k = 0; k < 6; ++k) in[k] = x[k][i];
      const double about[3] = {axis[0][i], axis[1][i], axis[2][i]};
      const double mu[3] = {friction[0][i], friction[1][i], friction[2][i]};
      project_rolling_plain(in, about, mu, out);
      for (int k = 0; k < 6; ++k) x[k][i] = out[k];
    }
  }
};

/// Calls visit(tile) for the tiles [begin, end) of a part, counted through its groups in stored
/// order.
template <class Visit>
TALUS_INLINE void visit_tiles(const ConeView& view, int begin, int end, Visit&& visit) {
  const auto clip = [&](int first, int count, int& from, int& to) {
    from = begin > first ? begin - first : 0;
    to = end < first + count ? end - first : count;
  };
  int from = 0, to = 0;
  clip(0, view.scalar_tiles, from, to);
  for (int t = from; t < to; ++t)
    visit(ScalarTile{view.scalar_first + 8 * t, view.scalar_first + 8 * t,
                     load(view.lower + view.scalar_first + 8 * t),
                     load(view.upper + view.scalar_first + 8 * t)});
  clip(view.scalar_tiles, view.planar_tiles, from, to);
  for (int t = from; t < to; ++t) {
    const int slot = view.planar_first_slot + 8 * t;
    visit(PlanarTile{view.planar_first_row + 16 * t, slot, load(view.cosine + slot),
                     load(view.sine + slot)});
  }
  clip(view.scalar_tiles + view.planar_tiles, view.spatial_tiles, from, to);
  for (int t = from; t < to; ++t) {
    const int slot = view.spatial_first_slot + 8 * t;
    const double* axis = view.axis + 24 * t;
    visit(SpatialTile{view.spatial_first_row + 24 * t,
                      slot,
                      load(view.cosine + slot),
                      load(view.sine + slot),
                      {load(axis), load(axis + 8), load(axis + 16)}});
  }
  clip(view.scalar_tiles + view.planar_tiles + view.spatial_tiles, view.rolling_tiles, from, to);
  for (int t = from; t < to; ++t) {
    const int slot = view.rolling_first_slot + 8 * t;
    const double* axis = view.rolling_axis + 24 * t;
    visit(RollingTile{view.rolling_first_row + 48 * t,
                      slot,
                      {load(axis), load(axis + 8), load(axis + 16)},
                      {load(view.friction + slot), load(view.rolling_friction + 8 * t),
                       load(view.spinning_friction + 8 * t)}});
  }
}

}  // namespace
}  // namespace talus::TALUS_LEVEL
