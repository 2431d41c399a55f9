#pragma once
// Inputs are read in copies of the process, some 1000 in each, so that what ends one costs little.

#include "campaign/fuzz/reader.hpp"

#include <cstdint>
#include <string>

namespace talus::fuzz {

struct Limits {
  std::uint64_t batch = 1000;       ///< inputs that one process reads
  unsigned seconds = 10;            ///< of work, for one input
  long megabytes = 2048;            ///< that the process has at most
  std::string faults_folder = ".";  ///< where offending inputs are kept
};

struct Outcome {
  std::uint64_t inputs = 0, read = 0, refused = 0, faults = 0;
  double seconds = 0.0;
};

/// Reads the inputs first to first + count - 1. Of each fault a line is printed, and the input is
/// kept under a name with its seed.
Outcome fuzz(const Reader& reader, std::uint64_t first, std::uint64_t count, const Limits& limits);

/// Reads one input in this process, where a debugger can look.
void replay(const Reader& reader, const std::string& input);

}  // namespace talus::fuzz
