#pragma once
// Four numbers of each of eight places in memory, as four vectors, and back. For kernel files only.

#include "core/lanes.hpp"

namespace talus::TALUS_LEVEL {
namespace {

typedef long L4 __attribute__((vector_size(32)));  // NOLINT(modernize-use-using)

TALUS_INLINE V4 load4(const double* p) {
  return *reinterpret_cast<const V4*>(p);
}
TALUS_INLINE void store4(double* p, V4 v) {
  *reinterpret_cast<V4*>(p) = v;
}

/// Rows of a 4 x 4 matrix become its columns.
TALUS_INLINE void transpose(V4& a, V4& b, V4& c, V4& d) {
  const V4 low_ab = __builtin_shuffle(a, b, L4{0, 4, 2, 6});
  const V4 high_ab = __builtin_shuffle(a, b, L4{1, 5, 3, 7});
  const V4 low_cd = __builtin_shuffle(c, d, L4{0, 4, 2, 6});
  const V4 high_cd = __builtin_shuffle(c, d, L4{1, 5, 3, 7});
  a = __builtin_shuffle(low_ab, low_cd, L4{0, 1, 4, 5});
  b = __builtin_shuffle(high_ab, high_cd, L4{0, 1, 4, 5});
  c = __builtin_shuffle(low_ab, low_cd, L4{2, 3, 6, 7});
  d = __builtin_shuffle(high_ab, high_cd, L4{2, 3, 6, 7});
}

TALUS_INLINE V8 join(V4 low, V4 high) {
#if defined(__AVX512F__)
  return reinterpret_cast<V8>(
      _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(reinterpret_cast<__m256d>(low)),
                               reinterpret_cast<__m256d>(high), 1));
#else
  union {
    V8 whole;
    V4 half[2];
  } u;
  u.half[0] = low;
  u.half[1] = high;
  return u.whole;
#endif
}

TALUS_INLINE void split(V8 whole, V4& low, V4& high) {
  union {
    V8 whole;
    V4 half[2];
  } u = {whole};
  low = u.half[0];
  high = u.half[1];
}

#if defined(__AVX512F__)
/// The rows of both 4 x 4 halves, rows 0 to 3 and 4 to 7 side by side, become their columns.
TALUS_INLINE void transpose_halves(V8& a, V8& b, V8& c, V8& d) {
  const V8 low_ab = __builtin_shuffle(a, b, L8{0, 8, 2, 10, 4, 12, 6, 14});
  const V8 high_ab = __builtin_shuffle(a, b, L8{1, 9, 3, 11, 5, 13, 7, 15});
  const V8 low_cd = __builtin_shuffle(c, d, L8{0, 8, 2, 10, 4, 12, 6, 14});
  const V8 high_cd = __builtin_shuffle(c, d, L8{1, 9, 3, 11, 5, 13, 7, 15});
  a = __builtin_shuffle(low_ab, low_cd, L8{0, 1, 8, 9, 4, 5, 12, 13});
  b = __builtin_shuffle(high_ab, high_cd, L8{0, 1, 8, 9, 4, 5, 12, 13});
  c = __builtin_shuffle(low_ab, low_cd, L8{2, 3, 10, 11, 6, 7, 14, 15});
  d = __builtin_shuffle(high_ab, high_cd, L8{2, 3, 10, 11, 6, 7, 14, 15});
}
#endif

/// Four numbers per contact become four vectors with lanes = contacts. Where a register holds eight
/// numbers, halves are joined as they are loaded, which takes no shuffle.
template <class Four>
TALUS_INLINE void lanes_from(const Four& four, V8* out) {
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i) out[i] = join(four(i), four(4 + i));
  transpose_halves(out[0], out[1], out[2], out[3]);
#else
  V4 part[2][4];
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 4; ++i) part[half][i] = four(4 * half + i);
    transpose(part[half][0], part[half][1], part[half][2], part[half][3]);
  }
  for (int k = 0; k < 4; ++k) out[k] = join(part[0][k], part[1][k]);
#endif
}

/// put(lane, four numbers): the way back.
template <class Put>
TALUS_INLINE void lanes_into(const V8* in, const Put& put) {
  V4 part[2][4];
#if defined(__AVX512F__)
  V8 row[4] = {in[0], in[1], in[2], in[3]};
  transpose_halves(row[0], row[1], row[2], row[3]);
  for (int i = 0; i < 4; ++i) split(row[i], part[0][i], part[1][i]);
#else
  for (int k = 0; k < 4; ++k) split(in[k], part[0][k], part[1][k]);
  for (int half = 0; half < 2; ++half)
    transpose(part[half][0], part[half][1], part[half][2], part[half][3]);
#endif
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 4; ++i) put(4 * half + i, part[half][i]);
}

}  // namespace
}  // namespace talus::TALUS_LEVEL
