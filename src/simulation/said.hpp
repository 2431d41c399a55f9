#pragma once
// What a caller says, as one number: ranks that do not say the same are told apart.

#include "talus/model/scene_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace talus {

std::uint64_t mixed(std::uint64_t seed, std::span<const double> numbers);
std::uint64_t mixed(std::uint64_t seed, const std::vector<std::byte>& bytes);
std::uint64_t mixed(const std::string& text);
/// All that they say, by core/archive.hpp: no member is forgotten.
std::uint64_t mixed(std::span<const BodySpec> specs);

}  // namespace talus
