#pragma once
// Numbers as bits, so that those of one rank and the zeros of the others add up to them.

#include "talus/model/body_set.hpp"

#include <bit>

namespace talus {

inline std::int64_t bits_of(double x) {
  return std::bit_cast<std::int64_t>(x);
}
inline double from_bits(std::int64_t x) {
  return std::bit_cast<double>(x);
}

inline bool is_local(const BodySet& bodies, Index body) {
  return bodies.residence[static_cast<std::size_t>(body)] == Residence::Local;
}

}  // namespace talus
