#pragma once
// Where an output really goes.

#include <stdexcept>
#include <string>

namespace talus::io {

/// The file behind symbolic links. Writers put a new file in the place of the old one, which would
/// destroy a device, a pipe or a link: InputError where something that is no regular file has the
/// name.
std::string regular_goal(const std::string& path);

/// The name under which a file is made before it takes its place.
std::string beside(const std::string& goal);

/// A file that is made under a name beside its goal, and takes its place when it is whole; without
/// that nothing of it is left.
class MadeBeside {
 public:
  explicit MadeBeside(const std::string& goal);
  ~MadeBeside();
  MadeBeside(const MadeBeside&) = delete;
  MadeBeside& operator=(const MadeBeside&) = delete;

  const std::string& path() const { return made_; }
  /// Throws std::runtime_error.
  void take_place();
  /// Why it does not: an error of the system.
  std::runtime_error failure(int reason) const;
  /// A message about it that names the goal.
  std::string about_goal(std::string message) const;

 private:
  std::string goal_, made_;
};

/// Whether a writer waits until the disk has the file. One for looking at is worth no wait.
enum class Sync { None, Disk };

/// Written beside and renamed: no half-written file ever stands under `path`.
void replace_text(const std::string& path, const std::string& text, Sync sync);

}  // namespace talus::io
