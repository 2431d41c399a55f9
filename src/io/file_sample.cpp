#include "io/file_sample.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <vector>
#include <xxhash.h>

namespace talus::io {

FileSample sample_of(const std::string& path) {
  constexpr std::int64_t pieces = 256, piece = 4096;  // bytes
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  FileSample sample;
  sample.size = file.tellg();
  std::vector<char> bytes;
  const std::int64_t last = std::max<std::int64_t>(0, sample.size - piece);
  const std::int64_t count = std::min(pieces, sample.size / piece + 1);
  for (std::int64_t k = 0; k < count && file; ++k) {
    // up to pieces * piece bytes these are all of them
    const std::int64_t at = sample.size <= pieces * piece ? k * piece : last / (pieces - 1) * k;
    const std::size_t old = bytes.size();
    bytes.resize(old + static_cast<std::size_t>(std::min(piece, sample.size - at)));
    file.seekg(at);
    file.read(bytes.data() + old, static_cast<std::streamsize>(bytes.size() - old));
  }
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  sample.hash = XXH64(bytes.data(), bytes.size(), 0);
  return sample;
}

}  // namespace talus::io
