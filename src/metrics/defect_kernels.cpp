// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "metrics/defect_kernels.hpp"

#include "cones/law_lanes.hpp"

namespace talus::TALUS_LEVEL {
namespace {

/// length() of cone_terms.hpp, operation by operation.
TALUS_INLINE V8 length2(V8 a, V8 b) {
  const V8 p = absolute(a), q = absolute(b), largest = select(p < q, q, p);
  const V8 a_part = a / largest, b_part = b / largest;
  const V8 size = largest * square_root(a_part * a_part + b_part * b_part);
  return select(a == 0.0, q, select(largest == __builtin_inf(), largest, size));
}

}  // namespace

extern SpatialDefects spatial_defects;
void spatial_defects(const DefectPass& p, int begin, int end) {
  const ConeView& view = p.cones;
  const V8 one = broadcast(1.0);
  for (int t = begin; t < end; ++t) {
    const int slot = view.spatial_first_slot + 8 * t, row = view.spatial_first_row + 24 * t;
    const V8 axis[3] = {load(view.axis + 24 * t), load(view.axis + 24 * t + 8),
                        load(view.axis + 24 * t + 16)};
    const LaneFrame frame(axis, view.tangent + 24 * t);
    V8 of_world[3], x[3], w[3], step[3], moved[3], y[3];
    for (int k = 0; k < 3; ++k) of_world[k] = load(p.impulses + row + 8 * k);
    frame.into(of_world, x);
    for (int k = 0; k < 3; ++k) of_world[k] = load(p.gap + row + 8 * k);
    frame.into(of_world, w);
    if (p.lifts) w[0] += times_finite(load(view.friction + slot), length2(w[1], w[2]));
    const V8 scale = load_anywhere(p.scale + slot);
    for (int k = 0; k < 3; ++k) {
      step[k] = w[k] / scale;
      moved[k] = y[k] = x[k] - step[k];
    }
    const SpatialTile in_frame{
        row, slot, load(view.cosine + slot), load(view.sine + slot), {one, zero(), zero()}};
    in_frame.project(y);
    const L8 inside = (y[0] == moved[0]) & (y[1] == moved[1]) & (y[2] == moved[2]);
    // inside, x - P(x - step) is the step; the difference would lose the digits that x is larger by
    for (int k = 0; k < 3; ++k) y[k] = select(inside, step[k], x[k] - y[k]);
    store_anywhere(p.defects + slot, length2(y[0], length2(y[1], y[2])));
  }
}

}  // namespace talus::TALUS_LEVEL
