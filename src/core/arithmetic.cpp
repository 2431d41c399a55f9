// The bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 8.1.5 (control
// word of the x87) and 10.2.3 (MXCSR). Calls from elsewhere, not inlined: no sum moves across them.

#include "core/arithmetic.hpp"

#include <fpu_control.h>
#include <xmmintrin.h>

namespace talus {
namespace {

constexpr std::uint32_t vector_modes = 0xE040;  // FTZ, rounding (two bits), DAZ: all 0 is standard
constexpr std::uint16_t scalar_modes = 0x0F00;  // rounding, precision (two bits each)
constexpr std::uint16_t scalar_standard = 0x0300;  // to nearest, 64 bits

/// Flags that were raised and what traps stay: only the modes are as in `modes`.
void set_vector_modes(std::uint32_t modes) {
  const std::uint32_t now = _mm_getcsr();
  const std::uint32_t wanted = (now & ~vector_modes) | (modes & vector_modes);
  if (wanted != now) _mm_setcsr(wanted);
}

void set_scalar_modes(std::uint16_t modes) {
  fpu_control_t now = 0;
  _FPU_GETCW(now);
  auto wanted = static_cast<fpu_control_t>((now & ~scalar_modes) | (modes & scalar_modes));
  if (wanted != now) _FPU_SETCW(wanted);
}

}  // namespace

StandardArithmetic::StandardArithmetic() noexcept : vector_before_(_mm_getcsr()) {
  fpu_control_t scalar = 0;
  _FPU_GETCW(scalar);
  scalar_before_ = scalar;
  set_vector_modes(0);
  set_scalar_modes(scalar_standard);
}

StandardArithmetic::~StandardArithmetic() {
  set_vector_modes(vector_before_);
  set_scalar_modes(scalar_before_);
}

}  // namespace talus
