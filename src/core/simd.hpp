#pragma once
// Hot kernels are compiled for three x86-64 levels with the same operations in the same order
// (contraction off, eight lanes = eight contacts), so that every level gives the same bits.
// docs/decisions/003.

#include <string>

namespace talus {

enum class SimdLevel { Baseline, V3, V4 };

/// The level in use: the best this CPU has, or the one forced by TALUS_SIMD=baseline|v3|v4.
SimdLevel simd_level();

/// The best level of this CPU.
SimdLevel best_simd_level();

/// For tests and benchmarks; throws InputError where the CPU lacks the level.
void force_simd_level(SimdLevel level);

std::string name_of(SimdLevel level);

}  // namespace talus
