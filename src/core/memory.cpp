#include "core/memory.hpp"

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace talus {

double most_memory_allowed() {
  double most =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  for (const auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      most = std::min(most, static_cast<double>(limit.rlim_cur));
  }
  std::ifstream group("/sys/fs/cgroup/memory.max");  // "max" where there is no limit: no number
  double of_group = 0.0;
  if (group >> of_group && of_group > 0.0) most = std::min(most, of_group);
  return most;
}

}  // namespace talus
