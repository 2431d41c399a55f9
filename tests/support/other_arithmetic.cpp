#include "support/other_arithmetic.hpp"

#include <omp.h>

#include <fpu_control.h>
#include <xmmintrin.h>

namespace talus::support {
namespace {

constexpr unsigned upward_and_flushed = 0x4000 | 0x8040, vector_modes = 0x6000 | 0x8040;
constexpr fpu_control_t upward_and_short = 0x0800, scalar_modes = 0x0F00;

void set_vector_modes(unsigned modes) {
  _mm_setcsr((_mm_getcsr() & ~vector_modes) | modes);
}

}  // namespace

bool flushes() {
  return (_mm_getcsr() & vector_modes) != 0;
}

OtherArithmetic::OtherArithmetic() : vector_before_(_mm_getcsr() & vector_modes) {
  fpu_control_t now = 0;
  _FPU_GETCW(now);
  scalar_before_ = now;
  now = static_cast<fpu_control_t>((now & ~scalar_modes) | upward_and_short);
  _FPU_SETCW(now);
  set_vector_modes(upward_and_flushed);
}

OtherArithmetic::~OtherArithmetic() {
  set_vector_modes(vector_before_);
  fpu_control_t before = scalar_before_;
  _FPU_SETCW(before);
}

SpoiltThreads::SpoiltThreads(int threads)
    : threads_(threads), threads_before_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
#pragma omp parallel num_threads(threads) default(none)
  if (omp_get_thread_num() > 0) set_vector_modes(upward_and_flushed);
}

SpoiltThreads::~SpoiltThreads() {
#pragma omp parallel num_threads(threads_) default(none)
  if (omp_get_thread_num() > 0) set_vector_modes(0);
  omp_set_num_threads(threads_before_);
}

int SpoiltThreads::still_spoilt() const {
  int count = 0;
#pragma omp parallel num_threads(threads_) default(none) reduction(+ : count)
  count += flushes() ? 1 : 0;
  return count;
}

}  // namespace talus::support
