// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "cones/frame_tiles.hpp"
#include "core/lane_vectors.hpp"

namespace talus::TALUS_LEVEL {
namespace {

/// tangent_of() of cone_set.hpp, operation by operation.
TALUS_INLINE void tangent_of(const V8* axis, V8* t) {
  const V8 x = absolute(axis[0]), y = absolute(axis[1]), z = absolute(axis[2]);
  const V8 one = broadcast(1.0);
  const L8 along_x = (x <= y) & (x <= z), along_y = ~along_x & (y <= z);
  const V8 helper[3] = {select(along_x, one, zero()), select(along_y, one, zero()),
                        select(along_x | along_y, zero(), one)};
  const V8 part = dot3(helper, axis);
  for (int k = 0; k < 3; ++k) t[k] = helper[k] - part * axis[k];
  const V8 inverse = one / square_root(dot3(t, t));
  for (int k = 0; k < 3; ++k) t[k] = inverse * t[k];
}

/// set_frame() of cone_set.cpp, operation by operation.
TALUS_INLINE void tangent_along(const V8* axis, V8* t) {
  const V8 one = broadcast(1.0);
  V8 replaced[3];
  tangent_of(axis, replaced);
  V8 part = dot3(t, axis);
  for (int k = 0; k < 3; ++k) t[k] = t[k] - part * axis[k];
  const V8 length = square_root(dot3(t, t));
  const L8 is_long = length > 1e-6;
  const V8 inverse = one / length;
  for (int k = 0; k < 3; ++k) t[k] = inverse * t[k];
  part = dot3(t, axis);
  for (int k = 0; k < 3; ++k) t[k] = t[k] - part * axis[k];
  const V8 once_more = one / square_root(dot3(t, t));
  for (int k = 0; k < 3; ++k) t[k] = select(is_long, once_more * t[k], replaced[k]);
}

TALUS_INLINE void angle_of(V8 mu, V8& cosine, V8& sine) {
  const V8 one = broadcast(1.0);
  const L8 is_flat = mu <= 1.0;
  const V8 ratio = select(is_flat, mu, one / mu);
  const V8 larger = one / square_root(one + ratio * ratio), smaller = ratio * larger;
  cosine = select(is_flat, larger, smaller);
  sine = select(is_flat, smaller, larger);
}

void make_frames(const FramePass& p, int begin, int end) {
  for (int t = begin; t < end; ++t) {
    const int cones = p.count - 8 * t < 8 ? p.count - 8 * t : 8;
    V8 axis[3], tangent[3];
    vectors_from(p.axis + 24 * t, cones, axis);
    vectors_from(p.direction + 24 * t, cones, tangent);
    tangent_along(axis, tangent);
    vectors_into(p.tangent + 24 * t, cones, tangent);
    const V8 mu = numbers_from(p.friction + 8 * t, cones);
    V8 cosine, sine;
    angle_of(mu, cosine, sine);
    numbers_into(p.mu + 8 * t, cones, mu);
    numbers_into(p.cosine + 8 * t, cones, cosine);
    numbers_into(p.sine + 8 * t, cones, sine);
    for (int k = 0; k < 3; ++k) numbers_into(p.axis_tiles + 24 * t + 8 * k, cones, axis[k]);
  }
}

void tangents(const double* axis, double* tangent, int count) {
  for (int first = 0; first < count; first += 8) {
    const int cones = count - first < 8 ? count - first : 8;
    V8 n[3], t[3];
    vectors_from(axis + 3L * first, cones, n);
    tangent_of(n, t);
    vectors_into(tangent + 3L * first, cones, t);
  }
}

void add_framed(const FramedPass& p, int begin, int end) {
  for (int t = begin; t < end; ++t) {
    const int cones = p.count - 8 * t < 8 ? p.count - 8 * t : 8;
    const V8 axis[3] = {load(p.axis_tiles + 24 * t), load(p.axis_tiles + 24 * t + 8),
                        load(p.axis_tiles + 24 * t + 16)};
    V8 first[3], second[3], parts[3];
    vectors_from(p.tangent + 24 * t, cones, first);
    cross3(axis, first, second);
    vectors_from(p.parts + 24 * t, cones, parts);
    const V8 factor = p.factor != nullptr ? numbers_from(p.factor + 8 * t, cones) : zero();
    for (int k = 0; k < 3; ++k) {
      V8 more = parts[0] * axis[k] + parts[1] * first[k] + parts[2] * second[k];
      if (p.factor != nullptr) more = factor * more;
      double* rows = p.rows + static_cast<long>(p.stride) * t + 8 * k;
      numbers_into(rows, cones, load(rows) + more);
    }
  }
}

}  // namespace

extern const FrameKernels frame_kernel_table;
const FrameKernels frame_kernel_table = {make_frames, add_framed, tangents};

}  // namespace talus::TALUS_LEVEL
