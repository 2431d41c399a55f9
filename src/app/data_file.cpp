#include "app/data_file.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace talus::app {

std::string data_file(const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path built = program / "share/talus" / name;
  const fs::path installed = (program / TALUS_DATA_FROM_PROGRAM / name).lexically_normal();
  for (const fs::path& path : {built, installed})
    if (fs::exists(path)) return path.string();
  throw std::runtime_error(
      fmt::format("{} is missing: neither {} nor {} is there; install talus anew", name,
                  built.string(), installed.string()));
}

}  // namespace talus::app
