#include "core/memory.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace talus {
namespace {

/// The least limit of a folder of control groups and those that hold it; `most` where none is less.
double least_limit(const std::filesystem::path& root, const std::filesystem::path& group,
                   const char* file, double most) {
  for (std::filesystem::path folder = root / group.relative_path();;
       folder = folder.parent_path()) {
    std::ifstream limit(folder / file);  // of the system; "max" where there is none: no number
    double bytes = 0.0;
    if (limit >> bytes && bytes > 0.0) most = std::min(most, bytes);
    if (folder == root || !folder.has_relative_path()) return most;
  }
}

/// Of the control groups that this program is in: the lines of /proc/self/cgroup are
/// number:controllers:path, with no controllers for version 2.
double limit_of_groups(double most) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string which = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    if (which == ",,")
      most = least_limit("/sys/fs/cgroup", line.substr(second + 1), "memory.max", most);
    else if (which.find(",memory,") != std::string::npos)
      most = least_limit("/sys/fs/cgroup/memory", line.substr(second + 1), "memory.limit_in_bytes",
                         most);
  }
  return most;
}

}  // namespace

double most_memory_allowed() {
  double most =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  for (const auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      most = std::min(most, static_cast<double>(limit.rlim_cur));
  }
  return limit_of_groups(most);
}

}  // namespace talus
