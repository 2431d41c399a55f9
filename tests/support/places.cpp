#include "support/places.hpp"

#include <cstdlib>

namespace talus::support {

std::filesystem::path problems_folder() {
  const char* chosen = std::getenv("TALUS_PROBLEMS");
  return chosen != nullptr ? chosen : TALUS_PROBLEMS_DEFAULT;
}

std::filesystem::path source_folder() {
  return TALUS_SOURCE_DIR;
}

std::string program() {
  return TALUS_PROGRAM;
}

std::string fault_library() {
  return TALUS_FAULT_LIBRARY;
}

std::string arithmetic_library() {
  return TALUS_ARITHMETIC_LIBRARY;
}

}  // namespace talus::support
