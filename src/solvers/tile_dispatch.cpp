#include "talus/core/simd.hpp"

#include "solvers/tile_kernels.hpp"

namespace talus {

namespace baseline {
extern const TileKernels tile_kernel_table;
}
namespace v3 {
extern const TileKernels tile_kernel_table;
}
namespace v4 {
extern const TileKernels tile_kernel_table;
}

const TileKernels& tile_kernels() {
  switch (simd_level()) {
    case SimdLevel::V4:
      return v4::tile_kernel_table;
    case SimdLevel::V3:
      return v3::tile_kernel_table;
    case SimdLevel::Baseline:
      break;
  }
  return baseline::tile_kernel_table;
}

}  // namespace talus
