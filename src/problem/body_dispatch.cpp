#include "talus/core/simd.hpp"

#include "problem/body_kernels.hpp"

namespace talus {

namespace baseline {
extern const BodyKernels body_kernel_table;
}
namespace v3 {
extern const BodyKernels body_kernel_table;
}
namespace v4 {
extern const BodyKernels body_kernel_table;
}

const BodyKernels& body_kernels() {
  switch (simd_level()) {
    case SimdLevel::V4:
      return v4::body_kernel_table;
    case SimdLevel::V3:
      return v3::body_kernel_table;
    case SimdLevel::Baseline:
      break;
  }
  return baseline::body_kernel_table;
}

}  // namespace talus
