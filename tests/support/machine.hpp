#pragma once
// Choosing threads and instruction sets for a test, and comparing bits.

#include "talus/core/types.hpp"

#include "core/simd.hpp"

#include <omp.h>

#include <bit>
#include <vector>

namespace talus::support {

/// The levels that this CPU has, from the baseline up.
inline std::vector<SimdLevel> levels_here() {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : {SimdLevel::Baseline, SimdLevel::V3, SimdLevel::V4})
    if (level <= best_simd_level()) levels.push_back(level);
  return levels;
}

/// Uses `level` until it goes out of scope.
class ForcedLevel {
 public:
  explicit ForcedLevel(SimdLevel level) : before_(simd_level()) { force_simd_level(level); }
  ~ForcedLevel() { force_simd_level(before_); }
  ForcedLevel(const ForcedLevel&) = delete;
  ForcedLevel& operator=(const ForcedLevel&) = delete;

 private:
  SimdLevel before_;
};

/// Uses so many threads until it goes out of scope.
class ForcedThreads {
 public:
  explicit ForcedThreads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~ForcedThreads() { omp_set_num_threads(before_); }
  ForcedThreads(const ForcedThreads&) = delete;
  ForcedThreads& operator=(const ForcedThreads&) = delete;

 private:
  int before_;
};

inline std::uint64_t bits_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

/// As integers, so that -0 differs from 0 and a NaN equals itself.
template <class Doubles>
std::vector<std::uint64_t> bits_of_all(const Doubles& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(bits_of(value));
  return bits;
}

}  // namespace talus::support
