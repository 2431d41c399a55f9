#include "talus/core/simd.hpp"

#include "solvers/pass_kernels.hpp"

namespace talus {

namespace baseline {
extern const LawKernels pass_kernel_table;
}
namespace v3 {
extern const LawKernels pass_kernel_table;
}
namespace v4 {
extern const LawKernels pass_kernel_table;
}

const LawKernels& law_kernels() {
  switch (simd_level()) {
    case SimdLevel::V4:
      return v4::pass_kernel_table;
    case SimdLevel::V3:
      return v3::pass_kernel_table;
    case SimdLevel::Baseline:
      break;
  }
  return baseline::pass_kernel_table;
}

const PassKernels& pass_kernels() {
  return law_kernels().associated;
}

}  // namespace talus
