#pragma once
// Numbers with their nouns.

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace talus {

/// "1 body", "2 bodies"
inline std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

inline std::string counted(std::int64_t count, const std::string& one) {
  return counted(count, one, one + "s");
}

}  // namespace talus
