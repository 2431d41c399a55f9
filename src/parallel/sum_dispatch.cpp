#include "talus/core/simd.hpp"

#include "parallel/sum_kernels.hpp"

namespace talus {

namespace baseline {
extern const SumKernels sum_kernel_table;
}
namespace v3 {
extern const SumKernels sum_kernel_table;
}
namespace v4 {
extern const SumKernels sum_kernel_table;
}

const SumKernels& sum_kernels() {
  switch (simd_level()) {
    case SimdLevel::V4:
      return v4::sum_kernel_table;
    case SimdLevel::V3:
      return v3::sum_kernel_table;
    case SimdLevel::Baseline:
      break;
  }
  return baseline::sum_kernel_table;
}

}  // namespace talus
