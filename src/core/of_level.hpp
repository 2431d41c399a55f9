#pragma once
// What is compiled for each x86-64 level (core/simd.hpp): the one of the level in use.

#include "core/simd.hpp"

namespace talus {

/// Tables of kernels, or a kernel.
template <class Kernels>
Kernels& of_level(Kernels& baseline, Kernels& v3, Kernels& v4) {
  switch (simd_level()) {
    case SimdLevel::V4:
      return v4;
    case SimdLevel::V3:
      return v3;
    case SimdLevel::Baseline:
      break;
  }
  return baseline;
}

}  // namespace talus
