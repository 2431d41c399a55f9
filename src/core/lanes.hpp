#pragma once
// Eight lanes of double for kernel files (*_kernels.cpp) only: one operation here is one, two or
// four machine instructions, depending on the level that the file is compiled for, and the same
// bits on each. Everything has internal linkage; nothing of this may be included by a file that is
// compiled once.

#ifndef TALUS_LEVEL
#error "lanes.hpp belongs to kernel files, which are compiled once per x86-64 level"
#endif

#include <cstdint>
#include <immintrin.h>

namespace talus::TALUS_LEVEL {
namespace {

#define TALUS_INLINE __attribute__((always_inline)) inline

typedef double V8 __attribute__((vector_size(64), may_alias));  // NOLINT(modernize-use-using)
typedef double V4 __attribute__((vector_size(32), may_alias));  // NOLINT(modernize-use-using)
typedef long L8 __attribute__((vector_size(64), may_alias));    // NOLINT(modernize-use-using)
// NOLINTNEXTLINE(modernize-use-using)
typedef unsigned long U8 __attribute__((vector_size(64), may_alias));

TALUS_INLINE V8 load(const double* p) {
  return *reinterpret_cast<const V8*>(p);
}
TALUS_INLINE void store(double* p, V8 v) {
  *reinterpret_cast<V8*>(p) = v;
}
TALUS_INLINE V8 broadcast(double x) {
  return V8{x, x, x, x, x, x, x, x};
}
TALUS_INLINE V8 zero() {
  return broadcast(0.0);
}
TALUS_INLINE U8 bits(V8 v) {
  return reinterpret_cast<U8>(v);
}
TALUS_INLINE V8 absolute(V8 v) {
  return reinterpret_cast<V8>(bits(v) & 0x7fffffffffffffffUL);
}
TALUS_INLINE V8 select(L8 mask, V8 yes, V8 no) {
  return mask ? yes : no;
}

TALUS_INLINE V8 square_root(V8 v) {
#if defined(__AVX512F__)
  return reinterpret_cast<V8>(_mm512_maskz_sqrt_pd(0xff, reinterpret_cast<__m512d>(v)));
#else
  union {
    V8 whole;
    __m128d part[4];
  } u = {v};
  for (__m128d& p : u.part) p = _mm_sqrt_pd(p);
  return u.whole;
#endif
}

/// Bit by lane of a mask.
TALUS_INLINE unsigned lane_bits(L8 mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
#else
  union {
    L8 whole;
    __m128d part[4];
  } u = {mask};
  unsigned all = 0;
  for (int i = 0; i < 4; ++i) all |= static_cast<unsigned>(_mm_movemask_pd(u.part[i])) << (2 * i);
  return all;
#endif
}
TALUS_INLINE bool any(L8 mask) {
  return lane_bits(mask) != 0;
}

}  // namespace
}  // namespace talus::TALUS_LEVEL
