#pragma once
// What writer and reader of state files share.

#include "talus/model/world.hpp"

#include "io/output_file.hpp"

#include <cstdint>
#include <vector>

namespace talus::io {

inline constexpr std::int64_t state_version = 1;

/// As numbered in the file.
enum class StateShape : std::uint8_t { Sphere = 0, Box = 1, Plane = 2, Compound = 3, Mesh = 4 };

/// All of a state file but contacts, as one of all ranks writes it: this rank has a slice of the
/// bodies.
void write_state_parts(SharedOutput& shared, const World& world,
                       const std::vector<StoredBody>& slice, GlobalId total);

}  // namespace talus::io
