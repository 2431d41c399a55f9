#pragma once
// What writer and reader of state files share.

#include <cstdint>

namespace talus::io {

inline constexpr std::int64_t state_version = 1;

/// As numbered in the file.
enum class StateShape : std::uint8_t { Sphere = 0, Box = 1, Plane = 2, Compound = 3, Mesh = 4 };

}  // namespace talus::io
