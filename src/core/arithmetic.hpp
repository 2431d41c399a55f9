#pragma once
// How this processor rounds, and what it does with the smallest numbers, is a mode of each thread
// that any library in the process may change: -ffast-math in one of them is enough. The same bits
// everywhere need the same mode everywhere (docs/conventions.md, the determinism promise).

#include <cstdint>

namespace talus {

/// While it lives, its thread rounds to the nearest number and neither makes nor takes subnormal
/// numbers for 0 (FTZ and DAZ off); then the thread has its own mode again. A copy is made by each
/// thread of a team with `firstprivate` and does the same there: every parallel region of ours has
/// it, because threads keep the mode that they were started or left with. Which exceptions trap is
/// not touched.
class StandardArithmetic {
 public:
  StandardArithmetic() noexcept;
  StandardArithmetic(const StandardArithmetic&) noexcept : StandardArithmetic() {}
  StandardArithmetic& operator=(const StandardArithmetic&) = delete;
  ~StandardArithmetic();

 private:
  std::uint32_t vector_before_;  ///< modes of the vector unit (MXCSR)
  std::uint16_t scalar_before_;  ///< and of the x87, in which long double is computed
};

}  // namespace talus
