#include "core/simd.hpp"

#include "talus/core/error.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace talus {
namespace {

// The feature lists are those of the x86-64 psABI levels, as far as our kernels can use them.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

void require_level(SimdLevel level) {
  if (level > best_simd_level())
    throw InputError(fmt::format("TALUS_SIMD = {}: this CPU offers {} at most; unset TALUS_SIMD",
                                 name_of(level), name_of(best_simd_level())));
}

SimdLevel chosen_at_start() {
  const char* wanted = std::getenv("TALUS_SIMD");
  if (wanted == nullptr || *wanted == '\0') return best_simd_level();
  for (SimdLevel level : {SimdLevel::Baseline, SimdLevel::V3, SimdLevel::V4}) {
    if (name_of(level) != wanted) continue;
    require_level(level);
    return level;
  }
  throw InputError(fmt::format("TALUS_SIMD = {} is not one of baseline, v3, v4", wanted));
}

SimdLevel& current() {
  static SimdLevel level = chosen_at_start();
  return level;
}

}  // namespace

SimdLevel simd_level() {
  return current();
}

SimdLevel best_simd_level() {
  if (has_v4()) return SimdLevel::V4;
  return has_v3() ? SimdLevel::V3 : SimdLevel::Baseline;
}

void force_simd_level(SimdLevel level) {
  require_level(level);
  current() = level;
}

std::string name_of(SimdLevel level) {
  switch (level) {
    case SimdLevel::V3:
      return "v3";
    case SimdLevel::V4:
      return "v4";
    case SimdLevel::Baseline:
      break;
  }
  return "baseline";
}

}  // namespace talus
