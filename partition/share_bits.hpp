#pragma once
// Numbers as bits, so that those of one rank and the zeros of the others add up to them.

#include <bit>
#include <cstdint>

namespace talus {

inline std::int64_t bits_of(double x) {
  return std::bit_cast<std::int64_t>(x);
}
inline double from_bits(std::int64_t x) {
  return std::bit_cast<double>(x);
}

}  // namespace talus
