#pragma once
// Where tests find things. One source knows the folders of the build: all others compile to the
// same objects wherever the tree lies, so that a compiler cache serves every clone.

#include <filesystem>
#include <string>

namespace talus::support {

/// $TALUS_PROBLEMS, or else beside the source tree; need not exist.
std::filesystem::path problems_folder();
std::filesystem::path source_folder();
/// The program talus of this build.
std::string program();
/// tests/faults/mpi_faults.cpp as a library to preload.
std::string fault_library();
/// tests/faults/arithmetic_faults.cpp as a library to preload.
std::string arithmetic_library();

}  // namespace talus::support
