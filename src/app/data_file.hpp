#pragma once
// Files that are installed with the program (share/talus), and where they are.

#include <string>

namespace talus::app {

/// Path of a data file, beside the program in a build tree or in the prefix where it was installed;
/// both may be moved as a whole. Throws std::runtime_error naming where it was looked for.
std::string data_file(const std::string& name);

}  // namespace talus::app
