#include "simulation/said.hpp"

#include "core/key_order.hpp"
#include "model/world_archive.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace talus {

std::uint64_t mixed(std::uint64_t seed, std::span<const double> numbers) {
  for (const double x : numbers) seed = mixed_bits(seed ^ std::bit_cast<std::uint64_t>(x));
  return seed;
}

std::uint64_t mixed(std::uint64_t seed, const std::vector<std::byte>& bytes) {
  seed = mixed_bits(seed ^ static_cast<std::uint64_t>(bytes.size()));
  std::uint64_t word = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof word) {
    word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    seed = mixed_bits(seed ^ word);
  }
  return seed;
}

std::uint64_t mixed(const std::string& text) {
  return mixed(0, packed(text));
}

std::uint64_t mixed(std::span<const BodySpec> specs) {
  std::uint64_t seal = specs.size();
  for (const BodySpec& spec : specs) seal = mixed(seal, packed(spec));
  return seal;
}

}  // namespace talus
