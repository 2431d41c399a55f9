#include "app/problem_sources.hpp"

#include "talus/core/error.hpp"
#include "talus/generate/generate.hpp"

#include "app/faults.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

void add_folder(const std::string& folder, ProblemSources& sources) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    std::error_code ignored;
    if (entry.is_regular_file(ignored)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());  // a folder lists them in any order
  for (const std::string& file : files) {
    const std::string ending = ending_of(file);
    if (ending == ".h5" || ending == ".hdf5")
      sources.problems.push_back({file, false, true});
    else
      sources.skipped.push_back({file, "its name does not end in .h5 or .hdf5"});
  }
}

}  // namespace

std::string ending_of(const std::string& path) {
  return fs::path(path).extension().string();
}

ProblemSources find_sources(const std::vector<std::string>& paths,
                            const std::vector<std::string>& generators) {
  ProblemSources sources;
  InputErrors faults;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      add_folder(path, sources);
    else if (fs::exists(path, ignored))
      sources.problems.push_back({path});
    else
      faults.add(fmt::format("{}: there is no such file or folder", path));
  }
  for (const std::string& text : generators) {
    collect(faults, [&] { parse_generate(text); });
    sources.problems.push_back({text, true});
  }
  faults.throw_if_any();
  return sources;
}

}  // namespace talus::app
