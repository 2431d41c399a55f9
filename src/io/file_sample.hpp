#pragma once
// Whether several ranks see the same file: stale copies on their own disks are told apart.

#include <cstdint>
#include <string>

namespace talus::io {

struct FileSample {
  std::int64_t size = 0;   ///< bytes
  std::uint64_t hash = 0;  ///< of all bytes up to 1 MiB, of 256 pieces spread evenly beyond
};

/// Throws InputError where the file cannot be read.
FileSample sample_of(const std::string& path);

}  // namespace talus::io
