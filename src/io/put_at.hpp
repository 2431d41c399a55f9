#pragma once

#include <cstdint>

namespace talus::io {

/// Writes into this rank's place in a file to which other ranks write too. False with errno where
/// the disk does not take it.
bool put_at(int descriptor, std::int64_t place, const void* from, std::uint64_t bytes);

}  // namespace talus::io
