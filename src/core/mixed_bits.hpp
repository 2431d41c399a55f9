#pragma once
// Numbers that look random and depend on nothing but what they are made of.

#include <cstdint>

namespace talus {

/// Every bit of x moves every bit of the result: the finaliser of [Steele14].
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace talus
