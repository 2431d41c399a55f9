#include "app/run_states.hpp"

#include "talus/core/error.hpp"
#include "talus/io/state_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> snapshots_of(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "snapshots", ignored))
    if (entry.path().extension() == ".h5") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string state_file_of(const std::string& path, const std::optional<double>& time) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw InputError(fmt::format("{}: is not there; give a folder of talus run or a state", path));
  if (!fs::is_directory(path, ignored)) return path;
  const std::string last = (fs::path(path) / "state.h5").string();
  if (!time && fs::exists(last, ignored)) return last;
  std::vector<std::string> files = snapshots_of(path);
  files.push_back(last);
  std::string best;
  double best_time = 0.0;
  for (const std::string& file : files) {
    const std::optional<double> its = time_of_state(file);
    if (!its) continue;
    const bool better =
        time ? std::abs(*its - *time) < std::abs(best_time - *time) : *its >= best_time;
    if (!best.empty() && !better) continue;
    best = file;
    best_time = *its;
  }
  if (best.empty())
    throw InputError(fmt::format(
        "{}: has no state: neither state.h5 nor snapshots/*.h5; give a folder of talus run", path));
  return best;
}

}  // namespace talus::app
