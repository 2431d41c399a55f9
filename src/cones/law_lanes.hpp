#pragma once
// The friction laws of eight cones at a time, for kernel files. Each law is a tag with
//   step:   where a gradient step has led, brought back into the set that the law allows;
//   defect: |x - P(x - w^ / g)|^2, the square of the natural map of docs/measures.md.
// Coulomb and box friction bound the tangents by the normal impulse of the step itself, so that
// their set moves along with x [Lacoursiere13, eq. 36]; docs/algorithms/coulomb.md. Beyond 1e150
// squares overflow, and a tangent counts as too long for every bound.

#include "cones/cone_lanes.hpp"
#include "core/lane_vectors.hpp"

namespace talus::TALUS_LEVEL {
namespace {

template <class Tile>
TALUS_INLINE V8 square_of_difference(const Tile& /*tile*/, const V8* x, const V8* y) {
  V8 sum = zero();
  for (int k = 0; k < Tile::rows; ++k) {
    const V8 gap = x[k] - y[k];
    sum += gap * gap;
  }
  return sum;
}

TALUS_INLINE V8 not_negative(V8 x) {
  return select(x < 0.0, zero(), x);
}
TALUS_INLINE V8 clamped(V8 x, V8 bound) {
  return select(x < -bound, -bound, select(x > bound, bound, x));
}
/// mu n, and 0 where n is, whatever mu.
TALUS_INLINE V8 bound_of(V8 friction, V8 normal) {
  return select(normal > 0.0, friction * normal, zero());
}
TALUS_INLINE V8 times_finite(V8 friction, V8 size) {
  return select(friction < __builtin_inf(), friction * size, zero());
}
TALUS_INLINE V8 length3(const V8* a) {
  return square_root(dot3(a, a));
}
TALUS_INLINE void tangent_part(const V8* axis, const V8* x, V8 normal, V8* t) {
  for (int k = 0; k < 3; ++k) t[k] = x[k] - normal * axis[k];
}

/// n, t1, t2 of the contact frame.
struct LaneFrame {
  V8 axis[3], first[3], second[3];
  /// `tangent`: three numbers per cone.
  TALUS_INLINE LaneFrame(const V8* normal, const double* tangent) {
    for (int k = 0; k < 3; ++k) axis[k] = normal[k];
    vectors_from(tangent, 8, first);
    cross3(axis, first, second);
  }
  TALUS_INLINE void into(const V8* x, V8* parts) const {
    parts[0] = dot3(axis, x);
    parts[1] = dot3(first, x);
    parts[2] = dot3(second, x);
  }
  TALUS_INLINE void back(const V8* parts, V8* x) const {
    for (int k = 0; k < 3; ++k)
      x[k] = parts[0] * axis[k] + parts[1] * first[k] + parts[2] * second[k];
  }
};

struct AssociatedLaw {
  template <class Tile>
  static TALUS_INLINE void step(const ConeView& /*view*/, const Tile& tile, V8* x) {
    tile.project(x);
  }
  template <class Tile>
  static TALUS_INLINE V8 defect(const ConeView& /*view*/, const Tile& tile, const V8* x,
                                const V8* g, V8 inverse_scale) {
    V8 y[Tile::rows];
    for (int k = 0; k < Tile::rows; ++k) y[k] = x[k] - inverse_scale * g[k];
    tile.project(y);
    return square_of_difference(tile, x, y);
  }
};

constexpr double no_bound = 1e100;  // friction from which on a disc has no edge

struct CoulombLaw {
  static TALUS_INLINE void step(const ConeView& /*view*/, const ScalarTile& tile, V8* x) {
    tile.project(x);
  }
  static TALUS_INLINE void step(const ConeView& view, const PlanarTile& tile, V8* x) {
    const V8 friction = load(view.friction + tile.slot);
    x[0] = not_negative(x[0]);
    x[1] = select(friction >= no_bound, x[1], clamped(x[1], bound_of(friction, x[0])));
  }
  static TALUS_INLINE void step(const ConeView& view, const SpatialTile& tile, V8* x) {
    const V8 normal = dot3(tile.axis, x), nearest = not_negative(normal);
    V8 t[3];
    tangent_part(tile.axis, x, normal, t);
    const Shrink disc(load(view.friction + tile.slot), nearest, length3(t));
    const L8 stays = disc.keep & (normal >= 0.0);
    for (int k = 0; k < 3; ++k)
      x[k] = select(stays, x[k], nearest * tile.axis[k] + disc.factor * t[k]);
  }
  static TALUS_INLINE void step(const ConeView& /*view*/, const RollingTile& tile, V8* x) {
    const V8 normal = dot3(tile.axis, x), nearest = not_negative(normal);
    const V8 spin = dot3(tile.axis, x + 3);
    V8 t[3], roll[3];
    tangent_part(tile.axis, x, normal, t);
    tangent_part(tile.axis, x + 3, spin, roll);
    const Shrink slide_disc(tile.friction[0], nearest, length3(t));
    const Shrink roll_disc(tile.friction[1], nearest, length3(roll));
    const Shrink spin_range(tile.friction[2], nearest, absolute(spin));
    const L8 force = slide_disc.keep & (normal >= 0.0), torque = roll_disc.keep & spin_range.keep;
    const V8 along = spin_range.factor * spin;
    for (int k = 0; k < 3; ++k) {
      x[k] = select(force, x[k], nearest * tile.axis[k] + slide_disc.factor * t[k]);
      x[3 + k] = select(torque, x[3 + k], along * tile.axis[k] + roll_disc.factor * roll[k]);
    }
  }

  /// The natural map with De Saxce's velocity w + (mu |w_T| + ...) n.
  template <class Tile>
  static TALUS_INLINE V8 defect(const ConeView& view, const Tile& tile, const V8* x, const V8* g,
                                V8 inverse_scale) {
    V8 w[Tile::rows];
    for (int k = 0; k < Tile::rows; ++k) w[k] = g[k];
    lift(view, tile, w);
    return AssociatedLaw::defect(view, tile, x, w, inverse_scale);
  }

 private:
  struct Shrink {
    L8 keep;
    V8 factor;
    TALUS_INLINE Shrink(V8 friction, V8 normal, V8 size) {
      const V8 bound = bound_of(friction, normal);
      keep = (friction >= no_bound) | (size <= bound);
      factor = select(keep, broadcast(1.0), bound / size);
    }
  };
  static TALUS_INLINE void lift(const ConeView& /*view*/, const ScalarTile& /*tile*/, V8* /*w*/) {}
  static TALUS_INLINE void lift(const ConeView& view, const PlanarTile& tile, V8* w) {
    w[0] += times_finite(load(view.friction + tile.slot), absolute(w[1]));
  }
  static TALUS_INLINE void lift(const ConeView& view, const SpatialTile& tile, V8* w) {
    V8 t[3];
    tangent_part(tile.axis, w, dot3(tile.axis, w), t);
    const V8 term = times_finite(load(view.friction + tile.slot), length3(t));
    for (int k = 0; k < 3; ++k) w[k] += term * tile.axis[k];
  }
  static TALUS_INLINE void lift(const ConeView& /*view*/, const RollingTile& tile, V8* w) {
    const V8 spin = dot3(tile.axis, w + 3);
    V8 t[3], roll[3];
    tangent_part(tile.axis, w, dot3(tile.axis, w), t);
    tangent_part(tile.axis, w + 3, spin, roll);
    const V8 term = times_finite(tile.friction[0], length3(t)) +
                    times_finite(tile.friction[1], length3(roll)) +
                    times_finite(tile.friction[2], absolute(spin));
    for (int k = 0; k < 3; ++k) w[k] += term * tile.axis[k];
  }
};

struct BoxLaw {
  static TALUS_INLINE void step(const ConeView& /*view*/, const ScalarTile& tile, V8* x) {
    tile.project(x);
  }
  static TALUS_INLINE void step(const ConeView& view, const PlanarTile& tile, V8* x) {
    x[0] = not_negative(x[0]);
    x[1] = clamped(x[1], bound_of(load(view.friction + tile.slot), x[0]));
  }
  static TALUS_INLINE void step(const ConeView& view, const SpatialTile& tile, V8* x) {
    const LaneFrame frame = frame_of(view, tile);
    V8 parts[3];
    frame.into(x, parts);
    const V8 normal = not_negative(parts[0]);
    const V8 bound = bound_of(load(view.friction + tile.slot), normal);
    clip(frame, parts, normal, bound, bound, x);
  }
  static TALUS_INLINE void step(const ConeView& view, const RollingTile& tile, V8* x) {
    const LaneFrame frame = frame_of(view, tile);
    V8 force[3], torque[3];
    frame.into(x, force);
    frame.into(x + 3, torque);
    const V8 normal = not_negative(force[0]);
    const V8 slide = bound_of(tile.friction[0], normal), roll = bound_of(tile.friction[1], normal);
    clip(frame, force, normal, slide, slide, x);
    clip(frame, torque, clamped(torque[0], bound_of(tile.friction[2], normal)), roll, roll, x + 3);
  }

  /// Row by row, with the bounds of x as it is.
  static TALUS_INLINE V8 defect(const ConeView& /*view*/, const ScalarTile& tile, const V8* x,
                                const V8* g, V8 inverse_scale) {
    V8 y = x[0] - inverse_scale * g[0];
    tile.project(&y);
    return (x[0] - y) * (x[0] - y);
  }
  static TALUS_INLINE V8 defect(const ConeView& view, const PlanarTile& tile, const V8* x,
                                const V8* g, V8 inverse_scale) {
    const V8 n = x[0] - not_negative(x[0] - inverse_scale * g[0]);
    return n * n + row(x[1], inverse_scale * g[1], bound_of(load(view.friction + tile.slot), x[0]));
  }
  static TALUS_INLINE V8 defect(const ConeView& view, const SpatialTile& tile, const V8* x,
                                const V8* g, V8 inverse_scale) {
    const LaneFrame frame = frame_of(view, tile);
    return of_force(frame, x, g, inverse_scale, load(view.friction + tile.slot));
  }
  static TALUS_INLINE V8 defect(const ConeView& view, const RollingTile& tile, const V8* x,
                                const V8* g, V8 inverse_scale) {
    const LaneFrame frame = frame_of(view, tile);
    V8 torque[3], turn[3];
    frame.into(x + 3, torque);
    frame.into(g + 3, turn);
    const V8 normal = dot3(frame.axis, x);
    const V8 roll = bound_of(tile.friction[1], normal);
    return of_force(frame, x, g, inverse_scale, tile.friction[0]) +
           row(torque[0], inverse_scale * turn[0], bound_of(tile.friction[2], normal)) +
           row(torque[1], inverse_scale * turn[1], roll) +
           row(torque[2], inverse_scale * turn[2], roll);
  }

 private:
  static TALUS_INLINE LaneFrame frame_of(const ConeView& view, const SpatialTile& tile) {
    return {tile.axis, view.tangent + 3 * (tile.slot - view.spatial_first_slot)};
  }
  static TALUS_INLINE LaneFrame frame_of(const ConeView& view, const RollingTile& tile) {
    return {tile.axis, view.rolling_tangent + 3 * (tile.slot - view.rolling_first_slot)};
  }
  /// Lanes that no bound touches keep their bits.
  // NOLINTNEXTLINE(readability-function-size): three parts with a bound each
  static TALUS_INLINE void clip(const LaneFrame& frame, const V8* parts, V8 along, V8 first,
                                V8 second, V8* x) {
    const V8 cut[3] = {along, clamped(parts[1], first), clamped(parts[2], second)};
    const L8 stays = (cut[0] == parts[0]) & (cut[1] == parts[1]) & (cut[2] == parts[2]);
    V8 turned[3];
    frame.back(cut, turned);
    for (int k = 0; k < 3; ++k) x[k] = select(stays, x[k], turned[k]);
  }
  /// |x - clip(x - step)|^2 of a row within +-bound.
  static TALUS_INLINE V8 row(V8 x, V8 step, V8 bound) {
    const V8 gap = x - clamped(x - step, bound);
    return gap * gap;
  }
  static TALUS_INLINE V8 of_force(const LaneFrame& frame, const V8* x, const V8* g,
                                  V8 inverse_scale, V8 friction) {
    V8 force[3], gap[3];
    frame.into(x, force);
    frame.into(g, gap);
    const V8 bound = bound_of(friction, force[0]);
    const V8 n = force[0] - not_negative(force[0] - inverse_scale * gap[0]);
    return n * n + row(force[1], inverse_scale * gap[1], bound) +
           row(force[2], inverse_scale * gap[2], bound);
  }
};

}  // namespace
}  // namespace talus::TALUS_LEVEL
