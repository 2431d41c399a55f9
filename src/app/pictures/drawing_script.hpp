#pragma once
// Pictures by matplotlib, through a script of ours in a Python process: no package that the program
// would need otherwise; and where files that are installed with the program are.

#include <string>
#include <vector>

namespace talus::app {

/// A script that is installed with the program, and a Python that can run it.
class DrawingScript {
 public:
  /// Throws InputError where no python3 with matplotlib is found: "<who>: needs matplotlib ...";
  /// the message names the Debian package.
  DrawingScript(const std::string& script, const std::string& who);

  /// Exit status of the script with `input` on its stdin. What it says goes to stderr.
  int run(const std::vector<std::string>& words, const std::string& input) const;
  const std::string& python() const { return python_; }

 private:
  std::string script_, python_;
};

// Files that are installed with the program (share/talus), and where they are.

/// Path of a data file, beside the program in a build tree or in the prefix where it was installed;
/// both may be moved as a whole. Throws std::runtime_error naming where it was looked for.
std::string data_file(const std::string& name);

}  // namespace talus::app
