#pragma once
// Numbers and vectors of up to eight places as lanes, and back. For kernel files only.

#include "core/lanes.hpp"

namespace talus::TALUS_LEVEL {
namespace {

/// Numbers may begin anywhere.
typedef double V8Anywhere  // NOLINT(modernize-use-using)
    __attribute__((vector_size(64), may_alias, aligned(8)));

TALUS_INLINE V8 load_anywhere(const double* p) {
  return *reinterpret_cast<const V8Anywhere*>(p);
}
TALUS_INLINE void store_anywhere(double* p, V8 v) {
  *reinterpret_cast<V8Anywhere*>(p) = v;
}

/// The first `count` of eight numbers; the other lanes are 0.
TALUS_INLINE V8 numbers_from(const double* p, int count) {
  if (count == 8) return load_anywhere(p);
  V8 v = zero();
  for (int i = 0; i < count; ++i) v[i] = p[i];
  return v;
}
TALUS_INLINE void numbers_into(double* p, int count, V8 v) {
  if (count == 8) return store_anywhere(p, v);
  for (int i = 0; i < count; ++i) p[i] = v[i];
}

/// Three numbers per place.
TALUS_INLINE void vectors_from(const double* p, int count, V8* v) {
  for (int k = 0; k < 3; ++k) v[k] = zero();
  if (count == 8) {
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 8; ++i) v[k][i] = p[3 * i + k];
    return;
  }
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < count; ++i) v[k][i] = p[3 * i + k];
}
TALUS_INLINE void vectors_into(double* p, int count, const V8* v) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 8; ++i)
      if (i < count) p[3 * i + k] = v[k][i];
}

TALUS_INLINE V8 dot3(const V8* a, const V8* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
TALUS_INLINE void cross3(const V8* a, const V8* b, V8* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

}  // namespace
}  // namespace talus::TALUS_LEVEL
