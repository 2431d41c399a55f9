#pragma once
// Which problems a user means who names files, folders and generators.

#include "talus/io/comparison_file.hpp"

#include <string>
#include <vector>

namespace talus::app {

struct ProblemSource {
  std::string name;  ///< of a file, or the generator's text
  bool generated = false;
  bool may_be_other = false;  ///< found in a folder: need not hold a problem
};

struct ProblemSources {
  std::vector<ProblemSource> problems;
  std::vector<LeftOut> skipped;  ///< files of folders that are no HDF5 files by name
};

/// Files in the order given, those of a folder (with its subfolders) by name; then the generated.
/// Throws InputError naming what does not exist and what generators do not know.
ProblemSources find_sources(const std::vector<std::string>& paths,
                            const std::vector<std::string>& generators);

/// ".json" of "a/b.json"
std::string ending_of(const std::string& path);

}  // namespace talus::app
